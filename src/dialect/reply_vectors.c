/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of rows, from the reader into the reply. */
#include "dialect/reply.h"

#include <string.h>

#include "codec/mem.h"

/* Fewer are not worth a call of the allocator. */
#define LEAST_FLOATS ((size_t)256)
/* Made room for at once, where the body's length is known, and where not. */
#define MOST_FLOATS ((uint64_t)16 << 20)
#define MOST_UNKNOWN ((uint64_t)4 << 20)
/* Names of one row are compared with each other. */
#define MAX_NAMES ((size_t)1024)

static const uint32_t no_index = 0;

static bool
fail(struct vecwire_reply *reply, const char *fault)
{
    reply->fault = fault;
    return false;
}

/* As realloc() does it, to `cap` floats. */
static bool
set_room(struct vecwire_reply *reply, size_t cap)
{
    float *floats;

    if (cap <= reply->floats_cap)
        return true;
    if (cap > SIZE_MAX / sizeof(*floats))
        return false;
    floats = vecwire__mem_realloc(&reply->mem, reply->floats,
                                  reply->floats_cap * sizeof(*floats),
                                  cap * sizeof(*floats));
    if (floats == NULL)
        return false;
    reply->floats = floats;
    reply->floats_cap = cap;
    return true;
}

static void
lend(struct vecwire_reply *reply, struct vecwire__json_reader *reader)
{
    /* No floats yet: nothing to count from. */
    reader->floats =
        reply->floats == NULL ? NULL : reply->floats + reply->n_floats;
    reader->room = reply->floats_cap - reply->n_floats;
}

static bool
grow(struct vecwire_reply *reply, struct vecwire__json_reader *reader)
{
    size_t used = reply->n_floats + reader->n;

    if (reply->max_row_bytes != 0 &&
        (used - reply->row_floats_at) * sizeof(float) > reply->max_row_bytes) {
        vecwire__reply_over_row(reply);
        return false;
    }
    if (used > SIZE_MAX / 4 || !set_room(reply, used + used / 2 + LEAST_FLOATS))
        return false;
    lend(reply, reader);
    return true;
}

/* The first row tells how long they are: have room for all, so that nothing
 * moves. Not for more than a body can hold, where a float takes two bytes at
 * least, nor on a mere word of the server's for very much. Rows that go out
 * before the end leave their room to the next. Without memory it is left to be
 * found out later. */
static void
reserve(struct vecwire_reply *reply, size_t dim)
{
    uint64_t rows = reply->max_rows, most = MOST_UNKNOWN;

    if (reply->body_bytes != 0)
        most = reply->body_bytes / 2 < MOST_FLOATS ? reply->body_bytes / 2
                                                   : MOST_FLOATS;
    if (reply->is_batch || rows < 2 || dim == 0 || rows > most / dim)
        return;
    (void)set_room(reply, (size_t)rows * dim);
}

static bool
add_vector(struct vecwire_reply *reply, const struct vecwire_vector *vector,
           bool is_sparse)
{
    const struct vecwire__vector_reading *reading = &reply->reading;
    void *vectors = reply->vectors, *places = reply->vector_places;
    bool room =
        vecwire__mem_grow(&reply->mem, &vectors, &reply->vectors_cap,
                          reply->n_vectors + 1, sizeof(*reply->vectors)) &&
        vecwire__mem_grow(&reply->mem, &places, &reply->vector_places_cap,
                          reply->n_vectors + 1, sizeof(*reply->vector_places));

    reply->vectors = vectors;
    reply->vector_places = places;
    if (!room)
        return false;
    reply->vectors[reply->n_vectors] = *vector;
    reply->vector_places[reply->n_vectors] =
        (struct vecwire__vector_place){.name_at = reading->name_at,
                                       .float_at = reading->float_at,
                                       .index_at = reading->index_at,
                                       .has_name = reading->has_name,
                                       .is_sparse = is_sparse};
    reply->n_vectors++;
    reply->rows[reply->n_rows - 1].n_vectors++;
    return true;
}

static bool
array_ended(struct vecwire_reply *reply, struct vecwire__json_reader *reader)
{
    struct vecwire__vector_reading *reading = &reply->reading;
    size_t n = reader->n;

    reading->in_floats = false;
    reply->n_floats += n;
    if (reader->is_nan)
        reply->rows[reply->n_rows - 1].flags |= VECWIRE_ROW_HAS_NAN;
    if (reading->in_sparse) {
        reading->has_values = true;
        return true;
    }
    if (reading->in_multi) {
        if (reading->rows++ > 0 && n != reading->dim)
            return fail(reply,
                        "rows of a multi-vector are of different lengths");
        reading->dim = n;
        return true;
    }
    if (reply->n_vectors == 0)
        reserve(reply, n);
    return add_vector(reply, &(struct vecwire_vector){.dim = n}, false);
}

bool
vecwire__reply_floats(struct vecwire_reply *reply,
                      struct vecwire__json_reader *reader,
                      enum vecwire__json_event event)
{
    struct vecwire__vector_reading *reading = &reply->reading;

    if (event == VECWIRE__JSON_EV_F32S)
        return array_ended(reply, reader);
    if (event == VECWIRE__JSON_EV_GROW)
        return grow(reply, reader);
    if (!reading->in_multi || reading->rows == 0)
        reading->float_at = reply->n_floats;
    reading->in_floats = true;
    reader->n = 0;
    lend(reply, reader);
    return true;
}

void
vecwire__reply_multi_begin(struct vecwire_reply *reply)
{
    reply->reading.in_multi = true;
    reply->reading.rows = reply->reading.dim = 0;
    reply->reading.float_at = reply->n_floats;
}

