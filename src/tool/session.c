/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/session.h"

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

static void
log_line(enum vecwire_log_level level, const char *line, void *arg)
{
    static const char *const names[] = {"", "error", "info", "debug"};

    (void)arg;
    fprintf(stderr, "vecwire: %s: %s\n",
            (unsigned)level < 4 ? names[level] : "", line);
}

static int
refused_options(const char *command, enum vecwire_err rc,
                const struct vecwire_refusal *refusal)
{
    vecwire__args_complain(command, "%s%s%s (%s)", vecwire_strerror(rc),
                           refusal->text[0] == '\0' ? "" : ": ", refusal->text,
                           vecwire_err_name(rc));
    return rc == VECWIRE_ENOMEM ? TOOL_FAILED : TOOL_USAGE;
}

int
vecwire__session_mask(const char *command, const struct tool_common *common,
                      struct vecwire_hms_mask **mask)
{
    struct vecwire_refusal refusal = {.text = ""};
    enum vecwire_err rc;

    *mask = NULL;
    if (common->passphrase == NULL)
        return TOOL_DONE;
    rc = vecwire_hms_mask_new(
        mask,
        &VECWIRE_HMS_MASK_OPTIONS(.passphrase = common->passphrase,
                                  .salt = common->salt_len > 0 ? common->salt
                                                               : NULL,
                                  .salt_len = common->salt_len,
                                  .refusal = &refusal));
    if (rc == VECWIRE_OK)
        return TOOL_DONE;
    return refused_options(command, rc, &refusal);
}

/* Make the client, with a mask that lives only so long. */
static int
open_client(struct tool_session *session, const struct tool_common *common,
            struct vecwire_options *options)
{
    struct vecwire_refusal refusal = {.text = ""};
    struct vecwire_hms_mask *mask = NULL;
    enum vecwire_err rc;
    int status = TOOL_DONE;

    if (options->hms_mask == NULL) {
        status = vecwire__session_mask(session->command, common, &mask);
        options->hms_mask = mask;
    }
    if (status != TOOL_DONE)
        return status;
    options->refusal = &refusal;
    rc = vecwire_client_new(&session->client, session->base, options);
    options->refusal = NULL;
    vecwire_hms_mask_free(mask);
    if (rc == VECWIRE_OK)
        return TOOL_DONE;
    return refused_options(session->command, rc, &refusal);
}

int
vecwire__session_open(struct tool_session *session, const char *command,
                      const struct tool_common *common,
                      const struct session_limits *limits)
{
    struct vecwire_options options = VECWIRE_OPTIONS(.url = common->url);
    enum vecwire_err rc;
    int status = TOOL_FAILED;

    memset(session, 0, sizeof(*session));
    session->command = command;
    session->url = common->url;
    session->base = vecwire_event_base_new();
    if (session->base == NULL) {
        vecwire__args_complain(command, "no event loop could be made");
        return TOOL_FAILED;
    }
    rc = vecwire_loop_new(&session->loop, session->base);
    if (rc != VECWIRE_OK) {
        vecwire__args_complain(command, "%s", vecwire_strerror(rc));
        goto fail;
    }
    options.dialect = common->dialect;
    options.collection = common->collection;
    options.api_key = common->api_key;
    options.tenant = common->tenant;
    options.deadline_ms = common->timeout_ms;
    options.ca_file = common->cacert;
    options.cert_file = common->cert;
    options.key_file = common->key;
    options.insecure = common->insecure;
    options.loop = session->loop;
    options.log = common->verbose ? log_line : NULL;
    if (limits != NULL) {
        options.hms_mask = limits->mask;
        options.connections = limits->connections;
        options.max_waiting = limits->max_waiting;
        options.max_waiting_bytes = limits->max_waiting_bytes;
    }
    status = open_client(session, common, &options);
    if (status == TOOL_DONE)
        return TOOL_DONE;

fail:
    vecwire__session_close(session);
    return status;
}

void
vecwire__session_close(struct tool_session *session)
{
    vecwire_client_free(session->client);
    /* What a client leaves to libevent is freed in the base's next pass. */
    if (session->client != NULL)
        event_base_loop(session->base, EVLOOP_NONBLOCK);
    vecwire_loop_free(session->loop);
    if (session->base != NULL)
        event_base_free(session->base);
    session->client = NULL;
    session->loop = NULL;
    session->base = NULL;
}

void
vecwire__session_keep(const struct vecwire_reply *reply, void *arg)
{
    *(const struct vecwire_reply **)arg = vecwire_reply_keep(reply);
}

bool
vecwire__session_wait(struct tool_session *session,
                      const struct vecwire_reply **reply)
{
    while (*reply == NULL) {
        bool more = false;
        enum vecwire_err rc = vecwire_loop_step(session->loop, &more);

        if (*reply == NULL && (rc != VECWIRE_OK || !more)) {
            vecwire__args_complain(session->command,
                                   "the event loop ended before the reply");
            return false;
        }
    }
    return true;
}

void
vecwire__session_reason(const struct vecwire_error *error, char *text,
                        size_t room)
{
    char status[32] = "";

    if (error->http_status != 0)
        snprintf(status, sizeof(status), ", HTTP %u", error->http_status);
    snprintf(text, room, "%s (%s%s, %s%s): %s", vecwire_strerror(error->code),
             vecwire_err_name(error->code), status,
             vecwire_phase_name(error->phase),
             error->outcome_unknown ? ", the write may have been applied" : "",
             error->detail);
}

void
vecwire__session_failed(const struct tool_session *session, const char *what,
                        const struct vecwire_error *error)
{
    char reason[1024];

    vecwire__session_reason(error, reason, sizeof(reason));
    vecwire__args_complain(session->command, "%s%s%s: %s", what,
                           what[0] == '\0' ? "" : " at ", session->url, reason);
}

int
vecwire__session_refused(const struct tool_session *session, const char *what,
                         enum vecwire_err rc,
                         const struct vecwire_refusal *refusal)
{
    vecwire__args_complain(session->command, "%s%s%s (%s)%s%s", what,
                           what[0] == '\0' ? "" : ": ", vecwire_strerror(rc),
                           vecwire_err_name(rc),
                           refusal->text[0] == '\0' ? "" : ": ", refusal->text);
    return rc == VECWIRE_EINVAL || rc == VECWIRE_ETOOBIG ||
                   rc == VECWIRE_EUNSUPPORTED
               ? TOOL_USAGE
               : TOOL_FAILED;
}
