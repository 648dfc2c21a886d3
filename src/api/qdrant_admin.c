/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's collections. */
#include "api/qdrant_verb.h"

#include "dialect/qdrant_admin.h"

VECWIRE__QDRANT_VERB(create_collection, create_collection,
                     vecwire_qdrant_create_request, reserved)
VECWIRE__QDRANT_VERB(update_collection, update_collection,
                     vecwire_qdrant_update_collection_request, refusal)
VECWIRE__QDRANT_VERB(delete_collection, delete_collection,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(collection_exists, collection_exists,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(list_collections, list_collections,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(collection_info, collection_info,
                     vecwire_qdrant_admin_request, refusal)
