/* SPDX-License-Identifier: Apache-2.0 */
#include "api/client.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include <event2/event.h>

#include "api/base.h"
#include "api/tls.h"
#include "call/log.h"
#include "codec/mem.h"

#define NS_PER_MS UINT64_C(1000000)

static uint64_t
ms_to_ns(uint32_t ms)
{
    return ms == VECWIRE_NEVER ? UINT64_MAX : ms * NS_PER_MS;
}

/* --- the clock and the loop behind timers and engine --- */

static uint64_t
clock_now(void *ctx)
{
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec +
           1;
}

static void
clock_arm(void *ctx, uint64_t at_ns)
{
    struct vecwire_client *client = ctx;
    uint64_t now = clock_now(NULL), us;
    struct timeval wait;

    if (at_ns == 0) {
        event_del(client->timer_event);
        return;
    }
    us = at_ns > now ? (at_ns - now + 999) / 1000 : 0;
    wait.tv_sec = (time_t)(us / 1000000);
    wait.tv_usec = (suseconds_t)(us % 1000000);
    event_add(client->timer_event, &wait);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire_client *client = arg;

    (void)fd;
    (void)what;
    vecwire__engine_enter(&client->engine);
    vecwire__timers_run(&client->timers);
    vecwire__engine_leave(&client->engine);
}

static void
on_due(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire_client *client = arg;

    (void)fd;
    (void)what;
    vecwire__engine_run_due(&client->engine);
}

static void
host_soon(void *ctx)
{
    static const struct timeval at_once = {0, 0};
    struct vecwire_client *client = ctx;

    if (client->engine.state == VECWIRE__ENGINE_SHUT)
        return;
    if (event_add(client->due_event, &at_once) != 0)
        event_active(client->due_event, EV_TIMEOUT, 0);
}

static uint64_t
host_iterations(void *ctx)
{
    const struct vecwire_client *client = ctx;

    return vecwire_loop_iterations(client->options.loop);
}

static int64_t
host_wall_s(void *ctx)
{
    (void)ctx;
    return (int64_t)time(NULL);
}

static void
free_text(struct vecwire_client *client, char *text)
{
    if (text != NULL)
        vecwire__mem_free(&client->mem, text, strlen(text) + 1);
}

/* Frees what there is: also the way out of a `new` that failed. */
static void
release(struct vecwire_client *client)
{
    struct vecwire_mem mem = client->mem;

    if (client->texts.api_key != NULL)
        explicit_bzero(client->texts.api_key, strlen(client->texts.api_key));
    vecwire__hms_masking_fini(&client->masking);
    vecwire__headers_free(&client->headers, &mem);
    vecwire__headers_free(&client->extra, &mem);
    vecwire__mem_free(&mem, client->texts.api_key, client->texts.key_bytes);
    free_text(client, client->texts.tenant);
    free_text(client, client->texts.collection);
    free_text(client, client->texts.user_agent);
    vecwire__home_fini(&client->home);
    if (client->gone != NULL)
        *client->gone = true;
    vecwire__mem_free(&mem, client, sizeof(*client));
}

static void
host_gone(void *ctx)
{
    struct vecwire_client *client = ctx;

    vecwire__engine_fini(&client->engine);
    vecwire__timers_fini(&client->timers);
    event_free(client->timer_event);
    event_free(client->due_event);
    release(client);
}

/* --- new and free --- */

static bool
copy_text(struct vecwire_client *client, char **copy, const char **text)
{
    size_t size;

    if (*text == NULL)
        return true;
    size = strlen(*text) + 1;
    *copy = vecwire__mem_alloc(&client->mem, size);
    if (*copy == NULL)
        return false;
    memcpy(*copy, *text, size);
    *text = *copy;
    return true;
}

static enum vecwire_err
copy_options(struct vecwire_client *client, struct vecwire_refusal *refusal)
{
    struct vecwire_options *o = &client->options;
    struct vecwire__header_parts only_extra = {
        .dialect = client->dialect, .base = o->headers, .n_base = o->n_headers};
    struct vecwire__header_parts all;
    enum vecwire_err err;

    /* Its size is needed once it is wiped, however soon that is. */
    if (o->api_key != NULL)
        client->texts.key_bytes = strlen(o->api_key) + 1;
    if (!copy_text(client, &client->texts.api_key, &o->api_key) ||
        !copy_text(client, &client->texts.tenant, &o->tenant) ||
        !copy_text(client, &client->texts.collection, &o->collection) ||
        !copy_text(client, &client->texts.user_agent, &o->user_agent))
        return VECWIRE_ENOMEM;
    all = only_extra;
    all.api_key = o->api_key;
    all.tenant = o->tenant;
    all.user_agent = o->user_agent;
    err = vecwire__headers_make(&client->headers, &client->mem, &all, refusal);
    if (err == VECWIRE_OK)
        err = vecwire__headers_make(&client->extra, &client->mem, &only_extra,
                                    refusal);
    o->headers = client->extra.list;
    o->n_headers = client->extra.n;
    return err;
}

