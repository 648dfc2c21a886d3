/* SPDX-License-Identifier: Apache-2.0 */
/* What answers each of Qdrant's routes. */
#ifndef VECWIRE_SERVER_QDRANT_HANDLERS_H
#define VECWIRE_SERVER_QDRANT_HANDLERS_H

#include <stdbool.h>

struct vecwire__qdrant_call;

/* The server itself */
bool vecwire__qdrant_root(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_health(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_ready(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_metrics(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_nothing(struct vecwire__qdrant_call *call); /* [] */

/* Collections and their aliases */
bool vecwire__qdrant_list(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_create(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_info(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_change(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_delete(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_exists(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_index_add(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_index_delete(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_aliases_change(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_aliases_list(struct vecwire__qdrant_call *call);

/* Points: writing */
bool vecwire__qdrant_upsert(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_delete_points(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_set_payload(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_overwrite_payload(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_delete_payload(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_clear_payload(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_update_vectors(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_delete_vectors(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_batch(struct vecwire__qdrant_call *call);

/* Points: reading */
bool vecwire__qdrant_get_one(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_get_many(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_scroll(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_count(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_facet(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_query(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_query_batch(struct vecwire__qdrant_call *call);
bool vecwire__qdrant_query_groups(struct vecwire__qdrant_call *call);

#endif
