/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/every_function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static const float vector[] = {1, 2, 3};
static const char *const ids[] = {"a"};

static void
on_extra(const struct vecwire_reply *reply, void *arg)
{
    struct world *world = arg;

    (void)reply;
    world->extra_runs++;
}

static void
on_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    struct world *world = arg;

    (void)client;
    (void)code;
    world->closes++;
}

void
deed_count(struct world *world, enum vecwire_err err)
{
    ck_assert(err == VECWIRE_OK || err == VECWIRE_ECLOSED);
    if (err == VECWIRE_OK)
        world->extra_calls++;
    if (world->closed)
        ck_assert_int_eq(err, VECWIRE_ECLOSED);
}

/* --- client.h --- */

static void
options_init(struct world *world)
{
    struct vecwire_options options;
    struct vecwire_call_options call;

    (void)world;
    vecwire_options_init(&options);
    ck_assert_uint_eq(options.size, sizeof(options));
    vecwire_call_options_init(&call);
    ck_assert_uint_eq(call.size, sizeof(call));
}

static void
client_new(struct world *world)
{
    struct vecwire_client *other;

    ck_assert_int_eq(vecwire_client_new(&other, world->base,
                                        &VECWIRE_OPTIONS(.url = world->url,
                                                         .mem = world->mem)),
                     VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_raw(other, &VECWIRE_RAW(.path = "/"), on_extra, world, NULL),
        VECWIRE_OK);
    world->extra_calls++;
    vecwire_client_free(other);
    ck_assert_uint_eq(world->extra_runs, world->extra_calls);
}

static void
client_free(struct world *world)
{
    vecwire_client_free(world->client);
    world->client = NULL;
    ck_assert_uint_eq(world->target_runs, 1);
    ck_assert(world->upload_over);
}

static void
client_close_at_once(struct world *world)
{
    unsigned runs = world->target_runs;

    ck_assert_int_eq(vecwire_client_close(world->client, 0, on_close, world),
                     world->closed ? VECWIRE_ECLOSED : VECWIRE_OK);
    world->close_calls += !world->closed;
    ck_assert_int_eq(vecwire_client_close(world->client, 0, NULL, NULL),
                     VECWIRE_ECLOSED);
    ck_assert_uint_eq(world->target_runs, runs);
}

static void
client_close_in_time(struct world *world)
{
    ck_assert_int_eq(vecwire_client_close(world->client, 10, on_close, world),
                     world->closed ? VECWIRE_ECLOSED : VECWIRE_OK);
    world->close_calls += !world->closed;
}

static void
client_drain(struct world *world)
{
    ck_assert_int_eq(vecwire_client_drain(world->client, 5), VECWIRE_EBUSY);
}

static void
client_stats(struct world *world)
{
    const struct vecwire_stats *s = vecwire_client_stats(world->client);

    ck_assert_uint_eq(s->calls_started, s->calls_completed + s->calls_waiting +
                                            s->calls_active +
                                            s->calls_retrying);
}

static void
cancel(struct world *world)
{
    unsigned runs = world->target_runs;

    (void)vecwire_cancel(world->client, world->target);
    ck_assert(!vecwire_cancel(world->client, world->target));
    ck_assert(!vecwire_cancel(world->client, 0));
    ck_assert(!vecwire_cancel(world->client, UINT64_MAX));
    ck_assert_uint_eq(world->target_runs, runs);
}

/* The call whose callback this is. */
static void
cancel_itself(struct world *world)
{
    if (world->reply != NULL)
        ck_assert(
            vecwire_cancel(world->client, vecwire_reply_id(world->reply)) ==
            world->is_batch);
}

static void
version(struct world *world)
{
    (void)world;
    ck_assert_str_eq(vecwire_version(), VECWIRE_VERSION);
}

/* --- query.h --- */

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    return VECWIRE_CONTINUE;
}

static void
query(struct world *world)
{
    deed_count(world, vecwire_query(world->client,
                                    &VECWIRE_QUERY(.vector = vector, .dim = 3,
                                                   .on_rows = on_rows),
                                    on_extra, world, NULL));
}

static void
upsert(struct world *world)
{
    deed_count(world,
               vecwire_upsert(world->client,
                              &VECWIRE_UPSERT(.matrix = vector, .rows = 1,
                                              .dim = 3, .ids = ids),
                              on_extra, world, NULL));
}

static void delete (struct world *world)
{
    deed_count(world, vecwire_delete(world->client,
                                     &VECWIRE_DELETE(.ids = ids, .rows = 1),
                                     on_extra, world, NULL));
}

static void
raw(struct world *world)
{
    vecwire_call_id id = 1;

    deed_count(world, vecwire_raw(world->client, &VECWIRE_RAW(.path = "/y"),
                                  on_extra, world, &id));
    ck_assert((id == 0) == world->closed);
    (void)!vecwire_raw(world->client, &VECWIRE_RAW(.path = "/y"), NULL, NULL,
                       NULL);
}

