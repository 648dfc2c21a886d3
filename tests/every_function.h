/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function, each as something that a callback may do, with
 * another call in some state. */
#ifndef VECWIRE_TESTS_EVERY_FUNCTION_H
#define VECWIRE_TESTS_EVERY_FUNCTION_H

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"

/* What there is for a function to be called on. */
struct world {
    struct event_base *base;
    struct vecwire_loop *loop;
    struct vecwire_client *client; /* NULL: freed by a deed */
    const struct vecwire_mem *mem;
    char url[40];
    vecwire_call_id target;
    struct vecwire_uploader *uploader; /* NULL: freed by a deed */
    bool upload_over;                  /* its completion has begun */
    unsigned upload_runs;              /* of its completion */
    /* In the callback: what it was given (NULL: no reply). */
    const struct vecwire_reply *reply;
    bool is_batch; /* it is rows before the end */
    bool in_loop;  /* the loop runs: not inside a free from outside */
    bool closed;   /* vecwire_client_close() was called already */
    unsigned target_runs, extra_runs, closes;
    unsigned close_calls; /* accepted */
    unsigned extra_calls; /* accepted, each with a callback */
};

struct deed {
    const char *function;
    void (*run)(struct world *world);
};

/* A verb's answer: taken, or refused for a reason that can be. */
void deed_count(struct world *world, enum vecwire_err err);

/* On uploads of their own, and on the world's. */
void deed_upload(struct world *world);
void deed_upload_and_cancel(struct world *world);
void deed_uploader_add(struct world *world);
void deed_uploader_end(struct world *world);
void deed_uploader_cancel(struct world *world);
void deed_uploader_free(struct world *world);

/* On scrolls of their own. */
void deed_scroll(struct world *world);
void deed_scroll_look(struct world *world);

/* On a filter of its own; what it calls. */
void deed_filter(struct world *world);
#define FILTER_FUNCTIONS                                                       \
    "vecwire_qdrant_filter_new vecwire_qdrant_filter_free "                    \
    "vecwire_qdrant_filter_reset vecwire_qdrant_filter_text "                  \
    "vecwire_qdrant_filter_error vecwire_qdrant_filter_clause "                \
    "vecwire_qdrant_filter_min_should vecwire_qdrant_filter_begin "            \
    "vecwire_qdrant_filter_begin_nested vecwire_qdrant_filter_end "            \
    "vecwire_qdrant_filter_match_text "                                        \
    "vecwire_qdrant_filter_match_i64 "                                         \
    "vecwire_qdrant_filter_match_bool "                                        \
    "vecwire_qdrant_filter_match_texts "                                       \
    "vecwire_qdrant_filter_match_i64s vecwire_qdrant_filter_words "            \
    "vecwire_qdrant_filter_range vecwire_qdrant_filter_range_i64 "             \
    "vecwire_qdrant_filter_range_datetime "                                    \
    "vecwire_qdrant_filter_values_count "                                      \
    "vecwire_qdrant_filter_geo_box "                                           \
    "vecwire_qdrant_filter_geo_radius "                                        \
    "vecwire_qdrant_filter_geo_polygon "                                       \
    "vecwire_qdrant_filter_is_empty vecwire_qdrant_filter_is_null "            \
    "vecwire_qdrant_filter_has_id "                                            \
    "vecwire_qdrant_filter_has_vector vecwire_qdrant_filter_slice"

/* Qdrant's administration, and what tells of its replies. */
void deed_admin(struct world *world);
void deed_admin_refused(struct world *world);
void deed_admin_reply(struct world *world);
#define ADMIN_INITS                                                            \
    "vecwire_qdrant_create_init vecwire_qdrant_update_collection_init "        \
    "vecwire_qdrant_admin_init vecwire_qdrant_index_init "                     \
    "vecwire_qdrant_aliases_init vecwire_qdrant_page_init"
#define ADMIN_VERBS                                                            \
    "vecwire_qdrant_create_collection vecwire_qdrant_update_collection "       \
    "vecwire_qdrant_delete_collection vecwire_qdrant_collection_exists "       \
    "vecwire_qdrant_list_collections vecwire_qdrant_collection_info "          \
    "vecwire_qdrant_create_index vecwire_qdrant_delete_index "                 \
    "vecwire_qdrant_update_aliases vecwire_qdrant_list_aliases "               \
    "vecwire_qdrant_collection_aliases vecwire_qdrant_list_snapshots "         \
    "vecwire_qdrant_create_snapshot vecwire_qdrant_page"
#define ADMIN_REPLY "vecwire_qdrant_info vecwire_qdrant_snapshot_at"

/* Qdrant's verbs, and what tells of their replies; what they call. */
void deed_qdrant_verbs(struct world *world);
void deed_qdrant_refused(struct world *world);
void deed_qdrant_reply(struct world *world);
void deed_reply_rows(struct world *world);
#define QDRANT_INITS                                                           \
    "vecwire_get_init vecwire_scroll_init vecwire_count_init "                 \
    "vecwire_qdrant_params_init vecwire_qdrant_query_init "                    \
    "vecwire_qdrant_query_batch_init vecwire_qdrant_query_groups_init "        \
    "vecwire_qdrant_facet_init vecwire_qdrant_payload_init "                   \
    "vecwire_qdrant_delete_vectors_init vecwire_qdrant_operations_init"
#define QDRANT_VERBS                                                           \
    "vecwire_get vecwire_scroll vecwire_count vecwire_qdrant_query "           \
    "vecwire_qdrant_query_batch vecwire_qdrant_query_groups "                  \
    "vecwire_qdrant_get_point vecwire_qdrant_facet "                           \
    "vecwire_qdrant_change_payload vecwire_qdrant_update_vectors "             \
    "vecwire_qdrant_delete_vectors vecwire_qdrant_update_points"
#define QDRANT_REPLY                                                           \
    "vecwire_qdrant_update_outcome vecwire_qdrant_operation_number "           \
    "vecwire_qdrant_facet_hits vecwire_qdrant_facet_at"
#define REPLY_ROWS                                                             \
    "vecwire_row_vector vecwire_reply_matrix vecwire_reply_groups "            \
    "vecwire_reply_group vecwire_reply_next_offset vecwire_reply_total"

extern const struct deed deeds[];
extern const size_t n_deeds;

/* Number of functions named in this public header that no deed calls; they
 * are printed. *seen grows by the number of those named. */
size_t deeds_missing(const char *header, size_t *seen);

#endif
