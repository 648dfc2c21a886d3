/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tls_rig.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 8000

const struct fault_step tls_rig_answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};

static void
on_log(enum vecwire_log_level level, const char *line, void *arg)
{
    struct tls_rig *rig = arg;
    size_t n = strlen(rig->log);

    snprintf(rig->log + n, sizeof(rig->log) - n, "%u %s\n", (unsigned)level,
             line);
}

void
tls_rig_init(struct tls_rig *rig, const struct cert *cert,
             const struct fault_step *script)
{
    ck_assert(tls_rig_init_at(rig, "127.0.0.1", cert, script));
}

bool
tls_rig_init_at(struct tls_rig *rig, const char *address,
                const struct cert *cert, const struct fault_step *script)
{
    static const struct fault_step *scripts[1];

    memset(rig, 0, sizeof(*rig));
    scripts[0] = script;
    rig->base = vecwire_event_base_new();
    ck_assert_int_eq(vecwire_loop_new(&rig->loop, rig->base), VECWIRE_OK);
    rig->server = fault_server_new(rig->base, address, scripts, 1);
    if (rig->server == NULL) {
        tls_rig_fini(rig);
        return false;
    }
    rig->ctx = cert_server_ctx(cert);
    fault_server_use_tls(rig->server, rig->ctx, SIZE_MAX);
    return true;
}

void
tls_rig_fini(struct tls_rig *rig)
{
    vecwire_reply_release(rig->reply);
    vecwire_client_free(rig->client);
    for (int i = 0; i < 3; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
    fault_server_free(rig->server);
    SSL_CTX_free(rig->ctx);
    vecwire_loop_free(rig->loop);
    event_base_free(rig->base);
}

enum vecwire_err
tls_rig_client(struct tls_rig *rig, const char *host,
               struct vecwire_options options)
{
    char url[300];

    vecwire_client_free(rig->client);
    rig->client = NULL;
    snprintf(url, sizeof(url), "https://%s:%u", host,
             (unsigned)fault_server_port(rig->server));
    if (options.url == NULL)
        options.url = url;
    options.api_key = TLS_RIG_KEY;
    options.loop = rig->loop;
    options.refusal = &rig->refusal;
    options.log = on_log;
    options.log_arg = rig;
    if (options.attempts == 0)
        options.attempts = 1;
    if (options.ca_file == NULL && !options.insecure && !rig->system_trust)
        options.ca_file = cert_authority()->cert_file;
    return vecwire_client_new(&rig->client, rig->base, &options);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct tls_rig *rig = arg;

    rig->runs++;
    vecwire_reply_release(rig->reply);
    rig->reply = vecwire_reply_keep(reply);
}

void
tls_rig_begin(struct tls_rig *rig, vecwire_call_id *id)
{
    vecwire_reply_release(rig->reply);
    rig->reply = NULL;
    rig->runs = 0;
    ck_assert_int_eq(
        vecwire_raw(rig->client, &VECWIRE_RAW(.path = "/"), on_reply, rig, id),
        VECWIRE_OK);
}

enum vecwire_err
tls_rig_ask(struct tls_rig *rig)
{
    tls_rig_begin(rig, NULL);
    ck_assert_int_eq(vecwire_client_drain(rig->client, PATIENCE_MS),
                     VECWIRE_OK);
    return tls_rig_code(rig);
}

enum vecwire_err
tls_rig_code(const struct tls_rig *rig)
{
    const struct vecwire_error *error;

    ck_assert_uint_eq(rig->runs, 1);
    error = vecwire_reply_error(rig->reply);
    return error == NULL ? VECWIRE_OK : error->code;
}

void
tls_rig_expect(const struct tls_rig *rig, enum vecwire_err code,
               enum vecwire_phase phase, const char *text)
{
    const struct vecwire_error *error = vecwire_reply_error(rig->reply);

    ck_assert_ptr_nonnull(error);
    ck_assert_msg(error->code == code && error->phase == phase &&
                      strstr(error->detail, text) != NULL,
                  "%s in %s: %s", vecwire_err_name(error->code),
                  vecwire_phase_name(error->phase), error->detail);
    ck_assert_ptr_null(strstr(error->detail, TLS_RIG_KEY));
}
