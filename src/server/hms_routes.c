/* SPDX-License-Identifier: Apache-2.0 */
#include "server/routes.h"

#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>
#include <event2/http.h>

#include <vecwire/vector.h>

#include "codec/json_string.h"
#include "codec/json_writer.h"
#include "server/hms_text.h"
#include "server/serve_reply.h"
#include "server/state.h"

/* The tenant's name, or NULL when it is none (answered already). */
static const char *
tenant_name(struct evhttp_request *req)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *name = evhttp_find_header(evhttp_request_get_input_headers(req),
                                          "X-Tenant-ID");
    size_t len;

    if (name == NULL)
        return "default";
    len = strlen(name);
    if (len >= 1 && len <= VECWIRE__TENANT_NAME && strspn(name, allowed) == len)
        return name;
    vecwire__serve_error(req, 400, "invalid_tenant",
                         "X-Tenant-ID must have 1 to 64 characters of "
                         "A-Z, a-z, 0-9, _ and -");
    return NULL;
}

/* True when the body is fine; otherwise it has been answered. */
static bool
answer_verdict(struct evhttp_request *req, enum vecwire__hms_verdict verdict,
               const char *fault)
{
    switch (verdict) {
    case VECWIRE__HMS_FINE:
        return true;
    case VECWIRE__HMS_INVALID_JSON:
        vecwire__serve_error(req, 400, "invalid_json", fault);
        return false;
    case VECWIRE__HMS_INVALID_REQUEST:
        vecwire__serve_error(req, 422, "invalid_request", fault);
        return false;
    default:
        vecwire__serve_no_memory(req);
        return false;
    }
}

/* What one large reply made grow is not kept for all the small ones. */
static void
reply_begin(struct vecwire__server *server)
{
    server->reply.len = 0;
    if (server->reply.cap > ((size_t)4 << 20))
        vecwire__buf_fini(&server->reply);
}

static bool
put_hit(struct vecwire__buf *json, const struct vecwire__record *record,
        double score)
{
    const char *text = record->bytes + record->id_len;
    char number[VECWIRE_FLOAT_TEXT_MAX];
    size_t bad;

    return vecwire__buf_str(json, "{\"id\":") &&
           vecwire__json_put_str(json, record->bytes, record->id_len, &bad) ==
               VECWIRE_OK &&
           vecwire__buf_str(json, ",\"text\":") &&
           vecwire__json_put_str(json, text, record->text_len, &bad) ==
               VECWIRE_OK &&
           vecwire__buf_str(json, ",\"metadata\":") &&
           vecwire__buf_add(json, text + record->text_len,
                            record->metadata_len) &&
           vecwire__buf_str(json, ",\"score\":") &&
           vecwire__buf_add(json, number,
                            vecwire_float_format((float)score, number)) &&
           vecwire__buf_byte(json, '}');
}

static bool
put_matches(struct vecwire__buf *json, const struct vecwire__tenant *tenant,
            const struct vecwire__hit *hits, size_t n_hits)
{
    bool done = vecwire__buf_str(json, "{\"matches\":[");

    for (size_t i = 0; done && i < n_hits; i++)
        done = (i == 0 || vecwire__buf_byte(json, ',')) &&
               put_hit(json, tenant->records[hits[i].row], hits[i].score);
    return done && vecwire__buf_str(json, "]}");
}

/* The tenant, made by whatever asks for it first, reading too. NULL: it has
 * been answered. */
static struct vecwire__tenant *
open_tenant(struct vecwire__server *server, struct evhttp_request *req,
            const char *name)
{
    bool full;
    struct vecwire__tenant *tenant =
        vecwire__store_open(&server->store, name, &full);

    if (full)
        vecwire__serve_error(req, 503, "tenant_limit",
                             "64 tenants exist, no more are allowed");
    else if (tenant == NULL)
        vecwire__serve_no_memory(req);
    return tenant;
}

