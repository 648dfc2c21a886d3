/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/live_rig.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live live;

void
live_begin(void)
{
    const char *dim = getenv("VECWIRE_DIM");

    memset(&live, 0, sizeof(live));
    signal(SIGPIPE, SIG_IGN);
    live.url = getenv("VECWIRE_LIVE_URL");
    live.key = getenv("VECWIRE_LIVE_KEY");
    live.dim = dim == NULL ? 0 : strtoul(dim, NULL, 10);
    ck_assert_msg(live.url != NULL && live.dim >= 4,
                  "VECWIRE_LIVE_URL and VECWIRE_DIM (at least 4) are needed");
    live.base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(live.base);
    ck_assert_int_eq(vecwire_loop_new(&live.loop, live.base), VECWIRE_OK);
}

void
live_end(void)
{
    vecwire_client_free(live.client);
    vecwire_loop_free(live.loop);
    event_base_free(live.base);
}

void
live_connect(struct vecwire_options options)
{
    struct vecwire_refusal refusal = {.text = ""};

    vecwire_client_free(live.client);
    if (options.url == NULL)
        options.url = live.url;
    if (options.api_key == NULL)
        options.api_key = live.key;
    options.loop = live.loop;
    options.refusal = &refusal;
    ck_assert_msg(vecwire_client_new(&live.client, live.base, &options) ==
                      VECWIRE_OK,
                  "%s", refusal.text);
}

void
live_tenant(const char *tenant)
{
    live_connect(VECWIRE_OPTIONS(.tenant = tenant,
                                 .connections = LIVE_CONNECTIONS,
                                 .deadline_ms = LIVE_PATIENCE_MS));
}

void
live_keep(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_reply **kept = arg;

    ck_assert_ptr_null(*kept);
    *kept = vecwire_reply_keep(reply);
}

void
live_drain(void)
{
    ck_assert_int_eq(vecwire_client_drain(live.client, LIVE_PATIENCE_MS),
                     VECWIRE_OK);
}

static const struct vecwire_reply *
await(enum vecwire_err taken, const struct vecwire_reply **reply)
{
    ck_assert_int_eq(taken, VECWIRE_OK);
    live_drain();
    ck_assert_ptr_nonnull(*reply);
    return *reply;
}

const struct vecwire_reply *
live_query(const float *vector, uint32_t top_k, const char *filter)
{
    const struct vecwire_reply *reply = NULL;

    return await(vecwire_query(live.client,
                               &VECWIRE_QUERY(.vector = vector, .dim = live.dim,
                                              .top_k = top_k, .filter = filter),
                               live_keep, &reply, NULL),
                 &reply);
}

const struct vecwire_reply *
live_upsert(struct vecwire_upsert_request upsert)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    enum vecwire_err taken;

    upsert.dim = live.dim;
    upsert.refusal = &refusal;
    taken = vecwire_upsert(live.client, &upsert, live_keep, &reply, NULL);
    ck_assert_msg(taken == VECWIRE_OK, "%s", refusal.text);
    return await(taken, &reply);
}

const struct vecwire_reply *
live_delete(const char *id)
{
    const struct vecwire_reply *reply = NULL;

    return await(vecwire_delete(live.client,
                                &VECWIRE_DELETE(.ids = &id, .rows = 1),
                                live_keep, &reply, NULL),
                 &reply);
}

const struct vecwire_reply *
live_raw(struct vecwire_raw_request raw)
{
    const struct vecwire_reply *reply = NULL;

    return await(vecwire_raw(live.client, &raw, live_keep, &reply, NULL),
                 &reply);
}

const struct vecwire_reply *
live_post(const char *path, const char *body, size_t len)
{
    return live_raw(VECWIRE_RAW(.method = "POST", .path = path, .body = body,
                                .body_len = len));
}

void
live_fine(const struct vecwire_reply *reply)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    ck_assert_msg(error == NULL, "%s", error == NULL ? "" : error->detail);
}

void
live_put(const char *id, const float *vector, const char *text,
         const char *payload)
{
    const struct vecwire_reply *reply =
        live_upsert(VECWIRE_UPSERT(.matrix = vector, .rows = 1, .ids = &id,
                                   .texts = &text, .payloads = &payload));

    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_affected(reply), 1);
    vecwire_reply_release(reply);
}

void
live_remove(const char *id, uint64_t affected)
{
    const struct vecwire_reply *reply = live_delete(id);

    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_affected(reply), affected);
    ck_assert_uint_eq(vecwire_reply_status(reply), affected > 0 ? 200 : 404);
    vecwire_reply_release(reply);
}

void
live_refused(const struct vecwire_reply *reply, uint32_t status,
             const char *code)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    ck_assert_msg(error != NULL, "status %u, %s was expected",
                  (unsigned)vecwire_reply_status(reply), code);
    ck_assert_msg(error->code == VECWIRE_EHTTP, "%s", error->detail);
    ck_assert_msg(error->http_status == status, "%u, not %u: %s",
                  (unsigned)error->http_status, (unsigned)status,
                  error->detail);
    ck_assert_msg(strcmp(error->server_code, code) == 0, "%s, not %s: %s",
                  error->server_code, code, error->detail);
    ck_assert_uint_gt(strlen(error->server_text), 0);
    vecwire_reply_release(reply);
}

float *
live_axis(size_t at)
{
    float *vector = calloc(live.dim, sizeof(*vector));

    ck_assert_ptr_nonnull(vector);
    vector[at] = 1;
    return vector;
}

float *
live_random(uint64_t seed)
{
    float *vector = calloc(live.dim, sizeof(*vector));
    uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;

    ck_assert_ptr_nonnull(vector);
    for (size_t i = 0; i < live.dim; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        vector[i] = (float)(int32_t)(state >> 32) / 2147483648.0F;
    }
    return vector;
}

double
live_cosine(const float *a, const float *b)
{
    double ab = 0, aa = 0, bb = 0;

    for (size_t i = 0; i < live.dim; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa) / sqrt(bb);
}

char *
live_repeat(char c, size_t n)
{
    char *text = malloc(n + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, c, n);
    text[n] = '\0';
    return text;
}

/* A vector's JSON text, of `n` coordinates that are `value`, but the last. */
static size_t
put_vector(char *text, size_t n, const char *value, const char *last)
{
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        len += (size_t)sprintf(text + len, "%c%s", i == 0 ? '[' : ',',
                               i + 1 == n ? last : value);
    text[len++] = ']';
    return len;
}

char *
live_body(const char *pattern)
{
    char *body = malloc((strlen(pattern) / 2 + 1) * (6 * live.dim + 16));
    size_t len = 0;

    ck_assert_ptr_nonnull(body);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern != '@') {
            body[len++] = *pattern;
            continue;
        }
        pattern++;
        len += put_vector(body + len, live.dim - (*pattern == 'S'),
                          *pattern == 'Z' ? "0" : "1",
                          *pattern == 'Z'   ? "-0.0"
                          : *pattern == 'N' ? "null"
                          : *pattern == 'T' ? "\"x\""
                                            : "-2e-1");
    }
    body[len] = '\0';
    return body;
}
