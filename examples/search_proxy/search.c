/* SPDX-License-Identifier: Apache-2.0 */
/* GET /search?row=N: a request of a client becomes a call to the database. */
#include "proxy.h"

#include <errno.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdlib.h>
#include <sys/socket.h>

/* One request that waits for the database. */
struct search {
    struct proxy *proxy;
    struct evhttp_request *req;
    struct event *watch;
    size_t row;
    vecwire_call_id call;
};

/* NULL: no memory. */
static json_t *
make_hits(size_t row, const struct vecwire_reply *reply)
{
    json_t *hits = json_array();
    const struct vecwire_row *hit;

    for (size_t i = 0; (hit = vecwire_reply_row(reply, i)) != NULL; i++) {
        /* JSON has no NaN, which a null from the database is here. */
        json_t *score = hit->flags & VECWIRE_ROW_HAS_NAN
                            ? json_null()
                            : json_real((double)hit->score);

        if (json_array_append_new(hits,
                                  json_pack("{s:s%,s:o}", "id", hit->id.text,
                                            hit->id.len, "score", score)) != 0)
            break;
    }
    if (json_array_size(hits) < vecwire_reply_count(reply)) {
        json_decref(hits);
        return NULL;
    }
    return json_pack("{s:I,s:o}", "row", (json_int_t)row, "hits", hits);
}

static int
status_of(enum vecwire_err code)
{
    switch (code) {
    case VECWIRE_ETIMEDOUT:
        return 504; /* Gateway Timeout */
    case VECWIRE_EFULL:
    case VECWIRE_ECLOSED:
        return HTTP_SERVUNAVAIL;
    case VECWIRE_EINVAL:
    case VECWIRE_ENOMEM:
        return HTTP_INTERNAL;
    default:
        return 502; /* Bad Gateway */
    }
}

/* ---- A search ---- */

/* The call has ended, one way or another; this runs once for each. */
static void
on_hits(const struct vecwire_reply *reply, void *arg)
{
    struct search *search = arg;
    struct proxy *proxy = search->proxy;
    struct evhttp_request *req = search->req;
    const struct vecwire_error *error = vecwire_reply_error(reply);

    /* First of all: the reply may close the descriptor that this watches. */
    event_free(search->watch);
    if (error == NULL) {
        reply_json(proxy, req, HTTP_OK, make_hits(search->row, reply));
    } else if (error->code == VECWIRE_ECANCELED) {
        /* By on_watch(): nobody is there to read. The request goes too. */
        proxy->n_canceled++;
        evhttp_connection_free(evhttp_request_get_connection(req));
    } else {
        reply_error(proxy, req, status_of(error->code),
                    vecwire_err_name(error->code), error->detail);
    }
    free(search);
}

/* While a request is served evhttp does not read its connection, so it does
 * not see that the client has gone, and no close callback of its runs. This
 * event does; half a close counts. It is not persistent: bytes of a next
 * request, sent ahead, must not wake the loop again and again, and that client
 * is then no longer watched. */
static void
on_watch(evutil_socket_t fd, short what, void *arg)
{
    struct search *search = arg;
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    (void)what;
    /* on_hits() comes from the loop, and cleans up. */
    if (n == 0 || (n < 0 && errno != EAGAIN))
        vecwire_cancel(search->proxy->db, search->call);
}

static void
start_search(struct proxy *proxy, struct evhttp_request *req, size_t row)
{
    struct bufferevent *bev =
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
    struct search *search = calloc(1, sizeof(*search));
    struct vecwire_refusal why = {.text = "no memory"};
    enum vecwire_err code = VECWIRE_ENOMEM;

    if (search == NULL)
        goto fail;
    *search = (struct search){.proxy = proxy, .req = req, .row = row};
    search->watch = event_new(bufferevent_get_base(bev), bufferevent_getfd(bev),
                              EV_READ, on_watch, search);
    if (search->watch == NULL || event_add(search->watch, NULL) != 0)
        goto fail;
    code = vecwire_query(proxy->db,
                         &VECWIRE_QUERY(.vector = proxy->rows + row * DIM,
                                        .dim = DIM, .refusal = &why),
                         on_hits, search, &search->call);
    if (code == VECWIRE_OK)
        return; /* on_hits() will run; `search` is its own */
fail:
    if (search != NULL && search->watch != NULL)
        event_free(search->watch);
    free(search);
    reply_error(proxy, req, status_of(code), vecwire_err_name(code), why.text);
}

bool
read_number(const char *text, size_t max, size_t *number)
{
    char *end;
    unsigned long long value;

    if (text == NULL || *text < '0' || *text > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    *number = (size_t)value;
    return errno == 0 && *end == '\0' && value <= max;
}

static bool
read_row(struct evhttp_request *req, size_t *row)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
    const char *query = evhttp_uri_get_query(uri);
    struct evkeyvalq params;
    bool found;

    if (query == NULL || evhttp_parse_query_str(query, &params) != 0)
        return false;
    found = read_number(evhttp_find_header(&params, "row"), SIZE_MAX, row);
    evhttp_clear_headers(&params);
    return found;
}

void
search_handle(struct evhttp_request *req, void *arg)
{
    struct proxy *proxy = arg;
    size_t row;

    self_test_count(proxy);
    if (!read_row(req, &row))
        reply_error(proxy, req, HTTP_BADREQUEST, "bad_request",
                    "expected /search?row=N");
    else if (row >= proxy->n_rows)
        reply_error(proxy, req, HTTP_NOTFOUND, "not_found", "no such row");
    else
        start_search(proxy, req, row);
}
