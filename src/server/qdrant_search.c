/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/qdrant_record.h"

/* The larger, the nearer: of distances the negative, of Euclid squared. */
static float
dense_near(const struct vecwire__qdrant_search *search,
           const struct vecwire__column *column, const float *a, const float *b)
{
    float sum[4] = {0, 0, 0, 0}, difference;

    if (column->distance == VECWIRE__COSINE || column->distance == VECWIRE__DOT)
        return search->dot(a, b, column->dim);
    for (size_t i = 0; i < column->dim; i++) {
        difference = a[i] - b[i];
        sum[i % 4] += column->distance == VECWIRE__EUCLID
                          ? difference * difference
                          : fabsf(difference);
    }
    return -((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static float
sparse_near(const struct vecwire__block *a, const struct vecwire__block *b)
{
    float sum = 0;

    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->indices[i] == b->indices[j])
            sum += a->values[i++] * b->values[j++];
        else if (a->indices[i] < b->indices[j])
            i++;
        else
            j++;
    }
    return sum;
}

/* Of each of the query's rows the nearest one counts. */
static float
multi_near(const struct vecwire__qdrant_search *search,
           const struct vecwire__column *column, const struct vecwire__block *a,
           const struct vecwire__block *b)
{
    float sum = 0;

    for (size_t i = 0; i < a->n; i += column->dim) {
        float best = -INFINITY;

        for (size_t j = 0; j < b->n; j += column->dim)
            best = fmaxf(
                best, dense_near(search, column, a->values + i, b->values + j));
        sum += best;
    }
    return sum;
}

static float
near(const struct vecwire__qdrant_search *search, size_t example, size_t row)
{
    const struct vecwire__column *column =
        &search->collection->columns[search->column];
    const struct vecwire__draft_vector *vector =
        &search->examples->vectors[example];

    switch (column->kind) {
    case VECWIRE__SPARSE:
        return sparse_near(vector->block, column->blocks[row]);
    case VECWIRE__MULTI:
        return multi_near(search, column, vector->block, column->blocks[row]);
    default:
        return dense_near(search, column, search->examples->values + vector->at,
                          column->matrix + row * column->dim);
    }
}

/* From -1 to 1, for scores of any range. */
static float
bounded(float score)
{
    return score / (1 + fabsf(score));
}

static float
score_examples(const struct vecwire__qdrant_search *search, size_t row)
{
    float best = -INFINITY, worst = -INFINITY, sum = 0;

    for (size_t i = 0; i < search->examples->n_vectors; i++) {
        float score = near(search, i, row);

        if (i < search->n_positive) {
            best = fmaxf(best, score);
            sum += score;
        } else {
            worst = fmaxf(worst, score);
            sum -= score;
        }
    }
    if (search->kind == VECWIRE__SUM_SCORES)
        return sum;
    return best > worst ? 0.5F * (bounded(best) + 1)
                        : -0.5F * (bounded(worst) + 1);
}

/* Each pair splits all points in two; what counts first is on how many right
 * sides a point is. Without a target, how far it is on wrong sides. */
static float
score_pairs(const struct vecwire__qdrant_search *search, size_t row)
{
    bool has_target = search->kind == VECWIRE__DISCOVER;
    float sum = 0;

    for (size_t i = has_target; i + 1 < search->examples->n_vectors; i += 2) {
        float positive = near(search, i, row);
        float negative = near(search, i + 1, row);

        if (has_target)
            sum += (float)((positive > negative) - (positive < negative));
        else
            sum += fminf(bounded(positive) - bounded(negative) - 0x1p-23F, 0);
    }
    return has_target ? sum + 0.5F * (bounded(near(search, 0, row)) + 1) : sum;
}

static float
score_row(const struct vecwire__qdrant_search *search, size_t row)
{
    switch (search->kind) {
    case VECWIRE__NEAREST:
        return near(search, 0, row);
    case VECWIRE__DISCOVER:
    case VECWIRE__CONTEXT:
        return score_pairs(search, row);
    default:
        return score_examples(search, row);
    }
}

/* As Qdrant hands it out. */
static float
shown(const struct vecwire__qdrant_search *search, float score)
{
    enum vecwire__distance distance =
        search->collection->columns[search->column].distance;

    if (search->kind != VECWIRE__NEAREST)
        return score;
    if (distance == VECWIRE__EUCLID)
        return sqrtf(fabsf(score));
    return distance == VECWIRE__MANHATTAN ? fabsf(score) : score;
}

static bool
passes(const struct vecwire__qdrant_search *search, float score)
{
    enum vecwire__distance distance =
        search->collection->columns[search->column].distance;

    if (search->threshold == NULL)
        return true;
    score = shown(search, score);
    if (search->kind == VECWIRE__NEAREST &&
        (distance == VECWIRE__EUCLID || distance == VECWIRE__MANHATTAN))
        return score <= *search->threshold;
    return score >= *search->threshold;
}

static bool
is_candidate(const struct vecwire__qdrant_search *search, size_t row,
             struct vecwire__fault *fault)
{
    return search->collection->points[row].is_live &&
           (search->among == NULL || search->among[row]) &&
           (search->excluded == NULL || !search->excluded[row]) &&
           vecwire__column_has(&search->collection->columns[search->column],
                               row) &&
           vecwire__qdrant_matches(search->filter, search->collection, row,
                                   fault);
}

/* Is `a` behind `b`? Equal scores go by id. */
static bool
is_behind(const struct vecwire__collection *collection,
          const struct vecwire__found *a, const struct vecwire__found *b)
{
    if (a->score != b->score)
        return a->score < b->score;
    return vecwire__point_id_compare(&collection->points[a->row].id,
                                     &collection->points[b->row].id) > 0;
}

/* The worst one is on top. */
static void
sink_down(const struct vecwire__collection *collection,
          struct vecwire__found *heap, size_t n)
{
    struct vecwire__found top = heap[0];
    size_t at = 0;

    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n &&
            is_behind(collection, &heap[child + 1], &heap[child]))
            child++;
        if (!is_behind(collection, &heap[child], &top))
            break;
        heap[at] = heap[child];
    }
    heap[at] = top;
}

