/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what it would refuse of a collection's description, wherever that
 * came from: the body that was written is read. */
#include "dialect/qdrant_admin.h"

#include <inttypes.h>
#include <stdio.h>

/* Whole numbers and where they must lie; the tags of their fields. */
enum {
    SHARD_NUMBER = 1,
    REPLICATION_FACTOR,
    WRITE_CONSISTENCY_FACTOR,
    EF_CONSTRUCT,
    FULL_SCAN_THRESHOLD,
    WAL_CAPACITY_MB,
    VECTOR_SIZE,
    VACUUM_MIN,
    SEGMENT_SIZE,
    QUERY_LIMIT,
    TIMEOUT,
    READ_LIMIT,
    WRITE_LIMIT,
    POINTS_COUNT,
    /* From here on fractions. */
    DELETED_THRESHOLD,
    QUANTILE,
    FIRST_FRACTION = DELETED_THRESHOLD
};

static const struct {
    const char *name;
    uint64_t least, most;
} limits[] = {
    [SHARD_NUMBER] = {"shard_number", 1, UINT32_MAX},
    [REPLICATION_FACTOR] = {"replication_factor", 1, UINT32_MAX},
    [WRITE_CONSISTENCY_FACTOR] = {"write_consistency_factor", 1, UINT32_MAX},
    [EF_CONSTRUCT] = {"hnsw_config.ef_construct", 4, UINT64_MAX},
    [FULL_SCAN_THRESHOLD] = {"hnsw_config.full_scan_threshold", 10, UINT64_MAX},
    [WAL_CAPACITY_MB] = {"wal_config.wal_capacity_mb", 1, UINT64_MAX},
    [VECTOR_SIZE] = {"size", 1, VECWIRE__QDRANT_MAX_DIM},
    [VACUUM_MIN] = {"optimizers_config.vacuum_min_vector_number", 100,
                    UINT64_MAX},
    [SEGMENT_SIZE] = {"optimizers_config.max_segment_size", 1, UINT64_MAX},
    [QUERY_LIMIT] = {"strict_mode_config.max_query_limit", 1, UINT64_MAX},
    [TIMEOUT] = {"strict_mode_config.max_timeout", 1, UINT64_MAX},
    [READ_LIMIT] = {"strict_mode_config.read_rate_limit", 1, UINT64_MAX},
    [WRITE_LIMIT] = {"strict_mode_config.write_rate_limit", 1, UINT64_MAX},
    [POINTS_COUNT] = {"strict_mode_config.max_points_count", 1, UINT64_MAX},
};

/* Fractions, at most 1. */
static const struct {
    const char *name;
    float least;
    const char *expected;
} fractions[] = {
    {"optimizers_config.deleted_threshold", 0, "0 to 1"},
    {"quantization_config.scalar.quantile", 0.5F, "0.5 to 1"},
};

#define FRACTION(key, tag)                                                     \
    {                                                                          \
        key, VECWIRE__JSON_F32, tag, 0, true                                   \
    }
#define NUMBER(key, tag)                                                       \
    {                                                                          \
        key, VECWIRE__JSON_U64, tag, 0, true                                   \
    }
#define OBJECT(key, shape)                                                     \
    {                                                                          \
        key, VECWIRE__JSON_OBJ, 0, shape, true                                 \
    }
#define OTHER(key)                                                             \
    {                                                                          \
        key, VECWIRE__JSON_SKIP, 0, 0, false                                   \
    }

/* Places of the shapes below, by table. */
enum { HNSW = 2, WAL = 3, PARAMS = 3, VECTORS = 4, VECTOR = 5 };
enum { OPTIMIZERS = 6, STRICT = 7 };
enum { QUANTIZATION = 3, SCALAR = 4 };
enum { OTHER_OPTIMIZERS = 2, OTHER_STRICT = 5 };

static const struct vecwire__json_field hnsw_fields[] = {
    NUMBER("ef_construct", EF_CONSTRUCT),
    NUMBER("full_scan_threshold", FULL_SCAN_THRESHOLD),
};
static const struct vecwire__json_field wal_fields[] = {
    NUMBER("wal_capacity_mb", WAL_CAPACITY_MB),
};

static const struct vecwire__json_field optimizers_fields[] = {
    FRACTION("deleted_threshold", DELETED_THRESHOLD),
    NUMBER("vacuum_min_vector_number", VACUUM_MIN),
    NUMBER("max_segment_size", SEGMENT_SIZE),
};
static const struct vecwire__json_field quantization_fields[] = {
    OBJECT("scalar", SCALAR),
};
static const struct vecwire__json_field scalar_fields[] = {
    FRACTION("quantile", QUANTILE),
};
static const struct vecwire__json_field strict_fields[] = {
    NUMBER("max_query_limit", QUERY_LIMIT),
    NUMBER("max_timeout", TIMEOUT),
    NUMBER("read_rate_limit", READ_LIMIT),
    NUMBER("write_rate_limit", WRITE_LIMIT),
    NUMBER("max_points_count", POINTS_COUNT),
};

/* An object has at most 8 known keys, so a new collection is read twice. */
static const struct vecwire__json_field create_fields[] = {
    NUMBER("shard_number", SHARD_NUMBER),
    NUMBER("replication_factor", REPLICATION_FACTOR),
    NUMBER("write_consistency_factor", WRITE_CONSISTENCY_FACTOR),
    OBJECT("hnsw_config", HNSW),
    OBJECT("wal_config", WAL),
    OTHER("vectors"),
    OTHER("sparse_vectors"),
    OTHER("sharding_method"),
};
static const struct vecwire__json_field other_fields[] = {
    OTHER("on_disk_payload"),
    OTHER("payload"),
    OBJECT("optimizers_config", OTHER_OPTIMIZERS),
    OBJECT("quantization_config", QUANTIZATION),
    OBJECT("strict_mode_config", OTHER_STRICT),
    OTHER("metadata"),
};
static const struct vecwire__json_shape create_shapes[] = {
    {create_fields, 8},
    {hnsw_fields, 2},
    {wal_fields, 1},
};
static const struct vecwire__json_shape other_shapes[] = {
    {other_fields, 6},  {optimizers_fields, 3}, {quantization_fields, 1},
    {scalar_fields, 1}, {strict_fields, 5},
};
static const struct vecwire__json_table create_table = {create_shapes, 3,
                                                        false};
