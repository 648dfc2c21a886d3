/* SPDX-License-Identifier: Apache-2.0 */
#include "api/client.h"

#include <strings.h>

#include "api/input.h"
#include "codec/mem.h"

#define MAX_JSON_DEPTH 255
#define MAX_CONNECTIONS 65536
#define MAX_WAITING (1u << 23)
#define FIRST_SIZE VECWIRE__SIZE_UP_TO(struct vecwire_options, reserved)

static void
u32_default(uint32_t *field, uint32_t value)
{
    if (*field == 0)
        *field = value;
}

static void
fill_in(struct vecwire_options *o)
{
    const struct vecwire__dialect *dialect;

    u32_default(&o->dialect, VECWIRE_HMS);
    dialect = vecwire__dialect_find(o->dialect);
    u32_default(&o->connections, dialect == NULL ? 8 : dialect->connections);
    u32_default(&o->max_waiting, 1024);
    u32_default(&o->deadline_ms, 30000);
    u32_default(&o->connect_ms, 5000);
    u32_default(&o->idle_ms, 4000);
    u32_default(&o->attempts, 3);
    u32_default(&o->max_header_bytes, 64u << 10);
    u32_default(&o->max_header_lines, 128);
    /* Servers hold payloads 126 deep; a reply has three brackets around. */
    u32_default(&o->json_depth, 128);
    u32_default(&o->read_per_turn, 256u << 10);
    if (o->max_waiting_bytes == 0)
        o->max_waiting_bytes = (uint64_t)64 << 20;
    if (o->max_row_bytes == 0)
        o->max_row_bytes = (uint64_t)32 << 20;
    if (o->max_reply_bytes == 0)
        o->max_reply_bytes = (uint64_t)256 << 20;
    if (o->api_key != NULL && o->api_key[0] == '\0')
        o->api_key = NULL;
    if (o->mem == NULL)
        o->mem = &vecwire__mem_libc;
}

static enum vecwire_err
over(struct vecwire_refusal *refusal, const char *name, uint32_t value,
     uint32_t limit)
{
    if (value <= limit)
        return VECWIRE_OK;
    return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                           "%s is %u, expected at most %u", name,
                           (unsigned)value, (unsigned)limit);
}

static enum vecwire_err
check(const struct vecwire_options *o, struct vecwire_refusal *refusal)
{
    const struct vecwire__dialect *dialect = vecwire__dialect_find(o->dialect);
    enum vecwire_err err;

    if (o->hms_mask != NULL && o->dialect != VECWIRE_HMS)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "hms_mask: only HMS has masks");
    if (dialect == NULL)
        return vecwire__refuse(refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX,
                               SIZE_MAX, "dialect %u is not built",
                               (unsigned)o->dialect);
    if (o->url == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "url is NULL, expected \"http://host[:port]\"");
    if (o->collection != NULL && !dialect->has_collections)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "collection: %s has no collections",
                               dialect->name);
    if (o->n_headers > 0 && o->headers == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "headers is NULL, n_headers is %zu",
                               o->n_headers);
    if (o->mem->alloc == NULL || o->mem->realloc == NULL ||
        o->mem->free == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "mem lacks a function");
    err = over(refusal, "json_depth", o->json_depth, MAX_JSON_DEPTH);
    if (err == VECWIRE_OK)
        err = over(refusal, "connections", o->connections, MAX_CONNECTIONS);
    if (err == VECWIRE_OK)
        err = over(refusal, "max_waiting", o->max_waiting, MAX_WAITING);
    return err;
}

/* What only https can mean must not be lost on a server without it. The URL
 * itself is looked at later. */
static enum vecwire_err
check_tls(const struct vecwire_options *o, struct vecwire_refusal *refusal)
{
    const char *set = o->ca_file != NULL     ? "ca_file"
                      : o->cert_file != NULL ? "cert_file"
                      : o->key_file != NULL  ? "key_file"
                      : o->insecure          ? "insecure"
                                             : NULL;

    if (set != NULL && strncasecmp(o->url, "https:", 6) != 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "%s: the URL is not https", set);
    if ((o->cert_file == NULL) != (o->key_file == NULL))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "cert_file and key_file come together");
    if (o->insecure && o->ca_file != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "insecure: nothing is verified by ca_file");
    return VECWIRE_OK;
}

enum vecwire_err
vecwire__options_take(struct vecwire_options *out,
                      const struct vecwire_options *given,
                      struct vecwire_refusal *refusal)
{
    enum vecwire_err err;

    if (!vecwire__input_take(out, sizeof(*out), given, FIRST_SIZE))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "options were not made by VECWIRE_OPTIONS() or "
                               "vecwire_options_init(), or set what this "
                               "version does not know");
    fill_in(out);
    err = check(out, refusal);
    return err == VECWIRE_OK ? check_tls(out, refusal) : err;
}
