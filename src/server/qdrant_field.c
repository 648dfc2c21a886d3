/* SPDX-License-Identifier: Apache-2.0 */
/* Field conditions, as they are read. */
#include <stdlib.h>
#include <string.h>

#include "codec/datetime.h"
#include "server/json_text.h"
#include "server/qdrant_condition.h"

static const char *const bound_names[VECWIRE__BOUNDS] = {"lt", "gt", "lte",
                                                         "gte"};

static const struct {
    const char *key;
    enum vecwire__match_kind kind;
} matches[] = {
    {"value", VECWIRE__MATCH_VALUE},   {"text", VECWIRE__MATCH_TEXT},
    {"phrase", VECWIRE__MATCH_TEXT},   {"text_any", VECWIRE__MATCH_TEXT_ANY},
    {"prefix", VECWIRE__MATCH_PREFIX}, {"any", VECWIRE__MATCH_ANY},
    {"except", VECWIRE__MATCH_EXCEPT},
};

int
vecwire__match_order(const json_t *a, const json_t *b)
{
    size_t a_len, b_len;
    int order;

    if (json_is_integer(a))
        return (json_integer_value(a) > json_integer_value(b)) -
               (json_integer_value(a) < json_integer_value(b));
    a_len = json_string_length(a);
    b_len = json_string_length(b);
    order = memcmp(json_string_value(a), json_string_value(b),
                   a_len < b_len ? a_len : b_len);
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int
by_value(const void *a, const void *b)
{
    return vecwire__match_order(*(const json_t *const *)a,
                                *(const json_t *const *)b);
}

/* Either all strings or all integers. */
static bool
read_list(struct vecwire__filter_reader *reader, struct vecwire__match *match,
          const json_t *list)
{
    const size_t n = json_array_size(list);

    if (!json_is_array(list) || n > VECWIRE__FILTER_VALUES)
        return vecwire__filter_wrong(
            reader, "any and except need a list of at most %d values",
            VECWIRE__FILTER_VALUES);
    match->sorted = calloc(n + 1, sizeof(*match->sorted));
    if (match->sorted == NULL)
        return vecwire__filter_no_memory(reader);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);

        if ((!json_is_integer(value) && !vecwire__json_is_text(value)) ||
            json_typeof(value) != json_typeof(json_array_get(list, 0)))
            return vecwire__filter_wrong(
                reader, "any and except need strings only or integers only");
        match->sorted[i] = value;
    }
    match->n = n;
    qsort(match->sorted, n, sizeof(*match->sorted), by_value);
    return true;
}

static bool
read_match(struct vecwire__filter_reader *reader, struct vecwire__field *field,
           const json_t *tree)
{
    struct vecwire__match *match = &field->match;
    const json_t *value = NULL;

    for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
        value = json_object_get(tree, matches[i].key);
        match->kind = matches[i].kind;
        if (value != NULL)
            break;
    }
    field->ops |= VECWIRE__OP_MATCH;
    if (match->kind == VECWIRE__MATCH_ANY ||
        match->kind == VECWIRE__MATCH_EXCEPT)
        return read_list(reader, match, value);
    match->value = value;
    if (vecwire__json_is_text(value) ||
        (match->kind == VECWIRE__MATCH_VALUE &&
         (json_is_integer(value) || json_is_boolean(value))))
        return true;
    return vecwire__filter_wrong(
        reader, "match needs a value (string, integer or bool), text, "
                "text_any, phrase, prefix, any or except");
}

/* One bound; *is_time says what the first one was. */
static bool
read_bound(struct vecwire__bounds *bounds, size_t i, const json_t *value,
           int *is_time)
{
    const bool is_text = vecwire__json_is_text(value);

    if (*is_time >= 0 && *is_time != is_text)
        return false;
    *is_time = is_text;
    bounds->has[i] = true;
    return is_text ? vecwire__datetime_parse(json_string_value(value),
                                             json_string_length(value),
                                             &bounds->whole[i])
                   : vecwire__json_get_double(value, &bounds->real[i]);
}

