/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_query.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"

/* What examples are read into, and where ids are looked up. */
struct reading {
    struct vecwire__examples *examples;
    struct vecwire__qdrant_search *search;
    const struct vecwire__collection *from;
    size_t from_column;
    struct vecwire__fault *fault;
};

void
vecwire__examples_fini(struct vecwire__examples *examples)
{
    vecwire__draft_fini(&examples->draft);
    free(examples->excluded);
    examples->excluded = NULL;
}

static bool
refuse(struct reading *reading, int status, const char *text)
{
    vecwire__fault_set(reading->fault, status, "%s", text);
    return false;
}

static bool
no_memory(struct reading *reading)
{
    vecwire__fault_memory(reading->fault);
    return false;
}

static bool
exclude(struct reading *reading, size_t row)
{
    struct vecwire__examples *examples = reading->examples;

    if (reading->from != reading->search->collection)
        return true;
    if (examples->excluded == NULL)
        examples->excluded = calloc(reading->from->n_rows + 1, sizeof(bool));
    if (examples->excluded == NULL)
        return no_memory(reading);
    examples->excluded[row] = true;
    return true;
}

static bool
block_copy(struct reading *reading, const struct vecwire__block *block)
{
    struct vecwire__draft *draft = &reading->examples->draft;
    struct vecwire__block *copy =
        vecwire__block_new(block->n, block->indices != NULL);

    if (copy == NULL)
        return no_memory(reading);
    memcpy(copy->values, block->values, block->n * sizeof(float));
    if (block->indices != NULL)
        memcpy(copy->indices, block->indices, block->n * sizeof(uint32_t));
    draft->vectors[draft->n_vectors - 1].block = copy;
    return true;
}

/* A stored vector as an example. */
static bool
stored_add(struct reading *reading, size_t row)
{
    struct vecwire__draft *draft = &reading->examples->draft;
    const struct vecwire__column *column =
        &reading->from->columns[reading->from_column];
    const struct vecwire__column *into =
        &reading->search->collection->columns[reading->search->column];
    void *vectors = draft->vectors, *values = draft->values;

    if (column->kind != into->kind || column->dim != into->dim)
        return refuse(reading, 400,
                      "Wrong input: Vector dimension error: the vectors that "
                      "are looked up are of another kind");
    if (!vecwire__mem_grow(&vecwire__mem_libc, &vectors, &draft->cap_vectors,
                           draft->n_vectors + 1, sizeof(draft->vectors[0])))
        return no_memory(reading);
    draft->vectors = vectors;
    if (!vecwire__mem_grow(&vecwire__mem_libc, &values, &draft->cap_values,
                           draft->n_values + column->dim + 1, sizeof(float)))
        return no_memory(reading);
    draft->values = values;
    draft->vectors[draft->n_vectors++] = (struct vecwire__draft_vector){
        reading->search->column, draft->n_values, column->dim, NULL};
    if (column->kind != VECWIRE__DENSE)
        return block_copy(reading, column->blocks[row]);
    memcpy(draft->values + draft->n_values, column->matrix + row * column->dim,
           column->dim * sizeof(float));
    draft->n_values += column->dim;
    return true;
}

static bool
id_add(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__point_id id;
    size_t row;

    if (!vecwire__qdrant_take_id(reading->fault, value, &id))
        return false;
    row = vecwire__collection_find(reading->from, &id);
    if (row == SIZE_MAX) {
        vecwire__fault_set(reading->fault, 404,
                           "Not found: No point with id %.*s found",
                           (int)(value.end - value.at), value.at);
        return false;
    }
    if (!vecwire__column_has(&reading->from->columns[reading->from_column],
                             row))
        return refuse(reading, 404,
                      "Not found: the point has no vector of this name");
    return stored_add(reading, row) && exclude(reading, row);
}

static bool
example_add(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__view text;
    const struct vecwire__view_want wants[] = {{"model", &text}};

    if (reading->examples->draft.n_vectors == VECWIRE__QUERY_EXAMPLES)
        return refuse(reading, 400, "Bad request: more than 1024 examples");
    if (vecwire__view_is_number(value) || vecwire__view_is_string(value))
        return id_add(reading, value);
    if (vecwire__view_is_object(value) &&
        vecwire__view_members(value, wants, 1) == NULL && text.at != NULL)
        return refuse(reading, 400,
                      "Bad request: this server has no inference");
    return vecwire__draft_vector(
        &reading->examples->draft, reading->search->collection,
        reading->search->column, value, reading->fault);
}

static bool
list_add(struct reading *reading, struct vecwire__view list)
{
    struct vecwire__view_iter iter;

    if (list.at != NULL && !vecwire__view_is_array(list))
        return refuse(reading, 400,
                      "Format error in JSON body: expected an array of "
                      "examples");
    vecwire__view_begin(&iter, list);
    while (vecwire__view_next(&iter)) {
        if (!example_add(reading, iter.value))
            return false;
    }
    return true;
}

/* Dense vectors only: twice the mean of the positive ones less that of the
 * negative ones, in place of them all. */
