/* SPDX-License-Identifier: Apache-2.0 */
#include "call/headers.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "codec/mem.h"
#include "dialect/dialect.h"

/* Made by us or by the transport; a second one would break the framing. */
static const char *const ours[] = {
    "Host",    "Content-Length",  "Connection",  "Transfer-Encoding",
    "Expect",  "Upgrade",         "Keep-Alive",  "TE",
    "Trailer", "Accept-Encoding", "Content-Type"};

const char *
vecwire__header_value_fault(const char *value)
{
    size_t len = strlen(value);

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];

        if (c == '\r' || c == '\n')
            return "a line break";
        if (c < 0x20 || c == 0x7f)
            return "a control character";
        if (c > 0x7f)
            return "a byte beyond ASCII";
    }
    if (len > 0 && (value[0] == ' ' || value[len - 1] == ' '))
        return "a blank at an end";
    return NULL;
}

/* A token of RFC 9110, 5.6.2. */
static bool
is_token(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && strspn(name, "!#$%&'*+-.^_`|~0123456789"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "abcdefghijklmnopqrstuvwxyz") == len;
}

static enum vecwire_err
check(size_t index, const char *name, const char *value,
      struct vecwire_refusal *refusal)
{
    const char *fault;

    if (name == NULL || !is_token(name))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "header %zu: its name is not a token", index);
    if (value == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "header %.64s: value is NULL", name);
    fault = vecwire__header_value_fault(value);
    if (fault != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "header %.64s: value has %s", name, fault);
    return VECWIRE_OK;
}

static enum vecwire_err
check_extra(const struct vecwire__header_parts *parts,
            const struct vecwire_header *list, size_t n,
            struct vecwire_refusal *refusal)
{
    for (size_t i = 0; i < n; i++) {
        enum vecwire_err err = check(i, list[i].name, list[i].value, refusal);

        if (err != VECWIRE_OK)
            return err;
        for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++) {
            if (strcasecmp(list[i].name, ours[k]) == 0)
                return vecwire__refuse(
                    refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                    "header %s is set by the library", ours[k]);
        }
        if ((parts->api_key != NULL &&
             strcasecmp(list[i].name, parts->dialect->key_header) == 0) ||
            (parts->dialect->tenant_header != NULL && parts->tenant != NULL &&
             strcasecmp(list[i].name, parts->dialect->tenant_header) == 0))
            return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                                   "header %.64s is set by an option as well",
                                   list[i].name);
    }
    return VECWIRE_OK;
}

static enum vecwire_err
check_parts(const struct vecwire__header_parts *parts,
            struct vecwire_refusal *refusal)
{
    const struct vecwire__dialect *dialect = parts->dialect;
    const char *fault;
    enum vecwire_err err;

    fault = parts->api_key == NULL
                ? NULL
                : vecwire__header_value_fault(parts->api_key);
    if (fault != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "api_key has %s", fault);
    if (parts->tenant != NULL && dialect->tenant_header == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "tenant: %s has no tenants", dialect->name);
    fault = parts->tenant == NULL ? NULL : dialect->tenant_fault(parts->tenant);
    if (fault != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "tenant: %s", fault);
    fault = parts->user_agent == NULL
                ? NULL
                : vecwire__header_value_fault(parts->user_agent);
    if (fault != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "user_agent has %s", fault);
    err = check_extra(parts, parts->base, parts->n_base, refusal);
    if (err == VECWIRE_OK)
        err = check_extra(parts, parts->extra, parts->n_extra, refusal);
    return err;
}

/* Two passes over the same code: the first counts, the second copies. */
struct maker {
    struct vecwire_header *list; /* NULL: only count */
    char *text;
    size_t n, bytes;
};

static const char *
put_text(struct maker *maker, const char *first, const char *second)
{
    size_t a = strlen(first), b = strlen(second);
    char *at = maker->text;

    maker->bytes += a + b + 1;
    if (maker->list == NULL)
        return NULL;
    memcpy(at, first, a);
    memcpy(at + a, second, b + 1);
    maker->text += a + b + 1;
    return at;
}

static void
put(struct maker *maker, const char *name, const char *prefix,
    const char *value)
{
    const char *kept_name, *kept_value;

    assert(name != NULL && prefix != NULL && value != NULL);
    kept_name = put_text(maker, name, "");
    kept_value = put_text(maker, prefix, value);

    if (maker->list != NULL)
        maker->list[maker->n] = (struct vecwire_header){kept_name, kept_value};
    maker->n++;
}

static void
put_all(struct maker *maker, const struct vecwire__header_parts *parts)
{
    const struct vecwire__dialect *dialect = parts->dialect;
    bool own_agent =
        vecwire__headers_find(parts->base, parts->n_base, "User-Agent") ||
        vecwire__headers_find(parts->extra, parts->n_extra, "User-Agent");

    if (parts->api_key != NULL && parts->api_key[0] != '\0')
        put(maker, dialect->key_header, dialect->key_prefix, parts->api_key);
    if (parts->tenant != NULL)
        put(maker, dialect->tenant_header, "", parts->tenant);
    if (parts->user_agent != NULL && parts->user_agent[0] != '\0' && !own_agent)
        put(maker, "User-Agent", "", parts->user_agent);
    for (size_t i = 0; i < parts->n_base; i++) {
        const struct vecwire_header *header = &parts->base[i];

        if (vecwire__headers_find(parts->base + i + 1, parts->n_base - i - 1,
                                  header->name) == NULL &&
            vecwire__headers_find(parts->extra, parts->n_extra, header->name) ==
                NULL)
            put(maker, header->name, "", header->value);
    }
    for (size_t i = 0; i < parts->n_extra; i++) {
        const struct vecwire_header *header = &parts->extra[i];

        if (vecwire__headers_find(parts->extra + i + 1, parts->n_extra - i - 1,
                                  header->name) == NULL)
            put(maker, header->name, "", header->value);
    }
}

enum vecwire_err
vecwire__headers_make(struct vecwire__headers *out,
                      const struct vecwire_mem *mem,
                      const struct vecwire__header_parts *parts,
                      struct vecwire_refusal *refusal)
{
    struct maker count = {0}, copy = {0};
    enum vecwire_err err = check_parts(parts, refusal);
    size_t list_bytes;

    memset(out, 0, sizeof(*out));
    if (err != VECWIRE_OK)
        return err;
    put_all(&count, parts);
    if (count.n == 0)
        return VECWIRE_OK;
    list_bytes = vecwire__mem_array(count.n, sizeof(*copy.list));
    copy.list = vecwire__mem_alloc(mem, list_bytes + count.bytes);
    if (copy.list == NULL)
        return VECWIRE_ENOMEM;
    copy.text = (char *)copy.list + list_bytes;
    put_all(&copy, parts);
    out->list = copy.list;
    out->n = copy.n;
    out->bytes = list_bytes + count.bytes;
    return VECWIRE_OK;
}

void
vecwire__headers_free(struct vecwire__headers *headers,
                      const struct vecwire_mem *mem)
{
    /* A key may stand in it. */
    if (headers->list != NULL)
        explicit_bzero(headers->list, headers->bytes);
    vecwire__mem_free(mem, headers->list, headers->bytes);
    memset(headers, 0, sizeof(*headers));
}

const char *
vecwire__headers_find(const struct vecwire_header *list, size_t n,
                      const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(list[i].name, name) == 0)
            return list[i].value;
    }
    return NULL;
}
