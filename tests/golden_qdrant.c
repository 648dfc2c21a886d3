/* SPDX-License-Identifier: Apache-2.0 */
/* Sends every request to a server of its own and prints what came, a line of
 * JSON each: {"name":..,"method":..,"path":..,"query":{..},"body":..}. The
 * path is as it was sent, percent-encoded; so is the body, byte for byte. */
#include "tests/golden_qdrant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <jansson.h>

static const struct {
    const struct golden_request *list;
    const size_t *n;
} areas[] = {
    {golden_admin, &n_golden_admin},     {golden_filters, &n_golden_filters},
    {golden_queries, &n_golden_queries}, {golden_reads, &n_golden_reads},
    {golden_server, &n_golden_server},   {golden_updates, &n_golden_updates},
};

static void
fail(const struct golden *golden, const char *why)
{
    fprintf(stderr, "golden_qdrant: %s: %s\n", golden->name, why);
    exit(1);
}

static const char *
method_name(enum evhttp_cmd_type type)
{
    switch ((int)type) {
    case EVHTTP_REQ_GET:
        return "GET";
    case EVHTTP_REQ_PUT:
        return "PUT";
    case EVHTTP_REQ_POST:
        return "POST";
    case EVHTTP_REQ_PATCH:
        return "PATCH";
    case EVHTTP_REQ_DELETE:
        return "DELETE";
    default:
        return "?";
    }
}

/* In order, each as text. */
static json_t *
parameters(const struct golden *golden, const char *query)
{
    json_t *object = json_object();
    struct evkeyvalq list;

    if (query == NULL)
        return object;
    if (evhttp_parse_query_str(query, &list) != 0)
        fail(golden, "its query string cannot be read");
    for (struct evkeyval *each = list.tqh_first; each != NULL;
         each = each->next.tqe_next) {
        if (json_object_get(object, each->key) != NULL)
            fail(golden, "a parameter comes twice");
        json_object_set_new(object, each->key, json_string(each->value));
    }
    evhttp_clear_headers(&list);
    return object;
}

static void
print_body(const struct golden *golden, struct evhttp_request *req)
{
    struct evbuffer *buffer = evhttp_request_get_input_buffer(req);
    const char *type = evhttp_find_header(evhttp_request_get_input_headers(req),
                                          "Content-Type");
    size_t len = evbuffer_get_length(buffer);
    const char *bytes = (const char *)evbuffer_pullup(buffer, -1);
    json_t *value;

    if (len == 0 && type == NULL)
        return;
    if (len == 0 || type == NULL || strcmp(type, "application/json") != 0)
        fail(golden, "body and Content-Type do not go together");
    value = json_loadb(bytes, len,
                       JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        fail(golden, "its body is no JSON");
    if (memchr(bytes, '\n', len) != NULL)
        fail(golden, "its body has a line break");
    json_decref(value);
    fputs(",\"body\":", stdout);
    fwrite(bytes, 1, len, stdout);
}

static void
on_request(struct evhttp_request *req, void *arg)
{
    static const char error[] = "{\"status\":{\"error\":\"noted\"},\"time\":0}";
    struct golden *golden = arg;
    const char *uri = evhttp_request_get_uri(req);
    const char *mark = strchr(uri, '?');
    size_t len = mark != NULL ? (size_t)(mark - uri) : strlen(uri);
    json_t *head = json_pack(
        "{ss ss ss% so}", "name", golden->name, "method",
        method_name(evhttp_request_get_command(req)), "path", uri, len, "query",
        parameters(golden, mark != NULL ? mark + 1 : NULL));
    char *text = json_dumps(head, JSON_COMPACT);
    struct evbuffer *answer = evhttp_request_get_output_buffer(req);

    /* Without the brace at its end. */
    printf("%.*s", (int)strlen(text) - 1, text);
    print_body(golden, req);
    puts("}");
    free(text);
    json_decref(head);
    golden->sent++;
    evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type",
                      "application/json");
    evbuffer_add(answer, error, strlen(error));
    /* No call is repeated after this one. */
    evhttp_send_reply(req, 400, "Bad Request", NULL);
}

void
golden_done(const struct vecwire_reply *reply, void *arg)
{
    struct golden *golden = arg;

    if (vecwire_reply_status(reply) != 400)
        fail(golden, vecwire_reply_error(reply)->detail);
    golden->answered++;
    vecwire_loop_stop(golden->loop);
}

static void
send_one(struct golden *golden, const struct golden_request *request)
{
    enum vecwire_err err;
    char why[512];

    golden->name = request->name;
    golden->sent = golden->answered = 0;
    golden->refusal = (struct vecwire_refusal){0};
    err = request->ask(golden);
    if (err != VECWIRE_OK) {
        snprintf(why, sizeof(why), "%s: %s", vecwire_strerror(err),
                 golden->refusal.text);
        fail(golden, why);
    }
    if (vecwire_loop_run(golden->loop) != VECWIRE_OK || golden->sent != 1 ||
        golden->answered != 1)
        fail(golden, "not one request and one answer");
}

/* The URL of a new server on this base. */
static struct evhttp *
listen_here(struct golden *golden, struct event_base *base, char *url,
            size_t room)
{
    struct evhttp *http = evhttp_new(base);
    struct evhttp_bound_socket *bound;
    struct sockaddr_in at = {.sin_family = AF_UNSPEC};
    socklen_t len = sizeof(at);

    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_PUT |
                                         EVHTTP_REQ_POST | EVHTTP_REQ_PATCH |
                                         EVHTTP_REQ_DELETE);
    evhttp_set_gencb(http, on_request, golden);
    bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", 0);
    if (bound == NULL || getsockname(evhttp_bound_socket_get_fd(bound),
                                     (struct sockaddr *)&at, &len) != 0)
        fail(golden, "no port");
    snprintf(url, room, "http://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    return http;
}

int
main(void)
{
    struct golden golden = {.name = "start"};
    struct event_base *base = vecwire_event_base_new();
    char url[40];
    struct evhttp *http = listen_here(&golden, base, url, sizeof(url));

    if (vecwire_loop_new(&golden.loop, base) != VECWIRE_OK ||
        vecwire_client_new(
            &golden.client, base,
            &VECWIRE_OPTIONS(.url = url, .loop = golden.loop,
                             .dialect = VECWIRE_QDRANT, .collection = "goods",
                             .refusal = &golden.refusal)) != VECWIRE_OK)
        fail(&golden, golden.refusal.text);
    for (size_t i = 0; i < GOLDEN_SIZE(areas); i++) {
        for (size_t j = 0; j < *areas[i].n; j++)
            send_one(&golden, &areas[i].list[j]);
    }
    vecwire_client_free(golden.client);
    vecwire_loop_free(golden.loop);
    evhttp_free(http);
    event_base_free(base);
    return 0;
}
