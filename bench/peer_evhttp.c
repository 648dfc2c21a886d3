/* SPDX-License-Identifier: Apache-2.0 */
/* evhttp as its documentation shows it: a plain base, one request object a
 * call, several requests queued on each connection. Transport alone. */
#include "bench.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>

struct load;

/* One request in flight. */
struct slot {
    struct load *load;
    struct evhttp_connection *conn;
    uint64_t started_ns;
};

struct load {
    struct bench_args args;
    struct bench_run run;
    struct event_base *base;
    char *body;
    size_t body_len;
};

static void submit(struct slot *slot);

static void
on_answer(struct evhttp_request *request, void *arg)
{
    struct slot *slot = arg;
    struct load *load = slot->load;

    if (request == NULL || evhttp_request_get_response_code(request) != 200)
        bench_die("request failed");
    if (bench_run_done(&load->run, slot->started_ns))
        event_base_loopbreak(load->base);
    else
        submit(slot);
}

static void
submit(struct slot *slot)
{
    struct load *load = slot->load;
    struct evhttp_request *request = evhttp_request_new(on_answer, slot);
    struct evkeyvalq *headers;

    if (request == NULL)
        bench_die("out of memory");
    headers = evhttp_request_get_output_headers(request);
    slot->started_ns = load->run.now_ns;
    if (evhttp_add_header(headers, "Host", load->args.authority) != 0 ||
        evhttp_add_header(headers, "Content-Type", "application/json") != 0 ||
        evbuffer_add_reference(evhttp_request_get_output_buffer(request),
                               load->body, load->body_len, NULL, NULL) != 0 ||
        evhttp_make_request(slot->conn, request, EVHTTP_REQ_POST,
                            load->args.path) != 0)
        bench_die("cannot make a request");
}

int
main(int argc, char **argv)
{
    struct load load = {
        .args = {.client = "evhttp", .about = "libevent " LIBEVENT_VERSION}};
    struct evhttp_connection **conns;
    struct slot *slots;

    bench_args_parse(&load.args, argc, argv);
    load.base = event_base_new();
    if (load.base == NULL)
        bench_die("no event base");
    load.body = bench_query_body(1, &load.body_len);
    conns =
        bench_alloc(load.args.connections, sizeof(struct evhttp_connection *));
    slots = bench_alloc(load.args.in_flight, sizeof(*slots));
    for (uint32_t i = 0; i < load.args.connections; i++) {
        conns[i] = evhttp_connection_base_new(load.base, NULL, load.args.host,
                                              load.args.port);
        if (conns[i] == NULL)
            bench_die("out of memory");
    }
    bench_run_init(&load.run, &load.args);
    for (uint32_t i = 0; i < load.args.in_flight; i++) {
        slots[i].load = &load;
        slots[i].conn = conns[i % load.args.connections];
        submit(&slots[i]);
    }
    event_base_dispatch(load.base);
    if (load.run.done < load.args.warmup + load.args.requests)
        bench_die("the loop ended early");
    bench_run_print(&load.run, NULL);
    for (uint32_t i = 0; i < load.args.connections; i++)
        evhttp_connection_free(conns[i]);
    event_base_free(load.base);
    bench_run_fini(&load.run);
    free(conns);
    free(slots);
    free(load.body);
    return EXIT_SUCCESS;
}