void
vecwire__hms_query(struct vecwire__server *server, struct evhttp_request *req,
                   const char *rest)
{
    const char *name = tenant_name(req);
    struct vecwire__hms_body *body = &server->body;
    struct vecwire__tenant *tenant;
    struct vecwire__search search;
    size_t n_hits = 0;

    (void)rest;
    if (name == NULL ||
        !answer_verdict(
            req,
            vecwire__hms_body_query(body, evhttp_request_get_input_buffer(req)),
            body->fault))
        return;
    tenant = open_tenant(server, req, name);
    if (tenant == NULL)
        return;
    search.query = body->values + body->docs[0].vector_at;
    search.filter = body->filter;
    search.top_k = (size_t)body->top_k;
    search.dot = server->dot;
    reply_begin(server);
    if (vecwire__search_run(tenant, &search, server->hits, &n_hits) &&
        put_matches(&server->reply, tenant, server->hits, n_hits))
        vecwire__serve_json(req, 200, &server->reply);
    else
        vecwire__serve_no_memory(req);
}

static bool
store_all(struct vecwire__tenant *tenant, const struct vecwire__hms_body *body)
{
    for (size_t i = 0; i < body->n_docs; i++) {
        struct vecwire__document document = vecwire__hms_body_document(body, i);

        if (!vecwire__tenant_upsert(tenant, &document))
            return false;
    }
    return true;
}

static void
add_documents(struct vecwire__server *server, struct evhttp_request *req,
              bool batch)
{
    const char *name = tenant_name(req);
    struct vecwire__hms_body *body = &server->body;
    struct vecwire__tenant *tenant;

    if (name == NULL ||
        !answer_verdict(req,
                        vecwire__hms_body_documents(
                            body, evhttp_request_get_input_buffer(req), batch),
                        body->fault))
        return;
    tenant = open_tenant(server, req, name);
    if (tenant == NULL)
        return;
    reply_begin(server);
    if (store_all(tenant, body) &&
        vecwire__buf_str(&server->reply, "{\"added\":") &&
        vecwire__json_put_u64(&server->reply, body->n_docs) &&
        vecwire__buf_byte(&server->reply, '}'))
        vecwire__serve_json(req, 200, &server->reply);
    else
        vecwire__serve_no_memory(req);
}

void
vecwire__hms_add(struct vecwire__server *server, struct evhttp_request *req,
                 const char *rest)
{
    (void)rest;
    add_documents(server, req, false);
}

void
vecwire__hms_add_batch(struct vecwire__server *server,
                       struct evhttp_request *req, const char *rest)
{
    (void)rest;
    add_documents(server, req, true);
}

/* NULL, or what is wrong; then *status says how. */
static const char *
id_fault(const char *id, size_t len, int *status)
{
    *status = 400;
    if (!vecwire__utf8_valid(id, len))
        return "id is no UTF-8";
    *status = 422;
    if (len > VECWIRE__HMS_ID_MAX)
        return "id has more than 256 bytes";
    return strncmp(id, "hms:", 4) == 0 ? "id begins with \"hms:\"" : NULL;
}

static void
delete_document(struct vecwire__server *server, struct evhttp_request *req,
                const char *name, const char *id, size_t len)
{
    int status;
    const char *fault = id_fault(id, len, &status);
    struct vecwire__tenant *tenant;

    if (fault != NULL) {
        vecwire__serve_error(req, status, "invalid_request", fault);
        return;
    }
    tenant = open_tenant(server, req, name);
    if (tenant == NULL)
        return;
    reply_begin(server);
    if (!vecwire__tenant_delete(tenant, id, len))
        vecwire__serve_error(req, 404, "not_found", "no such document");
    else if (vecwire__buf_str(&server->reply, "{\"deleted\":true}"))
        vecwire__serve_json(req, 200, &server->reply);
    else
        vecwire__serve_no_memory(req);
}

void
vecwire__hms_delete(struct vecwire__server *server, struct evhttp_request *req,
                    const char *rest)
{
    const char *name = tenant_name(req);
    size_t len;
    char *id;

    if (name == NULL)
        return;
    id = evhttp_uridecode(rest, 0, &len);
    if (id == NULL)
        vecwire__serve_no_memory(req);
    else
        delete_document(server, req, name, id, len);
    free(id);
}
