/* SPDX-License-Identifier: Apache-2.0 */
#include "server/serve_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define DAY_S (24L * 3600)
#define YEAR_S (365 * DAY_S)
#define NAMES "DNS:localhost,IP:127.0.0.1,IP:::1"

/* One certificate in the making. */
struct issued {
    X509 *x509;
    EVP_PKEY *key;
};

struct paths {
    char ca[1024], cert[1024], key[1024];
};

static bool
set_paths(struct paths *paths, const char *dir)
{
    return strlen(dir) < sizeof(paths->ca) - 16 &&
           snprintf(paths->ca, sizeof(paths->ca), "%s/ca.pem", dir) > 0 &&
           snprintf(paths->cert, sizeof(paths->cert), "%s/cert.pem", dir) > 0 &&
           snprintf(paths->key, sizeof(paths->key), "%s/key.pem", dir) > 0;
}

/* A certificate that will do for another day. */
static bool
is_good(const char *path)
{
    FILE *file = fopen(path, "re");
    time_t tomorrow = time(NULL) + DAY_S;
    X509 *x509;
    bool good;

    if (file == NULL)
        return false;
    x509 = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    good =
        x509 != NULL && X509_cmp_time(X509_get0_notAfter(x509), &tomorrow) > 0;
    X509_free(x509);
    return good;
}

static bool
extend(X509 *x509, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *extension;
    bool added;

    X509V3_set_ctx(&ctx, issuer, x509, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    added = extension != NULL && X509_add_ext(x509, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

static bool
name(X509 *x509, const char *text)
{
    unsigned char number[8];
    X509_NAME *subject = X509_get_subject_name(x509);
    BIGNUM *serial = NULL;
    bool named;

    /* Browsers remember serial numbers of an issuer's name. */
    if (RAND_bytes(number, sizeof(number)) != 1)
        return false;
    number[0] &= 0x7f;
    serial = BN_bin2bn(number, sizeof(number), NULL);
    named =
        serial != NULL &&
        BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(x509)) != NULL &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                   (const unsigned char *)text, -1, -1, 0) == 1;
    BN_free(serial);
    return named;
}

/* Signed by `issuer`, or by itself. */
static bool
issue(struct issued *made, const struct issued *issuer, const char *text)
{
    bool ca = issuer == made;

    made->key = EVP_EC_gen("P-256");
    made->x509 = X509_new();
    return made->key != NULL && made->x509 != NULL &&
           X509_set_version(made->x509, X509_VERSION_3) == 1 &&
           name(made->x509, text) &&
           X509_gmtime_adj(X509_getm_notBefore(made->x509), -DAY_S) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(made->x509), YEAR_S) != NULL &&
           X509_set_pubkey(made->x509, made->key) == 1 &&
           X509_set_issuer_name(made->x509,
                                X509_get_subject_name(issuer->x509)) == 1 &&
           extend(made->x509, issuer->x509, NID_basic_constraints,
                  ca ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
           extend(made->x509, issuer->x509, NID_key_usage,
                  ca ? "critical,keyCertSign" : "critical,digitalSignature") &&
           extend(made->x509, issuer->x509, NID_subject_key_identifier,
                  "hash") &&
           (ca ||
            extend(made->x509, issuer->x509, NID_subject_alt_name, NAMES)) &&
           X509_sign(made->x509, issuer->key, EVP_sha256()) != 0;
}

/* Under another name first: nobody finds half a file, nor a key that others
 * may read. */
static bool
write_pem(const char *path, mode_t mode, const struct issued *what, bool key)
{
    char temporary[1040];
    FILE *file = NULL;
    bool written = false;
    int fd;

    snprintf(temporary, sizeof(temporary), "%s.new", path);
    (void)unlink(temporary);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0)
        file = fdopen(fd, "w");
    if (file != NULL) {
        written = key ? PEM_write_PrivateKey(file, what->key, NULL, NULL, 0,
                                             NULL, NULL) == 1
                      : PEM_write_X509(file, what->x509) == 1;
        written = fclose(file) == 0 && written;
    } else if (fd >= 0) {
        close(fd);
    }
    return written && rename(temporary, path) == 0;
}

static bool
write_all(const struct paths *paths, const struct issued *ca,
          const struct issued *cert)
{
    return write_pem(paths->key, 0600, cert, true) &&
           write_pem(paths->cert, 0644, cert, false) &&
           write_pem(paths->ca, 0644, ca, false);
}

bool
vecwire__self_signed(const char *dir, char *err, size_t err_size)
{
    struct issued ca = {NULL, NULL}, cert = {NULL, NULL};
    struct paths paths;
    bool made = false;

    if (!set_paths(&paths, dir)) {
        snprintf(err, err_size, "the directory's name is too long");
        return false;
    }
    if (is_good(paths.ca) && is_good(paths.cert) &&
        access(paths.key, R_OK) == 0)
        return true;
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        snprintf(err, err_size, "%s: %s", dir, strerror(errno));
    else if (!issue(&ca, &ca, "vecwire serve's own CA") ||
             !issue(&cert, &ca, "vecwire serve"))
        snprintf(err, err_size, "no certificate could be made");
    else if (!write_all(&paths, &ca, &cert))
        snprintf(err, err_size, "%s: cannot write there: %s", dir,
                 strerror(errno));
    else
        made = true;
    X509_free(ca.x509);
    X509_free(cert.x509);
    EVP_PKEY_free(ca.key);
    EVP_PKEY_free(cert.key);
    ERR_clear_error();
    return made;
}
