/* SPDX-License-Identifier: Apache-2.0 */
/* What only HMS has: the vector mask. */
#ifndef VECWIRE_HMS_H
#define VECWIRE_HMS_H

#include <vecwire/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A keyed signed permutation of the coordinates, applied to every vector that
 * a client sends, as HMS's own SDK does: norms, inner products and cosines
 * stay the same. It is OBFUSCATION, NOT ENCRYPTION: the server learns how
 * similar any two vectors are, and whoever knows a vector both plain and
 * masked learns the coordinates it covers. Texts, ids and metadata are not
 * masked. Rows written with another key, or without one, cannot be compared.
 * More in docs/hms.md.
 *
 * One mask serves any number of clients and is only read: several threads may
 * make their clients with it. */
struct vecwire_hms_mask;

/* What a mask is made from. All of it is read before vecwire_hms_mask_new()
 * returns and stays the caller's. Grows like the options. */
struct vecwire_hms_mask_options {
    size_t size; /* set by VECWIRE_HMS_MASK_OPTIONS() or its init function */
    /* Secret, UTF-8, NUL-terminated, at least 1 byte; used as it is, without
     * Unicode normalization. */
    const char *passphrase;
    /* At least 16 bytes. NULL with 0: the SDK's, which is no secret. */
    const void *salt;
    size_t salt_len;
    /* Of the mask alone, until it is freed. NULL: the C library's. */
    const struct vecwire_mem *mem;
    struct vecwire_refusal *refusal; /* NULL: not wanted */
};

#ifndef __cplusplus
#define VECWIRE_HMS_MASK_OPTIONS(...)                                          \
    ((struct vecwire_hms_mask_options){                                        \
        .size = sizeof(struct vecwire_hms_mask_options), __VA_ARGS__})
#endif

/* The same for C++: zero but for the size. */
static inline void
vecwire_hms_mask_options_init(struct vecwire_hms_mask_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
}

/**
 * Make a mask for options.hms_mask. The key is derived with scrypt on the
 * calling thread: about 0.1 s and 32 MiB of OpenSSL's memory. So do it before
 * the loop runs, once, and not once a client.
 *
 * VECWIRE_OK: *out is the mask, to be freed by vecwire_hms_mask_free().
 * Otherwise *out is NULL: VECWIRE_EINVAL (passphrase missing, empty or not
 * UTF-8, salt under 16 bytes; refusal->text says which and never quotes
 * them), VECWIRE_EUNSUPPORTED (the library was built without OpenSSL, or this
 * OpenSSL offers no scrypt), VECWIRE_ENOMEM.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_hms_mask_new(struct vecwire_hms_mask **out,
                     const struct vecwire_hms_mask_options *options);

/* Overwrite the key and free the mask. Clients made with it have a copy of
 * their own and work on. NULL is fine. */
VECWIRE_API void vecwire_hms_mask_free(struct vecwire_hms_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
