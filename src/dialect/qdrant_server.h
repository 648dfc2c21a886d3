/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: indexes, aliases, snapshots, pages about the server. */
#ifndef VECWIRE_DIALECT_QDRANT_SERVER_H
#define VECWIRE_DIALECT_QDRANT_SERVER_H

#include <vecwire/qdrant_server.h>

#include "dialect/qdrant_admin.h"

VECWIRE__QDRANT_ENCODER(create_index);
VECWIRE__QDRANT_ENCODER(delete_index);
VECWIRE__QDRANT_ENCODER(update_aliases);
VECWIRE__QDRANT_ENCODER(list_aliases);
VECWIRE__QDRANT_ENCODER(collection_aliases);
VECWIRE__QDRANT_ENCODER(list_snapshots);
VECWIRE__QDRANT_ENCODER(create_snapshot);
VECWIRE__QDRANT_ENCODER(page);

/* How replies are read: aliases; snapshots; one snapshot, or the promise of
 * it. A snapshot's size is the row's version, its checksum the payload. */
extern const struct vecwire__decoding vecwire__qdrant_aliases_decoding;
extern const struct vecwire__decoding vecwire__qdrant_snapshots_decoding;
extern const struct vecwire__decoding vecwire__qdrant_snapshot_decoding;

#endif
