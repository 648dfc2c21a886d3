/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: points in replies. Every table that has them has these shapes at
 * these places, so that one sink reads them all. */
#ifndef VECWIRE_DIALECT_QDRANT_REPLY_H
#define VECWIRE_DIALECT_QDRANT_REPLY_H

#include "dialect/qdrant.h"

enum vecwire__qdrant_shape {
    VECWIRE__QDRANT_ROOT = 1, /* {"result":R,...} */
    VECWIRE__QDRANT_RESULT,   /* R, where it is an object */
    VECWIRE__QDRANT_POINT,
    VECWIRE__QDRANT_NAMES, /* vectors by name */
    VECWIRE__QDRANT_SPARSE,
    VECWIRE__QDRANT_PART,  /* one of R's own, where R is more than points */
    VECWIRE__QDRANT_LOOKUP /* a point that was looked up */
};

enum vecwire__qdrant_tag {
    VECWIRE__QDRANT_TAG_RESULT = 1,
    VECWIRE__QDRANT_TAG_POINTS,
    VECWIRE__QDRANT_TAG_NEXT,
    VECWIRE__QDRANT_TAG_ID,
    VECWIRE__QDRANT_TAG_VERSION,
    VECWIRE__QDRANT_TAG_SCORE,
    VECWIRE__QDRANT_TAG_PAYLOAD,
    VECWIRE__QDRANT_TAG_VECTOR,
    VECWIRE__QDRANT_TAG_SHARD,
    VECWIRE__QDRANT_TAG_ORDER,
    VECWIRE__QDRANT_TAG_NAMED,
    VECWIRE__QDRANT_TAG_INDICES,
    VECWIRE__QDRANT_TAG_VALUES,
    VECWIRE__QDRANT_TAG_PARTS,
    VECWIRE__QDRANT_TAG_VALUE, /* of a part */
    VECWIRE__QDRANT_TAG_COUNT
};

extern const struct vecwire__json_field vecwire__qdrant_result_fields[2];
extern const struct vecwire__json_field vecwire__qdrant_point_fields[7];
extern const struct vecwire__json_field vecwire__qdrant_named_fields[1];
extern const struct vecwire__json_field vecwire__qdrant_sparse_fields[2];

/* The shapes from POINT to SPARSE. */
#define VECWIRE__QDRANT_POINT_SHAPES                                           \
    {vecwire__qdrant_point_fields, 7}, {vecwire__qdrant_named_fields, 1},      \
    {                                                                          \
        vecwire__qdrant_sparse_fields, 2                                       \
    }

/* What stands in points, and their ids. */
bool vecwire__qdrant_point_sink(struct vecwire__json_reader *reader,
                                enum vecwire__json_event event, unsigned tag);

/* The same, and a point needs a score. */
bool vecwire__qdrant_hit_sink(struct vecwire__json_reader *reader,
                              enum vecwire__json_event event, unsigned tag);

#endif
