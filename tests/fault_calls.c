/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that meet a fault, and what is noted down of their ends. */
#include "tests/fault_rig.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_LEN (sizeof(FAULT_MARK) - 1)

static const struct fault_dialect *spoken;

void
fault_answer_as(const struct fault_dialect *dialect)
{
    spoken = dialect;
}

const char *
fault_answer(const char *request)
{
    const char *own = spoken == NULL ? NULL : spoken->answer(request);

    if (own != NULL)
        return own;
    return strncmp(request, "HEAD ", 5) == 0 ? HEAD("6") : WHOLE;
}

static bool
is_mark(const char *text)
{
    if (*text != 'M')
        return false;
    for (size_t i = 1; i < MARK_LEN; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* Whose marks are in there? */
static void
look_for_marks(struct fault_outcome *outcome, const char *text, size_t len)
{
    for (size_t i = 0; text != NULL && i + MARK_LEN <= len; i++) {
        if (!is_mark(text + i))
            continue;
        if (memcmp(text + i, outcome->mark, MARK_LEN) == 0)
            outcome->own_mark = true;
        else
            outcome->foreign_mark = true;
    }
}

static void
look_at_text(struct fault_outcome *outcome, const char *text)
{
    look_for_marks(outcome, text, text == NULL ? 0 : strlen(text));
}

static void
note_error(struct fault_outcome *outcome, const struct vecwire_error *error)
{
    outcome->sees = (struct fault_seen){.code = error->code,
                                        .phase = error->phase,
                                        .status = error->http_status,
                                        .unknown = error->outcome_unknown};
    ck_assert_ptr_nonnull(error->detail);
    ck_assert_ptr_null(strchr(error->detail, '\n'));
    ck_assert_str_ne(error->detail, "");
    snprintf(outcome->detail, sizeof(outcome->detail), "%s", error->detail);
    snprintf(outcome->code, sizeof(outcome->code), "%s",
             error->server_code == NULL ? "" : error->server_code);
    look_at_text(outcome, error->detail);
    look_at_text(outcome, error->server_text);
}

static void
note_rows(struct fault_outcome *outcome, const struct vecwire_reply *reply)
{
    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        look_for_marks(outcome, row->id.text, row->id.len);
    }
}

static void
note_reply(struct fault_outcome *outcome, const struct vecwire_reply *reply)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct vecwire_header header;
    const char *body;
    size_t len;

    for (size_t i = 0; vecwire_reply_header_at(reply, i, &header); i++)
        look_at_text(outcome, header.value);
    body = vecwire_reply_body(reply, &len);
    look_for_marks(outcome, body, len);
    note_rows(outcome, reply);
    outcome->sees.status = vecwire_reply_status(reply);
    if (error != NULL)
        note_error(outcome, error);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct fault_outcome *outcome = arg;

    outcome->completions++;
    outcome->run->ended++;
    note_reply(outcome, reply);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct fault_outcome *outcome = arg;

    ck_assert_uint_eq(outcome->completions, 0);
    outcome->rows += (unsigned)vecwire_reply_count(rows);
    note_rows(outcome, rows);
    return VECWIRE_CONTINUE;
}

static void
on_uploaded(struct vecwire_uploader *uploader,
            const struct vecwire_upload_result *result, void *arg)
{
    struct fault_outcome *outcome = arg;

    (void)uploader;
    outcome->completions++;
    outcome->run->ended++;
    ck_assert_uint_eq(result->rows_done + result->rows_failed, 2);
    outcome->own_mark = true; /* an upload hands no replies out */
    if (result->rows_failed == 0)
        outcome->sees.status = 200;
    else
        ck_assert_ptr_nonnull(result->error);
}

static void
on_failed_rows(const struct vecwire_failed_rows *failed, void *arg)
{
    ck_assert_ptr_nonnull(failed->error);
    note_error(arg, failed->error);
}

static void
on_scrolled(struct vecwire_scroller *scroller,
            const struct vecwire_scroll_result *result, void *arg)
{
    struct fault_outcome *outcome = arg;

    (void)scroller;
    outcome->completions++;
    outcome->run->ended++;
    ck_assert_uint_eq(result->rows, outcome->rows);
    outcome->own_mark = true; /* nor does a scroll */
    if (result->error == NULL)
        outcome->sees.status = 200;
    else
        note_error(outcome, result->error);
}

static const float vector[] = {1, 0.5F, -2, 3, 0.25F, 4};

