/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/upload_fixture.h"

#include <check.h>
#include <stdio.h>

#include "codec/mem.h"

static void
on_failed(const struct vecwire_failed_rows *failed, void *arg)
{
    struct upload_fixture *f = arg;
    struct upload_failure *seen;

    ck_assert_uint_eq(f->completions, 0);
    ck_assert_uint_gt(failed->count, 0);
    if (f->keep_last)
        f->n_failures = 0;
    ck_assert_uint_lt(f->n_failures, 64);
    seen = &f->failures[f->n_failures++];
    seen->first = failed->first;
    seen->count = failed->count;
    seen->code = failed->error->code;
    seen->http_status = failed->error->http_status;
    seen->retryable = failed->error->retryable;
    seen->outcome_unknown = failed->error->outcome_unknown;
    snprintf(seen->first_id, sizeof(seen->first_id), "%s", failed->ids[0]);
    snprintf(seen->detail, sizeof(seen->detail), "%s", failed->error->detail);
    /* Each id is readable, whatever the sanitizer thinks of it. */
    for (size_t i = 0; i < failed->count; i++)
        ck_assert_int_eq(failed->ids[i][0], 'r');
    if (f->then != NULL)
        f->then(f, UPLOAD_FAILED_ROWS);
}

static void
on_room(struct vecwire_uploader *up, void *arg)
{
    struct upload_fixture *f = arg;

    ck_assert_ptr_eq(up, f->up);
    ck_assert_uint_eq(f->completions, 0);
    f->rooms++;
    if (f->then != NULL)
        f->then(f, UPLOAD_ROOM);
}

static void
on_done(struct vecwire_uploader *up, const struct vecwire_upload_result *result,
        void *arg)
{
    struct upload_fixture *f = arg;

    (void)up;
    f->completions++;
    ck_assert_uint_eq(f->completions, 1);
    f->result = *result;
    f->code = result->error == NULL ? VECWIRE_OK : result->error->code;
    ck_assert_uint_eq(result->rows_done + result->rows_failed,
                      result->rows_taken);
    if (f->then != NULL)
        f->then(f, UPLOAD_COMPLETED);
}

void
upload_begin_with(struct upload_fixture *f, size_t rows, size_t in_flight,
                  size_t bytes, uint64_t deadline_ns)
{
    struct vecwire__engine_config overrides = {.connections = 8};
    const struct vecwire__settings settings = {.prefix = "", .json_depth = 128};
    struct vecwire__upload_config config = {
        .mem = &vecwire__mem_libc,
        .settings = &settings,
        .open = {.mem = &vecwire__mem_libc},
        .others = &f->headers,
        .on_failed = on_failed,
        .on_room = on_room,
        .on_done = on_done,
        .arg = f,
        .deadline_ns = deadline_ns,
        .request_deadline_ns = 30 * FAKE_S,
        .batch_bytes = bytes == 0 ? (size_t)1 << 20 : bytes,
        .batch_rows = rows,
        .in_flight = in_flight,
    };

    memset(f, 0, sizeof(*f));
    engine_fixture_init(&f->base, &overrides);
    ck_assert(vecwire__buf_str(&config.open, "["));
    ck_assert_int_eq(vecwire__upload_new(&f->up, &f->base.engine, &config),
                     VECWIRE_OK);
}

void
upload_begin(struct upload_fixture *f, size_t rows, size_t in_flight)
{
    upload_begin_with(f, rows, in_flight, 0, UINT64_MAX);
}

void
upload_fini(struct upload_fixture *f)
{
    const struct vecwire__uploads *uploads = &f->base.engine.uploads;

    vecwire_uploader_free(f->up);
    ck_assert_uint_eq(uploads->n, 0);
    ck_assert_uint_eq(uploads->n_ended, 0);
    ck_assert(TAILQ_EMPTY(&uploads->due));
    ck_assert(TAILQ_EMPTY(&uploads->stuck));
    engine_fixture_fini(&f->base);
}

size_t
upload_rows(struct upload_fixture *f, size_t n, enum vecwire_err *err)
{
    float matrix[64][3];
    char ids[64][16];
    const char *list[64];
    size_t taken;

    ck_assert_uint_le(n, 64);
    for (size_t i = 0; i < n; i++) {
        matrix[i][0] = 1;
        matrix[i][1] = (float)(f->next_row + i);
        matrix[i][2] = 0;
        snprintf(ids[i], sizeof(ids[i]), "r%zu", f->next_row + i);
        list[i] = ids[i];
    }
    *err = vecwire_uploader_add(f->up,
                                &VECWIRE_UPSERT(.matrix = matrix[0], .rows = n,
                                                .dim = 3, .ids = list,
                                                .refusal = &f->refusal),
                                &taken);
    ck_assert(*err != VECWIRE_OK || taken == n);
    f->next_row += taken;
    return taken;
}

void
upload_all(struct upload_fixture *f, size_t n)
{
    enum vecwire_err err;

    ck_assert_uint_eq(upload_rows(f, n, &err), n);
    ck_assert_int_eq(err, VECWIRE_OK);
}

struct vecwire__conn *
upload_conn(struct upload_fixture *f, size_t index)
{
    struct fake_conn *fake;

    TAILQ_FOREACH (fake, &f->base.net.open, next) {
        if (fake->busy && index-- == 0)
            return &fake->conn;
    }
    return NULL;
}

size_t
upload_under_way(struct upload_fixture *f)
{
    size_t n = 0;

    while (upload_conn(f, n) != NULL)
        n++;
    return n;
}

static const struct vecwire__request *
request_of(struct upload_fixture *f, size_t index)
{
    struct vecwire__conn *conn = upload_conn(f, index);

    ck_assert_ptr_nonnull(conn);
    return fake_conn_of(conn)->req;
}

const char *
upload_path(struct upload_fixture *f, size_t index)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s", request_of(f, index)->path);
    return path;
}

const char *
upload_body(struct upload_fixture *f, size_t index)
{
    static char body[4096];
    const struct vecwire__request *req = request_of(f, index);

    ck_assert_uint_lt(req->body_len, sizeof(body));
    memcpy(body, req->body, req->body_len);
    body[req->body_len] = '\0';
    return body;
}

void
upload_answer(struct upload_fixture *f, size_t index, uint32_t status,
              const char *body)
{
    struct vecwire__conn *conn = upload_conn(f, index);

    ck_assert_ptr_nonnull(conn);
    fake_reply(conn, status, body);
}

void
upload_added(struct upload_fixture *f, size_t index, size_t rows)
{
    char body[48];

    snprintf(body, sizeof(body), "{\"added\":%zu}", rows);
    upload_answer(f, index, 200, body);
}

static size_t
count_rows(const char *body)
{
    size_t n = 0;

    while ((body = strstr(body, "\"id\":")) != NULL) {
        body++;
        n++;
    }
    return n;
}

void
upload_serve(struct upload_fixture *f)
{
    while (upload_conn(f, 0) != NULL)
        upload_added(f, 0, count_rows(upload_body(f, 0)));
    engine_pass(&f->base);
}
