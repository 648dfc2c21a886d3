/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_payload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/json_text.h"

/* How many containers are nested. */
static size_t
depth_of(const json_t *tree)
{
    json_t *walked = (json_t *)(uintptr_t)tree;
    size_t most = 0;

    if (!json_is_object(tree) && !json_is_array(tree))
        return 0;
    for (size_t i = 0; i < json_array_size(tree); i++) {
        const size_t depth = depth_of(json_array_get(tree, i));

        most = depth > most ? depth : most;
    }
    for (void *i = json_object_iter(walked); i != NULL;
         i = json_object_iter_next(walked, i)) {
        const size_t depth = depth_of(json_object_iter_value(i));

        most = depth > most ? depth : most;
    }
    return most + 1;
}

static bool
read_payload(struct vecwire__payload_change *change, const json_t *body,
             struct vecwire__fault *fault)
{
    json_t *payload = json_object_get(body, "payload");
    const json_t *key = json_object_get(body, "key");

    if (!json_is_object(payload)) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: payload must be an "
                           "object");
        return false;
    }
    if (key != NULL && !json_is_null(key) &&
        !vecwire__json_path_read(&change->key, key, fault))
        return false;
    /* Else the payload could not be read again. */
    if (change->key.n_steps + depth_of(payload) > VECWIRE__JSON_TEXT_DEPTH) {
        vecwire__fault_set(fault, 400,
                           "Bad request: payload and key are nested deeper "
                           "than %d",
                           VECWIRE__JSON_TEXT_DEPTH);
        return false;
    }
    change->payload = json_incref(payload);
    return true;
}

static bool
read_keys(struct vecwire__payload_change *change, const json_t *body,
          struct vecwire__fault *fault)
{
    const json_t *keys = json_object_get(body, "keys");
    const size_t n = json_array_size(keys);

    if (!json_is_array(keys)) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: keys must be a list of "
                           "json paths");
        return false;
    }
    if (n > VECWIRE__PAYLOAD_KEYS) {
        vecwire__fault_set(fault, 400,
                           "Bad request: %zu keys, at most %d are taken", n,
                           VECWIRE__PAYLOAD_KEYS);
        return false;
    }
    change->keys = calloc(n + 1, sizeof(*change->keys));
    if (change->keys == NULL) {
        vecwire__fault_memory(fault);
        return false;
    }
    while (change->n_keys < n) {
        if (!vecwire__json_path_read(&change->keys[change->n_keys],
                                     json_array_get(keys, change->n_keys),
                                     fault))
            return false;
        change->n_keys++;
    }
    return true;
}

bool
vecwire__payload_change_read(struct vecwire__payload_change *change,
                             enum vecwire__payload_op op, const json_t *body,
                             struct vecwire__fault *fault)
{
    bool fine = true;

    memset(change, 0, sizeof(*change));
    change->op = op;
    if (op == VECWIRE__PAYLOAD_DELETE)
        fine = read_keys(change, body, fault);
    else if (op != VECWIRE__PAYLOAD_CLEAR)
        fine = read_payload(change, body, fault);
    if (!fine)
        vecwire__payload_change_fini(change);
    return fine;
}

void
vecwire__payload_change_fini(struct vecwire__payload_change *change)
{
    json_decref(change->payload);
    vecwire__json_path_fini(&change->key);
    for (size_t i = 0; i < change->n_keys; i++)
        vecwire__json_path_fini(&change->keys[i]);
    free(change->keys);
    memset(change, 0, sizeof(*change));
}

json_t *
vecwire__payload_change_apply(const struct vecwire__payload_change *change,
                              const json_t *payload)
{
    const bool anew =
        change->op == VECWIRE__PAYLOAD_CLEAR ||
        (change->op == VECWIRE__PAYLOAD_OVERWRITE && change->key.n_steps == 0);
    json_t *now;

    if (anew && change->payload != NULL)
        return json_deep_copy(change->payload);
    now = anew || payload == NULL ? json_object() : json_deep_copy(payload);
    if (now == NULL)
        return NULL;
    for (size_t i = 0; i < change->n_keys; i++)
        vecwire__json_path_delete(&change->keys[i], now);
    if (change->payload == NULL ||
        vecwire__json_path_set(&change->key, now, change->payload))
        return now;
    json_decref(now);
    return NULL;
}
