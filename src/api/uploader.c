/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/uploader.h>

#include <assert.h>

#include "api/verb.h"
#include "call/upload.h"

#define NS_PER_MS UINT64_C(1000000)
#define DEFAULT_BYTES ((uint64_t)8 << 20)
#define DEFAULT_ROWS 256
#define DEFAULT_IN_FLIGHT 4
#define MAX_IN_FLIGHT 256
#define FIRST_UPSERT VECWIRE__SIZE_UP_TO(struct vecwire_upsert_request, refusal)

static uint64_t
ms_to_ns(uint32_t ms)
{
    return ms == VECWIRE_NEVER ? UINT64_MAX : ms * NS_PER_MS;
}

static void
fill_in(struct vecwire_uploader_options *options,
        const struct vecwire__upsert_parts *parts)
{
    if (options->batch_bytes == 0)
        options->batch_bytes =
            parts->max_bytes < DEFAULT_BYTES ? parts->max_bytes : DEFAULT_BYTES;
    if (options->batch_rows == 0)
        options->batch_rows = parts->max_rows < DEFAULT_ROWS
                                  ? (uint32_t)parts->max_rows
                                  : DEFAULT_ROWS;
    if (options->in_flight == 0)
        options->in_flight = DEFAULT_IN_FLIGHT;
    if (options->deadline_ms == 0)
        options->deadline_ms = VECWIRE_NEVER;
}

static enum vecwire_err
over(struct vecwire_refusal *refusal, enum vecwire_err code, const char *name,
     uint64_t value, uint64_t limit, const char *whose)
{
    if (value <= limit)
        return VECWIRE_OK;
    return vecwire__refuse(
        refusal, code, SIZE_MAX, SIZE_MAX, "%s is %llu, %s takes at most %llu",
        name, (unsigned long long)value, whose, (unsigned long long)limit);
}

static enum vecwire_err
check(const struct vecwire_client *client,
      const struct vecwire_uploader_options *options,
      struct vecwire_refusal *refusal)
{
    const struct vecwire__upsert_parts *parts = client->dialect->upsert_parts;
    const char *name = client->dialect->name;
    enum vecwire_err err;

    err = over(refusal, VECWIRE_ETOOBIG, "batch_rows", options->batch_rows,
               parts->max_rows, name);
    if (err == VECWIRE_OK)
        err = over(refusal, VECWIRE_ETOOBIG, "batch_bytes",
                   options->batch_bytes, parts->max_bytes, name);
    if (err == VECWIRE_OK)
        err = over(refusal, VECWIRE_EINVAL, "in_flight", options->in_flight,
                   MAX_IN_FLIGHT, "an uploader");
    return err;
}

/* What each request carries. */
static enum vecwire_err
settle(struct vecwire_client *client,
       const struct vecwire_uploader_options *options,
       struct vecwire__call_settings *own,
       struct vecwire__upload_config *config, struct vecwire_refusal *refusal)
{
    const struct vecwire__upsert_parts *parts = client->dialect->upsert_parts;
    const struct vecwire_call_options *call = &own->options;
    enum vecwire_err err =
        vecwire__call_settings_take(client, options->call, own, refusal);

    if (err != VECWIRE_OK)
        return err;
    config->no_retry = call->no_retry || client->options.no_retry;
    config->request_deadline_ns =
        ms_to_ns(call->deadline_ms != 0 ? call->deadline_ms
                                        : client->options.deadline_ms);
    if (parts->make_open != NULL)
        err = parts->make_open(&own->settings, &config->open, refusal);
    else if (!vecwire__buf_str(&config->open, parts->open))
        err = VECWIRE_ENOMEM;
    if (err != VECWIRE_OK)
        return err;
    return vecwire__own_headers(client, call, &config->headers, refusal);
}

static enum vecwire_err
begin(struct vecwire_uploader **out, struct vecwire_client *client,
      const struct vecwire_uploader_options *options,
      struct vecwire_refusal *refusal)
{
    struct vecwire__call_settings own;
    struct vecwire__upload_config config = {
        .mem = &client->guarded,
        .settings = &own.settings,
        .open = {.mem = &client->guarded},
        .others = &client->headers,
        .on_failed = options->on_failed,
        .on_room = options->on_room,
        .on_done = options->on_done,
        .arg = options->arg,
        .deadline_ns = ms_to_ns(options->deadline_ms),
        .batch_bytes = (size_t)options->batch_bytes,
        .batch_rows = options->batch_rows,
        .in_flight = options->in_flight,
    };
    enum vecwire_err err = check(client, options, refusal);

