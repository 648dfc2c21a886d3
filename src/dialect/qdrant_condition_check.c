/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what stands in one condition of a filter that a caller wrote. */
#include <jansson.h>
#include <string.h>

#include "dialect/qdrant.h"

/* --- geography --- */

static bool
is_within(const json_t *number, double most)
{
    return json_is_number(number) && json_number_value(number) >= -most &&
           json_number_value(number) <= most;
}

static bool
is_point(const json_t *point)
{
    return is_within(json_object_get(point, "lat"), 90) &&
           is_within(json_object_get(point, "lon"), 180);
}

static bool
same_place(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "lat"), json_object_get(b, "lat")) &&
           json_equal(json_object_get(a, "lon"), json_object_get(b, "lon"));
}

/* At least four points, the last of them the first again. */
static bool
is_ring(const json_t *ring)
{
    const json_t *points = json_object_get(ring, "points");
    size_t n = json_array_size(points);

    for (size_t i = 0; i < n; i++) {
        if (!is_point(json_array_get(points, i)))
            return false;
    }
    return n >= 4 &&
           same_place(json_array_get(points, 0), json_array_get(points, n - 1));
}

static const char *
box_fault(const json_t *box)
{
    return is_point(json_object_get(box, "top_left")) &&
                   is_point(json_object_get(box, "bottom_right"))
               ? NULL
               : "geo_bounding_box: expected top_left and bottom_right, each "
                 "lat -90..90 and lon -180..180";
}

static const char *
radius_fault(const json_t *circle)
{
    return is_point(json_object_get(circle, "center")) &&
                   json_is_number(json_object_get(circle, "radius"))
               ? NULL
               : "geo_radius: expected a center, lat -90..90 and lon "
                 "-180..180, and a radius";
}

static const char *
polygon_fault(const json_t *polygon)
{
    const json_t *interiors = json_object_get(polygon, "interiors");
    bool good = is_ring(json_object_get(polygon, "exterior"));

    for (size_t i = 0; i < json_array_size(interiors); i++)
        good = good && is_ring(json_array_get(interiors, i));
    return good ? NULL
                : "geo_polygon: expected rings of at least 4 points, the last "
                  "of them the first, lat -90..90 and lon -180..180";
}

/* --- values --- */

/* All strings, or all whole numbers. */
static bool
is_list(const json_t *list)
{
    const json_t *first = json_array_get(list, 0);

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (json_typeof(value) != json_typeof(first) ||
            !(json_is_string(value) || json_is_integer(value)))
            return false;
    }
    return json_is_array(list);
}

static const char *
match_fault(const json_t *match)
{
    static const char *const texts[] = {"text", "phrase", "text_any", "prefix"};
    const json_t *value = json_object_get(match, "value");
    const json_t *any = json_object_get(match, "any");
    const json_t *except = json_object_get(match, "except");

    if (value != NULL)
        return json_is_string(value) || json_is_integer(value) ||
                       json_is_boolean(value)
                   ? NULL
                   : "match.value: expected a string, a whole number or a "
                     "boolean";
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const json_t *text = json_object_get(match, texts[i]);

        if (text != NULL)
            return json_is_string(text)
                       ? NULL
                       : "match: a text, phrase, text_any or prefix is no "
                         "string";
    }
    return is_list(any != NULL ? any : except)
               ? NULL
               : "match: expected value, text, phrase, text_any, prefix, or "
                 "any or except with strings only or whole numbers only";
}

/* Bounds of one kind: numbers, or dates as strings where `dates`. */
static bool
are_bounds(const json_t *range, bool dates)
{
    static const char *const bounds[] = {"lt", "gt", "lte", "gte"};
    size_t numbers = 0, strings = 0, others = 0;

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        const json_t *bound = json_object_get(range, bounds[i]);

        numbers += json_is_number(bound);
        strings += json_is_string(bound);
        others += bound != NULL && !json_is_null(bound) &&
                  !json_is_number(bound) && !json_is_string(bound);
    }
    return json_is_object(range) && others == 0 &&
           (strings == 0 || (dates && numbers == 0));
}