static enum vecwire_err
take_url(struct vecwire_client *client, struct vecwire_refusal *refusal)
{
    const char *why = "";
    enum vecwire_err err = vecwire__url_parse(&client->url, client->options.url,
                                              client->dialect->port, &why);

    if (err != VECWIRE_OK)
        return vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX, "url: %s",
                               why);
    return VECWIRE_OK;
}

static enum vecwire_err
make_events(struct vecwire_client *client)
{
    client->timer_event =
        event_new(client->base, -1, EV_TIMEOUT, on_timer, client);
    client->due_event = event_new(client->base, -1, EV_TIMEOUT, on_due, client);
    return client->timer_event == NULL || client->due_event == NULL
               ? VECWIRE_ENOMEM
               : VECWIRE_OK;
}

static enum vecwire_err
make_net(struct vecwire_client *client, struct vecwire_refusal *refusal)
{
    const struct vecwire_options *o = &client->options;
    struct vecwire__clock clock = {clock_now, clock_arm, client};
    struct vecwire__net_config config = {
        .base = client->base,
        .mem = &client->guarded,
        .timers = &client->timers,
        .events = vecwire__engine_events,
        .url = client->url,
        .resolv_conf = o->resolv_conf,
        .connect_ms = o->connect_ms,
        .max_header_bytes = o->max_header_bytes,
        .max_header_lines = o->max_header_lines,
        .read_per_turn = o->read_per_turn,
        .max_reply_bytes = o->max_reply_bytes,
    };
    enum vecwire_err err;

    vecwire__timers_init(&client->timers, &client->guarded, &clock);
    err = vecwire__client_tls(client, &config.tls, refusal);
    if (err != VECWIRE_OK)
        return err;
    err = vecwire__net_new(&client->net, &config);
    if (err != VECWIRE_OK)
        vecwire__tls_free(config.tls);
    return err;
}

/* A payload that may be sent may come back, inside the reply's own brackets:
 * root, rows, row. */
static uint32_t
reply_depth(uint32_t payload_depth)
{
    const uint32_t around = 3, most = 255;

    return payload_depth > most - around ? most : payload_depth + around;
}

static enum vecwire_err
make_engine(struct vecwire_client *client)
{
    const struct vecwire_options *o = &client->options;
    struct vecwire__engine_config config = {
        .mem = &client->guarded,
        .dialect = client->dialect,
        .transport = &vecwire__net_transport,
        .net = client->net,
        .timers = &client->timers,
        .host = {host_soon, host_iterations, host_wall_s, host_gone, client},
        .client = client,
        .log = o->log,
        .log_arg = o->log_arg,
        .max_waiting_bytes = o->max_waiting_bytes,
        .idle_ns = ms_to_ns(o->idle_ms),
        .seed = clock_now(NULL) ^ (uint64_t)(uintptr_t)client,
        .connections = o->connections,
        .max_waiting = o->max_waiting,
        .attempts = o->attempts,
        .json_depth = reply_depth(o->json_depth),
        .max_row_bytes = o->max_row_bytes,
    };

    return vecwire__engine_init(&client->engine, &config);
}

static enum vecwire_err
make_parts(struct vecwire_client *client, struct vecwire_refusal *refusal)
{
    enum vecwire_err err = take_url(client, refusal);

    if (err == VECWIRE_OK)
        err = copy_options(client, refusal);
    if (err == VECWIRE_OK)
        err = make_events(client);
    if (err == VECWIRE_OK)
        err = make_net(client, refusal);
    if (err == VECWIRE_OK)
        err = make_engine(client);
    client->settings.prefix = client->url.prefix;
    client->settings.json_depth = client->options.json_depth;
    client->settings.collection = client->options.collection;
    if (client->options.hms_mask != NULL) {
        vecwire__hms_masking_init(&client->masking, client->options.hms_mask,
                                  &client->guarded);
        client->settings.hms_masking = &client->masking;
    }
    return err;
}