    if (err == VECWIRE_OK)
        err = settle(client, options, &own, &config, refusal);
    if (err == VECWIRE_OK)
        err = vecwire__upload_new(out, &client->engine, &config);
    if (err == VECWIRE_OK)
        return VECWIRE_OK;
    vecwire__upload_config_free(&config, &client->guarded);
    if (err != VECWIRE_ENOMEM)
        return err;
    return vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX, "out of memory");
}

enum vecwire_err
vecwire_uploader_new(struct vecwire_uploader **out,
                     struct vecwire_client *client,
                     const struct vecwire_uploader_options *options)
{
    struct vecwire_refusal local, *refusal = &local;
    struct vecwire_uploader_options taken = {0};

    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    if (options != NULL &&
        !vecwire__input_take(&taken, sizeof(taken), options, sizeof(taken)))
        return VECWIRE_EINVAL;
    if (taken.refusal != NULL)
        refusal = taken.refusal;
    if (client == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "client is NULL");
    assert(!client->engine.in_hook);
    if (client->engine.state != VECWIRE__ENGINE_OPEN)
        return vecwire__refuse(refusal, VECWIRE_ECLOSED, SIZE_MAX, SIZE_MAX,
                               "the client was closed");
    if (vecwire__home_left(&client->home))
        return vecwire__refuse(refusal, VECWIRE_ECLOSED, SIZE_MAX, SIZE_MAX,
                               "the client is the parent process's");
    if (client->dialect->upsert_parts == NULL)
        return vecwire__refuse(refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX,
                               SIZE_MAX, "%s does not offer this",
                               client->dialect->name);
    fill_in(&taken, client->dialect->upsert_parts);
    return begin(out, client, &taken, refusal);
}

/* Its client; NULL: none, or it is complete. */
static struct vecwire_client *
client_of(const struct vecwire_uploader *uploader)
{
    return uploader->engine == NULL ? NULL : uploader->engine->config.client;
}

/* Is this a child of its client's process? */
static bool
is_away(const struct vecwire_uploader *uploader)
{
    const struct vecwire_client *client = client_of(uploader);

    return client != NULL && vecwire__home_left(&client->home);
}

/* No hook of the caller's may call the library. */
static void
assert_no_hook(const struct vecwire_uploader *uploader)
{
    assert(uploader->engine == NULL || !uploader->engine->in_hook);
    (void)uploader;
}

enum vecwire_err
vecwire_uploader_add(struct vecwire_uploader *uploader,
                     const struct vecwire_upsert_request *rows, size_t *taken)
{
    struct vecwire_refusal local, *refusal = &local;
    struct vecwire_upsert_request known;
    enum vecwire_err err;
    size_t unwanted;

    if (taken == NULL)
        taken = &unwanted;
    *taken = 0;
    if (!vecwire__input_take(&known, sizeof(known), rows, FIRST_UPSERT))
        return VECWIRE_EINVAL;
    if (known.refusal != NULL)
        refusal = known.refusal;
    if (uploader == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "uploader is NULL");
    assert_no_hook(uploader);
    if (is_away(uploader))
        return vecwire__refuse(refusal, VECWIRE_ECLOSED, SIZE_MAX, SIZE_MAX,
                               "the client is the parent process's");
    err = vecwire__upload_add(uploader, &known, taken, refusal);
    if (err == VECWIRE_ENOMEM)
        vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX, "out of memory");
    return err;
}

void
vecwire_uploader_end(struct vecwire_uploader *uploader)
{
    if (uploader == NULL)
        return;
    assert_no_hook(uploader);
    if (!is_away(uploader))
        vecwire__upload_end(uploader);
}

bool
vecwire_uploader_cancel(struct vecwire_uploader *uploader)
{
    if (uploader == NULL)
        return false;
    assert_no_hook(uploader);
    return !is_away(uploader) && vecwire__upload_cancel(uploader);
}

void
vecwire_uploader_free(struct vecwire_uploader *uploader)
{
    if (uploader == NULL)
        return;
    assert_no_hook(uploader);
    if (client_of(uploader) != NULL)
        vecwire__client_part(client_of(uploader));
    vecwire__upload_free(uploader);
}

const struct vecwire_upload_result *
vecwire_uploader_progress(const struct vecwire_uploader *uploader)
{
    return uploader == NULL ? NULL : &uploader->result;
}