static void
resume(struct world *world)
{
    (void)vecwire_resume(world->client, world->target);
    ck_assert(!vecwire_resume(world->client, 0));
    if (world->reply != NULL)
        ck_assert(
            vecwire_resume(world->client, vecwire_reply_id(world->reply)) ==
            world->is_batch);
}

static void
requests_init(struct world *world)
{
    struct vecwire_query_request q;
    struct vecwire_upsert_request u;
    struct vecwire_delete_request d;
    struct vecwire_raw_request r;

    (void)world;
    vecwire_query_init(&q);
    vecwire_upsert_init(&u);
    vecwire_delete_init(&d);
    vecwire_raw_init(&r);
    ck_assert_uint_eq(q.size + u.size + d.size + r.size,
                      sizeof(q) + sizeof(u) + sizeof(d) + sizeof(r));
}

/* --- reply.h --- */

static void
reply_texts(struct world *world)
{
    const struct vecwire_reply *reply = world->reply;
    struct vecwire_header header;
    size_t len, n = 0;

    if (reply == NULL)
        return;
    ck_assert_uint_eq(strlen(vecwire_reply_body(reply, &len)), len);
    while (vecwire_reply_header_at(reply, n, &header))
        n++;
    ck_assert(!vecwire_reply_header_at(reply, SIZE_MAX, &header));
    ck_assert_ptr_null(vecwire_reply_header(reply, "no-such"));
    ck_assert_ptr_nonnull(vecwire_reply_peer(reply));
}

static void
reply_numbers(struct world *world)
{
    const struct vecwire_reply *reply = world->reply;

    if (reply == NULL)
        return;
    ck_assert_ptr_nonnull(vecwire_reply_timing(reply));
    ck_assert_uint_ne(vecwire_reply_id(reply), 0);
    (void)vecwire_reply_error(reply);
    (void)vecwire_reply_status(reply);
    (void)vecwire_reply_attempts(reply);
    (void)vecwire_reply_wakeups(reply);
    (void)vecwire_reply_loop_iterations(reply);
    (void)vecwire_reply_affected(reply);
    (void)vecwire_reply_rows_given(reply);
}

static void
reply_rows(struct world *world)
{
    const struct vecwire_reply *reply = world->reply;
    const struct vecwire_row *row;
    size_t i = 0;

    if (reply == NULL)
        return;
    for (; (row = vecwire_reply_row(reply, i)) != NULL; i++) {
        ck_assert_uint_eq(strlen(row->id.text), row->id.len);
        json_decref(vecwire_reply_payload_tree(reply, i));
    }
    ck_assert_uint_eq(i, vecwire_reply_count(reply));
    ck_assert_ptr_null(vecwire_reply_payload_tree(reply, i));
    ck_assert_ptr_null(vecwire_reply_row(reply, SIZE_MAX));
}

static void
reply_keep(struct world *world)
{
    const struct vecwire_reply *kept;

    vecwire_reply_release(NULL);
    if (world->reply == NULL)
        return;
    kept = vecwire_reply_keep(world->reply);
    ck_assert_ptr_eq(kept, world->is_batch ? NULL : world->reply);
    vecwire_reply_release(kept);
}

/* --- loop.h --- */

static void
base_new(struct world *world)
{
    struct event_base *other = vecwire_event_base_new();

    (void)world;
    ck_assert_ptr_nonnull(other);
    event_base_free(other);
}

static void
loop_new(struct world *world)
{
    struct vecwire_loop *other;
    enum vecwire_err err = vecwire_loop_new(&other, world->base);

    ck_assert(err == VECWIRE_OK || err == VECWIRE_EBUSY);
    vecwire_loop_free(other);
}

static void
loop_run(struct world *world)
{
    bool more;

    if (!world->in_loop)
        return;
    ck_assert_int_eq(vecwire_loop_run(world->loop), VECWIRE_EBUSY);
    ck_assert_int_eq(vecwire_loop_step(world->loop, &more), VECWIRE_EBUSY);
    ck_assert_uint_ge(vecwire_loop_iterations(world->loop), 1);
}

static void
loop_stop(struct world *world)
{
    vecwire_loop_stop(world->loop);
    vecwire_loop_stop(NULL);
}

static void
base_break(struct world *world)
{
    event_base_loopbreak(world->base);
}

/* --- hms.h --- */

static void
hms_mask(struct world *world)
{
    struct vecwire_hms_mask_options options;
    struct vecwire_hms_mask *mask;

    (void)world;
    vecwire_hms_mask_options_init(&options);
    ck_assert_int_eq(vecwire_hms_mask_new(&mask, &options), VECWIRE_EINVAL);
    vecwire_hms_mask_free(mask);
}

/* --- vector.h, error.h --- */

static void
vector_text(struct world *world)
{
    char text[VECWIRE_VECTOR_TEXT_ROOM(3)];
    float back[3], one;
    size_t len, dim;

    (void)world;
    ck_assert_int_eq(vecwire_vector_format(vector, 3, text, &len), VECWIRE_OK);
    ck_assert_int_eq(vecwire_vector_parse(text, len, back, 3, &dim),
                     VECWIRE_OK);
    len = vecwire_float_format(0.5F, text);
    ck_assert_int_eq(vecwire_float_parse(text, len, &one), VECWIRE_OK);
}

