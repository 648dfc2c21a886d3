/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's encoders with nothing around them. */
#ifndef VECWIRE_TESTS_HMS_FIXTURE_H
#define VECWIRE_TESTS_HMS_FIXTURE_H

#include <check.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/dialect.h"

struct hms_fixture {
    struct vecwire__settings settings;
    struct vecwire__encoding enc;
    struct vecwire_refusal refusal;
};

static inline void
hms_begin(struct hms_fixture *f)
{
    memset(f, 0, sizeof(*f));
    f->settings.prefix = "";
    f->settings.json_depth = 128;
    vecwire__buf_init(&f->enc.text, &vecwire__mem_libc);
    f->refusal.row = f->refusal.coordinate = 12345;
}

static inline void
hms_end(struct hms_fixture *f)
{
    vecwire__buf_fini(&f->enc.text);
}

static inline enum vecwire_err
hms_query(struct hms_fixture *f, struct vecwire_query_request query)
{
    return vecwire__dialect_hms.encode[VECWIRE__VERB_QUERY](
        &f->settings, &query, &f->enc, &f->refusal);
}

static inline enum vecwire_err
hms_upsert(struct hms_fixture *f, struct vecwire_upsert_request upsert)
{
    return vecwire__dialect_hms.encode[VECWIRE__VERB_UPSERT](
        &f->settings, &upsert, &f->enc, &f->refusal);
}

static inline enum vecwire_err
hms_delete(struct hms_fixture *f, const char *id)
{
    struct vecwire_delete_request del = VECWIRE_DELETE(.ids = &id, .rows = 1);

    return vecwire__dialect_hms.encode[VECWIRE__VERB_DELETE](
        &f->settings, &del, &f->enc, &f->refusal);
}

#endif
