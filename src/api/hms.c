/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/hms.h>

#include <string.h>

#include "api/input.h"
#include "codec/json_string.h"
#include "codec/mem.h"
#include "dialect/hms_mask.h"

#define DEFAULT_SALT "holographic-sdk-mask-v1"
#define LEAST_SALT 16

/* Neither passphrase nor salt may stand in a refusal. */
static enum vecwire_err
check_passphrase(const char *passphrase, struct vecwire_refusal *refusal)
{
    if (passphrase == NULL || *passphrase == '\0')
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "passphrase is %s",
                               passphrase == NULL ? "NULL" : "empty");
    if (!vecwire__utf8_valid(passphrase, strlen(passphrase)))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "passphrase is not UTF-8");
    return VECWIRE_OK;
}

static enum vecwire_err
check(const struct vecwire_hms_mask_options *o, struct vecwire_refusal *refusal)
{
    if (o->salt == NULL && o->salt_len > 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "salt is NULL, salt_len is %zu", o->salt_len);
    if (o->salt != NULL && o->salt_len < LEAST_SALT)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "salt of %zu bytes, expected at least %d",
                               o->salt_len, LEAST_SALT);
    if (o->mem->alloc == NULL || o->mem->realloc == NULL ||
        o->mem->free == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "mem lacks a function");
    return check_passphrase(o->passphrase, refusal);
}

static enum vecwire_err
derive(struct vecwire_hms_mask *mask, const struct vecwire_hms_mask_options *o,
       struct vecwire_refusal *refusal)
{
    enum vecwire_err err = vecwire__hms_mask_derive(
        o->passphrase, o->salt != NULL ? o->salt : DEFAULT_SALT,
        o->salt != NULL ? o->salt_len : strlen(DEFAULT_SALT), mask->key);

    if (err == VECWIRE_EUNSUPPORTED)
        vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX,
                        "a mask needs OpenSSL with scrypt");
    else if (err != VECWIRE_OK)
        vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX, "out of memory");
    return err;
}

enum vecwire_err
vecwire_hms_mask_new(struct vecwire_hms_mask **out,
                     const struct vecwire_hms_mask_options *options)
{
    struct vecwire_refusal local, *refusal = &local;
    struct vecwire_hms_mask_options o;
    struct vecwire_hms_mask *mask;
    enum vecwire_err err;

    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    /* Made otherwise they cannot be trusted to have a place for the reason. */
    if (!vecwire__input_take(&o, sizeof(o), options, sizeof(o)))
        return VECWIRE_EINVAL;
    if (o.refusal != NULL)
        refusal = o.refusal;
    if (o.mem == NULL)
        o.mem = &vecwire__mem_libc;
    err = check(&o, refusal);
    if (err != VECWIRE_OK)
        return err;
    mask = vecwire__mem_zalloc(o.mem, sizeof(*mask));
    if (mask == NULL)
        return vecwire__refuse(refusal, VECWIRE_ENOMEM, SIZE_MAX, SIZE_MAX,
                               "out of memory");
    mask->mem = *o.mem;
    err = derive(mask, &o, refusal);
    if (err != VECWIRE_OK)
        vecwire_hms_mask_free(mask);
    else
        *out = mask;
    return err;
}

void
vecwire_hms_mask_free(struct vecwire_hms_mask *mask)
{
    struct vecwire_mem mem;

    if (mask == NULL)
        return;
    mem = mask->mem;
    explicit_bzero(mask->key, sizeof(mask->key));
    vecwire__mem_free(&mem, mask, sizeof(*mask));
}
