/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: the verbs that read points. */
#include "dialect/qdrant.h"

#define DEFAULT_LIMIT 10

#define ROUTE(path_, decoding_, takes_)                                        \
    {                                                                          \
        .path = path_, .method = VECWIRE__POST, .class = VECWIRE__READ,        \
        .has_body = true, .decoding = &vecwire__qdrant_##decoding_##_decoding, \
        .takes = takes_                                                        \
    }

static const struct vecwire__qdrant_route query_route = ROUTE(
    "/points/query", hits, VECWIRE__QDRANT_READ | VECWIRE__QDRANT_SELECTORS);
static const struct vecwire__qdrant_route get_route =
    ROUTE("/points", page, VECWIRE__QDRANT_READ | VECWIRE__QDRANT_SELECTORS);
static const struct vecwire__qdrant_route scroll_route =
    ROUTE("/points/scroll", page,
          VECWIRE__QDRANT_READ | VECWIRE__QDRANT_SELECTORS |
              VECWIRE__QDRANT_ORDER_BY);
static const struct vecwire__qdrant_route count_route =
    ROUTE("/points/count", count, VECWIRE__QDRANT_READ);

static void
put_limit(struct vecwire__qdrant_writer *w, uint32_t limit)
{
    if (limit == 0)
        limit = DEFAULT_LIMIT;
    vecwire__qdrant_key(w, "limit");
    vecwire__qdrant_put_u64(w, limit);
    w->enc->max_rows = limit;
}

enum vecwire_err
vecwire__qdrant_encode_query(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal)
{
    const struct vecwire_query_request *query = request;
    const struct vecwire_vector vector = {.values = query->vector,
                                          .dim = query->dim};
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &query_route, NULL,
                          query->dim > VECWIRE__QDRANT_MAX_DIM
                              ? 0
                              : VECWIRE_VECTOR_TEXT_ROOM(query->dim));
    if (query->text != NULL || query->today != NULL)
        return vecwire__qdrant_refuse(&w, VECWIRE_EUNSUPPORTED,
                                      "text: Qdrant searches by vector, or by "
                                      "an inference object "
                                      "(vecwire_qdrant_query())");
    vecwire__qdrant_key(&w, "query");
    vecwire__qdrant_put_vector(&w, &vector);
    if (query->vector_name != NULL) {
        vecwire__qdrant_check_vector_name(&w, query->vector_name,
                                          "vector_name");
        vecwire__qdrant_key(&w, "using");
        vecwire__qdrant_put_str(&w, query->vector_name, "vector_name");
    }
    put_limit(&w, query->top_k);
    vecwire__qdrant_member_filter(&w, query->filter, query->filter_tree);
    vecwire__qdrant_put_selectors(&w, query->with_payload, query->with_vector);
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_get(const struct vecwire__settings *settings,
                           const void *request, struct vecwire__encoding *enc,
                           struct vecwire_refusal *refusal)
{
    const struct vecwire_get_request *get = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &get_route, NULL, 0);
    vecwire__qdrant_key(&w, "ids");
    vecwire__qdrant_put_ids(&w, get->ids, get->numbers, get->rows);
    vecwire__qdrant_put_selectors(&w, get->with_payload, get->with_vector);
    if (get->rows <= UINT32_MAX)
        enc->max_rows = (uint32_t)get->rows;
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_scroll(const struct vecwire__settings *settings,
                              const void *request,
                              struct vecwire__encoding *enc,
                              struct vecwire_refusal *refusal)
{
    const struct vecwire_scroll_request *scroll = request;
    const struct vecwire_qdrant_params *params = settings->qdrant;
    const char *order_by = params == NULL ? NULL : params->order_by;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &scroll_route, NULL, 0);
    if (order_by != NULL && scroll->offset != NULL)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "offset: there is none with order_by, "
                                      "page by its start_from");
    if (scroll->offset != NULL) {
        vecwire__qdrant_key(&w, "offset");
        vecwire__qdrant_put_id(&w, scroll->offset, NULL);
    }
    put_limit(&w, scroll->limit);
    if (order_by != NULL) {
        vecwire__qdrant_member(&w, "order_by", order_by, NULL, "\"{");
        vecwire__qdrant_check_order_by(&w, order_by);
    }
    vecwire__qdrant_member_filter(&w, scroll->filter, scroll->filter_tree);
    vecwire__qdrant_put_selectors(&w, scroll->with_payload,
                                  scroll->with_vector);
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_count(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal)
{
    const struct vecwire_count_request *count = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &count_route, NULL, 0);
    vecwire__qdrant_key(&w, "exact");
    vecwire__qdrant_put_bool(&w, !count->approximate);
    vecwire__qdrant_member_filter(&w, count->filter, count->filter_tree);
    return vecwire__qdrant_end(&w);
}
