/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/scroll_fixture.h"

#include <check.h>
#include <stdio.h>

#include "codec/mem.h"

static void
write_log(struct scroll_fixture *f, const char *text)
{
    size_t len = strlen(f->log);

    ck_assert_uint_lt(len + strlen(text), sizeof(f->log));
    snprintf(f->log + len, sizeof(f->log) - len, "%s", text);
}

static void
note_offset(struct scroll_fixture *f)
{
    const char *offset = f->s == NULL ? NULL : vecwire_scroller_offset(f->s);

    snprintf(f->offset, sizeof(f->offset), "%s",
             offset == NULL ? "none" : offset);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct scroll_fixture *f = arg;

    ck_assert_uint_eq(f->completions, 0);
    ck_assert_uint_gt(vecwire_reply_count(rows), 0);
    ck_assert_ptr_null(vecwire_reply_keep(rows));
    ck_assert_ptr_null(vecwire_reply_error(rows));
    f->row_runs++;
    note_offset(f);
    if (f->then != NULL)
        f->then(f, SCROLL_ROWS);
    /* They live until this returns, whatever was done. */
    for (size_t i = 0; i < vecwire_reply_count(rows); i++) {
        write_log(f, i == 0 ? "[" : " ");
        write_log(f, vecwire_reply_row(rows, i)->id.text);
    }
    write_log(f, "]");
    if (f->pauses == 0)
        return VECWIRE_CONTINUE;
    f->pauses--;
    return VECWIRE_PAUSE;
}

static void
on_done(struct vecwire_scroller *s, const struct vecwire_scroll_result *result,
        void *arg)
{
    struct scroll_fixture *f = arg;
    const struct vecwire_error *error = result->error;

    (void)s;
    f->completions++;
    ck_assert_uint_eq(f->completions, 1);
    f->result = *result;
    f->code = error == NULL ? VECWIRE_OK : error->code;
    snprintf(f->detail, sizeof(f->detail), "%s",
             error == NULL ? "" : error->detail);
    note_offset(f);
    write_log(f, "done");
    if (f->then != NULL)
        f->then(f, SCROLL_DONE);
}

void
scroll_init(struct scroll_fixture *f,
            const struct vecwire__engine_config *overrides)
{
    struct vecwire__engine_config config = {0};

    memset(f, 0, sizeof(*f));
    if (overrides != NULL)
        config = *overrides;
    config.dialect = &vecwire__dialect_qdrant;
    engine_fixture_init(&f->base, &config);
    f->settings = (struct vecwire__settings){
        .prefix = "", .collection = "c", .json_depth = 128};
    f->config = (struct vecwire__scroll_config){
        .mem = &vecwire__mem_libc,
        .settings = &f->settings,
        .others = &f->headers,
        .on_rows = on_rows,
        .on_done = on_done,
        .arg = f,
        .page_deadline_ns = 30 * FAKE_S,
        .page_rows = 3,
    };
}

void
scroll_begin(struct scroll_fixture *f)
{
    ck_assert_int_eq(
        vecwire__scroll_new(&f->s, &f->base.engine, &f->config, &f->refusal),
        VECWIRE_OK);
}

void
scroll_start(struct scroll_fixture *f)
{
    scroll_init(f, NULL);
    scroll_begin(f);
}

void
scroll_fini(struct scroll_fixture *f)
{
    const struct vecwire__scrolls *scrolls = &f->base.engine.scrolls;

    f->then = NULL;
    vecwire_scroller_free(f->s);
    ck_assert_uint_eq(f->completions, 1);
    ck_assert_uint_eq(scrolls->n, 0);
    ck_assert(TAILQ_EMPTY(&scrolls->due));
    ck_assert(TAILQ_EMPTY(&scrolls->stuck));
    engine_fixture_fini(&f->base);
}

struct vecwire__conn *
scroll_conn(struct scroll_fixture *f)
{
    struct fake_conn *fake;

    TAILQ_FOREACH (fake, &f->base.net.open, next) {
        if (fake->busy)
            return &fake->conn;
    }
    return NULL;
}

void
scroll_asks(struct scroll_fixture *f, const char *offset, unsigned limit)
{
    char body[128];

    ck_assert_ptr_nonnull(scroll_conn(f));
    ck_assert_str_eq(f->base.net.last_path, "/collections/c/points/scroll");
    if (offset == NULL)
        snprintf(body, sizeof(body), "{\"limit\":%u,", limit);
    else
        snprintf(body, sizeof(body), "{\"offset\":%s,\"limit\":%u,", offset,
                 limit);
    ck_assert_msg(strncmp(f->base.net.last_body, body, strlen(body)) == 0,
                  "%s is not %s..", f->base.net.last_body, body);
}

/* One part; a segment for all of its rows. */
static void
send_list(struct scroll_fixture *f, const char *front, const char *ids)
{
    struct vecwire__conn *conn = scroll_conn(f);
    char text[1024];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", front);

    ck_assert_ptr_nonnull(conn);
    while (*ids != '\0') {
        size_t n = strcspn(ids, ",");

        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "{\"id\":%.*s}%s",
                             (int)n, ids, ids[n] == ',' ? "," : "");
        ck_assert_uint_lt(len, sizeof(text));
        ids += n + (ids[n] == ',');
    }
    fake_body(conn, text);
}

void
scroll_part(struct scroll_fixture *f, const char *ids)
{
    ck_assert_ptr_nonnull(scroll_conn(f));
    fake_head(scroll_conn(f), 200, NULL, 0);
    send_list(f, "{\"result\":{\"points\":[", ids);
}

void
scroll_more(struct scroll_fixture *f, const char *ids)
{
    send_list(f, ",", ids);
}

void
scroll_finish(struct scroll_fixture *f, const char *next)
{
    struct vecwire__conn *conn = scroll_conn(f);
    char text[128];

    ck_assert_ptr_nonnull(conn);
    snprintf(text, sizeof(text),
             "],\"next_page_offset\":%s},\"status\":\"ok\"}", next);
    fake_body(conn, text);
    fake_end(conn, true);
}

void
scroll_answer(struct scroll_fixture *f, const char *ids, const char *next)
{
    scroll_part(f, ids);
    if (scroll_conn(f) != NULL)
        scroll_finish(f, next);
}

void
scroll_reply(struct scroll_fixture *f, const char *points, const char *next)
{
    char text[2048];

    ck_assert_ptr_nonnull(scroll_conn(f));
    snprintf(text, sizeof(text),
             "{\"result\":{\"points\":%s,\"next_page_offset\":%s},"
             "\"status\":\"ok\"}",
             points, next);
    fake_reply(scroll_conn(f), 200, text);
}

void
scroll_break(struct scroll_fixture *f)
{
    ck_assert_ptr_nonnull(scroll_conn(f));
    engine_lose(scroll_conn(f), true, true);
}
