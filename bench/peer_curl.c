/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's multi_socket interface on libevent, easy handles and connections
 * reused, body prepared, reply dropped. Transport alone. */
#include "bench.h"

#include <curl/curl.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

struct load {
    struct bench_args args;
    struct bench_run run;
    struct event_base *base;
    struct event *timer;
    CURLM *multi;
    struct curl_slist *headers;
    char *body;
    size_t body_len;
    bool ended;
};

/* One easy handle. */
struct slot {
    struct load *load;
    uint64_t started_ns;
};

static void
submit(struct load *load, CURL *easy)
{
    struct slot *slot = NULL;

    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
    slot->started_ns = load->run.now_ns;
    if (curl_multi_add_handle(load->multi, easy) != CURLM_OK)
        bench_die("cannot add a handle");
}

static void
take_answers(struct load *load)
{
    CURLMsg *message;
    int left;

    while (!load->ended &&
           (message = curl_multi_info_read(load->multi, &left)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;
        struct slot *slot = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        if (code != CURLE_OK)
            bench_die("request failed: %s", curl_easy_strerror(code));
        curl_multi_remove_handle(load->multi, easy);
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
        load->ended = bench_run_done(&load->run, slot->started_ns);
        if (load->ended)
            event_base_loopbreak(load->base);
        else
            submit(load, easy);
    }
}

static void
on_socket(evutil_socket_t fd, short what, void *arg)
{
    struct load *load = arg;
    int running;
    int ready = ((what & EV_READ) ? CURL_CSELECT_IN : 0) |
                ((what & EV_WRITE) ? CURL_CSELECT_OUT : 0);

    curl_multi_socket_action(load->multi, fd, ready, &running);
    take_answers(load);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct load *load = arg;
    int running;

    (void)fd;
    (void)what;
    curl_multi_socket_action(load->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    take_answers(load);
}

static int
watch_timer(CURLM *multi, long timeout_ms, void *arg)
{
    struct load *load = arg;
    struct timeval timeout = {timeout_ms / 1000, (timeout_ms % 1000) * 1000};

    (void)multi;
    if (timeout_ms < 0)
        return evtimer_del(load->timer);
    return evtimer_add(load->timer, &timeout);
}

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket)
{
    struct load *load = arg;
    struct event *event = socket;
    short kind = (short)(EV_PERSIST | ((what & CURL_POLL_IN) ? EV_READ : 0) |
                         ((what & CURL_POLL_OUT) ? EV_WRITE : 0));

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (event != NULL)
            event_free(event);
        curl_multi_assign(load->multi, fd, NULL);
        return 0;
    }
    if (event == NULL) {
        event = event_new(load->base, fd, kind, on_socket, load);
        if (event == NULL)
            bench_die("out of memory");
        curl_multi_assign(load->multi, fd, event);
    } else if (event_get_events(event) != kind) {
        event_del(event);
        event_assign(event, load->base, fd, kind, on_socket, load);
    }
    return event_add(event, NULL);
}

static size_t
drop_body(char *bytes, size_t size, size_t n, void *arg)
{
    (void)bytes;
    (void)arg;
    return size * n;
}

static CURL *
new_easy(struct load *load, struct slot *slot)
{
    CURL *easy = curl_easy_init();

    if (easy == NULL)
        bench_die("out of memory");
    slot->load = load;
    curl_easy_setopt(easy, CURLOPT_URL, load->args.url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, (void *)slot);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, load->body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)load->body_len);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, load->headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop_body);
    return easy;
}

static void
setup(struct load *load)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
    load->base = event_base_new();
    load->multi = curl_multi_init();
    /* Without the empty Expect libcurl may wait for a 100. */
    load->headers = curl_slist_append(NULL, "Content-Type: application/json");
    load->headers = curl_slist_append(load->headers, "Expect:");
    if (load->base == NULL || load->multi == NULL || load->headers == NULL)
        bench_die("out of memory");
    load->timer = evtimer_new(load->base, on_timer, load);
    load->body = bench_query_body(1, &load->body_len);
    curl_multi_setopt(load->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(load->multi, CURLMOPT_SOCKETDATA, load);
    curl_multi_setopt(load->multi, CURLMOPT_TIMERFUNCTION, watch_timer);
    curl_multi_setopt(load->multi, CURLMOPT_TIMERDATA, load);
    curl_multi_setopt(load->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)load->args.connections);
    curl_multi_setopt(load->multi, CURLMOPT_MAXCONNECTS,
                      (long)load->args.connections);
}

int
main(int argc, char **argv)
{
    struct load load = {.args = {.client = "curl", .about = curl_version()}};
    struct slot *slots;
    CURL **easies;

    bench_args_parse(&load.args, argc, argv);
    setup(&load);
    slots = bench_alloc(load.args.in_flight, sizeof(*slots));
    easies = bench_alloc(load.args.in_flight, sizeof(CURL *));
    bench_run_init(&load.run, &load.args);
    for (uint32_t i = 0; i < load.args.in_flight; i++) {
        easies[i] = new_easy(&load, &slots[i]);
        submit(&load, easies[i]);
    }
    event_base_dispatch(load.base);
    if (!load.ended)
        bench_die("the loop ended early");
    bench_run_print(&load.run, NULL);
    for (uint32_t i = 0; i < load.args.in_flight; i++) {
        curl_multi_remove_handle(load.multi, easies[i]);
        curl_easy_cleanup(easies[i]);
    }
    curl_multi_cleanup(load.multi);
    event_free(load.timer);
    event_base_free(load.base);
    curl_slist_free_all(load.headers);
    curl_global_cleanup();
    bench_run_fini(&load.run);
    free(easies);
    free(slots);
    free(load.body);
    return EXIT_SUCCESS;
}
