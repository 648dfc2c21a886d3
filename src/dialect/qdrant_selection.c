/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: which points an update concerns. A filter without conditions matches
 * every point, and what comes of a filter that was put together wrongly is
 * often just that: it is refused unless the caller says that all is meant. */
#include <string.h>

#include <jansson.h>

#include "dialect/qdrant_update.h"

static bool matches_all(const json_t *filter);
static bool matches_none(const json_t *filter);

/* How many of the conditions are as `test` says by themselves? `clause` is an
 * array, or one condition. */
static size_t
count_such(const json_t *clause, bool (*test)(const json_t *))
{
    size_t n = 0;

    if (json_is_object(clause))
        return test(clause);
    for (size_t i = 0; i < json_array_size(clause); i++)
        n += test(json_array_get(clause, i));
    return n;
}

static size_t
count(const json_t *clause)
{
    return json_is_object(clause) ? 1 : json_array_size(clause);
}

/* min_should with as many vacuous conditions as it asks for, or none. */
static bool
min_should_vacuous(const json_t *clause)
{
    const json_t *least = json_object_get(clause, "min_count");

    return clause == NULL || json_is_null(clause) ||
           (json_is_integer(least) &&
            json_integer_value(least) <=
                (json_int_t)count_such(json_object_get(clause, "conditions"),
                                       matches_all));
}

/* Is it a filter that no point fails? Conditions of other kinds are none. */
static bool
matches_all(const json_t *filter)
{
    static const char *const clauses[] = {"must", "should", "must_not",
                                          "min_should"};
    const json_t *must = json_object_get(filter, "must");
    const json_t *should = json_object_get(filter, "should");
    const json_t *must_not = json_object_get(filter, "must_not");
    size_t known = 0;

    if (!json_is_object(filter))
        return false;
    for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++)
        known += json_object_get(filter, clauses[i]) != NULL;
    return known == json_object_size(filter) &&
           count_such(must, matches_all) == count(must) &&
           count_such(must_not, matches_none) == count(must_not) &&
           (count(should) == 0 || count_such(should, matches_all) > 0) &&
           min_should_vacuous(json_object_get(filter, "min_should"));
}

static bool
is_empty_array(const json_t *value)
{
    return json_is_array(value) && json_array_size(value) == 0;
}

/* Does every point fail it? Of no id or value at all, or a filter of such. */
static bool
matches_none(const json_t *filter)
{
    const json_t *should = json_object_get(filter, "should");

    return is_empty_array(json_object_get(filter, "has_id")) ||
           is_empty_array(
               json_object_get(json_object_get(filter, "match"), "any")) ||
           count_such(json_object_get(filter, "must"), matches_none) > 0 ||
           count_such(json_object_get(filter, "must_not"), matches_all) > 0 ||
           (count(should) > 0 &&
            count_such(should, matches_none) == count(should));
}

/* A filter that cannot be looked into is refused as well: jansson does not
 * read all JSON, and needs memory. */
static void
check_filter(struct vecwire__qdrant_writer *w,
             const struct vecwire_qdrant_points *points)
{
    const json_t *filter = points->filter_tree;
    json_t *own = NULL;

    if (w->err != VECWIRE_OK)
        return;
    if (filter == NULL)
        filter = own = json_loads(points->filter, JSON_ALLOW_NUL, NULL);
    if (filter != NULL)
        vecwire__qdrant_check_filter_tree(w, filter);
    if (!points->everything && filter == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "filter cannot be checked for matching every "
                               "point: set `everything` if that may be");
    else if (!points->everything && matches_all(filter))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "filter matches every point: set `everything` "
                               "if that is meant");
    json_decref(own);
}

void
vecwire__qdrant_put_selection(struct vecwire__qdrant_writer *w,
                              const struct vecwire_qdrant_points *points)
{
    bool by_id = points->ids != NULL || points->numbers != NULL;
    bool by_filter = points->filter != NULL || points->filter_tree != NULL;

    if (by_id && (by_filter || points->everything)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "points by id and by filter at once");
    } else if (by_id) {
        vecwire__qdrant_key(w, "points");
        vecwire__qdrant_put_ids(w, points->ids, points->numbers, points->n);
    } else if (by_filter) {
        vecwire__qdrant_member(w, "filter", points->filter, points->filter_tree,
                               "{");
        check_filter(w, points);
    } else if (points->everything) {
        vecwire__qdrant_key(w, "filter");
        vecwire__qdrant_put(w, "{}");
    } else {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "no points: expected ids, numbers, a filter or "
                               "`everything`");
    }
}
