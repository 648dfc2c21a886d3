/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/client_rig.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifndef VECWIRE_NO_OPENSSL

#include "tests/certs.h"

/* As for the other rig: VECWIRE_OVER_TLS is in the environment. */
static void
use_tls(struct client_rig *rig, struct vecwire_options *options)
{
    rig->tls = NULL;
    if (getenv("VECWIRE_OVER_TLS") == NULL)
        return;
    rig->tls = cert_server_ctx(cert_localhost());
    fault_server_use_tls(rig->server, rig->tls, SIZE_MAX);
    options->ca_file = cert_authority()->cert_file;
}

static void
drop_tls(struct client_rig *rig)
{
    SSL_CTX_free(rig->tls);
}

#else

static void
use_tls(struct client_rig *rig, struct vecwire_options *options)
{
    (void)options;
    rig->tls = NULL;
}

static void
drop_tls(struct client_rig *rig)
{
    (void)rig;
}

#endif

void
client_rig_init(struct client_rig *rig, const struct fault_step *const *scripts,
                size_t n, struct vecwire_options options)
{
    client_rig_init_on(rig, vecwire_event_base_new(), scripts, n, options);
}

void
client_rig_init_on(struct client_rig *rig, struct event_base *base,
                   const struct fault_step *const *scripts, size_t n,
                   struct vecwire_options options)
{
    rig->base = base;
    ck_assert_ptr_nonnull(rig->base);
    ck_assert_int_eq(vecwire_loop_new(&rig->loop, rig->base), VECWIRE_OK);
    rig->server = fault_server_new(rig->base, "127.0.0.1", scripts, n);
    ck_assert_ptr_nonnull(rig->server);
    use_tls(rig, &options);
    snprintf(rig->url, sizeof(rig->url), "http%s://127.0.0.1:%u",
             rig->tls == NULL ? "" : "s",
             (unsigned)fault_server_port(rig->server));
    if (options.url == NULL)
        options.url = rig->url;
    options.loop = rig->loop;
    ck_assert_int_eq(vecwire_client_new(&rig->client, rig->base, &options),
                     VECWIRE_OK);
}

void
client_rig_fini(struct client_rig *rig)
{
    vecwire_client_free(rig->client);
    /* What libevent keeps of it goes with the next pass. */
    for (int i = 0; i < 3; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
    fault_server_free(rig->server);
    drop_tls(rig);
    vecwire_loop_free(rig->loop);
    event_base_free(rig->base);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct rig_outcome *outcome = arg;

    ck_assert_uint_eq(outcome->runs, 0);
    outcome->runs++;
    outcome->reply = vecwire_reply_keep(reply);
}

static void
begin(struct client_rig *rig, struct rig_outcome *outcome)
{
    *outcome = (struct rig_outcome){.rig = rig};
}

static const float vector[] = {1, 0.5F, -2};

void
client_rig_query(struct client_rig *rig, struct rig_outcome *outcome,
                 const struct vecwire_call_options *options)
{
    begin(rig, outcome);
    ck_assert_int_eq(vecwire_query(rig->client,
                                   &VECWIRE_QUERY(.vector = vector, .dim = 3,
                                                  .call = options),
                                   on_reply, outcome, NULL),
                     VECWIRE_OK);
}

void
client_rig_upsert(struct client_rig *rig, struct rig_outcome *outcome,
                  const struct vecwire_call_options *options)
{
    static const char *const ids[] = {"a"};

    begin(rig, outcome);
    ck_assert_int_eq(
        vecwire_upsert(rig->client,
                       &VECWIRE_UPSERT(.matrix = vector, .dim = 3, .rows = 1,
                                       .ids = ids, .call = options),
                       on_reply, outcome, NULL),
        VECWIRE_OK);
}

void
client_rig_get(struct client_rig *rig, struct rig_outcome *outcome)
{
    begin(rig, outcome);
    ck_assert_int_eq(vecwire_raw(rig->client, &VECWIRE_RAW(.path = "/"),
                                 on_reply, outcome, NULL),
                     VECWIRE_OK);
}

void
client_rig_post(struct client_rig *rig, struct rig_outcome *outcome,
                const void *body, size_t len)
{
    begin(rig, outcome);
    ck_assert_int_eq(vecwire_raw(rig->client,
                                 &VECWIRE_RAW(.method = "POST", .path = "/",
                                              .body = body, .body_len = len),
                                 on_reply, outcome, NULL),
                     VECWIRE_OK);
}

void
client_rig_run(struct client_rig *rig)
{
    ck_assert_int_eq(vecwire_client_drain(rig->client, RIG_PATIENCE_MS),
                     VECWIRE_OK);
}

enum vecwire_err
rig_outcome_code(const struct rig_outcome *outcome)
{
    const struct vecwire_error *error;

    ck_assert_uint_eq(outcome->runs, 1);
    error = vecwire_reply_error(outcome->reply);
    return error == NULL ? VECWIRE_OK : error->code;
}

void
rig_outcome_fini(struct rig_outcome *outcome)
{
    vecwire_reply_release(outcome->reply);
    outcome->reply = NULL;
}

int
client_rig_descriptor(const struct client_rig *rig)
{
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer = {.sin_family = AF_UNSPEC};
        socklen_t len = sizeof(peer);

        if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
            peer.sin_family == AF_INET &&
            ntohs(peer.sin_port) == fault_server_port(rig->server))
            return fd;
    }
    ck_abort_msg("the client has no connection");
    return -1;
}

int
client_rig_main(const char *name, void (*add)(TCase *tcase))
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    add(tcase);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
