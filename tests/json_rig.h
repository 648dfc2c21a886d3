/* SPDX-License-Identifier: Apache-2.0 */
/* Trees from texts and back, for tests of the server's payloads. */
#ifndef VECWIRE_TESTS_JSON_RIG_H
#define VECWIRE_TESTS_JSON_RIG_H

#include <check.h>
#include <string.h>

#include "codec/mem.h"
#include "server/json_text.h"

/* The tree of a text that is right. */
static inline json_t *
json_of(const char *text)
{
    struct vecwire__fault fault;
    json_t *tree = vecwire__json_load(text, strlen(text), &fault);

    ck_assert_msg(tree != NULL, "%s: %s", text, fault.text);
    return tree;
}

/* Fail unless the tree is written so. */
static inline void
json_is(const json_t *tree, const char *text)
{
    struct vecwire__buf buf;

    vecwire__buf_init(&buf, &vecwire__mem_libc);
    ck_assert(vecwire__json_dump(&buf, tree));
    ck_assert(vecwire__buf_byte(&buf, '\0'));
    ck_assert_str_eq(buf.bytes, text);
    vecwire__buf_fini(&buf);
}

#endif
