/* SPDX-License-Identifier: Apache-2.0 */
#include "server/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths between these cannot make a float product of a unit vector
 * overflow or lose digits. */
#define NORM_MIN 1e-15
#define NORM_MAX 1e+15

bool
vecwire__search_matches(json_t *metadata, json_t *filter)
{
    const char *key;
    json_t *value;

    json_object_foreach(filter, key, value)
    {
        if (!json_equal(json_object_get(metadata, key), value))
            return false;
    }
    return true;
}

/* Does the id of `a` stand behind that of `b`, byte by byte? */
static bool
id_behind(const struct vecwire__record *a, const struct vecwire__record *b)
{
    size_t len = a->id_len < b->id_len ? a->id_len : b->id_len;
    int order = memcmp(a->bytes, b->bytes, len);

    return order != 0 ? order > 0 : a->id_len > b->id_len;
}

/* Is `a` to stand behind `b`? */
static bool
hit_worse(const struct vecwire__hit *a, const struct vecwire__hit *b)
{
    if (a->score < b->score || a->score > b->score)
        return a->score < b->score;
    return id_behind(a->record, b->record);
}

static void
hits_swap(struct vecwire__hit *a, struct vecwire__hit *b)
{
    struct vecwire__hit kept = *a;

    *a = *b;
    *b = kept;
}

/* hits[0..n) is a heap with the worst on top, but for its top. */
static void
heap_sink(struct vecwire__hit *hits, size_t n)
{
    size_t at = 0, child;

    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && hit_worse(&hits[child + 1], &hits[child]))
            child++;
        if (!hit_worse(&hits[child], &hits[at]))
            return;
        hits_swap(&hits[child], &hits[at]);
        at = child;
    }
}

static void
heap_rise(struct vecwire__hit *hits, size_t at)
{
    while (at > 0 && hit_worse(&hits[at], &hits[(at - 1) / 2])) {
        hits_swap(&hits[at], &hits[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void
heap_offer(struct vecwire__hit *hits, size_t *n, size_t top_k,
           const struct vecwire__hit *hit)
{
    if (*n < top_k) {
        hits[*n] = *hit;
        heap_rise(hits, (*n)++);
    } else if (hit_worse(&hits[0], hit)) {
        hits[0] = *hit;
        heap_sink(hits, *n);
    }
}

static double
score_of(const struct vecwire__tenant *tenant, const float *unit, size_t row,
         vecwire__dot dot)
{
    const float *vector = tenant->matrix + row * tenant->dim;
    double norm = tenant->norms[row], score;

    if (norm >= NORM_MIN && norm <= NORM_MAX)
        score = (double)dot(unit, vector, tenant->dim) / norm;
    else
        score = vecwire__dot_exact(unit, vector, tenant->dim) / norm;
    return score > 1 ? 1 : score < -1 ? -1 : score;
}

/* The query with length 1, so that no product is out of range. */
static float *
unit_new(const float *query, size_t dim)
{
    double norm = sqrt(vecwire__dot_exact(query, query, dim));
    float *unit = calloc(dim, sizeof(*unit));

    for (size_t i = 0; unit != NULL && i < dim; i++)
        unit[i] = (float)((double)query[i] / norm);
    return unit;
}

bool
vecwire__search_run(struct vecwire__tenant *tenant,
                    const struct vecwire__search *search,
                    struct vecwire__hit *hits, size_t *n)
{
    float *unit = unit_new(search->query, tenant->dim);
    bool done = unit != NULL;
    size_t n_hits = 0;

    for (size_t row = 0; done && row < tenant->n_rows; row++) {
        struct vecwire__hit hit = {.row = row, .record = tenant->records[row]};

        if (search->filter != NULL) {
            json_t *tree = vecwire__record_tree(tenant->records[row]);

            if (tree == NULL)
                done = false;
            if (tree == NULL || !vecwire__search_matches(tree, search->filter))
                continue;
        }
        hit.score = score_of(tenant, unit, row, search->dot);
        heap_offer(hits, &n_hits, search->top_k, &hit);
    }
    free(unit);
    *n = n_hits;
    /* The worst of what is left goes to the end, again and again. */
    while (n_hits > 1) {
        hits_swap(&hits[0], &hits[--n_hits]);
        heap_sink(hits, n_hits);
    }
    return done;
}
