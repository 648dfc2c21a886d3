/* SPDX-License-Identifier: Apache-2.0 */
/* A client and a TLS server of the fault kind on one base. */
#ifndef VECWIRE_TESTS_TLS_RIG_H
#define VECWIRE_TESTS_TLS_RIG_H

#include <check.h>
#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/certs.h"
#include "tests/fault_server.h"

#define TLS_RIG_KEY "the-secret-key"

struct tls_rig {
    struct event_base *base;
    struct vecwire_loop *loop;
    struct fault_server *server;
    struct vecwire_client *client;
    SSL_CTX *ctx;      /* the server's */
    bool system_trust; /* of clients whose options say nothing */
    struct vecwire_refusal refusal;
    /* of the last call */
    const struct vecwire_reply *reply;
    unsigned runs;
    /* of the log */
    char log[2048];
};

/* Keeps connections and answers "hello" to each request. */
extern const struct fault_step tls_rig_answers[];

/* A server with this certificate, served by `script`; no client yet. */
void tls_rig_init(struct tls_rig *rig, const struct cert *cert,
                  const struct fault_step *script);
/* The same elsewhere than on 127.0.0.1. False: there is no such address. */
bool tls_rig_init_at(struct tls_rig *rig, const char *address,
                     const struct cert *cert, const struct fault_step *script);
void tls_rig_fini(struct tls_rig *rig);

/* A client of https://HOST:its port, which trusts our authority unless the
 * options say otherwise. */
enum vecwire_err tls_rig_client(struct tls_rig *rig, const char *host,
                                struct vecwire_options options);

/* A GET, begun; and run to its end. The code. */
void tls_rig_begin(struct tls_rig *rig, vecwire_call_id *id);
enum vecwire_err tls_rig_ask(struct tls_rig *rig);

/* Code, phase and text of the last call. */
enum vecwire_err tls_rig_code(const struct tls_rig *rig);
void tls_rig_expect(const struct tls_rig *rig, enum vecwire_err code,
                    enum vecwire_phase phase, const char *text);

#endif