/* What there is of a client that could not be made. */
static void
unmake(struct vecwire_client *client)
{
    vecwire__net_free(client->net);
    if (client->timers.mem != NULL)
        vecwire__timers_fini(&client->timers);
    if (client->timer_event != NULL)
        event_free(client->timer_event);
    if (client->due_event != NULL)
        event_free(client->due_event);
    release(client);
}

static enum vecwire_err
no_memory(struct vecwire_refusal *refusal)
{
    return vecwire__refuse(refusal, VECWIRE_ENOMEM, SIZE_MAX, SIZE_MAX,
                           "out of memory");
}

enum vecwire_err
vecwire_client_new(struct vecwire_client **out, struct event_base *base,
                   const struct vecwire_options *options)
{
    struct vecwire_refusal local, *refusal = &local;
    struct vecwire_options taken;
    struct vecwire_client *client;
    enum vecwire_err err;

    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    err = vecwire__options_take(&taken, options, &local);
    if (taken.refusal != NULL)
        refusal = taken.refusal;
    if (err != VECWIRE_OK) {
        *refusal = local;
        return err;
    }
    if (base == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "base is NULL");
    client = vecwire__mem_zalloc(taken.mem, sizeof(*client));
    if (client == NULL)
        return no_memory(refusal);
    client->mem = *taken.mem;
    client->guard =
        (struct vecwire__guard){&client->mem, &client->engine.in_hook};
    client->guarded = vecwire__guard_mem(&client->guard);
    vecwire__home_init(&client->home);
    client->options = taken;
    client->base = base;
    client->dialect = vecwire__dialect_find(taken.dialect);
    err = make_parts(client, refusal);
    if (err != VECWIRE_OK) {
        unmake(client);
        return err == VECWIRE_ENOMEM ? no_memory(refusal) : err;
    }
    /* Nothing of the caller's is looked at again. */
    client->options.url = NULL;
    client->options.refusal = NULL;
    client->options.hms_mask = NULL;
    client->options.mem = &client->mem;
    client->options.ca_file = NULL;
    client->options.cert_file = client->options.key_file = NULL;
    if (taken.insecure)
        vecwire__log(&client->engine, VECWIRE_LOG_INFO,
                     "insecure: the server's certificate is not verified");
    *out = client;
    return VECWIRE_OK;
}

void
vecwire__client_part(struct vecwire_client *client)
{
    if (client->away || !vecwire__home_left(&client->home))
        return;
    client->away = true;
    /* First: until then our watchers are in the parent's epoll set, from which
     * it would lose them. Done twice it does no harm. */
    (void)event_reinit(client->base);
    vecwire__net_part(client->net);
    vecwire__pool_close(&client->engine.pool);
}

void
vecwire_client_free(struct vecwire_client *client)
{
    if (client == NULL || client->engine.state == VECWIRE__ENGINE_SHUT)
        return;
    assert(!client->engine.in_hook);
    vecwire__client_part(client);
    vecwire__engine_enter(&client->engine);
    vecwire__engine_shutdown(&client->engine);
    vecwire__net_free(client->net);
    event_del(client->timer_event);
    event_del(client->due_event);
    vecwire__engine_leave(&client->engine);
}

enum vecwire_err
vecwire_client_close(struct vecwire_client *client, uint32_t timeout_ms,
                     vecwire_close_cb cb, void *arg)
{
    if (client == NULL)
        return VECWIRE_EINVAL;
    assert(!client->engine.in_hook);
    if (client->engine.state != VECWIRE__ENGINE_OPEN ||
        vecwire__home_left(&client->home))
        return VECWIRE_ECLOSED;
    vecwire__engine_close(&client->engine, client, ms_to_ns(timeout_ms), cb,
                          arg);
    return VECWIRE_OK;
}

bool
vecwire_cancel(struct vecwire_client *client, vecwire_call_id id)
{
    if (client == NULL)
        return false;
    assert(!client->engine.in_hook);
    return !vecwire__home_left(&client->home) &&
           vecwire__engine_cancel(&client->engine, id);
}

bool
vecwire_resume(struct vecwire_client *client, vecwire_call_id id)
{
    if (client == NULL)
        return false;
    assert(!client->engine.in_hook);
    return !vecwire__home_left(&client->home) &&
           vecwire__engine_resume(&client->engine, id);
}

const struct vecwire_stats *
vecwire_client_stats(struct vecwire_client *client)
{
    return client == NULL ? NULL : vecwire__engine_stats(&client->engine);
}

const char *
vecwire_version(void)
{
    return VECWIRE_VERSION;
}
