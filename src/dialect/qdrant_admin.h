/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what is done with whole collections and with the server. */
#ifndef VECWIRE_DIALECT_QDRANT_ADMIN_H
#define VECWIRE_DIALECT_QDRANT_ADMIN_H

#include <vecwire/qdrant_admin.h>

#include "dialect/qdrant.h"

/* An encoder of that name. */
#define VECWIRE__QDRANT_ENCODER(name)                                          \
    enum vecwire_err vecwire__qdrant_encode_##name(                            \
        const struct vecwire__settings *settings, const void *request,         \
        struct vecwire__encoding *enc, struct vecwire_refusal *refusal)

VECWIRE__QDRANT_ENCODER(create_collection);
VECWIRE__QDRANT_ENCODER(update_collection);
VECWIRE__QDRANT_ENCODER(delete_collection);
VECWIRE__QDRANT_ENCODER(collection_exists);
VECWIRE__QDRANT_ENCODER(list_collections);
VECWIRE__QDRANT_ENCODER(collection_info);

/* How replies are read: true or false; {"exists":..}; names of collections; a
 * description. */
extern const struct vecwire__decoding vecwire__qdrant_bool_decoding;
extern const struct vecwire__decoding vecwire__qdrant_exists_decoding;
extern const struct vecwire__decoding vecwire__qdrant_names_decoding;
extern const struct vecwire__decoding vecwire__qdrant_info_decoding;

/* The members of an object that the caller gave, beside those that are there;
 * nothing when both are NULL. */
void vecwire__qdrant_put_members(struct vecwire__qdrant_writer *w,
                                 const char *json, const struct json_t *tree,
                                 const char *what);

/* Is the text, from `at` on, the body of a new collection, of a change of one,
 * the description of one kind of vector (named `what`)? Else refused: a number
 * out of its range, a member that stands twice. */
void vecwire__qdrant_check_create(struct vecwire__qdrant_writer *w, size_t at);
void vecwire__qdrant_check_update(struct vecwire__qdrant_writer *w, size_t at);
void vecwire__qdrant_check_vector_config(struct vecwire__qdrant_writer *w,
                                         size_t at, const char *what);

#endif