static const struct vecwire__json_table other_table = {other_shapes, 5, false};

static const struct vecwire__json_field update_fields[] = {
    OBJECT("vectors", VECTORS),
    OBJECT("params", PARAMS),
    OBJECT("hnsw_config", HNSW),
    OTHER("sparse_vectors"),
    OBJECT("optimizers_config", OPTIMIZERS),
    OTHER("quantization_config"),
    OBJECT("strict_mode_config", STRICT),
    OTHER("metadata"),
};
static const struct vecwire__json_field params_fields[] = {
    NUMBER("replication_factor", REPLICATION_FACTOR),
    NUMBER("write_consistency_factor", WRITE_CONSISTENCY_FACTOR),
};
static const struct vecwire__json_field map_fields[] = {
    OBJECT("", VECTOR),
};
static const struct vecwire__json_field change_fields[] = {
    OBJECT("hnsw_config", HNSW),
};
static const struct vecwire__json_shape update_shapes[] = {
    {update_fields, 8}, {hnsw_fields, 2},   {params_fields, 2},
    {map_fields, 1},    {change_fields, 1}, {optimizers_fields, 3},
    {strict_fields, 5},
};
static const struct vecwire__json_table update_table = {update_shapes, 7,
                                                        false};

static const struct vecwire__json_field vector_fields[] = {
    NUMBER("size", VECTOR_SIZE),
    OBJECT("hnsw_config", HNSW),
    OTHER("distance"),
    OBJECT("quantization_config", QUANTIZATION),
    OTHER("on_disk"),
    OTHER("memory"),
    OTHER("datatype"),
    OTHER("multivector_config"),
};
static const struct vecwire__json_shape vector_shapes[] = {
    {vector_fields, 8},
    {hnsw_fields, 2},
    {quantization_fields, 1},
    {scalar_fields, 1},
};
static const struct vecwire__json_table vector_table = {vector_shapes, 4,
                                                        false};

struct check {
    struct vecwire__qdrant_writer *w;
    const char *what; /* before the names of numbers */
};

static bool
check_fraction(const struct check *check,
               const struct vecwire__json_reader *reader, unsigned i)
{
    if (reader->is_nan ||
        (reader->f32 >= fractions[i].least && reader->f32 <= 1))
        return true;
    vecwire__qdrant_refuse(check->w, VECWIRE_EINVAL, "%s%s: expected %s",
                           check->what, fractions[i].name,
                           fractions[i].expected);
    return false;
}

static bool
check_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    const struct check *check = reader->ctx;

    if (event == VECWIRE__JSON_EV_F32)
        return check_fraction(check, reader, tag - FIRST_FRACTION);
    if (event != VECWIRE__JSON_EV_U64 ||
        (reader->u64 >= limits[tag].least && reader->u64 <= limits[tag].most))
        return true;
    if (limits[tag].most < UINT32_MAX)
        vecwire__qdrant_refuse(check->w, VECWIRE_EINVAL,
                               "%s%s is %" PRIu64 ", expected %" PRIu64
                               " to %" PRIu64,
                               check->what, limits[tag].name, reader->u64,
                               limits[tag].least, limits[tag].most);
    else
        vecwire__qdrant_refuse(check->w, VECWIRE_EINVAL,
                               "%s%s is %" PRIu64 ", expected at least "
                               "%" PRIu64,
                               check->what, limits[tag].name, reader->u64,
                               limits[tag].least);
    return false;
}

/* Read the text from `at` on by a table. */
static void
check(struct vecwire__qdrant_writer *w, size_t at, const char *what,
      const struct vecwire__json_table *table)
{
    struct check ctx = {w, what};
    struct vecwire__buf texts;
    struct vecwire__json_reader reader;
    enum vecwire__json_rc rc;

    if (w->err != VECWIRE_OK)
        return;
    vecwire__buf_init(&texts, w->text->mem);
    vecwire__json_init(&reader, table, check_sink, &ctx, &texts,
                       w->settings->json_depth);
    vecwire__json_feed(&reader, w->text->bytes + at, w->text->len - at);
    rc = vecwire__json_finish(&reader);
    vecwire__buf_fini(&texts);
    if (w->err != VECWIRE_OK || rc == VECWIRE__JSON_DONE)
        return;
    if (rc == VECWIRE__JSON_EMEM)
        w->err = VECWIRE_ENOMEM;
    else
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s%s: %s", what, reader.key,
                               vecwire__json_rc_text(rc));
}

void
vecwire__qdrant_check_create(struct vecwire__qdrant_writer *w, size_t at)
{
    check(w, at, "", &create_table);
    check(w, at, "", &other_table);
}

void
vecwire__qdrant_check_update(struct vecwire__qdrant_writer *w, size_t at)
{
    check(w, at, "", &update_table);
}

void
vecwire__qdrant_check_vector_config(struct vecwire__qdrant_writer *w, size_t at,
                                    const char *what)
{
    char prefix[80];

    snprintf(prefix, sizeof(prefix), "%s.", what);
    check(w, at, prefix, &vector_table);
}
