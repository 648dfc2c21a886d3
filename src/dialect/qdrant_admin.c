/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: requests about collections that have no body. */
#include "dialect/qdrant_admin.h"

static const struct vecwire__qdrant_route delete_route = {
    .path = "",
    .method = VECWIRE__DELETE,
    .class = VECWIRE__NEVER,
    .decoding = &vecwire__qdrant_bool_decoding,
    .takes = VECWIRE__QDRANT_TIMEOUT,
};
static const struct vecwire__qdrant_route exists_route = {
    .path = "/exists",
    .method = VECWIRE__GET,
    .class = VECWIRE__READ,
    .decoding = &vecwire__qdrant_exists_decoding,
};
static const struct vecwire__qdrant_route info_route = {
    .path = "",
    .method = VECWIRE__GET,
    .class = VECWIRE__READ,
    .decoding = &vecwire__qdrant_info_decoding,
};
static const struct vecwire__qdrant_route list_route = {
    .path = "/collections",
    .global = true,
    .method = VECWIRE__GET,
    .class = VECWIRE__READ,
    .decoding = &vecwire__qdrant_names_decoding,
};

static enum vecwire_err
encode(const struct vecwire__settings *settings, struct vecwire__encoding *enc,
       struct vecwire_refusal *refusal,
       const struct vecwire__qdrant_route *route)
{
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, route, NULL, 0);
    return vecwire__qdrant_end(&w);
}

VECWIRE__QDRANT_ENCODER(delete_collection)
{
    (void)request;
    return encode(settings, enc, refusal, &delete_route);
}

VECWIRE__QDRANT_ENCODER(collection_exists)
{
    (void)request;
    return encode(settings, enc, refusal, &exists_route);
}

VECWIRE__QDRANT_ENCODER(collection_info)
{
    (void)request;
    return encode(settings, enc, refusal, &info_route);
}

VECWIRE__QDRANT_ENCODER(list_collections)
{
    (void)request;
    return encode(settings, enc, refusal, &list_route);
}
