/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/retry_rig.h"

#include <stdlib.h>
#include <string.h>

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct retry_call *call = arg;

    ck_assert_uint_eq(call->runs, 0);
    call->runs++;
    call->attempts = vecwire_reply_attempts(reply);
    if (error != NULL)
        call->error = *error;
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *reply, void *arg)
{
    struct retry_call *call = arg;

    call->rows += (unsigned)vecwire_reply_count(reply);
    return VECWIRE_CONTINUE;
}

static enum vecwire_err
raw(struct retry_call *call, const char *method,
    const struct vecwire_call_options *options)
{
    bool has_body = method[0] == 'P';

    return vecwire_raw(call->rig->client,
                       &VECWIRE_RAW(.method = method, .path = "/x",
                                    .body = has_body ? "a body" : NULL,
                                    .body_len = has_body ? 6 : 0,
                                    .call = options),
                       on_reply, call, NULL);
}

void
retry_begin(struct retry_call *call, struct time_rig *rig, enum retry_verb verb,
            bool rows, const struct vecwire_call_options *options)
{
    static const char *const methods[N_RETRY_VERBS] = {
        [RETRY_GET] = "GET",           [RETRY_RAW_POST] = "POST",
        [RETRY_RAW_PUT] = "PUT",       [RETRY_RAW_PATCH] = "PATCH",
        [RETRY_RAW_DELETE] = "DELETE", [RETRY_RAW_OPTIONS] = "OPTIONS"};
    static const float vector[3] = {1, 2, 3};
    static const char *const ids[] = {"a"};
    struct vecwire_client *client = rig->client;
    enum vecwire_err err;

    *call = (struct retry_call){.rig = rig,
                                .before = fault_server_requests(rig->server)};
    if (verb == RETRY_QUERY)
        err = vecwire_query(client,
                            &VECWIRE_QUERY(.vector = vector, .dim = 3,
                                           .on_rows = rows ? on_rows : NULL,
                                           .rows_arg = call, .call = options),
                            on_reply, call, NULL);
    else if (verb == RETRY_UPSERT)
        err = vecwire_upsert(client,
                             &VECWIRE_UPSERT(.matrix = vector, .dim = 3,
                                             .rows = 1, .ids = ids,
                                             .call = options),
                             on_reply, call, NULL);
    else if (verb == RETRY_DELETE)
        err = vecwire_delete(
            client, &VECWIRE_DELETE(.ids = ids, .rows = 1, .call = options),
            on_reply, call, NULL);
    else
        err = raw(call, methods[verb], options);
    ck_assert_int_eq(err, VECWIRE_OK);
}

/* One more request has been read: it is the one that came first. */
static void
count(struct retry_call *call)
{
    size_t requests = fault_server_requests(call->rig->server) - call->before;

    if (requests == call->requests)
        return;
    ck_assert_uint_eq(requests, call->requests + 1);
    call->requests = requests;
    if (call->text == NULL)
        call->text = strdup(fault_server_request(call->rig->server));
    ck_assert_str_eq(call->text, fault_server_request(call->rig->server));
}

void
retry_turn(struct retry_call *call)
{
    for (int i = 0; i < 24; i++) {
        event_base_loop(call->rig->server_base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
        count(call);
        time_rig_step(call->rig);
    }
}

void
retry_pass(struct retry_call *call, uint64_t ms)
{
    retry_turn(call);
    for (uint64_t i = 0; i < ms && call->runs == 0; i++) {
        time_rig_oversleep(call->rig, 1);
        retry_turn(call);
    }
}

void
retry_end(struct retry_call *call)
{
    free(call->text);
    call->text = NULL;
}
