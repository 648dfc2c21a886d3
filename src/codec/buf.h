/* SPDX-License-Identifier: Apache-2.0 */
/* A growing run of bytes: a request's body, a reply's texts. */
#ifndef VECWIRE_CODEC_BUF_H
#define VECWIRE_CODEC_BUF_H

#include <string.h>

#include <vecwire/client.h>

/* Zero-filled but for `mem` it is empty. The block may move when it grows:
 * keep offsets, not pointers. */
struct vecwire__buf {
    const struct vecwire_mem *mem;
    char *bytes;
    size_t len;
    size_t cap;
    size_t max; /* never grows beyond it; 0: no limit but memory */
};

void vecwire__buf_init(struct vecwire__buf *buf, const struct vecwire_mem *mem);
void vecwire__buf_fini(struct vecwire__buf *buf);

/* Give back what is not used; the block may move. */
void vecwire__buf_trim(struct vecwire__buf *buf);

/* Make it larger; for the functions below. */
VECWIRE_NODISCARD bool vecwire__buf_grow(struct vecwire__buf *buf, size_t more);

/* Room for `more` bytes behind len. False: no memory, or over max. */
VECWIRE_NODISCARD static inline bool
vecwire__buf_reserve(struct vecwire__buf *buf, size_t more)
{
    return buf->cap - buf->len >= more || vecwire__buf_grow(buf, more);
}

/* Append `n` bytes. False as above, nothing appended. */
VECWIRE_NODISCARD static inline bool
vecwire__buf_add(struct vecwire__buf *buf, const void *bytes, size_t n)
{
    if (!vecwire__buf_reserve(buf, n))
        return false;
    if (n != 0)
        memcpy(buf->bytes + buf->len, bytes, n);
    buf->len += n;
    return true;
}

/* Append a C string without its NUL. */
VECWIRE_NODISCARD static inline bool
vecwire__buf_str(struct vecwire__buf *buf, const char *text)
{
    return vecwire__buf_add(buf, text, strlen(text));
}

/* Append one byte. */
VECWIRE_NODISCARD static inline bool
vecwire__buf_byte(struct vecwire__buf *buf, char byte)
{
    if (!vecwire__buf_reserve(buf, 1))
        return false;
    buf->bytes[buf->len++] = byte;
    return true;
}

#endif