static void
heap_add(const struct vecwire__collection *collection,
         struct vecwire__results *heap, size_t limit,
         struct vecwire__found found)
{
    size_t at = heap->n;

    if (at == limit) {
        if (!is_behind(collection, &heap->list[0], &found))
            return;
        heap->list[0] = found;
        sink_down(collection, heap->list, heap->n);
        return;
    }
    heap->n++;
    for (; at > 0 && is_behind(collection, &found, &heap->list[(at - 1) / 2]);
         at = (at - 1) / 2)
        heap->list[at] = heap->list[(at - 1) / 2];
    heap->list[at] = found;
}

static void
heap_end(const struct vecwire__collection *collection,
         struct vecwire__results *heap)
{
    for (size_t n = heap->n; n > 1; n--) {
        struct vecwire__found worst = heap->list[0];

        heap->list[0] = heap->list[n - 1];
        sink_down(collection, heap->list, n - 1);
        heap->list[n - 1] = worst;
    }
}

bool
vecwire__qdrant_search_run(const struct vecwire__qdrant_search *search,
                           struct vecwire__results *results,
                           struct vecwire__fault *fault)
{
    const struct vecwire__collection *collection = search->collection;
    size_t limit =
        search->limit < collection->n_live ? search->limit : collection->n_live;

    results->n = 0;
    results->list = malloc((limit + 1) * sizeof(results->list[0]));
    if (results->list == NULL) {
        vecwire__fault_memory(fault);
        return false;
    }
    for (size_t row = 0; limit > 0 && row < collection->n_rows; row++) {
        struct vecwire__found found = {row, 0};

        if (!is_candidate(search, row, fault))
            continue;
        found.score = score_row(search, row);
        if (passes(search, found.score))
            heap_add(collection, results, limit, found);
    }
    heap_end(collection, results);
    for (size_t i = 0; i < results->n; i++)
        results->list[i].score = shown(search, results->list[i].score);
    return fault->status == 0;
}

void
vecwire__results_fini(struct vecwire__results *results)
{
    free(results->list);
    results->list = NULL;
    results->n = 0;
}