static const char *
range_fault(const json_t *range)
{
    return are_bounds(range, true)
               ? NULL
               : "range: expected lt, gt, lte and gte, all numbers or all "
                 "dates";
}

static const char *
count_fault(const json_t *range)
{
    return are_bounds(range, false)
               ? NULL
               : "values_count: expected lt, gt, lte and gte, all numbers";
}

static const char *
flag_fault(const json_t *flag)
{
    return json_is_boolean(flag) ? NULL
                                 : "is_empty, is_null: expected a boolean "
                                   "beside a key";
}

/* --- conditions --- */

static const struct {
    const char *name;
    const char *(*fault)(const json_t *value);
} operators[] = {
    {"match", match_fault},          {"range", range_fault},
    {"geo_bounding_box", box_fault}, {"geo_radius", radius_fault},
    {"geo_polygon", polygon_fault},  {"values_count", count_fault},
    {"is_empty", flag_fault},        {"is_null", flag_fault},
};

static const char *
path_fault(const json_t *key)
{
    return json_is_string(key) &&
                   vecwire__qdrant_is_path(json_string_value(key))
               ? NULL
               : "a key is no payload key such as a.b, a[].b, a[0] or \"any "
                 "key\".b";
}

/* {"key":..,OPERATOR:..} */
static const char *
field_fault(const json_t *condition)
{
    const char *fault = path_fault(json_object_get(condition, "key"));
    size_t known = 1;

    for (size_t i = 0;
         fault == NULL && i < sizeof(operators) / sizeof(operators[0]); i++) {
        const json_t *value = json_object_get(condition, operators[i].name);

        /* Null is none. */
        known += value != NULL;
        if (value != NULL && !json_is_null(value))
            fault = operators[i].fault(value);
    }
    if (fault == NULL && known == 1 && json_object_size(condition) == 1)
        fault = "a condition has a key and nothing beside it";
    if (fault == NULL && known != json_object_size(condition))
        fault = "a condition has what stands in none beside its key";
    return fault;
}

static const char *
ids_fault(const json_t *ids)
{
    char id[VECWIRE__QDRANT_ID_ROOM];
    bool good = json_is_array(ids), is_number;

    for (size_t i = 0; good && i < json_array_size(ids); i++) {
        const json_t *value = json_array_get(ids, i);

        good = json_is_string(value)
                   ? vecwire__qdrant_id(json_string_value(value), id,
                                        &is_number) &&
                         !is_number
                   : json_is_integer(value) && json_integer_value(value) >= 0;
    }
    return good ? NULL : "has_id: expected numbers 0 to 2^64-1 and UUIDs";
}

static const char *
slice_fault(const json_t *slice)
{
    const json_t *total = json_object_get(slice, "total");
    const json_t *index = json_object_get(slice, "index");

    return json_is_integer(total) && json_is_integer(index) &&
                   json_integer_value(total) >= 1 &&
                   json_integer_value(index) >= 0 &&
                   json_integer_value(index) < json_integer_value(total)
               ? NULL
               : "slice: expected a total of at least 1, and an index below "
                 "it";
}

const char *
vecwire__qdrant_condition_fault(const struct json_t *condition)
{
    static const char *const about_keys[] = {"is_empty", "is_null"};
    const json_t *ids = json_object_get(condition, "has_id");
    const json_t *vector = json_object_get(condition, "has_vector");
    const json_t *slice = json_object_get(condition, "slice");

    if (json_object_get(condition, "key") != NULL)
        return field_fault(condition);
    for (size_t i = 0; i < sizeof(about_keys) / sizeof(about_keys[0]); i++) {
        const json_t *about = json_object_get(condition, about_keys[i]);

        if (about != NULL)
            return path_fault(json_object_get(about, "key"));
    }
    if (ids != NULL)
        return ids_fault(ids);
    if (vector != NULL && !json_is_string(vector))
        return "has_vector: expected a name";
    return slice == NULL ? NULL : slice_fault(slice);
}
