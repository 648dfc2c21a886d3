/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: filters that a caller wrote: whatever has another key than a filter
 * or a condition has would be answered with 400. */
#include "dialect/qdrant.h"

#include <jansson.h>
#include <string.h>

static const char *const clauses[] = {"must", "should", "must_not",
                                      "min_should", NULL};
static const char *const conditions[] = {
    "is_empty", "is_null", "has_id", "has_vector", "nested", "slice", NULL};
static bool check_filter(struct vecwire__qdrant_writer *w, const json_t *tree);

/* How many of these it has. */
static size_t
count(const json_t *tree, const char *const *names)
{
    size_t n = 0;

    for (; *names != NULL; names++)
        n += json_object_get(tree, *names) != NULL;
    return n;
}

static bool
fail(struct vecwire__qdrant_writer *w, const char *fault)
{
    vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "filter: %s", fault);
    return false;
}

static bool
check_condition(struct vecwire__qdrant_writer *w, const json_t *tree)
{
    const json_t *nested = json_object_get(tree, "nested");
    const char *fault;

    if (!json_is_object(tree))
        return fail(w, "a condition is no object");
    if (nested != NULL)
        return check_filter(w, json_object_get(nested, "filter"));
    if (json_object_get(tree, "key") == NULL && count(tree, conditions) == 0)
        return check_filter(w, tree);
    fault = vecwire__qdrant_condition_fault(tree);
    return fault == NULL || fail(w, fault);
}

/* A list of them, or a single one, or null. */
static bool
check_clause(struct vecwire__qdrant_writer *w, const json_t *clause)
{
    if (clause == NULL || json_is_null(clause))
        return true;
    if (!json_is_array(clause))
        return check_condition(w, clause);
    for (size_t i = 0; i < json_array_size(clause); i++) {
        if (!check_condition(w, json_array_get(clause, i)))
            return false;
    }
    return true;
}

static bool
check_min_should(struct vecwire__qdrant_writer *w, const json_t *clause)
{
    const json_t *least = json_object_get(clause, "min_count");
    const json_t *list = json_object_get(clause, "conditions");

    if (clause == NULL || json_is_null(clause))
        return true;
    if (!json_is_integer(least) || json_integer_value(least) < 1)
        return fail(w, "min_should.min_count: expected a whole number of at "
                       "least 1");
    if (!json_is_array(list))
        return fail(w, "min_should.conditions: expected an array");
    return check_clause(w, list);
}

static bool
check_filter(struct vecwire__qdrant_writer *w, const json_t *tree)
{
    if (!json_is_object(tree))
        return fail(w, "expected an object");
    if (count(tree, clauses) != json_object_size(tree))
        return fail(w, "a key that neither filters nor conditions have");
    return check_clause(w, json_object_get(tree, "must")) &&
           check_clause(w, json_object_get(tree, "should")) &&
           check_clause(w, json_object_get(tree, "must_not")) &&
           check_min_should(w, json_object_get(tree, "min_should"));
}

void
vecwire__qdrant_check_filter_tree(struct vecwire__qdrant_writer *w,
                                  const struct json_t *tree)
{
    if (w->err == VECWIRE_OK)
        (void)check_filter(w, tree);
}

void
vecwire__qdrant_check_filter(struct vecwire__qdrant_writer *w, const char *text,
                             const struct json_t *given)
{
    json_t *own;

    if (w->err != VECWIRE_OK || (text == NULL && given == NULL))
        return;
    /* Numbers that jansson does not hold are left to the server. */
    own = given == NULL ? json_loads(text, 0, NULL) : NULL;
    if (given != NULL || own != NULL)
        vecwire__qdrant_check_filter_tree(w, given == NULL ? own : given);
    json_decref(own);
}
