/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/chaos_conn.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>

const char chaos_stray[] = "HTTP/1.1 200 OK\r\nX-Marker: stray\r\n"
                           "Content-Length: 5\r\n\r\nstray";

const char *
chaos_fault_text(enum chaos_fault fault)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        CHAOS_FAULT_MAP(TEXT)
#undef TEXT
    };

    return texts[fault];
}

void
chaos_note(struct chaos_server *server, const struct chaos_request *req,
           enum chaos_fault fault)
{
    atomic_fetch_add(&server->options.notes->faults[fault], 1);
    if (req != NULL && req->seen != NULL)
        atomic_fetch_or(&req->seen->faults, 1U << fault);
}

/* --- bodies --- */

static void
add_raw_body(struct chaos_server *server, struct evbuffer *body,
             const struct chaos_request *req)
{
    unsigned n = chaos_dice(server, 4) == 0 ? chaos_dice(server, 1000) : 0;

    evbuffer_add_printf(body, "%" PRIu64, req->marker);
    for (; n > 0; n--)
        evbuffer_add_printf(body, "%20" PRIu64, req->marker);
}

static void
add_body(struct chaos_server *server, struct evbuffer *body,
         const struct chaos_request *req)
{
    uint64_t m = req->marker;

    switch (req->kind) {
    case 'q':
        evbuffer_add_printf(body,
                            "{\"matches\":[{\"id\":\"%" PRIu64
                            "\",\"score\":0.5,\"metadata\":{\"m\":%" PRIu64
                            "},\"text\":\"%" PRIu64 "\"}]}",
                            m, m, m);
        break;
    case 'u':
        evbuffer_add_printf(body, "{\"added\":%" PRIu64 "}", m);
        break;
    case 'd':
        evbuffer_add_printf(body, "{\"deleted\":true}");
        break;
    default:
        add_raw_body(server, body, req);
        break;
    }
}

/* --- answers --- */

static void
add_answer(struct chaos_conn *conn, const struct chaos_request *req,
           const char *status, const char *headers)
{
    struct evbuffer *body = evbuffer_new();
    bool chunked = chaos_dice(conn->server, 4) == 0;
    size_t len;

    add_body(conn->server, body, req);
    len = evbuffer_get_length(body);
    evbuffer_add_printf(conn->out, "HTTP/1.1 %s\r\nX-Marker: %" PRIu64 "\r\n%s",
                        status, req->marker, headers);
    if (chunked)
        evbuffer_add_printf(conn->out,
                            "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", len);
    else
        evbuffer_add_printf(conn->out, "Content-Length: %zu\r\n\r\n", len);
    evbuffer_add_buffer(conn->out, body);
    if (chunked)
        evbuffer_add_printf(conn->out, "\r\n0\r\n\r\n");
    evbuffer_free(body);
}

static void
add_good(struct chaos_conn *conn, const struct chaos_request *req)
{
    add_answer(conn, req, "200 OK", "");
}

/* Close, reset or stall; `first` is the fault of the first of them. */
static void
end_badly(struct chaos_conn *conn, const struct chaos_request *req,
          enum chaos_fault first)
{
    unsigned which = chaos_dice(conn->server, 3);

    conn->after = (enum chaos_after)(CHAOS_CLOSE + which);
    chaos_note(conn->server, req, (enum chaos_fault)(first + which));
}

static void
cut_off(struct chaos_conn *conn, const struct chaos_request *req)
{
    size_t len = evbuffer_get_length(conn->out);
    char *all = malloc(len);
    size_t keep = chaos_dice(conn->server, (unsigned)len);

    assert(all != NULL);
    evbuffer_remove(conn->out, all, len);
    evbuffer_add(conn->out, all, keep);
    free(all);
    end_badly(conn, req, CHAOS_CUT_CLOSE);
}

static void
add_status(struct chaos_conn *conn, const struct chaos_request *req)
{
    static const char *const waits[] = {
        "",
        "Retry-After: 0\r\n",
        "Retry-After: 1\r\n",
        "Retry-After: 99999\r\n",
        "Retry-After: -1\r\n",
        "Retry-After: soon\r\n",
        "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"};
    static const char *const statuses[] = {
        "429 Too Many Requests", "503 Service Unavailable",
        "500 Internal Server Error", "404 Not Found", "302 Found"};
    struct chaos_server *server = conn->server;
    unsigned which = chaos_dice(server, 5);

    if (which == 0)
        atomic_fetch_add(&req->seen->told_429, 1);
    chaos_note(server, req,
               which == 0   ? CHAOS_TOLD_429
               : which == 1 ? CHAOS_TOLD_503
                            : CHAOS_TOLD_OTHER);
    add_answer(conn, req, statuses[which],
               which < 2 ? waits[chaos_dice(server, 7)] : "Location: /x\r\n");
}

