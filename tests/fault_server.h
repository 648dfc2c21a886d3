/* SPDX-License-Identifier: Apache-2.0 */
/* A server on raw sockets that does, byte for byte, what a script says. It
 * lives on the test's own event_base. */
#ifndef VECWIRE_TESTS_FAULT_SERVER_H
#define VECWIRE_TESTS_FAULT_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct ssl_ctx_st;

enum fault_kind {
    FAULT_END,        /* close; also what a script ends with */
    FAULT_READ,       /* wait for one whole request */
    FAULT_READ_HEAD,  /* wait for the head of one; its body stays unread */
    FAULT_READ_SOME,  /* wait for `n` bytes, and read no more than those */
    FAULT_SEND,       /* send `bytes` */
    FAULT_REPLY,      /* send a reply: `bytes` is status and reason, a line
                       * end, and the body, `n` in all */
    FAULT_ANSWER,     /* send what fault_server_set_answer()'s function says */
    FAULT_FILL,       /* send `n` bytes of 'x' */
    FAULT_DRIP,       /* send `bytes`, `n` of them in a pass of the loop */
    FAULT_GATE,       /* wait for fault_server_open_gate() */
    FAULT_DISCARD,    /* read and forget until the client closes */
    FAULT_HALF_CLOSE, /* shut the sending side down */
    FAULT_RESET,      /* close with RST */
    FAULT_RAW,        /* over TLS: send `bytes` past it */
    FAULT_NEW_KEYS,   /* over TLS: ask for new keys (1.3) or hands (1.2) */
    FAULT_CUT,        /* over TLS: close without close_notify */
    FAULT_STALL,      /* nothing any more: neither read nor close */
    FAULT_AGAIN,      /* from the start */
    FAULT_SERVE       /* from now on read and answer, without end */
};

struct fault_step {
    enum fault_kind kind;
    const char *bytes;
    size_t n; /* of bytes, too: 0 is strlen(bytes) */
};

/* A reply with Content-Length. */
#define FAULT_OK(text, length)                                                 \
    {                                                                          \
        FAULT_SEND,                                                            \
            "HTTP/1.1 200 OK\r\nContent-Length: " length "\r\n\r\n" text, 0    \
    }

/* In what is sent this becomes the mark of the request that was read last on
 * the connection: its header FAULT_MARK_HEADER, as long as this. */
#define FAULT_MARK "@@@@@@"
#define FAULT_MARK_HEADER "X-Mark"

/* The script that is nothing but FAULT_SERVE. */
extern const struct fault_step fault_serving[];

struct fault_server;

/* What FAULT_ANSWER and FAULT_SERVE answer to a request. */
void fault_server_set_answer(struct fault_server *server,
                             const char *(*answer)(const char *request));

/* Connections from now on are TLS; scripts begin behind the handshake. Of
 * each, at most `limit` bytes go over the socket. `ctx` outlives the server. */
void fault_server_use_tls(struct fault_server *server, struct ssl_ctx_st *ctx,
                          size_t limit);

/* Connections from now on are closed when they have reached their limit. */
void fault_server_cut_tls(struct fault_server *server);

/* Handshakes that were done, and of these, with a session of an earlier one. */
size_t fault_server_shaken(const struct fault_server *server);
size_t fault_server_resumed(const struct fault_server *server);

/* SNI of the last one, "" without. */
const char *fault_server_sni(const struct fault_server *server);

/* close_notify that came. */
size_t fault_server_goodbyes(const struct fault_server *server);

/* Serves the i-th connection by scripts[i], the ones after the last by the
 * last. `address` is "127.0.0.1" or "::1". NULL: no such address here. */
struct fault_server *fault_server_new(struct event_base *base,
                                      const char *address,
                                      const struct fault_step *const *scripts,
                                      size_t n_scripts);
void fault_server_free(struct fault_server *server);

uint16_t fault_server_port(const struct fault_server *server);

/* Accept no more: connecting is refused from now on. */
void fault_server_stop_listening(struct fault_server *server);

/* The same, and the port stays ours until connections are accepted again. */
void fault_server_be_deaf(struct fault_server *server);
void fault_server_hear(struct fault_server *server);

/* Connections come up and wait to be accepted, which nobody does; of those
 * more than `backlog` allows the system lets none come up. */
void fault_server_accept_none(struct fault_server *server, int backlog);

/* Something goes out bit by bit. */
bool fault_server_drips(const struct fault_server *server);

/* All connections that stand at a gate go on. */
void fault_server_open_gate(struct fault_server *server);

/* Counters. */
size_t fault_server_connections(const struct fault_server *server);
size_t fault_server_requests(const struct fault_server *server);
uint64_t fault_server_received(const struct fault_server *server);

/* The last request that was read, NUL-terminated. */
const char *fault_server_request(const struct fault_server *server);

#endif
