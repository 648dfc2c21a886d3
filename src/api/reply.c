/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/reply.h"

#include <string.h>

#include <jansson.h>

const struct vecwire_error *
vecwire_reply_error(const struct vecwire_reply *reply)
{
    return reply->failed ? &reply->error : NULL;
}

uint32_t
vecwire_reply_status(const struct vecwire_reply *reply)
{
    return reply->status;
}

size_t
vecwire_reply_count(const struct vecwire_reply *reply)
{
    return reply->n_rows;
}

uint64_t
vecwire_reply_rows_given(const struct vecwire_reply *reply)
{
    return reply->rows_given;
}

const struct vecwire_row *
vecwire_reply_row(const struct vecwire_reply *reply, size_t index)
{
    return index < reply->n_rows ? &reply->rows[index] : NULL;
}

const struct vecwire_vector *
vecwire_row_vector(const struct vecwire_row *row, const char *name)
{
    for (size_t i = 0; i < row->n_vectors; i++) {
        const char *own = row->vectors[i].name;

        if (strcmp(own == NULL ? "" : own, name == NULL ? "" : name) == 0)
            return &row->vectors[i];
    }
    return NULL;
}

const float *
vecwire_reply_matrix(const struct vecwire_reply *reply, size_t *rows,
                     size_t *dim)
{
    const struct vecwire_row *row = reply->rows;

    *rows = *dim = 0;
    for (size_t i = 0; i < reply->n_rows; i++) {
        const struct vecwire_vector *vector = row[i].vectors;

        if (row[i].n_vectors != 1 || vector->indices != NULL ||
            vector->rows != 0 || vector->dim == 0 ||
            vector->dim != row[0].vectors[0].dim ||
            vector->values != row[0].vectors[0].values + i * vector->dim)
            return NULL;
    }
    if (reply->n_rows == 0)
        return NULL;
    *rows = reply->n_rows;
    *dim = row[0].vectors[0].dim;
    return row[0].vectors[0].values;
}

size_t
vecwire_reply_groups(const struct vecwire_reply *reply)
{
    return reply->failed || reply->is_facet ? 0 : reply->n_groups;
}

const struct vecwire_group *
vecwire_reply_group(const struct vecwire_reply *reply, size_t index)
{
    return index < vecwire_reply_groups(reply) ? &reply->groups[index] : NULL;
}

const struct vecwire_id *
vecwire_reply_next_offset(const struct vecwire_reply *reply)
{
    return reply->has_next && !reply->failed ? &reply->next_offset : NULL;
}

uint64_t
vecwire_reply_total(const struct vecwire_reply *reply)
{
    return reply->failed ? 0 : reply->total;
}

struct json_t *
vecwire_reply_payload_tree(const struct vecwire_reply *reply, size_t index)
{
    const struct vecwire_row *row = vecwire_reply_row(reply, index);

    if (row == NULL || row->payload == NULL)
        return NULL;
    return json_loadb(row->payload, row->payload_len, JSON_DECODE_ANY, NULL);
}

uint64_t
vecwire_reply_affected(const struct vecwire_reply *reply)
{
    return reply->failed ? 0 : reply->affected;
}

const char *
vecwire_reply_body(const struct vecwire_reply *reply, size_t *len)
{
    if (len != NULL)
        *len = reply->body.len;
    return reply->body.len == 0 ? "" : reply->body.bytes;
}

const char *
vecwire_reply_header(const struct vecwire_reply *reply, const char *name)
{
    size_t at = vecwire__reply_find_header(reply, name);

    return at == SIZE_MAX ? NULL : reply->texts.bytes + at;
}

bool
vecwire_reply_header_at(const struct vecwire_reply *reply, size_t index,
                        struct vecwire_header *header)
{
    const char *text = reply->texts.bytes;

    for (size_t at = 0; at < reply->headers_len; index--) {
        header->name = text + at;
        at += strlen(text + at) + 1;
        header->value = text + at;
        at += strlen(text + at) + 1;
        if (index == 0)
            return true;
    }
    return false;
}

uint32_t
vecwire_reply_attempts(const struct vecwire_reply *reply)
{
    return reply->attempts;
}

const char *
vecwire_reply_peer(const struct vecwire_reply *reply)
{
    return reply->peer;
}

uint32_t
vecwire_reply_wakeups(const struct vecwire_reply *reply)
{
    return reply->wakeups;
}

uint64_t
vecwire_reply_loop_iterations(const struct vecwire_reply *reply)
{
    return reply->iterations;
}

const struct vecwire_timing *
vecwire_reply_timing(const struct vecwire_reply *reply)
{
    return &reply->timing;
}

vecwire_call_id
vecwire_reply_id(const struct vecwire_reply *reply)
{
    return reply->id;
}

/* Counting references is no change to what the reply says: the one place
 * where const is taken away. */
static struct vecwire_reply *
counted(const struct vecwire_reply *reply)
{
    union {
        const struct vecwire_reply *given;
        struct vecwire_reply *counted;
    } both = {reply};

    return both.counted;
}

const struct vecwire_reply *
vecwire_reply_keep(const struct vecwire_reply *reply)
{
    if (reply->is_batch)
        return NULL;
    vecwire__reply_hold(counted(reply));
    return reply;
}

void
vecwire_reply_release(const struct vecwire_reply *reply)
{
    vecwire__reply_release(counted(reply));
}