static void
add_nonsense(struct chaos_conn *conn, const struct chaos_request *req)
{
    static const char *const texts[] = {
        "\r\n\r\n\r\n",
        "SSH-2.0-x\r\n",
        "HTTP/1.1 999999 x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "\0\0\0\0"};
    const char *text = texts[chaos_dice(conn->server, 10)];

    evbuffer_add(conn->out, text, text[0] == '\0' ? 4 : strlen(text));
    conn->after = (enum chaos_after)chaos_dice(conn->server, 4);
    chaos_note(conn->server, req, CHAOS_NONSENSE);
}

static void
add_wrong_json(struct chaos_conn *conn, const struct chaos_request *req)
{
    static const char *const bodies[] = {"{\"matches\":[", "[]", "nul", "{}}",
                                         "{\"matches\":7}"};
    const char *body = bodies[chaos_dice(conn->server, 5)];

    evbuffer_add_printf(conn->out,
                        "HTTP/1.1 200 OK\r\nX-Marker: %" PRIu64
                        "\r\nContent-Length: %zu\r\n\r\n%s",
                        req->marker, strlen(body), body);
    chaos_note(conn->server, req, CHAOS_WRONG_JSON);
}

static void
add_unframed(struct chaos_conn *conn, const struct chaos_request *req)
{
    bool reset = chaos_dice(conn->server, 2) == 0;

    evbuffer_add_printf(conn->out,
                        "HTTP/1.1 200 OK\r\nX-Marker: %" PRIu64 "\r\n\r\n",
                        req->marker);
    add_body(conn->server, conn->out, req);
    conn->after = reset ? CHAOS_RESET : CHAOS_CLOSE;
    chaos_note(conn->server, req,
               reset ? CHAOS_UNFRAMED_RESET : CHAOS_UNFRAMED);
}

static void
add_interim(struct chaos_conn *conn, const struct chaos_request *req)
{
    bool hints = chaos_dice(conn->server, 2) == 0;

    evbuffer_add_printf(conn->out, "HTTP/1.1 %s\r\n\r\n",
                        hints ? "103 Early Hints" : "100 Continue");
    chaos_note(conn->server, req, hints ? CHAOS_HINTS : CHAOS_CONTINUE);
    add_good(conn, req);
}

static void
end_after_it(struct chaos_conn *conn, const struct chaos_request *req)
{
    static const struct {
        enum chaos_after after;
        enum chaos_fault fault;
    } ends[] = {{CHAOS_CLOSE, CHAOS_THEN_CLOSE},
                {CHAOS_RESET, CHAOS_THEN_RESET},
                {CHAOS_STALL, CHAOS_THEN_STALL},
                {CHAOS_KEEP_A_WHILE, CHAOS_IDLE_CLOSE},
                {CHAOS_STRAY, CHAOS_THEN_STRAY}};
    unsigned i = chaos_dice(conn->server, conn->server->options.apart ? 4 : 5);

    add_good(conn, req);
    conn->after = ends[i].after;
    /* An idle close is one when it comes to it. */
    if (ends[i].fault != CHAOS_IDLE_CLOSE)
        chaos_note(conn->server, req, ends[i].fault);
}

static void
misbehave(struct chaos_conn *conn, const struct chaos_request *req,
          unsigned action)
{
    if (action < 4) {
        add_status(conn, req);
    } else if (action < 6) {
        end_badly(conn, req, CHAOS_MUTE_CLOSE);
    } else if (action < 9) {
        add_good(conn, req);
        cut_off(conn, req);
    } else if (action < 11) {
        add_nonsense(conn, req);
    } else if (action < 13) {
        add_good(conn, req);
        evbuffer_add_printf(conn->out, "%s", chaos_stray);
        conn->piece = 0;
        chaos_note(conn->server, req, CHAOS_BEHIND);
    } else if (action < 15) {
        add_interim(conn, req);
    } else if (action < 17) {
        add_answer(conn, req, "200 OK", "Connection: close\r\n");
        conn->after = CHAOS_CLOSE;
        chaos_note(conn->server, req, CHAOS_SAID_CLOSE);
    } else if (action < 24) {
        end_after_it(conn, req);
    } else if (action < 26 && req->kind != 'r') {
        add_wrong_json(conn, req);
    } else if (action < 28) {
        add_unframed(conn, req);
    } else {
        add_good(conn, req);
    }
}

void
chaos_choose(struct chaos_conn *conn, const struct chaos_request *req,
             bool faulty)
{
    struct chaos_server *server = conn->server;
    unsigned action;

    conn->after = CHAOS_KEEP;
    conn->piece = 0;
    if (!faulty) {
        add_good(conn, req);
        return;
    }
    action = chaos_dice(server, 40);
    if (action % 3 == 0)
        conn->piece = 1 + chaos_dice(server, 5000);
    misbehave(conn, req, action);
    if (conn->piece > 0)
        chaos_note(server, req, CHAOS_PIECES);
}
