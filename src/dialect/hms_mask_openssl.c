/* SPDX-License-Identifier: Apache-2.0 */
/* The two hard parts of HMS's mask. The host's queue of OpenSSL errors stays
 * as it was. */
#include "dialect/hms_mask.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

/* As HMS's SDK has them; anything else would be another key. */
#define SCRYPT_N 32768
#define SCRYPT_R 8
#define SCRYPT_P 1
/* These parameters need 32 MiB and a little; OpenSSL's own limit is 32 MiB. */
#define SCRYPT_MEMORY ((uint64_t)64 << 20)

#define LABEL "hms-dense-mask-v1"
#define LABEL_BYTES (sizeof(LABEL) - 1)

/* An OpenSSL may be set up to offer approved algorithms only. */
static bool
has_scrypt(void)
{
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "SCRYPT", NULL);

    EVP_KDF_free(kdf);
    return kdf != NULL;
}

enum vecwire_err
vecwire__hms_mask_derive(const char *passphrase, const void *salt,
                         size_t salt_len,
                         unsigned char key[VECWIRE__HMS_KEY_BYTES])
{
    enum vecwire_err err = VECWIRE_OK;

    ERR_set_mark();
    if (!has_scrypt())
        err = VECWIRE_EUNSUPPORTED;
    else if (EVP_PBE_scrypt(passphrase, strlen(passphrase), salt, salt_len,
                            SCRYPT_N, SCRYPT_R, SCRYPT_P, SCRYPT_MEMORY, key,
                            VECWIRE__HMS_KEY_BYTES) != 1)
        err = VECWIRE_ENOMEM;
    ERR_pop_to_mark();
    return err;
}

static void
put_little_endian(unsigned char *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static bool
hash_all(EVP_MD_CTX *ctx, unsigned char *text, size_t len, size_t dim,
         unsigned char *tags)
{
    for (size_t i = 0; i < dim; i++) {
        put_little_endian(text + len - 4, i, 4);
        if (EVP_DigestInit_ex2(ctx, NULL, NULL) != 1 ||
            EVP_DigestUpdate(ctx, text, len) != 1 ||
            EVP_DigestFinal_ex(ctx, tags + i * VECWIRE__HMS_TAG_BYTES, NULL) !=
                1)
            return false;
    }
    return true;
}

bool
vecwire__hms_mask_tags(const unsigned char key[VECWIRE__HMS_KEY_BYTES],
                       size_t dim, unsigned char *tags)
{
    /* Label, key, dimension, index. */
    unsigned char text[LABEL_BYTES + VECWIRE__HMS_KEY_BYTES + 8 + 4];
    EVP_MD_CTX *ctx;
    EVP_MD *md;
    bool made;

    memcpy(text, LABEL, LABEL_BYTES);
    memcpy(text + LABEL_BYTES, key, VECWIRE__HMS_KEY_BYTES);
    put_little_endian(text + LABEL_BYTES + VECWIRE__HMS_KEY_BYTES, dim, 8);
    ERR_set_mark();
    md = EVP_MD_fetch(NULL, "SHA256", NULL);
    ctx = EVP_MD_CTX_new();
    made = md != NULL && ctx != NULL &&
           EVP_DigestInit_ex2(ctx, md, NULL) == 1 &&
           hash_all(ctx, text, sizeof(text), dim, tags);
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
    ERR_pop_to_mark();
    explicit_bzero(text, sizeof(text));
    return made;
}
