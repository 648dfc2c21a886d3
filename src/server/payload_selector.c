/* SPDX-License-Identifier: Apache-2.0 */
#include "server/payload_selector.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/json_text.h"

/* A payload and what a request adds at its path are no deeper. */
#define DEPTH_MAX 256

/* Where in a payload the selection is: keys, NULL for an array's elements. */
struct place {
    const char *steps[DEPTH_MAX];
    size_t n;
};

static bool
wrong(struct vecwire__fault *fault, const char *what)
{
    vecwire__fault_set(fault, 400,
                       "Format error in JSON body: with_payload: %s", what);
    return false;
}

static bool
read_paths(struct vecwire__payload_selector *selector, const json_t *list,
           struct vecwire__fault *fault)
{
    const size_t n = json_array_size(list);

    if (!json_is_array(list))
        return wrong(fault, "include and exclude are lists of keys");
    if (n > VECWIRE__SELECTOR_PATHS)
        return wrong(fault, "more than 1024 keys");
    selector->paths = calloc(n + 1, sizeof(*selector->paths));
    if (selector->paths == NULL) {
        vecwire__fault_memory(fault);
        return false;
    }
    while (selector->n_paths < n) {
        if (!vecwire__json_path_read(&selector->paths[selector->n_paths],
                                     json_array_get(list, selector->n_paths),
                                     fault))
            return false;
        selector->n_paths++;
    }
    return true;
}

static bool
read_value(struct vecwire__payload_selector *selector, const json_t *value,
           struct vecwire__fault *fault)
{
    const json_t *exclude = json_object_get(value, "exclude");

    if (json_is_boolean(value)) {
        selector->kind =
            json_is_true(value) ? VECWIRE__SELECT_ALL : VECWIRE__SELECT_NONE;
        return true;
    }
    selector->kind =
        exclude != NULL ? VECWIRE__SELECT_EXCLUDE : VECWIRE__SELECT_INCLUDE;
    if (json_is_array(value))
        return read_paths(selector, value, fault);
    if (json_object_size(value) != 1)
        return wrong(fault, "true, false, a list of keys, include or exclude "
                            "is expected");
    return read_paths(
        selector, exclude != NULL ? exclude : json_object_get(value, "include"),
        fault);
}

bool
vecwire__payload_selector_read(struct vecwire__payload_selector *selector,
                               const json_t *value,
                               enum vecwire__selector_kind by_default,
                               struct vecwire__fault *fault)
{
    memset(selector, 0, sizeof(*selector));
    selector->kind = by_default;
    if (value == NULL || json_is_null(value) ||
        read_value(selector, value, fault))
        return true;
    vecwire__payload_selector_fini(selector);
    return false;
}

void
vecwire__payload_selector_fini(struct vecwire__payload_selector *selector)
{
    for (size_t i = 0; i < selector->n_paths; i++)
        vecwire__json_path_fini(&selector->paths[i]);
    free(selector->paths);
    memset(selector, 0, sizeof(*selector));
}

/* Do path and place agree in their first `n` steps? */
static bool
agrees(const struct vecwire__json_path *path, const struct place *place,
       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!vecwire__json_path_step(path, i, place->steps[i]))
            return false;
    }
    return true;
}

/* To be included, a place must lie on the way to a path's end or behind it;
 * to be excluded, behind it. */
static bool
is_chosen(const struct vecwire__payload_selector *selector,
          const struct place *place)
{
    const bool include = selector->kind == VECWIRE__SELECT_INCLUDE;

    for (size_t i = 0; i < selector->n_paths; i++) {
        const struct vecwire__json_path *path = &selector->paths[i];
        const size_t n = path->n_steps < place->n ? path->n_steps : place->n;

        if ((include || n == path->n_steps) && agrees(path, place, n))
            return include;
    }
    return !include;
}

static json_t *choose(const struct vecwire__payload_selector *selector,
                      struct place *place, const json_t *value);

/* What is chosen of the value one step further; a reference. *failed: no
 * memory. NULL also for nothing. */
static json_t *
choose_next(const struct vecwire__payload_selector *selector,
            struct place *place, const char *key, const json_t *value,
            bool *failed)
{
    json_t *chosen = NULL;

    if (place->n == DEPTH_MAX)
        return NULL;
    place->steps[place->n++] = key;
    if (is_chosen(selector, place)) {
        chosen = choose(selector, place, value);
        *failed = chosen == NULL;
    }
    place->n--;
    return chosen;
}

static bool
choose_members(const struct vecwire__payload_selector *selector,
               struct place *place, const json_t *object, json_t *chosen)
{
    json_t *walked = (json_t *)(uintptr_t)object;
    bool failed = false;

    for (void *i = json_object_iter(walked); i != NULL;
         i = json_object_iter_next(walked, i)) {
        const char *key = json_object_iter_key(i);
        json_t *part = choose_next(selector, place, key,
                                   json_object_iter_value(i), &failed);

        if (failed || (part != NULL &&
                       json_object_set_new_nocheck(chosen, key, part) != 0))
            return false;
    }
    return true;
}

static bool
choose_elements(const struct vecwire__payload_selector *selector,
                struct place *place, const json_t *array, json_t *chosen)
{
    bool failed = false;

    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *part = choose_next(selector, place, NULL,
                                   json_array_get(array, i), &failed);

        if (failed ||
            (part != NULL && json_array_append_new(chosen, part) != 0))
            return false;
    }
    return true;
}

static json_t *
choose(const struct vecwire__payload_selector *selector, struct place *place,
       const json_t *value)
{
    const bool is_object = json_is_object(value);
    json_t *chosen;

    if (!is_object && !json_is_array(value))
        return json_copy((json_t *)(uintptr_t)value);
    chosen = is_object ? json_object() : json_array();
    if (chosen != NULL &&
        (is_object ? choose_members(selector, place, value, chosen)
                   : choose_elements(selector, place, value, chosen)))
        return chosen;
    json_decref(chosen);
    return NULL;
}

json_t *
vecwire__payload_select(const struct vecwire__payload_selector *selector,
                        const json_t *payload)
{
    struct place place = {.n = 0};

    return choose(selector, &place, payload);
}