static void
begin_upload(struct fault_outcome *outcome,
             const struct vecwire_call_options *options)
{
    const char *const ids[] = {spoken->id != NULL ? spoken->id : "a",
                               spoken->id != NULL ? "8" : "b"};
    size_t taken;

    ck_assert_int_eq(
        vecwire_uploader_new(
            &outcome->uploader, outcome->run->client,
            &VECWIRE_UPLOADER_OPTIONS(.call = options, .on_done = on_uploaded,
                                      .on_failed = on_failed_rows,
                                      .arg = outcome)),
        VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_uploader_add(
            outcome->uploader,
            &VECWIRE_UPSERT(.matrix = vector, .rows = 2, .dim = 3, .ids = ids),
            &taken),
        VECWIRE_OK);
    vecwire_uploader_end(outcome->uploader);
}

static enum vecwire_err
begin_raw(struct fault_outcome *outcome, const char *method, size_t body_len,
          const struct vecwire_call_options *options)
{
    struct vecwire_raw_request raw =
        VECWIRE_RAW(.method = method, .path = "/echo", .call = options,
                    .body_len = body_len);
    enum vecwire_err rc;
    char *body = NULL;

    if (body_len > 0) {
        body = malloc(body_len);
        ck_assert_ptr_nonnull(body);
        memset(body, 'b', body_len);
        raw.body = body;
    }
    rc = vecwire_raw(outcome->run->client, &raw, on_reply, outcome,
                     &outcome->id);
    free(body);
    return rc;
}

static enum vecwire_err
begin_operations(struct fault_outcome *outcome, const char *const *ids,
                 const struct vecwire_call_options *options)
{
    const struct vecwire_delete_request del =
        VECWIRE_DELETE(.ids = ids, .rows = 1);
    const struct vecwire_qdrant_operation operation = {.del = &del};

    return vecwire_qdrant_update_points(
        outcome->run->client,
        &VECWIRE_QDRANT_OPERATIONS(.list = &operation, .n = 1, .call = options),
        on_reply, outcome, &outcome->id);
}

static enum vecwire_err
begin(struct fault_outcome *outcome, enum fault_call kind,
      const struct vecwire_call_options *options)
{
    struct vecwire_client *client = outcome->run->client;
    const char *const ids[] = {spoken->id != NULL ? spoken->id : outcome->mark};

    switch (kind) {
    case FAULT_HEAD:
        return begin_raw(outcome, "HEAD", 0, options);
    case FAULT_POST:
        return begin_raw(outcome, "POST", 10, options);
    case FAULT_BIG_POST:
        return begin_raw(outcome, "POST", FAULT_BIG, options);
    case FAULT_QUERY:
    case FAULT_ROWS:
        return vecwire_query(
            client,
            &VECWIRE_QUERY(.vector = vector, .dim = 3, .call = options,
                           .on_rows = kind == FAULT_ROWS ? on_rows : NULL,
                           .rows_arg = outcome),
            on_reply, outcome, &outcome->id);
    case FAULT_UPSERT:
        return vecwire_upsert(client,
                              &VECWIRE_UPSERT(.matrix = vector, .rows = 1,
                                              .dim = 3, .ids = ids,
                                              .call = options),
                              on_reply, outcome, &outcome->id);
    case FAULT_DELETE:
        return vecwire_delete(
            client, &VECWIRE_DELETE(.ids = ids, .rows = 1, .call = options),
            on_reply, outcome, &outcome->id);
    case FAULT_SCROLL:
        return vecwire_scroll(
            client, &VECWIRE_SCROLL(.call = options, .with_vector = true),
            on_reply, outcome, &outcome->id);
    case FAULT_SCROLLER:
        return vecwire_scroller_new(
            &outcome->scroller, client,
            &VECWIRE_SCROLLER_OPTIONS(.call = options, .on_rows = on_rows,
                                      .on_done = on_scrolled, .arg = outcome,
                                      .with_vector = true));
    case FAULT_COUNT:
        return vecwire_count(client, &VECWIRE_COUNT(.call = options), on_reply,
                             outcome, &outcome->id);
    case FAULT_OPERATIONS:
        return begin_operations(outcome, ids, options);
    case FAULT_UPLOAD:
        begin_upload(outcome, options);
        return VECWIRE_OK;
    default:
        return begin_raw(outcome, "GET", 0, options);
    }
}

void
fault_call_begin(struct fault_run *run, enum fault_call kind,
                 struct fault_outcome *outcome)
{
    static unsigned marks;
    struct vecwire_header header = {.name = FAULT_MARK_HEADER};

    *outcome = (struct fault_outcome){.run = run};
    snprintf(outcome->mark, sizeof(outcome->mark), "M%05u", ++marks % 90000);
    header.value = outcome->mark;
    ck_assert_int_eq(
        begin(outcome, kind,
              &VECWIRE_CALL_OPTIONS(.headers = &header, .n_headers = 1)),
        VECWIRE_OK);
    ck_assert_uint_eq(outcome->completions, 0);
}