static void
names(struct world *world)
{
    (void)world;
    ck_assert_str_eq(vecwire_err_name(VECWIRE_EBUSY), "VECWIRE_EBUSY");
    ck_assert_ptr_nonnull(vecwire_strerror(VECWIRE_EBUSY));
    ck_assert_str_eq(vecwire_phase_name(VECWIRE_PHASE_QUEUED), "queued");
}

const struct deed deeds[] = {
    {"vecwire_options_init vecwire_call_options_init", options_init},
    {"vecwire_client_new", client_new},
    {"vecwire_client_free", client_free},
    {"vecwire_client_close", client_close_at_once},
    {"vecwire_client_close", client_close_in_time},
    {"vecwire_client_drain", client_drain},
    {"vecwire_client_stats", client_stats},
    {"vecwire_cancel", cancel},
    {"vecwire_cancel", cancel_itself},
    {"vecwire_version", version},
    {"vecwire_query", query},
    {"vecwire_upsert", upsert},
    {"vecwire_delete", delete},
    {"vecwire_raw", raw},
    {"vecwire_resume", resume},
    {"vecwire_query_init vecwire_upsert_init vecwire_delete_init "
     "vecwire_raw_init",
     requests_init},
    {"vecwire_reply_body vecwire_reply_header vecwire_reply_header_at "
     "vecwire_reply_peer",
     reply_texts},
    {"vecwire_reply_error vecwire_reply_status vecwire_reply_attempts "
     "vecwire_reply_wakeups vecwire_reply_loop_iterations "
     "vecwire_reply_affected vecwire_reply_rows_given vecwire_reply_timing "
     "vecwire_reply_id",
     reply_numbers},
    {"vecwire_reply_count vecwire_reply_row vecwire_reply_payload_tree",
     reply_rows},
    {"vecwire_reply_keep vecwire_reply_release", reply_keep},
    {"vecwire_event_base_new", base_new},
    {"vecwire_loop_new vecwire_loop_free", loop_new},
    {"vecwire_loop_run vecwire_loop_step vecwire_loop_iterations", loop_run},
    {"vecwire_loop_stop", loop_stop},
    {"event_base_loopbreak", base_break},
    {"vecwire_hms_mask_options_init vecwire_hms_mask_new "
     "vecwire_hms_mask_free",
     hms_mask},
    {"vecwire_uploader_new vecwire_uploader_options_init vecwire_uploader_add "
     "vecwire_uploader_end vecwire_uploader_free",
     deed_upload},
    {"vecwire_uploader_cancel vecwire_uploader_progress",
     deed_upload_and_cancel},
    {"vecwire_uploader_add", deed_uploader_add},
    {"vecwire_uploader_end", deed_uploader_end},
    {"vecwire_uploader_cancel", deed_uploader_cancel},
    {"vecwire_uploader_free", deed_uploader_free},
    {"vecwire_scroller_options_init vecwire_scroller_new "
     "vecwire_scroller_free",
     deed_scroll},
    {"vecwire_scroller_resume vecwire_scroller_cancel vecwire_scroller_offset "
     "vecwire_scroller_progress",
     deed_scroll_look},
    {FILTER_FUNCTIONS, deed_filter},
    {ADMIN_INITS " " ADMIN_VERBS, deed_admin},
    {ADMIN_VERBS, deed_admin_refused},
    {ADMIN_REPLY, deed_admin_reply},
    {QDRANT_INITS " " QDRANT_VERBS, deed_qdrant_verbs},
    {QDRANT_VERBS, deed_qdrant_refused},
    {QDRANT_REPLY, deed_qdrant_reply},
    {REPLY_ROWS, deed_reply_rows},
    {"vecwire_vector_format vecwire_vector_parse vecwire_float_format "
     "vecwire_float_parse",
     vector_text},
    {"vecwire_err_name vecwire_strerror vecwire_phase_name", names},
};
const size_t n_deeds = sizeof(deeds) / sizeof(deeds[0]);

static bool
is_called(const char *name, size_t len)
{
    for (size_t i = 0; i < n_deeds; i++) {
        const char *at = deeds[i].function;

        while ((at = strstr(at, name)) != NULL) {
            if (at[len] == '\0' || at[len] == ' ')
                return true;
            at += len;
        }
    }
    return false;
}

size_t
deeds_missing(const char *header, size_t *seen)
{
    FILE *file = fopen(header, "r");
    char line[256], name[64];
    size_t missing = 0;

    ck_assert_msg(file != NULL, "%s cannot be read", header);
    while (fgets(line, sizeof(line), file) != NULL) {
        for (char *at = line; (at = strstr(at, "vecwire_")) != NULL;) {
            size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");

            snprintf(name, sizeof(name), "%.*s", (int)len, at);
            at += len;
            if (*at != '(')
                continue;
            *seen += 1;
            if (!is_called(name, len)) {
                printf("%s: no deed calls %s\n", header, name);
                missing++;
            }
        }
    }
    fclose(file);
    return missing;
}
