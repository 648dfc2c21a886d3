/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/stand_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW "{\"id\":\"a\",\"text\":\"t\",\"metadata\":{},\"score\":1}"
#define MATCHES "{\"matches\":[" ROW "," ROW "]}"
#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 105\r\n\r\n"
#define BIG ((size_t)8 << 20)

static const struct fault_step answers[] = {{FAULT_READ, NULL, 0},
                                            {FAULT_SEND, OK_HEAD MATCHES, 0},
                                            {FAULT_AGAIN, NULL, 0}};
static const struct fault_step gated[] = {{FAULT_READ, NULL, 0},
                                          {FAULT_GATE, NULL, 0},
                                          {FAULT_SEND, OK_HEAD MATCHES, 0},
                                          {FAULT_AGAIN, NULL, 0}};
static const struct fault_step half[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK_HEAD "{\"matches\":[" ROW ",", 0},
    {FAULT_GATE, NULL, 0},
    {FAULT_SEND, ROW "]}", 0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step unread[] = {{FAULT_GATE, NULL, 0},
                                           {FAULT_READ, NULL, 0},
                                           {FAULT_SEND, OK_HEAD MATCHES, 0},
                                           {FAULT_AGAIN, NULL, 0}};
static const struct fault_step mute[] = {{FAULT_STALL, NULL, 0}};
static const struct fault_step busy[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step stored[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_GATE, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"added\":2}",
     0},
    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step *const scripts[STAND_N] = {
    [STAND_NEW] = answers,      [STAND_IDLE] = answers,
    [STAND_QUEUED] = gated,     [STAND_RESOLVING] = answers,
    [STAND_CONNECTING] = gated, [STAND_SHAKING] = mute,
    [STAND_SENDING] = unread,   [STAND_SENT] = gated,
    [STAND_RECEIVING] = half,   [STAND_PAUSED] = half,
    [STAND_GAP] = busy,         [STAND_CANCELED] = gated,
    [STAND_UPLOAD] = stored,    [STAND_UPLOAD_BUSY] = stored};

const char *const stand_names[STAND_N] = {[STAND_NEW] = "new",
                                          [STAND_IDLE] = "idle",
                                          [STAND_QUEUED] = "queued",
                                          [STAND_RESOLVING] = "resolving",
                                          [STAND_CONNECTING] = "connecting",
                                          [STAND_SHAKING] = "shaking",
                                          [STAND_SENDING] = "sending",
                                          [STAND_SENT] = "sent",
                                          [STAND_RECEIVING] = "receiving",
                                          [STAND_PAUSED] = "paused",
                                          [STAND_GAP] = "gap",
                                          [STAND_CANCELED] = "canceled",
                                          [STAND_UPLOAD] = "upload",
                                          [STAND_UPLOAD_BUSY] = "busy upload"};

static void
ran(struct stand_rig *stand)
{
    void (*then)(struct stand_rig *) = stand->then;

    stand->then = NULL;
    if (then != NULL)
        then(stand);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct stand_rig *stand = arg;

    stand->runs++;
    stand->n_code[error == NULL ? VECWIRE_OK : error->code]++;
    ran(stand);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct stand_rig *stand = arg;

    (void)rows;
    return stand->row_runs++ == 0 ? VECWIRE_PAUSE : VECWIRE_CONTINUE;
}

static void
on_uploaded(struct vecwire_uploader *up,
            const struct vecwire_upload_result *result, void *arg)
{
    struct stand_rig *stand = arg;

    ck_assert_ptr_eq(up, stand->up);
    stand->upload_runs++;
    stand->upload_code =
        result->error == NULL ? VECWIRE_OK : result->error->code;
    ck_assert_uint_eq(result->rows_taken,
                      result->rows_done + result->rows_failed);
    ran(stand);
}

enum vecwire_err
stand_call(struct stand_rig *stand)
{
    static const float vector[] = {1, 2, 3};
    vecwire_call_id id;
    enum vecwire_err err;

    if (stand->stand == STAND_SENDING) {
        char *body = calloc(1, BIG);

        ck_assert_ptr_nonnull(body);
        err = vecwire_raw(stand->rig.client,
                          &VECWIRE_RAW(.method = "POST", .path = "/",
                                       .body = body, .body_len = BIG),
                          on_reply, stand, &id);
        free(body);
    } else {
        err = vecwire_query(
            stand->rig.client,
            &VECWIRE_QUERY(.vector = vector, .dim = 3,
                           .on_rows =
                               stand->stand == STAND_PAUSED ? on_rows : NULL,
                           .rows_arg = stand),
            on_reply, stand, &id);
    }
    if (err == VECWIRE_OK) {
        stand->id = id;
        stand->calls++;
    }
    return err;
}

/* A name server that never answers. */
static void
mute_resolver(struct stand_rig *stand)
{
    static const struct name_rule mute_rule = {.a = {.fault = NAME_SILENT},
                                               .aaaa = {.fault = NAME_SILENT}};

    stand->names = name_server_new(stand->rig.base, "127.0.0.1", &mute_rule, 1);
}

/* The client that the rig has made is of no use: it needs another URL. */
static bool
make_client_anew(struct stand_rig *stand, const char *scheme, const char *host)
{
    struct client_rig *rig = &stand->rig;
    enum vecwire_err err;

    vecwire_client_free(rig->client);
    snprintf(rig->url, sizeof(rig->url), "%s://%s:%u", scheme, host,
             (unsigned)fault_server_port(rig->server));
    err = vecwire_client_new(
        &rig->client, rig->base,
        &VECWIRE_OPTIONS(.url = rig->url, .mem = &stand->counting.mem,
                         .loop = rig->loop, .insecure = *host == '1',
                         .resolv_conf = *host == '1'
                                            ? NULL
                                            : name_server_conf(stand->names)));
    if (err == VECWIRE_OK)
        return true;
    ck_assert_int_eq(err, VECWIRE_EUNSUPPORTED);
    return false;
}

static void
turn(struct stand_rig *stand, int passes)
{
    for (int i = 0; i < passes; i++)
        event_base_loop(stand->rig.base, EVLOOP_NONBLOCK);
}

static void
begin_upload(struct stand_rig *stand)
{
    static const float matrix[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const char *const ids[] = {"a", "b", "c"};

    ck_assert_int_eq(
        vecwire_uploader_new(
            &stand->up, stand->rig.client,
            &VECWIRE_UPLOADER_OPTIONS(.on_done = on_uploaded, .arg = stand,
                                      .in_flight = 2, .batch_rows = 2)),
        VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_uploader_add(
            stand->up,
            &VECWIRE_UPSERT(.matrix = matrix, .dim = 3, .rows = 3, .ids = ids),
            NULL),
        VECWIRE_OK);
    stand->uploads++;
}

/* Any request will do. */
static void
call_behind(struct stand_rig *stand)
{
    ck_assert_int_eq(vecwire_raw(stand->rig.client, &VECWIRE_RAW(.path = "/"),
                                 on_reply, stand, &stand->id),
                     VECWIRE_OK);
    stand->calls++;
}

/* Begin what the state needs. */
static void
begin_work(struct stand_rig *stand)
{
    enum stand which = stand->stand;

    if (which == STAND_UPLOAD || which == STAND_UPLOAD_BUSY)
        begin_upload(stand);
    else if (which != STAND_NEW)
        ck_assert_int_eq(stand_call(stand), VECWIRE_OK);
    if (which == STAND_QUEUED)
        ck_assert_int_eq(stand_call(stand), VECWIRE_OK);
    if (which == STAND_UPLOAD_BUSY)
        call_behind(stand);
    if (which == STAND_CANCELED)
        ck_assert(vecwire_cancel(stand->rig.client, stand->id));
}

static bool
is_there(struct stand_rig *stand)
{
    const struct vecwire_stats *stats = vecwire_client_stats(stand->rig.client);

    switch (stand->stand) {
    case STAND_IDLE:
        return stats->connections_idle == 1;
    case STAND_SENT:
    case STAND_QUEUED:
    case STAND_RECEIVING:
    case STAND_PAUSED:
    case STAND_UPLOAD:
    case STAND_UPLOAD_BUSY:
        return fault_server_requests(stand->rig.server) > 0;
    case STAND_SENDING:
    case STAND_SHAKING:
        return fault_server_connections(stand->rig.server) > 0;
    case STAND_GAP:
        return stats->calls_retrying > 0;
    default:
        return true;
    }
}

bool
stand_begin(struct stand_rig *stand, enum stand which, struct event_base *base)
{
    bool over_tls = getenv("VECWIRE_OVER_TLS") != NULL, one;

    memset(stand, 0, sizeof(*stand));
    counting_mem_init(&stand->counting);
    stand->stand = which;
    one = which == STAND_QUEUED || which == STAND_UPLOAD_BUSY;
    client_rig_init_on(&stand->rig, base, &scripts[which], 1,
                       VECWIRE_OPTIONS(.connections = one ? 1 : 3,
                                       .mem = &stand->counting.mem));
    if (which == STAND_RESOLVING)
        mute_resolver(stand);
    if ((which == STAND_RESOLVING &&
         !make_client_anew(stand, "http", "a.test")) ||
        (which == STAND_SHAKING &&
         (over_tls || !make_client_anew(stand, "https", "127.0.0.1")))) {
        stand_end(stand);
        return false;
    }
    begin_work(stand);
    while (!is_there(stand))
        ck_assert_int_eq(vecwire_loop_step(stand->rig.loop, NULL), VECWIRE_OK);
    if (which != STAND_NEW && which != STAND_CONNECTING &&
        which != STAND_CANCELED)
        turn(stand, 6);
    return true;
}

void
stand_let_go(struct stand_rig *stand)
{
    fault_server_open_gate(stand->rig.server);
    if (stand->stand == STAND_PAUSED)
        ck_assert(vecwire_resume(stand->rig.client, stand->id));
    if (stand->stand == STAND_RESOLVING || stand->stand == STAND_SHAKING ||
        stand->stand == STAND_GAP)
        ck_assert(vecwire_cancel(stand->rig.client, stand->id));
    if (stand->up != NULL)
        vecwire_uploader_end(stand->up);
}

void
stand_finish(struct stand_rig *stand)
{
    for (int i = 0; i < 20000; i++) {
        if (stand->runs == stand->calls && stand->upload_runs == stand->uploads)
            return;
        fault_server_open_gate(stand->rig.server);
        event_base_loop(stand->rig.base, EVLOOP_ONCE);
    }
    ck_abort_msg("%s: %u of %u calls, %u of %u uploads have ended",
                 stand_names[stand->stand], stand->runs, stand->calls,
                 stand->upload_runs, stand->uploads);
}

void
stand_end(struct stand_rig *stand)
{
    vecwire_client_free(stand->rig.client);
    stand->rig.client = NULL;
    vecwire_uploader_free(stand->up);
    name_server_free(stand->names);
    client_rig_fini(&stand->rig);
    ck_assert_uint_eq(stand->counting.blocks, 0);
}
