/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's vector mask: masked[j] = plain[order[j]] * sign[order[j]]. */
#ifndef VECWIRE_DIALECT_HMS_MASK_H
#define VECWIRE_DIALECT_HMS_MASK_H

#include <vecwire/hms.h>

#include "dialect/dialect.h"

#define VECWIRE__HMS_KEY_BYTES 32
#define VECWIRE__HMS_TAG_BYTES 32

struct vecwire_hms_mask {
    struct vecwire_mem mem;
    unsigned char key[VECWIRE__HMS_KEY_BYTES];
};

/* A client's copy of the key, and the permutation of the dimension that it
 * used last. */
struct vecwire__hms_masking {
    const struct vecwire_mem *mem;
    unsigned char key[VECWIRE__HMS_KEY_BYTES];
    size_t dim;       /* 0: nothing made yet */
    uint32_t *places; /* dim of them, see vecwire__hms_place_source() */
    float *row;       /* behind the places: dim floats, the masked row */
};

/* Where masked coordinate j comes from. */
static inline size_t
vecwire__hms_place_source(uint32_t place)
{
    return place & 0x7fffffff;
}

/* The bit that changes a float's sign when the source's sign is -1. */
static inline uint32_t
vecwire__hms_place_flip(uint32_t place)
{
    return place & 0x80000000;
}

void vecwire__hms_masking_init(struct vecwire__hms_masking *masking,
                               const struct vecwire_hms_mask *mask,
                               const struct vecwire_mem *mem);

/* Overwrite and free everything. One that was never made (all zero) is fine. */
void vecwire__hms_masking_fini(struct vecwire__hms_masking *masking);

/* Make the permutation of `dim`, if it is not the one at hand. False: no
 * memory. */
VECWIRE_NODISCARD bool
vecwire__hms_masking_prepare(struct vecwire__hms_masking *masking, size_t dim);

/* As vecwire__put_row(), masked; a refusal names the plain coordinate. */
enum vecwire_err vecwire__hms_put_masked(struct vecwire__hms_masking *masking,
                                         struct vecwire__buf *text,
                                         const float *vector, size_t dim,
                                         size_t row,
                                         struct vecwire_refusal *refusal);

#ifndef VECWIRE_NO_OPENSSL

/* The key of a passphrase. VECWIRE_EUNSUPPORTED, VECWIRE_ENOMEM. */
enum vecwire_err
vecwire__hms_mask_derive(const char *passphrase, const void *salt,
                         size_t salt_len,
                         unsigned char key[VECWIRE__HMS_KEY_BYTES]);

/* The tags of the coordinates 0 to dim - 1, one behind the other. False: no
 * memory. */
VECWIRE_NODISCARD bool
vecwire__hms_mask_tags(const unsigned char key[VECWIRE__HMS_KEY_BYTES],
                       size_t dim, unsigned char *tags);

#else

static inline enum vecwire_err
vecwire__hms_mask_derive(const char *passphrase, const void *salt,
                         size_t salt_len,
                         unsigned char key[VECWIRE__HMS_KEY_BYTES])
{
    (void)passphrase;
    (void)salt;
    (void)salt_len;
    (void)key;
    return VECWIRE_EUNSUPPORTED;
}

/* Never reached: without a key there is no masking. */
static inline bool
vecwire__hms_mask_tags(const unsigned char key[VECWIRE__HMS_KEY_BYTES],
                       size_t dim, unsigned char *tags)
{
    (void)key;
    (void)dim;
    (void)tags;
    return false;
}

#endif
#endif
