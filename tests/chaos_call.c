/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/chaos_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARKER_TEXT 24

static void
marker_text(const struct chaos_call *call, char *text)
{
    snprintf(text, MARKER_TEXT, "%" PRIu64, call->marker);
}

static enum vecwire_err
start(struct vecwire_client *client, struct chaos_call *call,
      const struct vecwire_call_options *options, const char *text,
      size_t body_len, vecwire_reply_cb cb, void *arg)
{
    static const char padding[CHAOS_MAX_BODY];
    char path[MARKER_TEXT + 1];
    const float vector[2] = {(float)call->marker, 0.5F};

    snprintf(path, sizeof(path), "/%s", text);
    switch (call->kind) {
    case CHAOS_QUERY:
        return vecwire_query(
            client, &VECWIRE_QUERY(.vector = vector, .dim = 2, .call = options),
            cb, arg, &call->id);
    case CHAOS_UPSERT:
        return vecwire_upsert(client,
                              &VECWIRE_UPSERT(.matrix = vector, .rows = 1,
                                              .dim = 2, .ids = &text,
                                              .call = options),
                              cb, arg, &call->id);
    case CHAOS_DELETE:
        return vecwire_delete(
            client, &VECWIRE_DELETE(.ids = &text, .rows = 1, .call = options),
            cb, arg, &call->id);
    case CHAOS_GET:
        return vecwire_raw(client, &VECWIRE_RAW(.path = path, .call = options),
                           cb, arg, &call->id);
    default:
        return vecwire_raw(client,
                           &VECWIRE_RAW(.method = "POST", .path = path,
                                        .body = padding, .body_len = body_len,
                                        .call = options),
                           cb, arg, &call->id);
    }
}

enum vecwire_err
chaos_call_start(struct vecwire_client *client, struct chaos_call *call,
                 struct vecwire_call_options options, size_t body_len,
                 vecwire_reply_cb cb, void *arg)
{
    static const char *const kinds[] = {"q", "u", "d", "r", "r"};
    char text[MARKER_TEXT];
    const struct vecwire_header headers[] = {{"X-Marker", text},
                                             {"X-Kind", kinds[call->kind]}};
    enum vecwire_err err;

    marker_text(call, text);
    options.headers = headers;
    options.n_headers = 2;
    options.repeat_writes = call->repeat;
    call->id = 0;
    call->started = true;
    err = start(client, call, &options, text, body_len, cb, arg);
    call->started = err == VECWIRE_OK;
    return err;
}

static const char *
failure_wrong(const struct chaos_call *call, const struct vecwire_reply *reply)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    if (error->detail == NULL)
        return "a failure without a text";
    if (error->code == VECWIRE_OK)
        return "a failure without a code";
    if (vecwire_reply_count(reply) != 0)
        return "a failure with rows";
    if (error->outcome_unknown &&
        (call->kind == CHAOS_QUERY || call->kind == CHAOS_GET))
        return "a read whose outcome is unknown";
    return NULL;
}

static const char *
success_wrong(const struct chaos_call *call, const struct vecwire_reply *reply,
              const char *text)
{
    const char *body;
    size_t len;

    switch (call->kind) {
    case CHAOS_QUERY:
        if (vecwire_reply_count(reply) != 1)
            return "not one row";
        if (strcmp(vecwire_reply_row(reply, 0)->id.text, text) != 0 ||
            strcmp(vecwire_reply_row(reply, 0)->text, text) != 0)
            return "another's row";
        return NULL;
    case CHAOS_UPSERT:
        return vecwire_reply_affected(reply) == call->marker
                   ? NULL
                   : "another's upsert";
    case CHAOS_DELETE:
        return vecwire_reply_affected(reply) <= 1 ? NULL : "another's delete";
    default:
        body = vecwire_reply_body(reply, &len);
        if (strstr(body, text) == NULL || strlen(body) != len)
            return "another's body";
        return NULL;
    }
}

const char *
chaos_call_wrong(const struct chaos_call *call,
                 const struct vecwire_reply *reply)
{
    const char *header = vecwire_reply_header(reply, "x-marker");
    char text[MARKER_TEXT];

    marker_text(call, text);
    if (vecwire_reply_id(reply) != call->id)
        return "another's id";
    if (header != NULL && strcmp(header, text) != 0)
        return "another's headers";
    if (vecwire_reply_error(reply) != NULL)
        return failure_wrong(call, reply);
    if (header == NULL)
        return "an answer without a mark";
    return success_wrong(call, reply, text);
}

const char *
chaos_call_seen_wrong(const struct chaos_call *call,
                      const struct chaos_seen *seen)
{
    unsigned received = seen->received;

    if (!call->started && received > 0)
        return "a refused call arrived";
    if (received > 3)
        return "more than three attempts";
    if (call->kind == CHAOS_POST && received > 1)
        return "a POST arrived twice";
    if ((call->kind == CHAOS_UPSERT || call->kind == CHAOS_DELETE) &&
        !call->repeat && received > 1 + seen->told_429)
        return "a write arrived twice";
    return NULL;
}
