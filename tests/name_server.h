/* SPDX-License-Identifier: Apache-2.0 */
/* A name server on a UDP socket that answers A and AAAA queries as a script
 * says, and not always as it should. It lives on the test's own event_base. */
#ifndef VECWIRE_TESTS_NAME_SERVER_H
#define VECWIRE_TESTS_NAME_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct name_server;

enum name_fault {
    NAME_PLAIN,          /* an answer as it should be */
    NAME_SILENT,         /* none, ever */
    NAME_WRONG_ID,       /* that of another query */
    NAME_WRONG_QUESTION, /* the answer to another name */
    NAME_LOWER_CASE,     /* the name not in the letters of the query */
    NAME_TRUNCATED,      /* TC is set */
    NAME_CUT,            /* ends in the middle of a record */
    NAME_GARBAGE,        /* bytes that are no message */
    NAME_EMPTY,          /* a datagram without a byte */
    NAME_POINTER_LOOP,   /* the record's name points at itself */
    NAME_NO_RESPONSE_BIT /* a query comes back as it was */
};

/* What becomes of a query of one type. */
struct name_answer {
    enum name_fault fault;
    unsigned rcode;
    const char *addresses; /* "127.0.0.1 127.0.0.2", NULL: no record */
    const char *aliases;   /* "b.test c.test": CNAMEs in front, in a chain */
    uint32_t ttl;
    unsigned late_ms; /* the answer leaves so much later */
    unsigned times;   /* 0: once; sent so many times */
};

/* For names that end in `suffix` (NULL: all of them); the first that fits. */
struct name_rule {
    const char *suffix;
    struct name_answer a, aaaa;
};

/* `address` is one of 127.0.0.0/8; libevent takes two servers of one address
 * for one. The rules outlive the server. */
struct name_server *name_server_new(struct event_base *base,
                                    const char *address,
                                    const struct name_rule *rules, size_t n);
void name_server_free(struct name_server *server); /* NULL is fine */

uint16_t name_server_port(const struct name_server *server);

/* A resolv.conf that names it and no other; it goes with the server. */
const char *name_server_conf(const struct name_server *server);

/* Close its socket: whoever asks is told that nobody is there. */
void name_server_stop(struct name_server *server);

/* Queries so far, and answers that have not left yet. */
size_t name_server_queries(const struct name_server *server);
size_t name_server_waiting(const struct name_server *server);

/* Queries for exactly that name. */
size_t name_server_asked(const struct name_server *server, const char *name);

#endif
