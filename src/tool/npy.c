/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/npy.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/args.h"

/* numpy pads headers to 64 bytes; structured types can make them long. */
#define MAX_HEADER 65536
#define MAX_DIM 65536

/* The dictionary in a header, as far as it was understood. */
struct header {
    char descr[16];
    bool has_descr;
    bool has_order;
    bool fortran;
    bool has_shape;
    unsigned n_shape;
    uint64_t shape[2];
};

static bool
pread_all(int fd, void *to, size_t len, uint64_t at)
{
    while (len > 0) {
        ssize_t got = pread(fd, to, len, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to = (char *)to + got;
        len -= (size_t)got;
        at += (size_t)got;
    }
    return true;
}

static bool
eat(const char **at, char want)
{
    *at += strspn(*at, " ");
    if (**at != want)
        return false;
    ++*at;
    return true;
}

/* A Python string of at most max - 1 characters in either quote. */
static bool
eat_quoted(const char **at, char *to, size_t max)
{
    char quote[2] = {0, 0};
    size_t len;

    *at += strspn(*at, " ");
    if (**at != '\'' && **at != '"')
        return false;
    quote[0] = **at;
    ++*at;
    len = strcspn(*at, quote);
    if ((*at)[len] == '\0' || len >= max)
        return false;
    memcpy(to, *at, len);
    to[len] = '\0';
    *at += len + 1;
    return true;
}

static bool
eat_word(const char **at, const char *word)
{
    size_t len = strlen(word);

    *at += strspn(*at, " ");
    if (strncmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

/* "(10, 384)" or "(10,)"; lengths past the second are only counted. */
static bool
eat_shape(const char **at, struct header *header)
{
    if (!eat(at, '('))
        return false;
    header->n_shape = 0;
    while (!eat(at, ')')) {
        char digits[24];
        uint64_t length;
        size_t len;

        *at += strspn(*at, " ");
        len = strspn(*at, "0123456789");
        if (len == 0 || len >= sizeof(digits))
            return false;
        memcpy(digits, *at, len);
        digits[len] = '\0';
        *at += len;
        if (!vecwire__args_u64(digits, &length))
            return false;
        if (header->n_shape < 2)
            header->shape[header->n_shape] = length;
        header->n_shape++;
        if (!eat(at, ',')) {
            if (eat(at, ')'))
                break;
            return false;
        }
    }
    header->has_shape = true;
    return true;
}

static bool
eat_entry(const char **at, struct header *header, char *why)
{
    char key[32];

    if (!eat_quoted(at, key, sizeof(key)) || !eat(at, ':'))
        return false;
    if (strcmp(key, "descr") == 0) {
        header->has_descr =
            eat_quoted(at, header->descr, sizeof(header->descr));
        if (!header->has_descr)
            snprintf(why, NPY_WHY_MAX,
                     "its numbers are no plain type (float16, float32 or "
                     "float64 is needed)");
        return header->has_descr;
    }
    if (strcmp(key, "fortran_order") == 0) {
        header->has_order = true;
        header->fortran = eat_word(at, "True");
        return header->fortran || eat_word(at, "False");
    }
    return strcmp(key, "shape") == 0 && eat_shape(at, header);
}

static bool
parse_header(const char *text, size_t len, struct header *header, char *why)
{
    const char *end = text + len;

    memset(header, 0, sizeof(*header));
    snprintf(why, NPY_WHY_MAX, "its .npy header is malformed");
    if (!eat(&text, '{'))
        return false;
    while (!eat(&text, '}')) {
        if (!eat_entry(&text, header, why))
            return false;
        if (!eat(&text, ',')) {
            if (eat(&text, '}'))
                break;
            return false;
        }
    }
    text += strspn(text, " \n");
    return text == end && header->has_descr && header->has_order &&
           header->has_shape;
}

static bool
check_type(struct npy *npy, const struct header *header, char *why)
{
    static const char sizes[] = "248";
    const char *type = header->descr;

    if (strlen(type) != 3 || strchr("<>=", type[0]) == NULL || type[1] != 'f' ||
        strchr(sizes, type[2]) == NULL) {
        snprintf(why, NPY_WHY_MAX,
                 "its numbers are of type \"%s\" (float16, float32 or "
                 "float64 is needed)",
                 type);
        return false;
    }
    npy->item = (size_t)(type[2] - '0');
    npy->swapped = type[0] == (__BYTE_ORDER == __LITTLE_ENDIAN ? '>' : '<');
    if (header->fortran) {
        snprintf(why, NPY_WHY_MAX,
                 "it is in Fortran order (C order is needed)");
        return false;
    }
    return true;
}

static bool
check_shape(struct npy *npy, const struct header *header, char *why)
{
    if (header->n_shape != 2) {
        snprintf(why, NPY_WHY_MAX,
                 "it has %u dimensions (2 are needed: rows and coordinates)",
                 header->n_shape);
        return false;
    }
    npy->rows = header->shape[0];
    if (npy->rows == 0 || header->shape[1] == 0) {
        snprintf(why, NPY_WHY_MAX, "its shape is (%llu, %llu): nothing in it",
                 (unsigned long long)npy->rows,
                 (unsigned long long)header->shape[1]);
        return false;
    }
    if (header->shape[1] > MAX_DIM) {
        snprintf(why, NPY_WHY_MAX,
                 "its rows have %llu coordinates (at most "
                 "%d)",
                 (unsigned long long)header->shape[1], MAX_DIM);
        return false;
    }
    npy->dim = (size_t)header->shape[1];
    return true;
}

static bool
check_size(const struct npy *npy, uint64_t size, char *why)
{
    uint64_t row = (uint64_t)npy->dim * npy->item, have = size - npy->data_at;

    if (npy->rows > have / row) {
        snprintf(why, NPY_WHY_MAX,
                 "it is truncated: %llu rows of %llu bytes are announced, "
                 "%llu bytes are there",
                 (unsigned long long)npy->rows, (unsigned long long)row,
                 (unsigned long long)have);
        return false;
    }
    if (have != npy->rows * row) {
        snprintf(why, NPY_WHY_MAX, "%llu bytes too many behind its last row",
                 (unsigned long long)(have - npy->rows * row));
        return false;
    }
    return true;
}

/* Magic, version and length; the dictionary as text. */
static char *
read_header(struct npy *npy, uint64_t size, size_t *text_len, char *why)
{
    unsigned char start[12];
    size_t len, at;
    char *text;

    if (size < sizeof(start) || !pread_all(npy->fd, start, 12, 0) ||
        memcmp(start, "\x93NUMPY", 6) != 0) {
        snprintf(why, NPY_WHY_MAX, "it is no .npy file");
        return NULL;
    }
    if (start[6] < 1 || start[6] > 3) {
        snprintf(why, NPY_WHY_MAX, "its .npy version is %u (1 to 3 are known)",
                 start[6]);
        return NULL;
    }
    len = (size_t)start[8] | (size_t)start[9] << 8;
    at = 10;
    if (start[6] > 1) {
        len |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        at = 12;
    }
    npy->data_at = at + len;
    if (len > MAX_HEADER || npy->data_at > size) {
        snprintf(why, NPY_WHY_MAX, "its .npy header is truncated or too long");
        return NULL;
    }
    text = vecwire__args_alloc(len + 1, 1);
    if (!pread_all(npy->fd, text, len, at)) {
        snprintf(why, NPY_WHY_MAX, "it cannot be read: %s", strerror(errno));
        free(text);
        return NULL;
    }
    *text_len = len;
    return text;
}

bool
vecwire__npy_open(struct npy *npy, const char *path, char *why)
{
    struct header header;
    struct stat info;
    char *text = NULL;
    size_t len = 0;

    memset(npy, 0, sizeof(*npy));
    /* A pipe that nobody writes to would hold up the open. */
    npy->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (npy->fd < 0 || fstat(npy->fd, &info) != 0) {
        snprintf(why, NPY_WHY_MAX, "it cannot be opened: %s", strerror(errno));
        goto fail;
    }
    if (!S_ISREG(info.st_mode)) {
        snprintf(why, NPY_WHY_MAX, "it is no regular file");
        goto fail;
    }
    text = read_header(npy, (uint64_t)info.st_size, &len, why);
    if (text == NULL || !parse_header(text, len, &header, why) ||
        !check_type(npy, &header, why) || !check_shape(npy, &header, why) ||
        !check_size(npy, (uint64_t)info.st_size, why))
        goto fail;
    free(text);
    return true;

fail:
    free(text);
    vecwire__npy_close(npy);
    return false;
}

static float
half_value(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31u, fraction = bits & 1023u;
    float value;

    if (exponent == 31)
        value = fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexpf((float)fraction, -24);
    else
        value = ldexpf((float)(fraction | 1024u), (int)exponent - 25);
    return (bits & 0x8000u) != 0 ? -value : value;
}

/* The number at `raw`, as it stands in the file. */
static double
number_at(const struct npy *npy, const unsigned char *raw)
{
    uint16_t half;
    uint32_t single;
    uint64_t number;
    float value;
    double wide;

    switch (npy->item) {
    case 2:
        memcpy(&half, raw, sizeof(half));
        return (double)half_value(npy->swapped ? __builtin_bswap16(half)
                                               : half);
    case 4:
        memcpy(&single, raw, sizeof(single));
        if (npy->swapped)
            single = __builtin_bswap32(single);
        memcpy(&value, &single, sizeof(value));
        return (double)value;
    default:
        memcpy(&number, raw, sizeof(number));
        if (npy->swapped)
            number = __builtin_bswap64(number);
        memcpy(&wide, &number, sizeof(wide));
        return wide;
    }
}

static bool
convert_row(const struct npy *npy, const unsigned char *raw, uint64_t row,
            float *to, char *why)
{
    for (size_t i = 0; i < npy->dim; i++) {
        double wide = number_at(npy, raw + i * npy->item);
        const char *what = NULL;

        to[i] = (float)wide;
        if (isnan(wide))
            what = "is NaN";
        else if (isinf(wide))
            what = "is infinite";
        else if (isinf(to[i]))
            what = "is beyond float32";
        if (what != NULL) {
            snprintf(why, NPY_WHY_MAX, "row %llu, coordinate %zu %s",
                     (unsigned long long)row, i, what);
            return false;
        }
    }
    return true;
}

size_t
vecwire__npy_read(struct npy *npy, size_t rows, float *matrix, char *why)
{
    size_t width = npy->dim * npy->item, done = 0;
    unsigned char *raw = vecwire__args_alloc(1, width);

    why[0] = '\0';
    while (done < rows && npy->next < npy->rows) {
        if (!pread_all(npy->fd, raw, width, npy->data_at + npy->next * width)) {
            snprintf(why, NPY_WHY_MAX, "row %llu cannot be read",
                     (unsigned long long)npy->next);
            break;
        }
        if (!convert_row(npy, raw, npy->next, matrix + done * npy->dim, why))
            break;
        npy->next++;
        done++;
    }
    free(raw);
    return done;
}

void
vecwire__npy_close(struct npy *npy)
{
    if (npy->fd >= 0)
        close(npy->fd);
    npy->fd = -1;
}
