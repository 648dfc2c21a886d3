/* SPDX-License-Identifier: Apache-2.0 */
/* A filter that is being made, and what is expected of it. */
#ifndef VECWIRE_TESTS_FILTER_FIXTURE_H
#define VECWIRE_TESTS_FILTER_FIXTURE_H

#include <check.h>
#include <string.h>

#include <vecwire/vecwire.h>

#define MUST VECWIRE_QDRANT_MUST
#define SHOULD VECWIRE_QDRANT_SHOULD
#define MUST_NOT VECWIRE_QDRANT_MUST_NOT
#define MIN_SHOULD VECWIRE_QDRANT_MIN_SHOULD
#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

static struct vecwire_qdrant_filter *f;

static void
setup(void)
{
    f = vecwire_qdrant_filter_new(NULL);
    ck_assert_ptr_nonnull(f);
}

static void
teardown(void)
{
    vecwire_qdrant_filter_free(f);
}

#endif
