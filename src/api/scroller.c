/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/scroller.h>

#include <assert.h>

#include "api/verb.h"
#include "call/scroll.h"

#define NS_PER_MS UINT64_C(1000000)
#define DEFAULT_ROWS 256

/* What goes into a scroll, on its way there. */
struct beginning {
    struct vecwire_client *client;
    struct vecwire_scroller_options options;
    struct vecwire_refusal *refusal;
    struct vecwire__call_settings own;
    struct vecwire__buf filter; /* as text, with its NUL; empty: none */
};

static enum vecwire_err
refuse(const struct beginning *b, enum vecwire_err code, const char *text)
{
    return vecwire__refuse(b->refusal, code, SIZE_MAX, SIZE_MAX, "%s", text);
}

static enum vecwire_err
check(const struct beginning *b)
{
    struct vecwire_client *client = b->client;

    if (client == NULL)
        return refuse(b, VECWIRE_EINVAL, "client is NULL");
    assert(!client->engine.in_hook);
    if (client->engine.state != VECWIRE__ENGINE_OPEN)
        return refuse(b, VECWIRE_ECLOSED, "the client was closed");
    if (vecwire__home_left(&client->home))
        return refuse(b, VECWIRE_ECLOSED, "the client is the parent process's");
    if (client->dialect->encode[VECWIRE__VERB_SCROLL] == NULL ||
        client->dialect->id_order == NULL)
        return vecwire__refuse(b->refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX,
                               SIZE_MAX, "%s does not offer this",
                               client->dialect->name);
    if (b->options.on_rows == NULL)
        return refuse(b, VECWIRE_EINVAL, "on_rows is NULL");
    return VECWIRE_OK;
}

/* The filter as text, whatever it was given as. */
static enum vecwire_err
take_filter(struct beginning *b)
{
    const struct vecwire_scroller_options *options = &b->options;
    enum vecwire_err err;

    if (options->filter == NULL && options->filter_tree == NULL)
        return VECWIRE_OK;
    err = vecwire__put_object(&b->own.settings, &b->filter, options->filter,
                              options->filter_tree, SIZE_MAX, "filter",
                              b->refusal);
    if (err == VECWIRE_OK && !vecwire__buf_byte(&b->filter, '\0'))
        err = VECWIRE_ENOMEM;
    return err;
}

static uint64_t
page_deadline(const struct beginning *b)
{
    uint32_t ms = b->own.options.deadline_ms;

    if (ms == 0)
        ms = b->client->options.deadline_ms;
    return ms == VECWIRE_NEVER ? UINT64_MAX : ms * NS_PER_MS;
}

static enum vecwire_err
begin(struct vecwire_scroller **out, struct beginning *b)
{
    struct vecwire_client *client = b->client;
    const struct vecwire_scroller_options *options = &b->options;
    struct vecwire__scroll_config config = {
        .mem = &client->guarded,
        .settings = &b->own.settings,
        .filter = b->filter.len == 0 ? NULL : b->filter.bytes,
        .offset = options->offset,
        .others = &client->headers,
        .on_rows = options->on_rows,
        .on_done = options->on_done,
        .arg = options->arg,
        .page_deadline_ns = page_deadline(b),
        .max_rows = options->max_rows,
        .page_rows =
            options->page_rows == 0 ? DEFAULT_ROWS : options->page_rows,
        .with_payload = options->with_payload,
        .with_vector = options->with_vector,
        .no_retry = b->own.options.no_retry || client->options.no_retry,
    };
    enum vecwire_err err = vecwire__own_headers(client, &b->own.options,
                                                &config.headers, b->refusal);

    if (err == VECWIRE_OK)
        err = vecwire__scroll_new(out, &client->engine, &config, b->refusal);
    if (err != VECWIRE_OK)
        vecwire__headers_free(&config.headers, &client->guarded);
    return err;
}

static enum vecwire_err
take(struct vecwire_scroller **out, struct beginning *b)
{
    enum vecwire_err err = check(b);

    if (err == VECWIRE_OK)
        err = vecwire__call_settings_take(b->client, b->options.call, &b->own,
                                          b->refusal);
    if (err != VECWIRE_OK)
        return err;
    if (b->own.settings.qdrant != NULL &&
        b->own.settings.qdrant->order_by != NULL)
        return refuse(b, VECWIRE_EINVAL,
                      "order_by: a scroller goes by id, expected NULL");
    vecwire__buf_init(&b->filter, &b->client->guarded);
    err = take_filter(b);
    if (err == VECWIRE_OK)
        err = begin(out, b);
    vecwire__buf_fini(&b->filter);
    if (err == VECWIRE_EFULL)
        return refuse(b, err, "too many calls, or bytes of them, wait already");
    return err == VECWIRE_ENOMEM ? refuse(b, err, "out of memory") : err;
}

enum vecwire_err
vecwire_scroller_new(struct vecwire_scroller **out,
                     struct vecwire_client *client,
                     const struct vecwire_scroller_options *options)
{
    struct vecwire_refusal local;
    struct beginning b = {.client = client, .refusal = &local};

    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    if (!vecwire__input_take(&b.options, sizeof(b.options), options,
                             sizeof(b.options)))
        return VECWIRE_EINVAL;
    if (b.options.refusal != NULL)
        b.refusal = b.options.refusal;
    return take(out, &b);
}

/* Its client; NULL: it is over. */
static struct vecwire_client *
client_of(const struct vecwire_scroller *scroller)
{
    /* No hook of the caller's may call the library. */
    assert(scroller->engine == NULL || !scroller->engine->in_hook);
    return scroller->engine == NULL ? NULL : scroller->engine->config.client;
}

/* Is this a child of its client's process? */
static bool
is_away(const struct vecwire_scroller *scroller)
{
    const struct vecwire_client *client = client_of(scroller);

    return client != NULL && vecwire__home_left(&client->home);
}

bool
vecwire_scroller_resume(struct vecwire_scroller *scroller)
{
    return scroller != NULL && !is_away(scroller) &&
           vecwire__scroll_resume(scroller);
}

bool
vecwire_scroller_cancel(struct vecwire_scroller *scroller)
{
    return scroller != NULL && !is_away(scroller) &&
           vecwire__scroll_cancel(scroller);
}

void
vecwire_scroller_free(struct vecwire_scroller *scroller)
{
    struct vecwire_client *client;

    if (scroller == NULL)
        return;
    client = client_of(scroller);
    if (client != NULL)
        vecwire__client_part(client);
    vecwire__scroll_free(scroller);
}

const char *
vecwire_scroller_offset(const struct vecwire_scroller *scroller)
{
    if (scroller == NULL || scroller->nothing_left)
        return NULL;
    return scroller->offset.text;
}

const struct vecwire_scroll_result *
vecwire_scroller_progress(const struct vecwire_scroller *scroller)
{
    return scroller == NULL ? NULL : &scroller->result;
}
