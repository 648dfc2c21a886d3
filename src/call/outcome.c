/* SPDX-License-Identifier: Apache-2.0 */
/* What is written down about a call that failed. */
#include "call/engine.h"

#include <string.h>
#include <strings.h>

/* Shorter ones keep nobody out, and would tear ordinary words apart. */
#define KEY_MIN 8

enum vecwire_phase
vecwire__call_phase(const struct vecwire__call *call)
{
    switch (call->state) {
    case VECWIRE__CALL_QUEUED:
        return VECWIRE_PHASE_QUEUED;
    case VECWIRE__CALL_RETRY_WAIT:
        return VECWIRE_PHASE_RETRY_WAIT;
    case VECWIRE__CALL_CONNECTING:
        return call->phase;
    case VECWIRE__CALL_SENDING:
        return call->conn != NULL && call->conn->sent_ns != 0
                   ? VECWIRE_PHASE_WAITING
                   : VECWIRE_PHASE_SENDING;
    case VECWIRE__CALL_RECEIVING:
    case VECWIRE__CALL_PAUSED:
        return VECWIRE_PHASE_RECEIVING;
    default:
        return VECWIRE_PHASE_NONE;
    }
}

bool
vecwire__call_sent_any(const struct vecwire__call *call)
{
    return call->conn != NULL && call->conn->bytes_sent > 0;
}

/* For ends that are no question of sending again: deadline, cancel, close,
 * no memory. Only the flags of the verdict count. */
static struct vecwire__verdict
judge(const struct vecwire__call *call, enum vecwire_err code)
{
    struct vecwire__failure failure = {
        .class = call->enc.class,
        .code = code,
        .http_status = call->reply->status,
        .sent_any = vecwire__call_sent_any(call),
        .reply_seen = call->state == VECWIRE__CALL_RECEIVING ||
                      call->state == VECWIRE__CALL_PAUSED,
        .rows_given = call->reply->rows_given > 0,
        .no_retry = true,
        .repeat_writes = call->repeat_writes,
        .attempts = call->attempts == 0 ? 1 : call->attempts,
        .retry_after_ms = -1,
    };
    struct vecwire__verdict verdict = vecwire__verdict(&failure);

    verdict.outcome_unknown |= call->maybe_applied;
    return verdict;
}

static const char *
text_at(const struct vecwire_reply *reply, size_t at, const char *otherwise)
{
    return at == SIZE_MAX ? otherwise : reply->texts.bytes + at;
}

/* The server's text as one line: what would break it becomes a blank. */
static size_t
one_line(struct vecwire_reply *reply, size_t from)
{
    size_t len = strlen(reply->texts.bytes + from);
    size_t at;

    if (!vecwire__buf_reserve(&reply->texts, len + 1))
        return SIZE_MAX;
    at = reply->texts.len;
    reply->texts.len += len + 1;
    memcpy(reply->texts.bytes + at, reply->texts.bytes + from, len + 1);
    for (size_t i = at; i < at + len; i++) {
        unsigned char c = (unsigned char)reply->texts.bytes[i];

        if (c < 0x20 || c == 0x7f)
            reply->texts.bytes[i] = ' ';
    }
    return at;
}

static size_t
http_line(struct vecwire_reply *reply,
          const struct vecwire__server_error *found, size_t location)
{
    if (found->has_text)
        return one_line(reply, found->text_at);
    /* Room first: the texts must not move under the value. */
    if (location != SIZE_MAX &&
        !vecwire__buf_reserve(&reply->texts,
                              strlen(reply->texts.bytes + location) + 64))
        return SIZE_MAX;
    if (location != SIZE_MAX)
        return vecwire__reply_line(reply, "HTTP %u, Location: %s",
                                   (unsigned)reply->status,
                                   reply->texts.bytes + location);
    return vecwire__reply_line(reply, "HTTP %u", (unsigned)reply->status);
}

/* The key as this call sends it; NULL: none. */
static const char *
key_of(const struct vecwire__call *call)
{
    const struct vecwire__dialect *dialect = call->engine->config.dialect;
    const struct vecwire__request *req = &call->req;
    size_t n;

    if (dialect->key_header == NULL)
        return NULL;
    n = strlen(dialect->key_prefix);
    for (size_t i = 0; i < req->n_headers; i++) {
        const char *value = req->headers[i].value;

        if (strcasecmp(req->headers[i].name, dialect->key_header) == 0 &&
            strncmp(value, dialect->key_prefix, n) == 0)
            return value + n;
    }
    return NULL;
}

/* Some servers quote the request that they refuse, and callers log the
 * line. */
static void
hide_key(const struct vecwire__call *call, char *line)
{
    const char *key = key_of(call);
    size_t n = key == NULL ? 0 : strlen(key);

    if (n < KEY_MIN)
        return;
    while ((line = strstr(line, key)) != NULL) {
        memset(line, '*', n);
        line += n;
    }
}

int64_t
vecwire__outcome_retry_after(const struct vecwire__call *call)
{
    const struct vecwire__host *host = &call->engine->config.host;
    size_t at = vecwire__reply_find_header(call->reply, "Retry-After");

    if (at == SIZE_MAX)
        return -1;
    return vecwire__retry_after_ms(call->reply->texts.bytes + at,
                                   host->wall_s(host->ctx));
}

void
vecwire__outcome_failed(struct vecwire__call *call, enum vecwire_err code,
                        const struct vecwire__verdict *verdict,
                        const char *detail)
{
    struct vecwire__server_error found = {0};
    struct vecwire__verdict own;
    struct vecwire_reply *reply = call->reply;
    struct vecwire_error *error = &reply->error;
    size_t location = SIZE_MAX, line;

    reply->failed = true;
    reply->n_rows = 0;
    error->code = code;
    error->phase = vecwire__call_phase(call);
    error->http_status = reply->status;
    own = verdict != NULL ? *verdict : judge(call, code);
    error->retryable = own.retryable;
    /* A part may be done once the server has begun to answer. */
    error->outcome_unknown =
        own.outcome_unknown || (call->enc.may_be_partial && reply->status != 0);
    if (code == VECWIRE_EHTTP) {
        call->engine->config.dialect->server_error(reply, &found);
        if (reply->status >= 300 && reply->status < 400)
            location = vecwire__reply_find_header(reply, "Location");
        line = http_line(reply, &found, location);
        if (line != SIZE_MAX)
            hide_key(call, reply->texts.bytes + line);
    } else {
        line = vecwire__reply_line(
            reply, "%s", detail == NULL ? vecwire_strerror(code) : detail);
    }
    error->retry_after_ms = vecwire__outcome_retry_after(call);
    /* The texts move no more: offsets become pointers. */
    error->detail = text_at(reply, line, vecwire_strerror(code));
    error->location = text_at(reply, location, NULL);
    error->server_code =
        found.has_code ? reply->texts.bytes + found.code_at : NULL;
    error->server_text =
        found.has_text ? reply->texts.bytes + found.text_at : NULL;
}
