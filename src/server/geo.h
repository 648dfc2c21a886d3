/* SPDX-License-Identifier: Apache-2.0 */
/* Places in payloads, {"lat":..,"lon":..} in degrees, and the areas that
 * filters ask for. */
#ifndef VECWIRE_SERVER_GEO_H
#define VECWIRE_SERVER_GEO_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define VECWIRE__GEO_POINTS 4096 /* of one ring */
#define VECWIRE__GEO_RINGS 64    /* the exterior and what is cut out of it */

struct vecwire__place {
    double lat, lon;
};

struct vecwire__ring {
    struct vecwire__place *places; /* the last is the first */
    size_t n;
};

/* Any of these will do. Zero-filled there is none. */
struct vecwire__geo {
    bool has_box, has_circle;
    struct vecwire__place top_left, bottom_right;
    struct vecwire__place center;
    double radius; /* metres */
    struct vecwire__ring *rings;
    size_t n_rings;
};

enum vecwire__geo_rc {
    VECWIRE__GEO_FINE,
    VECWIRE__GEO_WRONG,
    VECWIRE__GEO_NO_MEMORY
};

/* Read what stands behind geo_bounding_box, geo_radius and geo_polygon. */
enum vecwire__geo_rc vecwire__geo_box(struct vecwire__geo *geo,
                                      const json_t *tree);
enum vecwire__geo_rc vecwire__geo_circle(struct vecwire__geo *geo,
                                         const json_t *tree);
enum vecwire__geo_rc vecwire__geo_polygon(struct vecwire__geo *geo,
                                          const json_t *tree);
void vecwire__geo_fini(struct vecwire__geo *geo);

/* Is the value a place in one of the areas? */
bool vecwire__geo_has(const struct vecwire__geo *geo, const json_t *value);

#endif
