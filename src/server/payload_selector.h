/* SPDX-License-Identifier: Apache-2.0 */
/* with_payload: which part of a payload goes into a reply. */
#ifndef VECWIRE_SERVER_PAYLOAD_SELECTOR_H
#define VECWIRE_SERVER_PAYLOAD_SELECTOR_H

#include "server/json_path.h"

#define VECWIRE__SELECTOR_PATHS 1024

enum vecwire__selector_kind {
    VECWIRE__SELECT_NONE,
    VECWIRE__SELECT_ALL, /* the payload's own text will do */
    VECWIRE__SELECT_INCLUDE,
    VECWIRE__SELECT_EXCLUDE
};

struct vecwire__payload_selector {
    enum vecwire__selector_kind kind;
    struct vecwire__json_path *paths;
    size_t n_paths;
};

/* Read a value of with_payload: bool, [paths], {"include":[..]} or
 * {"exclude":[..]}; NULL and null: `by_default`. False: `fault` is set, to 400
 * or 500, and the selector is empty. */
bool vecwire__payload_selector_read(struct vecwire__payload_selector *selector,
                                    const json_t *value,
                                    enum vecwire__selector_kind by_default,
                                    struct vecwire__fault *fault);

void vecwire__payload_selector_fini(struct vecwire__payload_selector *selector);

/* A new tree with the chosen part (INCLUDE and EXCLUDE only). NULL: no
 * memory. */
json_t *
vecwire__payload_select(const struct vecwire__payload_selector *selector,
                        const json_t *payload);

#endif
