/* SPDX-License-Identifier: Apache-2.0 */
/* Filters, as they are asked about points. */
#include <stdlib.h>
#include <string.h>

#include "codec/datetime.h"
#include "server/json_text.h"
#include "server/qdrant_condition.h"

/* What is looked at: a point, or an object within its payload, which has
 * neither an id nor vectors. */
struct view {
    const struct vecwire__filter_point *point; /* NULL: within */
    const json_t *payload;
};

static bool check_filter(const struct vecwire__filter *filter,
                         const struct view *view);

static bool
contains(const json_t *text, const char *part, size_t len)
{
    return memmem(json_string_value(text), json_string_length(text), part,
                  len) != NULL;
}

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is one of the words of `words` in the text? */
static bool
contains_word(const json_t *text, const json_t *words)
{
    const char *p = json_string_value(words);
    const char *end = p + json_string_length(words);

    while (p < end) {
        const char *word = p;

        while (p < end && !is_blank(*p))
            p++;
        if (p != word && contains(text, word, (size_t)(p - word)))
            return true;
        while (p < end && is_blank(*p))
            p++;
    }
    return false;
}

static bool
equals(const json_t *value, const json_t *wanted)
{
    return json_typeof(value) == json_typeof(wanted) &&
           (json_is_boolean(value) || vecwire__match_order(value, wanted) == 0);
}

static int
by_value(const void *a, const void *b)
{
    return vecwire__match_order(*(const json_t *const *)a,
                                *(const json_t *const *)b);
}

static bool
is_listed(const struct vecwire__match *match, const json_t *value)
{
    return match->n != 0 && (json_is_integer(value) || json_is_string(value)) &&
           json_typeof(value) == json_typeof(match->sorted[0]) &&
           bsearch(&value, match->sorted, match->n, sizeof(*match->sorted),
                   by_value) != NULL;
}

static bool
check_match(const struct vecwire__match *match, const json_t *value)
{
    const bool is_text = vecwire__json_is_text(value);
    const char *wanted = json_string_value(match->value);
    const size_t len = json_string_length(match->value);

    switch (match->kind) {
    case VECWIRE__MATCH_VALUE:
        return equals(value, match->value);
    case VECWIRE__MATCH_TEXT:
        return is_text && contains(value, wanted, len);
    case VECWIRE__MATCH_TEXT_ANY:
        return is_text && contains_word(value, match->value);
    case VECWIRE__MATCH_PREFIX:
        return is_text && json_string_length(value) >= len &&
               memcmp(json_string_value(value), wanted, len) == 0;
    case VECWIRE__MATCH_ANY:
        return is_listed(match, value);
    case VECWIRE__MATCH_EXCEPT:
        break;
    }
    return !json_is_null(value) && !is_listed(match, value);
}

/* `order` is that of a value to this bound. */
static bool
keeps(enum vecwire__bound bound, int order)
{
    switch (bound) {
    case VECWIRE__BOUND_LT:
        return order < 0;
    case VECWIRE__BOUND_GT:
        return order > 0;
    case VECWIRE__BOUND_LTE:
        return order <= 0;
    case VECWIRE__BOUND_GTE:
    case VECWIRE__BOUNDS:
        break;
    }
    return order >= 0;
}

static bool
keeps_real(const struct vecwire__bounds *bounds, double value)
{
    for (size_t i = 0; i < VECWIRE__BOUNDS; i++) {
        if (bounds->has[i] &&
            !keeps((enum vecwire__bound)i,
                   (value > bounds->real[i]) - (value < bounds->real[i])))
            return false;
    }
    return true;
}

static bool
keeps_whole(const struct vecwire__bounds *bounds, int64_t value)
{
    for (size_t i = 0; i < VECWIRE__BOUNDS; i++) {
        if (bounds->has[i] &&
            !keeps((enum vecwire__bound)i,
                   (value > bounds->whole[i]) - (value < bounds->whole[i])))
            return false;
    }
    return true;
}

/* One value, no array's. */
static bool
check_value(const struct vecwire__field *field, const json_t *value)
{
    double number;
    int64_t time;

    if ((field->ops & VECWIRE__OP_MATCH) && check_match(&field->match, value))
        return true;
    if ((field->ops & VECWIRE__OP_RANGE) &&
        vecwire__json_get_double(value, &number) &&
        keeps_real(&field->range, number))
        return true;
    if ((field->ops & VECWIRE__OP_GEO) && vecwire__geo_has(&field->geo, value))
        return true;
    return (field->ops & VECWIRE__OP_TIME) && vecwire__json_is_text(value) &&
           vecwire__datetime_parse(json_string_value(value),
                                   json_string_length(value), &time) &&
           keeps_whole(&field->range, time);
}

static bool
has_null(const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (json_is_null(json_array_get(array, i)))
            return true;
    }
    return false;
}