bool
vecwire__reply_multi_end(struct vecwire_reply *reply)
{
    struct vecwire__vector_reading *reading = &reply->reading;

    reading->in_multi = false;
    return add_vector(
        reply,
        &(struct vecwire_vector){.dim = reading->dim, .rows = reading->rows},
        false);
}

void
vecwire__reply_sparse_begin(struct vecwire_reply *reply)
{
    struct vecwire__vector_reading *reading = &reply->reading;

    reading->in_sparse = true;
    reading->has_values = reading->has_indices = false;
    reading->float_at = reply->n_floats;
    reading->index_at = reply->n_indices;
}

bool
vecwire__reply_sparse_index(struct vecwire_reply *reply, uint32_t index)
{
    void *indices = reply->indices;
    bool room =
        vecwire__mem_grow(&reply->mem, &indices, &reply->indices_cap,
                          reply->n_indices + 1, sizeof(*reply->indices));

    reply->indices = indices;
    if (!room)
        return false;
    reply->indices[reply->n_indices++] = index;
    return true;
}

bool
vecwire__reply_sparse_end(struct vecwire_reply *reply)
{
    struct vecwire__vector_reading *reading = &reply->reading;
    size_t n = reply->n_floats - reading->float_at;

    reading->in_sparse = false;
    if (!reading->has_values || !reading->has_indices)
        return fail(reply, "a sparse vector lacks \"indices\" or \"values\"");
    if (n != reply->n_indices - reading->index_at)
        return fail(reply, "a sparse vector has not as many values as indices");
    return add_vector(reply, &(struct vecwire_vector){.dim = n}, true);
}

bool
vecwire__reply_vector_name(struct vecwire_reply *reply, size_t at)
{
    const struct vecwire_row *row = &reply->rows[reply->n_rows - 1];
    size_t first = reply->n_vectors - row->n_vectors;
    const char *texts = reply->texts.bytes;

    if (row->n_vectors >= MAX_NAMES)
        return fail(reply, "a row of more than 1024 vectors");
    if (strlen(texts + at) + 1 != reply->texts.len - at)
        return fail(reply, "a vector's name has a NUL");
    for (size_t i = first; i < reply->n_vectors; i++) {
        if (strcmp(texts + reply->vector_places[i].name_at, texts + at) == 0)
            return fail(reply, "a row has a vector twice");
    }
    reply->reading.name_at = at;
    reply->reading.has_name = true;
    return true;
}

void
vecwire__reply_names_end(struct vecwire_reply *reply)
{
    reply->reading.has_name = false;
}

void
vecwire__reply_settle_vectors(struct vecwire_reply *reply)
{
    for (size_t i = 0; i < reply->n_vectors; i++) {
        const struct vecwire__vector_place *place = &reply->vector_places[i];
        struct vecwire_vector *vector = &reply->vectors[i];

        vector->name =
            place->has_name ? reply->texts.bytes + place->name_at : NULL;
        vector->values =
            reply->floats == NULL ? NULL : reply->floats + place->float_at;
        /* Not NULL: it is what tells a sparse vector. */
        if (place->is_sparse)
            vector->indices = reply->indices == NULL
                                  ? &no_index
                                  : reply->indices + place->index_at;
    }
    for (size_t i = 0; i < reply->n_rows; i++) {
        struct vecwire_row *row = &reply->rows[i];
        const struct vecwire_vector *one;

        if (row->n_vectors == 0)
            continue;
        one = row->vectors = reply->vectors + reply->places[i].vectors_at;
        if (row->n_vectors == 1 && one->name == NULL && one->rows == 0 &&
            one->indices == NULL) {
            row->vector = one->values;
            row->dim = one->dim;
        }
    }
}

void
vecwire__reply_drop_vectors(struct vecwire_reply *reply, size_t moved,
                            struct vecwire__json_reader *reader)
{
    struct vecwire__vector_reading *reading = &reply->reading;
    bool open = reply->n_rows > 0; /* a row is being read */
    size_t floats = open ? reply->row_floats_at : reply->n_floats;
    size_t indices = open ? reply->row_indices_at : reply->n_indices;
    size_t vectors = open ? reply->row_vectors_at : reply->n_vectors;
    size_t unfinished = reading->in_floats ? reader->n : 0;

    if (floats > 0 && reply->n_floats - floats + unfinished > 0)
        memmove(reply->floats, reply->floats + floats,
                (reply->n_floats - floats + unfinished) * sizeof(float));
    if (indices > 0 && reply->n_indices > indices)
        memmove(reply->indices, reply->indices + indices,
                (reply->n_indices - indices) * sizeof(uint32_t));
    for (size_t i = vectors; i < reply->n_vectors; i++) {
        struct vecwire__vector_place *place =
            &reply->vector_places[i - vectors];

        *place = reply->vector_places[i];
        place->float_at -= floats;
        place->index_at -= place->is_sparse ? indices : 0;
        place->name_at -= place->has_name ? moved : 0;
        reply->vectors[i - vectors] = reply->vectors[i];
    }
    reply->n_floats -= floats;
    reply->n_indices -= indices;
    reply->n_vectors -= vectors;
    reply->row_floats_at = reply->row_indices_at = reply->row_vectors_at = 0;
    if (!open)
        return;
    reply->places[0].vectors_at = 0;
    reading->float_at -= reading->float_at >= floats ? floats : 0;
    reading->index_at -= reading->index_at >= indices ? indices : 0;
    reading->name_at -= reading->has_name ? moved : 0;
    if (reading->in_floats)
        lend(reply, reader);
}
