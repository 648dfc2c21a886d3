/* SPDX-License-Identifier: Apache-2.0 */
/* A collection of Qdrant's: made, filled, searched with a filter, read to its
 * end as a matrix, dropped. Each step begins where the one before has ended.
 * A server goes on in its callbacks; this program waits, to be read from top
 * to bottom.
 *
 *   qdrant [http://127.0.0.1:6333]
 */
#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <vecwire/vecwire.h>

enum { ROWS = 1000, DIM = 8 };

struct app {
    struct event_base *base;
    struct vecwire_client *db;
    struct vecwire_refusal why;
    float matrix[ROWS][DIM];
    uint64_t ids[ROWS];
    char texts[ROWS][40];
    const char *payloads[ROWS];
    size_t next; /* row to be uploaded */
    uint64_t n_scrolled;
    double sum;
    bool failed;
};

/* Every step's end. */
static void
on_end(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct app *app = arg;

    if (error == NULL)
        return;
    fprintf(stderr, "%s\n", error->detail);
    app->failed = true;
}

static bool
finish(struct app *app, enum vecwire_err rc)
{
    if (rc == VECWIRE_OK)
        rc = vecwire_client_drain(app->db, 5000);
    if (rc != VECWIRE_OK)
        fprintf(stderr, "%s: %s\n", vecwire_err_name(rc), app->why.text);
    return rc == VECWIRE_OK && !app->failed;
}

static bool
create(struct app *app)
{
    struct vecwire_qdrant_vector_config unnamed = {
        .size = DIM, .distance = VECWIRE_QDRANT_DOT};

    return finish(
        app, vecwire_qdrant_create_collection(
                 app->db,
                 &VECWIRE_QDRANT_CREATE(.vectors = &unnamed, .n_vectors = 1,
                                        .refusal = &app->why),
                 on_end, app, NULL));
}

/* As many rows as there is room for, by hand first and then as on_room. */
static void
feed(struct vecwire_uploader *up, void *arg)
{
    struct app *app = arg;

    while (app->next < ROWS) {
        size_t first = app->next, taken;
        enum vecwire_err rc = vecwire_uploader_add(
            up,
            &VECWIRE_UPSERT(.matrix = app->matrix[first], .rows = ROWS - first,
                            .dim = DIM, .numbers = app->ids + first,
                            .payloads = app->payloads + first,
                            .refusal = &app->why),
            &taken);

        app->next += taken;
        if (rc == VECWIRE_EFULL)
            return;
        if (rc != VECWIRE_OK) {
            fprintf(stderr, "%s\n", app->why.text);
            app->failed = true;
            break;
        }
    }
    vecwire_uploader_end(up);
}

static void
on_uploaded(struct vecwire_uploader *up,
            const struct vecwire_upload_result *result, void *arg)
{
    struct app *app = arg;

    (void)up;
    printf("%" PRIu64 " rows stored, %" PRIu64 " failed\n", result->rows_done,
           result->rows_failed);
    if (result->error == NULL)
        return;
    fprintf(stderr, "%s\n", result->error->detail);
    app->failed = true;
}

static bool
upload(struct app *app)
{
    /* Without it, Qdrant answers when it has noted the rows. */
    struct vecwire_qdrant_params params = VECWIRE_QDRANT_PARAMS(.wait = true);
    struct vecwire_call_options call = VECWIRE_CALL_OPTIONS(.qdrant = &params);
    struct vecwire_uploader *up;
    enum vecwire_err rc = vecwire_uploader_new(
        &up, app->db,
        &VECWIRE_UPLOADER_OPTIONS(.call = &call, .refusal = &app->why,
                                  .on_room = feed, .on_done = on_uploaded,
                                  .arg = app));
    bool done;

    if (rc == VECWIRE_OK)
        feed(up, app);
    done = finish(app, rc);
    vecwire_uploader_free(up);
    return done;
}

static void
on_hits(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_row *row;

    on_end(reply, arg);
    for (size_t i = 0; (row = vecwire_reply_row(reply, i)) != NULL; i++)
        printf("%" PRIu64 " %.4f %s\n", row->id.number, (double)row->score,
               row->payload != NULL ? row->payload : "");
}

/* The best three of those with n from 100 to 199. */
static bool
query(struct app *app)
{
    struct vecwire_qdrant_filter *filter;
    enum vecwire_err rc = vecwire_qdrant_filter_new(&filter, NULL);

    if (rc != VECWIRE_OK)
        return finish(app, rc);
    vecwire_qdrant_filter_clause(filter, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_range_i64(filter, "n", VECWIRE_QDRANT_GTE, 100,
                                    VECWIRE_QDRANT_LT, 200);
    rc = vecwire_query(
        app->db,
        &VECWIRE_QUERY(.vector = app->matrix[0], .dim = DIM, .top_k = 3,
                       .filter = vecwire_qdrant_filter_text(filter),
                       .with_payload = true, .refusal = &app->why),
        on_hits, app, NULL);
    vecwire_qdrant_filter_free(filter); /* it was read */
    return finish(app, rc);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct app *app = arg;
    size_t n, dim;
    const float *matrix = vecwire_reply_matrix(rows, &n, &dim);

    app->n_scrolled += n;
    for (size_t i = 0; i < n * dim; i++)
        app->sum += (double)matrix[i];
    return VECWIRE_CONTINUE;
}

static void
on_scrolled(struct vecwire_scroller *scroller,
            const struct vecwire_scroll_result *result, void *arg)
{
    struct app *app = arg;

    (void)scroller;
    if (result->error != NULL) {
        fprintf(stderr, "%s\n", result->error->detail);
        app->failed = true;
    }
    printf("%" PRIu64 " rows in %" PRIu64 " pages, sum %.1f\n", app->n_scrolled,
           result->pages, app->sum);
}

static bool
scroll(struct app *app)
{
    struct vecwire_scroller *scroller;
    bool done = finish(
        app,
        vecwire_scroller_new(
            &scroller, app->db,
            &VECWIRE_SCROLLER_OPTIONS(.refusal = &app->why, .on_rows = on_rows,
                                      .on_done = on_scrolled, .arg = app,
                                      .with_vector = true)));

    vecwire_scroller_free(scroller);
    return done;
}

static bool
drop(struct app *app)
{
    return finish(app, vecwire_qdrant_delete_collection(
                           app->db, &VECWIRE_QDRANT_ADMIN(.refusal = &app->why),
                           on_end, app, NULL));
}

static void
make_rows(struct app *app)
{
    for (size_t row = 0; row < ROWS; row++) {
        app->ids[row] = row;
        for (size_t i = 0; i < DIM; i++)
            app->matrix[row][i] = (float)((row + i) % 10) / 4;
        snprintf(app->texts[row], sizeof(app->texts[row]), "{\"n\":%zu}", row);
        app->payloads[row] = app->texts[row];
    }
}

int
main(int argc, char **argv)
{
    static struct app app = {.why = {.text = "no answer in time"}};
    struct vecwire_options options =
        VECWIRE_OPTIONS(.url = argc > 1 ? argv[1] : "http://127.0.0.1:6333",
                        .dialect = VECWIRE_QDRANT, .collection = "example",
                        .refusal = &app.why);
    bool done;

    app.base = vecwire_event_base_new(); /* or your own */
    make_rows(&app);
    done = finish(&app, vecwire_client_new(&app.db, app.base, &options)) &&
           create(&app) && upload(&app) && query(&app) && scroll(&app) &&
           drop(&app);
    vecwire_client_free(app.db);
    event_base_free(app.base);
    return !done;
}