static bool
average(struct reading *reading, size_t n_positive)
{
    struct vecwire__draft *draft = &reading->examples->draft;
    const struct vecwire__column *column =
        &reading->search->collection->columns[reading->search->column];
    size_t n = draft->n_vectors, n_negative = n - n_positive;

    if (column->kind != VECWIRE__DENSE || n_positive == 0)
        return refuse(reading, 400,
                      "Wrong input: average_vector needs a positive example, "
                      "and dense vectors");
    for (size_t i = 0; i < column->dim; i++) {
        float positive = 0, negative = 0;

        for (size_t j = 0; j < n; j++)
            *(j < n_positive ? &positive : &negative) +=
                draft->values[draft->vectors[j].at + i];
        positive /= (float)n_positive;
        if (n_negative > 0)
            positive += positive - negative / (float)n_negative;
        draft->values[draft->vectors[0].at + i] = positive;
    }
    if (column->distance == VECWIRE__COSINE)
        vecwire__vector_normalise(draft->values + draft->vectors[0].at,
                                  column->dim);
    draft->n_vectors = 1;
    return true;
}

static bool
recommend_read(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__view positive, negative, strategy;
    const struct vecwire__view_want wants[] = {{"positive", &positive},
                                               {"negative", &negative},
                                               {"strategy", &strategy}};
    struct vecwire__qdrant_search *search = reading->search;

    if (!vecwire__qdrant_members(reading->fault, value, wants, 3) ||
        !list_add(reading, positive))
        return false;
    search->n_positive = reading->examples->draft.n_vectors;
    if (!list_add(reading, negative))
        return false;
    if (reading->examples->draft.n_vectors == 0)
        return refuse(reading, 400,
                      "Wrong input: At least one positive or negative vector "
                      "ID required");
    if (strategy.at == NULL || vecwire__view_is(strategy, "average_vector"))
        return average(reading, search->n_positive);
    search->kind = vecwire__view_is(strategy, "best_score")
                       ? VECWIRE__BEST_SCORE
                       : VECWIRE__SUM_SCORES;
    return search->kind == VECWIRE__BEST_SCORE ||
           vecwire__view_is(strategy, "sum_scores") ||
           refuse(reading, 400,
                  "Format error in JSON body: strategy: unknown variant");
}

static bool
pair_add(struct reading *reading, struct vecwire__view pair)
{
    struct vecwire__view positive, negative;
    const struct vecwire__view_want wants[] = {{"positive", &positive},
                                               {"negative", &negative}};

    if (!vecwire__qdrant_members(reading->fault, pair, wants, 2))
        return false;
    if (positive.at == NULL || negative.at == NULL)
        return refuse(reading, 400,
                      "Format error in JSON body: a pair of the context needs "
                      "positive and negative");
    return example_add(reading, positive) && example_add(reading, negative);
}

/* One pair, or a list of them. */
static bool
pairs_add(struct reading *reading, struct vecwire__view pairs)
{
    struct vecwire__view_iter iter;

    if (!vecwire__view_is_array(pairs))
        return pairs.at == NULL || pair_add(reading, pairs);
    vecwire__view_begin(&iter, pairs);
    while (vecwire__view_next(&iter)) {
        if (!pair_add(reading, iter.value))
            return false;
    }
    return true;
}

static bool
discover_read(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__view target, context;
    const struct vecwire__view_want wants[] = {{"target", &target},
                                               {"context", &context}};

    reading->search->kind = VECWIRE__DISCOVER;
    if (!vecwire__qdrant_members(reading->fault, value, wants, 2))
        return false;
    if (target.at == NULL)
        return refuse(reading, 400,
                      "Format error in JSON body: missing field `target`");
    return example_add(reading, target) && pairs_add(reading, context);
}

static bool
context_read(struct reading *reading, struct vecwire__view value)
{
    reading->search->kind = VECWIRE__CONTEXT;
    if (!pairs_add(reading, value))
        return false;
    return reading->examples->draft.n_vectors > 0 ||
           refuse(reading, 400, "Wrong input: the context has no pair");
}

bool
vecwire__examples_read(struct vecwire__examples *examples,
                       struct vecwire__qdrant_search *search,
                       struct vecwire__view query,
                       const struct vecwire__collection *from,
                       size_t from_column, struct vecwire__fault *fault)
{
    struct reading reading = {examples, search, from, from_column, fault};
    struct vecwire__view nearest, recommend, mmr, discover, context;
    const struct vecwire__view_want wants[] = {{"nearest", &nearest},
                                               {"recommend", &recommend},
                                               {"mmr", &mmr},
                                               {"discover", &discover},
                                               {"context", &context}};

    memset(examples, 0, sizeof(*examples));
    search->kind = VECWIRE__NEAREST;
    search->n_positive = 1;
    if (vecwire__view_is_object(query)) {
        if (!vecwire__qdrant_members(fault, query, wants, 5))
            return false;
        if (mmr.at != NULL)
            return refuse(&reading, 400,
                          "Bad request: this server does not offer mmr");
        if (recommend.at != NULL)
            return recommend_read(&reading, recommend);
        if (discover.at != NULL)
            return discover_read(&reading, discover);
        if (context.at != NULL)
            return context_read(&reading, context);
        if (nearest.at != NULL)
            query = nearest;
    }
    return example_add(&reading, query);
}
