/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/qdrant_reply_rig.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"

struct vecwire_reply *reply_read;
struct vecwire__json_reader reply_reader;

void
reply_rig_setup(void)
{
    reply_read = vecwire__reply_new(&vecwire__mem_libc);
    ck_assert_ptr_nonnull(reply_read);
}

void
reply_rig_teardown(void)
{
    vecwire__reply_release(reply_read);
}

enum vecwire__json_rc
reply_read_in(const struct vecwire__decoding *how, const char *json,
              size_t step)
{
    size_t len = strlen(json), n;

    vecwire__reply_reset(reply_read);
    vecwire__json_init(&reply_reader, how->table, how->sink, reply_read,
                       &reply_read->texts, 128);
    for (size_t at = 0; at < len; at += n) {
        char *piece;

        n = len - at < step ? len - at : step;
        piece = malloc(n);
        memcpy(piece, json + at, n);
        vecwire__json_feed(&reply_reader, piece, n);
        free(piece);
        if (!vecwire__reply_row_fits(reply_read))
            return VECWIRE__JSON_ESINK;
    }
    return vecwire__json_finish(&reply_reader);
}

void
reply_read_as(const struct vecwire__decoding *how, const char *json)
{
    ck_assert_int_eq(reply_read_in(how, json, SIZE_MAX), VECWIRE__JSON_DONE);
    ck_assert(reply_read->answered);
    vecwire__reply_settle(reply_read);
}

void
reply_read_page(const char *json)
{
    reply_read_as(&vecwire__qdrant_page_decoding, json);
}

void
reply_expect_fault(const struct vecwire__decoding *how, const char *json,
                   const char *words)
{
    for (int whole = 0; whole < 2; whole++) {
        ck_assert_int_eq(reply_read_in(how, json, whole ? SIZE_MAX : 1),
                         VECWIRE__JSON_ESINK);
        ck_assert_ptr_nonnull(reply_read->fault);
        ck_assert_msg(strstr(reply_read->fault, words) != NULL, "%s",
                      reply_read->fault);
    }
}

const struct vecwire_row *
reply_row(size_t index)
{
    const struct vecwire_row *found = vecwire_reply_row(reply_read, index);

    ck_assert_ptr_nonnull(found);
    return found;
}

const struct vecwire_vector *
reply_vector(size_t index, const char *name)
{
    const struct vecwire_vector *found =
        vecwire_row_vector(reply_row(index), name);

    ck_assert_ptr_nonnull(found);
    return found;
}
