/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's encoders with nothing around them. */
#ifndef VECWIRE_TESTS_QDRANT_FIXTURE_H
#define VECWIRE_TESTS_QDRANT_FIXTURE_H

#include <check.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant_update.h"

struct qdrant_fixture {
    struct vecwire_mem mem;
    struct vecwire__settings settings;
    struct vecwire_qdrant_params params; /* settings.qdrant, where wanted */
    struct vecwire__encoding enc;
    struct vecwire_refusal refusal;
};

static inline void
qdrant_begin_with(struct qdrant_fixture *f, const struct vecwire_mem *mem)
{
    memset(f, 0, sizeof(*f));
    f->mem = *mem;
    f->settings.prefix = "";
    f->settings.collection = "c";
    f->settings.json_depth = 128;
    vecwire_qdrant_params_init(&f->params);
    vecwire__buf_init(&f->enc.text, &f->mem);
    f->refusal.row = f->refusal.coordinate = 12345;
}

static inline void
qdrant_begin(struct qdrant_fixture *f)
{
    qdrant_begin_with(f, &vecwire__mem_libc);
}

static inline void
qdrant_end(struct qdrant_fixture *f)
{
    vecwire__buf_fini(&f->enc.text);
}

/* Another request with the same settings. */
static inline void
qdrant_again(struct qdrant_fixture *f)
{
    vecwire__buf_fini(&f->enc.text);
    memset(&f->enc, 0, sizeof(f->enc));
    vecwire__buf_init(&f->enc.text, &f->mem);
    f->refusal = (struct vecwire_refusal){.row = 12345, .coordinate = 12345};
}

static inline enum vecwire_err
qdrant_encode(struct qdrant_fixture *f, vecwire__encoder encoder,
              const void *request)
{
    return encoder(&f->settings, request, &f->enc, &f->refusal);
}

static inline const char *
qdrant_path(const struct qdrant_fixture *f)
{
    return f->enc.text.bytes;
}

/* NUL-terminated here. */
static inline const char *
qdrant_body(struct qdrant_fixture *f)
{
    ck_assert(f->enc.has_body);
    ck_assert(vecwire__buf_byte(&f->enc.text, '\0'));
    f->enc.text.len--;
    return f->enc.text.bytes + f->enc.body_at;
}

/* It is encoded as this. */
#define QDRANT_SENDS(f, encoder, request, path, body)                          \
    do {                                                                       \
        ck_assert_msg(qdrant_encode(f, encoder, request) == VECWIRE_OK, "%s",  \
                      (f)->refusal.text);                                      \
        ck_assert_str_eq(qdrant_path(f), path);                                \
        ck_assert_str_eq(qdrant_body(f), body);                                \
        qdrant_again(f);                                                       \
    } while (0)

/* It is refused, and this is said. */
#define QDRANT_REFUSES(f, encoder, request, code, row_, text_)                 \
    do {                                                                       \
        ck_assert_int_eq(qdrant_encode(f, encoder, request), code);            \
        ck_assert_str_eq((f)->refusal.text, text_);                            \
        ck_assert_uint_eq((f)->refusal.row, row_);                             \
        qdrant_again(f);                                                       \
    } while (0)

#endif