static bool
is_empty_value(const json_t *value)
{
    return json_is_null(value) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

static int64_t
count_values(const json_t *value)
{
    if (json_is_array(value))
        return (int64_t)json_array_size(value);
    return !json_is_null(value);
}

bool
vecwire__field_matches(const struct vecwire__field *field, const json_t *value)
{
    if (field->ops & VECWIRE__OP_COUNT)
        return keeps_whole(&field->count, count_values(value));
    if (field->ops & VECWIRE__OP_IS_EMPTY)
        return is_empty_value(value) == field->is_empty;
    if (field->ops & VECWIRE__OP_IS_NULL)
        return (json_is_null(value) || has_null(value)) == field->is_null;
    if (!json_is_array(value))
        return check_value(field, value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (check_value(field, json_array_get(value, i)))
            return true;
    }
    return false;
}

bool
vecwire__field_matches_nothing(const struct vecwire__field *field)
{
    if (field->ops & VECWIRE__OP_IS_EMPTY)
        return field->is_empty;
    return (field->ops & VECWIRE__OP_IS_NULL) && !field->is_null;
}

/* A condition asked about each value that its path leads to. */
struct probe {
    const struct vecwire__condition *condition;
    bool seen;
    bool found;
};

static bool
probe_field(const json_t *value, void *arg)
{
    struct probe *probe = arg;

    probe->seen = true;
    probe->found = vecwire__field_matches(&probe->condition->field, value);
    return !probe->found;
}

static bool
probe_not_empty(const json_t *value, void *arg)
{
    struct probe *probe = arg;

    probe->found = !is_empty_value(value);
    return !probe->found;
}

static bool
probe_null(const json_t *value, void *arg)
{
    struct probe *probe = arg;

    probe->found = json_is_null(value);
    return !probe->found;
}

static bool
probe_object(const json_t *value, void *arg)
{
    struct probe *probe = arg;
    const struct view view = {NULL, value};

    probe->found =
        json_is_object(value) && check_filter(probe->condition->filter, &view);
    return !probe->found;
}

/* The elements of an array; a path that ends with [] has led to them. */
static bool
probe_objects(const json_t *value, void *arg)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!probe_object(json_array_get(value, i), arg))
            return false;
    }
    return true;
}

static bool
check_path(const struct vecwire__condition *condition, const json_t *payload)
{
    struct probe probe = {condition, false, false};
    const struct vecwire__json_path *path = &condition->path;

    switch (condition->kind) {
    case VECWIRE__COND_FIELD:
        (void)vecwire__json_path_each(path, payload, probe_field, &probe);
        return probe.seen ? probe.found
                          : vecwire__field_matches_nothing(&condition->field);
    case VECWIRE__COND_IS_EMPTY:
        (void)vecwire__json_path_each(path, payload, probe_not_empty, &probe);
        return !probe.found;
    case VECWIRE__COND_IS_NULL:
        (void)vecwire__json_path_each(path, payload, probe_null, &probe);
        return probe.found;
    default:
        (void)vecwire__json_path_each(
            path, payload,
            vecwire__json_path_step(path, path->n_steps - 1, NULL)
                ? probe_object
                : probe_objects,
            &probe);
        return probe.found;
    }
}

static int
by_id(const void *a, const void *b)
{
    return vecwire__point_id_compare(a, b);
}

static bool
check_point(const struct vecwire__condition *condition,
            const struct vecwire__filter_point *point)
{
    if (condition->kind == VECWIRE__COND_HAS_ID)
        return bsearch(point->id, condition->ids, condition->n_ids,
                       sizeof(*condition->ids), by_id) != NULL;
    if (condition->kind == VECWIRE__COND_SLICE)
        return vecwire__point_id_hash(point->id) % condition->total ==
               condition->index;
    return point->has_vector(point->point, json_string_value(condition->name),
                             json_string_length(condition->name));
}

static bool
check_condition(const struct vecwire__condition *condition,
                const struct view *view)
{
    switch (condition->kind) {
    case VECWIRE__COND_FILTER:
        return check_filter(condition->filter, view);
    case VECWIRE__COND_HAS_ID:
    case VECWIRE__COND_HAS_VECTOR:
    case VECWIRE__COND_SLICE:
        return view->point != NULL && check_point(condition, view->point);
    case VECWIRE__COND_FIELD:
    case VECWIRE__COND_IS_EMPTY:
    case VECWIRE__COND_IS_NULL:
    case VECWIRE__COND_NESTED:
        break;
    }
    return check_path(condition, view->payload);
}

/* Do at least so many conditions match? */
static bool
check_count(const struct vecwire__conditions *list, const struct view *view,
            uint64_t wanted)
{
    uint64_t n = 0;

    for (size_t i = 0; i < list->n && n < wanted; i++)
        n += check_condition(&list->items[i], view);
    return n >= wanted;
}

static bool
check_filter(const struct vecwire__filter *filter, const struct view *view)
{
    return (filter->should.n == 0 || check_count(&filter->should, view, 1)) &&
           (filter->min_should.n == 0 ||
            check_count(&filter->min_should, view, filter->min_count)) &&
           check_count(&filter->must, view, filter->must.n) &&
           !check_count(&filter->must_not, view, 1);
}

bool
vecwire__filter_matches(const struct vecwire__filter *filter,
                        const struct vecwire__filter_point *point)
{
    const struct view view = {point, point->payload};

    return check_filter(filter, &view);
}
