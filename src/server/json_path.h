/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that lead into a payload: a, a.b, a[].b, a[0].b, "any key".b */
#ifndef VECWIRE_SERVER_JSON_PATH_H
#define VECWIRE_SERVER_JSON_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "server/fault.h"

#define VECWIRE__JSON_PATH_MAX 1024 /* bytes of one path */
#define VECWIRE__JSON_PATH_STEPS 64 /* steps of one path */

struct vecwire__json_step;

/* Zero-filled it leads nowhere, and may be freed. */
struct vecwire__json_path {
    struct vecwire__json_step *steps;
    size_t n_steps;
};

/* Read a path. False: `fault` is set, to 400 or 500, and `path` is empty. */
bool vecwire__json_path_parse(struct vecwire__json_path *path, const char *text,
                              size_t len, struct vecwire__fault *fault);

/* The same from a value, which must be a string. */
bool vecwire__json_path_read(struct vecwire__json_path *path,
                             const json_t *value, struct vecwire__fault *fault);

void vecwire__json_path_fini(struct vecwire__json_path *path);

/* Is step `i` this key (NULL: all elements of an array)? */
bool vecwire__json_path_step(const struct vecwire__json_path *path, size_t i,
                             const char *key);

/* A value that was found; false ends the search. */
typedef bool (*vecwire__json_visit)(const json_t *value, void *arg);

/* Visit every value the path leads to, in order; an array at the end of it is
 * one value. False: a visit said so. */
bool vecwire__json_path_each(const struct vecwire__json_path *path,
                             const json_t *object, vecwire__json_visit visit,
                             void *arg);

/* As above, but an array at the end counts as its elements. */
bool vecwire__json_path_each_flat(const struct vecwire__json_path *path,
                                  const json_t *object,
                                  vecwire__json_visit visit, void *arg);

/* Merge deep copies of the members of `source` into the objects that the path
 * leads to (NULL: into `object` itself); null takes a key away. What is in the
 * way is replaced, indices that are not there are passed over. False: no
 * memory; `object` may have changed in part. */
bool vecwire__json_path_set(const struct vecwire__json_path *path,
                            json_t *object, const json_t *source);

/* Take away what the path leads to. An element of an array stays; `a[]` makes
 * the array empty. */
void vecwire__json_path_delete(const struct vecwire__json_path *path,
                               json_t *object);

#endif