static bool
read_range(struct vecwire__filter_reader *reader, struct vecwire__field *field,
           const json_t *tree)
{
    int is_time = -1;

    if (!json_is_object(tree))
        return vecwire__filter_wrong(reader, "range must be an object");
    for (size_t i = 0; i < VECWIRE__BOUNDS; i++) {
        const json_t *value = json_object_get(tree, bound_names[i]);

        if (value != NULL && !json_is_null(value) &&
            !read_bound(&field->range, i, value, &is_time))
            return vecwire__filter_wrong(
                reader, "range: `%s` needs numbers only or times only",
                bound_names[i]);
    }
    field->ops |= is_time == 1 ? VECWIRE__OP_TIME : VECWIRE__OP_RANGE;
    return true;
}

static bool
read_count(struct vecwire__filter_reader *reader, struct vecwire__field *field,
           const json_t *tree)
{
    if (!json_is_object(tree))
        return vecwire__filter_wrong(reader, "values_count must be an object");
    for (size_t i = 0; i < VECWIRE__BOUNDS; i++) {
        const json_t *value = json_object_get(tree, bound_names[i]);
        uint64_t count;

        if (value == NULL || json_is_null(value))
            continue;
        if (!vecwire__json_get_u64(value, &count))
            return vecwire__filter_wrong(
                reader, "values_count: `%s` must be an unsigned integer",
                bound_names[i]);
        field->count.has[i] = true;
        field->count.whole[i] = count > INT64_MAX ? INT64_MAX : (int64_t)count;
    }
    field->ops |= VECWIRE__OP_COUNT;
    return true;
}

static bool
read_empty(struct vecwire__filter_reader *reader, struct vecwire__field *field,
           const json_t *tree)
{
    if (!json_is_boolean(tree))
        return vecwire__filter_wrong(reader, "is_empty must be a bool");
    field->is_empty = json_is_true(tree);
    field->ops |= VECWIRE__OP_IS_EMPTY;
    return true;
}

static bool
read_null(struct vecwire__filter_reader *reader, struct vecwire__field *field,
          const json_t *tree)
{
    if (!json_is_boolean(tree))
        return vecwire__filter_wrong(reader, "is_null must be a bool");
    field->is_null = json_is_true(tree);
    field->ops |= VECWIRE__OP_IS_NULL;
    return true;
}

static bool
read_geo(struct vecwire__filter_reader *reader, struct vecwire__field *field,
         enum vecwire__geo_rc rc)
{
    field->ops |= VECWIRE__OP_GEO;
    if (rc == VECWIRE__GEO_NO_MEMORY)
        return vecwire__filter_no_memory(reader);
    return rc == VECWIRE__GEO_FINE ||
           vecwire__filter_wrong(
               reader, "geo conditions need places with lat from -90 to 90 and "
                       "lon from -180 to 180; rings are closed");
}

static bool
read_box(struct vecwire__filter_reader *reader, struct vecwire__field *field,
         const json_t *tree)
{
    return read_geo(reader, field, vecwire__geo_box(&field->geo, tree));
}

static bool
read_circle(struct vecwire__filter_reader *reader, struct vecwire__field *field,
            const json_t *tree)
{
    return read_geo(reader, field, vecwire__geo_circle(&field->geo, tree));
}

static bool
read_polygon(struct vecwire__filter_reader *reader,
             struct vecwire__field *field, const json_t *tree)
{
    return read_geo(reader, field, vecwire__geo_polygon(&field->geo, tree));
}

static const struct {
    const char *key;
    bool (*read)(struct vecwire__filter_reader *, struct vecwire__field *,
                 const json_t *);
} operators[] = {
    {"match", read_match},        {"range", read_range},
    {"values_count", read_count}, {"is_empty", read_empty},
    {"is_null", read_null},       {"geo_bounding_box", read_box},
    {"geo_radius", read_circle},  {"geo_polygon", read_polygon},
};

bool
vecwire__field_read(struct vecwire__filter_reader *reader,
                    struct vecwire__field *field, const json_t *tree)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        const json_t *value = json_object_get(tree, operators[i].key);

        if (value != NULL && !json_is_null(value) &&
            !operators[i].read(reader, field, value))
            return false;
    }
    if (field->ops == 0)
        return vecwire__filter_invalid(
            reader, "At least one field condition must be specified");
    return true;
}

void
vecwire__field_fini(struct vecwire__field *field)
{
    free(field->match.sorted);
    vecwire__geo_fini(&field->geo);
}
