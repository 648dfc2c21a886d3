/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_search.h"

#include <math.h>
#include <stdlib.h>

static int
by_score(const void *a, const void *b)
{
    const struct vecwire__found *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* One source's score of its i-th hit, for the sum. */
typedef float (*fused_score)(const struct vecwire__results *source, size_t i,
                             const double *args);

static bool
fuse(const struct vecwire__results *sources, size_t n, size_t n_rows,
     fused_score score, const double *args, size_t n_args,
     struct vecwire__results *results)
{
    size_t total = 0, *at = calloc(n_rows + 1, sizeof(*at));

    for (size_t i = 0; i < n; i++)
        total += sources[i].n;
    results->n = 0;
    results->list = malloc((total + 1) * sizeof(results->list[0]));
    if (at == NULL || results->list == NULL) {
        free(at);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < sources[i].n; j++) {
            size_t row = sources[i].list[j].row;

            if (at[row] == 0) {
                results->list[results->n] = (struct vecwire__found){row, 0};
                at[row] = ++results->n;
            }
            results->list[at[row] - 1].score +=
                score(&sources[i], j, args + i * n_args);
        }
    }
    free(at);
    qsort(results->list, results->n, sizeof(results->list[0]), by_score);
    return true;
}

static float
rank_score(const struct vecwire__results *source, size_t i, const double *k)
{
    (void)source;
    return (float)(1 / (*k + (double)i));
}

bool
vecwire__fuse_ranks(const struct vecwire__results *sources, size_t n, size_t k,
                    size_t n_rows, struct vecwire__results *results)
{
    double rank = (double)k;

    return fuse(sources, n, n_rows, rank_score, &rank, 0, results);
}

/* args: the least and the width of three deviations to both sides */
static float
spread_score(const struct vecwire__results *source, size_t i,
             const double *args)
{
    if (args[1] == 0)
        return 0.5F;
    return (float)(((double)source->list[i].score - args[0]) / args[1]);
}

static void
spread_of(const struct vecwire__results *source, double args[2])
{
    double mean = 0, square = 0, deviation;

    args[0] = args[1] = 0;
    if (source->n < 2)
        return;
    for (size_t i = 0; i < source->n; i++)
        mean += (double)source->list[i].score / (double)source->n;
    for (size_t i = 0; i < source->n; i++) {
        double off = (double)source->list[i].score - mean;

        square += off * off;
    }
    deviation = sqrt(square / (double)(source->n - 1));
    args[0] = mean - 3 * deviation;
    args[1] = 6 * deviation;
}

bool
vecwire__fuse_scores(const struct vecwire__results *sources, size_t n,
                     size_t n_rows, struct vecwire__results *results)
{
    double(*args)[2] = calloc(n + 1, sizeof(*args));
    bool done;

    if (args == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        spread_of(&sources[i], args[i]);
    done = fuse(sources, n, n_rows, spread_score, args[0], 2, results);
    free(args);
    return done;
}
