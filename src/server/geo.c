/* SPDX-License-Identifier: Apache-2.0 */
#include "server/geo.h"

#include <math.h>
#include <stdlib.h>

#include "server/json_text.h"

#define RADIANS (3.14159265358979323846 / 180)
#define EARTH_RADIUS 6371008.8 /* metres, the mean */

static bool
read_place(struct vecwire__place *place, const json_t *tree)
{
    return vecwire__json_get_double(json_object_get(tree, "lat"),
                                    &place->lat) &&
           vecwire__json_get_double(json_object_get(tree, "lon"), &place->lon);
}

/* A place that a filter names. */
static bool
read_checked(struct vecwire__place *place, const json_t *tree)
{
    return read_place(place, tree) && fabs(place->lat) <= 90 &&
           fabs(place->lon) <= 180;
}

enum vecwire__geo_rc
vecwire__geo_box(struct vecwire__geo *geo, const json_t *tree)
{
    if (!read_checked(&geo->top_left, json_object_get(tree, "top_left")) ||
        !read_checked(&geo->bottom_right,
                      json_object_get(tree, "bottom_right")))
        return VECWIRE__GEO_WRONG;
    geo->has_box = true;
    return VECWIRE__GEO_FINE;
}

enum vecwire__geo_rc
vecwire__geo_circle(struct vecwire__geo *geo, const json_t *tree)
{
    if (!read_checked(&geo->center, json_object_get(tree, "center")) ||
        !vecwire__json_get_double(json_object_get(tree, "radius"),
                                  &geo->radius))
        return VECWIRE__GEO_WRONG;
    geo->has_circle = true;
    return VECWIRE__GEO_FINE;
}

/* One closed ring of at least three sides. */
static enum vecwire__geo_rc
read_ring(struct vecwire__ring *ring, const json_t *tree)
{
    const json_t *points = json_object_get(tree, "points");
    const size_t n = json_array_size(points);
    const struct vecwire__place *last;

    if (n < 4 || n > VECWIRE__GEO_POINTS)
        return VECWIRE__GEO_WRONG;
    ring->places = calloc(n, sizeof(*ring->places));
    if (ring->places == NULL)
        return VECWIRE__GEO_NO_MEMORY;
    for (; ring->n < n; ring->n++) {
        if (!read_checked(&ring->places[ring->n],
                          json_array_get(points, ring->n)))
            return VECWIRE__GEO_WRONG;
    }
    last = &ring->places[n - 1];
    return last->lat == ring->places[0].lat && last->lon == ring->places[0].lon
               ? VECWIRE__GEO_FINE
               : VECWIRE__GEO_WRONG;
}

enum vecwire__geo_rc
vecwire__geo_polygon(struct vecwire__geo *geo, const json_t *tree)
{
    const json_t *interiors = json_object_get(tree, "interiors");
    const size_t n = json_array_size(interiors) + 1;

    if (n > VECWIRE__GEO_RINGS ||
        (interiors != NULL && !json_is_array(interiors) &&
         !json_is_null(interiors)))
        return VECWIRE__GEO_WRONG;
    geo->rings = calloc(n, sizeof(*geo->rings));
    if (geo->rings == NULL)
        return VECWIRE__GEO_NO_MEMORY;
    while (geo->n_rings < n) {
        const size_t i = geo->n_rings++;
        const json_t *ring = i == 0 ? json_object_get(tree, "exterior")
                                    : json_array_get(interiors, i - 1);
        const enum vecwire__geo_rc rc = read_ring(&geo->rings[i], ring);

        if (rc != VECWIRE__GEO_FINE)
            return rc;
    }
    return VECWIRE__GEO_FINE;
}

void
vecwire__geo_fini(struct vecwire__geo *geo)
{
    for (size_t i = 0; i < geo->n_rings; i++)
        free(geo->rings[i].places);
    free(geo->rings);
}

/* A box whose left is east of its right goes over the date line. */
static bool
in_box(const struct vecwire__geo *geo, const struct vecwire__place *place)
{
    const bool east = place->lon > geo->top_left.lon;
    const bool west = place->lon < geo->bottom_right.lon;

    return place->lat < geo->top_left.lat &&
           place->lat > geo->bottom_right.lat &&
           (geo->top_left.lon > geo->bottom_right.lon ? east || west
                                                      : east && west);
}

/* The haversine formula. */
static double
distance(const struct vecwire__place *a, const struct vecwire__place *b)
{
    const double lat = sin((b->lat - a->lat) * RADIANS / 2);
    const double lon = sin((b->lon - a->lon) * RADIANS / 2);
    const double h =
        lat * lat + cos(a->lat * RADIANS) * cos(b->lat * RADIANS) * lon * lon;

    return 2 * EARTH_RADIUS * asin(fmin(1, sqrt(h)));
}

/* Does a ray to the east cross the ring an odd number of times? */
static bool
in_ring(const struct vecwire__ring *ring, const struct vecwire__place *place)
{
    bool inside = false;

    for (size_t i = 1; i < ring->n; i++) {
        const struct vecwire__place *a = &ring->places[i - 1];
        const struct vecwire__place *b = &ring->places[i];

        if ((a->lat > place->lat) != (b->lat > place->lat) &&
            place->lon <
                (b->lon - a->lon) * (place->lat - a->lat) / (b->lat - a->lat) +
                    a->lon)
            inside = !inside;
    }
    return inside;
}

static bool
in_polygon(const struct vecwire__geo *geo, const struct vecwire__place *place)
{
    if (geo->n_rings == 0 || !in_ring(&geo->rings[0], place))
        return false;
    for (size_t i = 1; i < geo->n_rings; i++) {
        if (in_ring(&geo->rings[i], place))
            return false;
    }
    return true;
}

bool
vecwire__geo_has(const struct vecwire__geo *geo, const json_t *value)
{
    struct vecwire__place place;

    if (!read_place(&place, value))
        return false;
    return (geo->has_box && in_box(geo, &place)) ||
           (geo->has_circle && distance(&geo->center, &place) <= geo->radius) ||
           in_polygon(geo, &place);
}
