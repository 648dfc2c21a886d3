/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table from an id to its row: open addressing, linear probing, holes
 * closed on removal. The hash is seeded at random for each process, so that
 * nobody can choose ids that collide. */
#ifndef VECWIRE_SERVER_ID_INDEX_H
#define VECWIRE_SERVER_ID_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-filled it is empty. */
struct vecwire__id_index {
    struct vecwire__id_slot *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t n_used;
};

struct vecwire__id_slot {
    uint64_t hash;
    size_t row_plus_one; /* 0: free */
};

/* Does `row` have the id that is looked for? */
typedef bool (*vecwire__id_equal)(const void *rows, size_t row, const char *id,
                                  size_t len);

/* Hash of an id, the same within one process. */
uint64_t vecwire__id_hash(const char *id, size_t len);

/* The row, or SIZE_MAX. */
size_t vecwire__id_index_find(const struct vecwire__id_index *index,
                              uint64_t hash, const char *id, size_t len,
                              vecwire__id_equal equal, const void *rows);

/* Room for one more entry. False: no memory. */
bool vecwire__id_index_reserve(struct vecwire__id_index *index);

/* Add a row that is not there; room has been reserved. */
void vecwire__id_index_add(struct vecwire__id_index *index, uint64_t hash,
                           size_t row);

/* Remove a row that is there. */
void vecwire__id_index_remove(struct vecwire__id_index *index, uint64_t hash,
                              size_t row);

/* A row that is there has moved. */
void vecwire__id_index_move(struct vecwire__id_index *index, uint64_t hash,
                            size_t from, size_t to);

void vecwire__id_index_fini(struct vecwire__id_index *index);

#endif
