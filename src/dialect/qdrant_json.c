/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what it would refuse of JSON that a caller gave for a search. */
#include "dialect/qdrant.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* A number, whole ones exactly, and where it must lie. */
struct bounds {
    const char *place, *outer, *inner;
    const char *expected;
    double least, most;
    bool whole;
};

/* A text, and which ones there are. */
struct choice {
    const char *place, *outer, *inner;
    const char *expected;
    const char *among[3];
};

static const struct bounds params_bounds[] = {
    {"params.hnsw_ef", "hnsw_ef", NULL, "a whole number of at least 1", 1,
     HUGE_VAL, true},
    {"params.quantization.oversampling", "quantization", "oversampling",
     "a number of at least 1", 1, HUGE_VAL, false},
};
static const struct bounds query_bounds[] = {
    {"query.mmr.diversity", "mmr", "diversity", "a number from 0 to 1", 0, 1,
     false},
    {"query.mmr.candidates_limit", "mmr", "candidates_limit",
     "a whole number up to 16384", 0, 16384, true},
    {"query.rrf.k", "rrf", "k", "a whole number of at least 1", 1, HUGE_VAL,
     true},
};
static const struct choice query_choices[] = {
    {"query.fusion", "fusion", NULL, "rrf or dbsf", {"rrf", "dbsf"}},
    {"query.sample", "sample", NULL, "random", {"random"}},
    {"query.recommend.strategy",
     "recommend",
     "strategy",
     "average_vector, best_score or sum_scores",
     {"average_vector", "best_score", "sum_scores"}},
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What stands there; NULL: nothing, or null. */
static const json_t *
find(const json_t *tree, const char *outer, const char *inner)
{
    tree = json_object_get(tree, outer);
    if (inner != NULL)
        tree = json_object_get(tree, inner);
    return json_is_null(tree) ? NULL : tree;
}

static void
check_bounds(struct vecwire__qdrant_writer *w, const json_t *tree,
             const struct bounds *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *value = find(tree, all[i].outer, all[i].inner);
        double number = json_number_value(value);
        bool fits =
            all[i].whole ? json_is_integer(value) : json_is_number(value);

        if (value != NULL &&
            (!fits || number < all[i].least || number > all[i].most))
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s: expected %s",
                                   all[i].place, all[i].expected);
    }
}

static void
check_choices(struct vecwire__qdrant_writer *w, const json_t *tree)
{
    for (size_t i = 0; i < N_OF(query_choices); i++) {
        const struct choice *choice = &query_choices[i];
        const json_t *value = find(tree, choice->outer, choice->inner);
        bool known = value == NULL;

        for (size_t k = 0; k < N_OF(choice->among) && !known; k++)
            known = json_is_string(value) && choice->among[k] != NULL &&
                    strcmp(json_string_value(value), choice->among[k]) == 0;
        if (!known)
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s: expected %s",
                                   choice->place, choice->expected);
    }
}

static bool
is_none(const json_t *examples)
{
    return examples == NULL ||
           (json_is_array(examples) && json_array_size(examples) == 0);
}

/* To be let go. NULL: no text, or one with numbers that jansson does not hold,
 * which is left to the server. */
static json_t *
read_text(const char *text)
{
    return text == NULL ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
}

void
vecwire__qdrant_check_search_params(struct vecwire__qdrant_writer *w,
                                    const char *text)
{
    json_t *tree;

    if (w->err != VECWIRE_OK || text == NULL)
        return;
    tree = read_text(text);
    check_bounds(w, tree, params_bounds, N_OF(params_bounds));
    json_decref(tree);
}

static bool
is_key(const json_t *value)
{
    return json_is_string(value) &&
           vecwire__qdrant_is_path(json_string_value(value));
}

static void
check_order(struct vecwire__qdrant_writer *w, const json_t *order)
{
    bool object = json_is_object(order);
    const json_t *direction = find(order, "direction", NULL);
    const json_t *from = find(order, "start_from", NULL);
    const char *name = json_string_value(direction);

    if (order == NULL)
        return;
    if (!is_key(object ? json_object_get(order, "key") : order))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "order_by: expected a payload key such as a.b");
    else if (direction != NULL && (name == NULL || (strcmp(name, "asc") != 0 &&
                                                    strcmp(name, "desc") != 0)))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "order_by.direction: expected asc or desc");
    else if (from != NULL && !json_is_number(from) && !json_is_string(from))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "order_by.start_from: expected a number or a "
                               "datetime");
}

void
vecwire__qdrant_check_query(struct vecwire__qdrant_writer *w, const char *text,
                            const struct json_t *given, bool has_threshold)
{
    const json_t *tree;
    json_t *own;

    if (w->err != VECWIRE_OK || (text == NULL && given == NULL))
        return;
    own = given == NULL ? read_text(text) : NULL;
    tree = given == NULL ? own : given;
    if (has_threshold && find(tree, "order_by", NULL) != NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "score_threshold: an order_by has no scores");
    check_bounds(w, tree, query_bounds, N_OF(query_bounds));
    check_choices(w, tree);
    check_order(w, find(tree, "order_by", NULL));
    if (find(tree, "recommend", NULL) != NULL &&
        is_none(find(tree, "recommend", "positive")) &&
        is_none(find(tree, "recommend", "negative")))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "query.recommend: expected positive or negative "
                               "examples");
    json_decref(own);
}

/* {"include":[..]} or {"exclude":[..]}, and nothing else. */
static const json_t *
selected_keys(const json_t *selector)
{
    const json_t *include = json_object_get(selector, "include");
    const json_t *exclude = json_object_get(selector, "exclude");

    if (json_is_array(selector))
        return selector;
    if (json_object_size(selector) != 1)
        return NULL;
    return include != NULL ? include : exclude;
}

void
vecwire__qdrant_check_selector(struct vecwire__qdrant_writer *w,
                               const char *text)
{
    json_t *tree;
    const json_t *keys;

    if (w->err != VECWIRE_OK)
        return;
    tree = read_text(text);
    keys = selected_keys(tree);
    if (tree != NULL && !json_is_array(keys))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "with_payload: expected an array, or an object "
                               "of either include or exclude with one");
    for (size_t i = 0; i < json_array_size(keys); i++) {
        if (!is_key(json_array_get(keys, i)))
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "with_payload: key %zu: expected a payload "
                                   "key such as a.b, a[].b, a[0] or \"any "
                                   "key\".b",
                                   i);
    }
    json_decref(tree);
}

void
vecwire__qdrant_check_order_by(struct vecwire__qdrant_writer *w,
                               const char *text)
{
    json_t *tree;

    if (w->err != VECWIRE_OK)
        return;
    tree = read_text(text);
    check_order(w, tree);
    json_decref(tree);
}
