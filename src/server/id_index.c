/* SPDX-License-Identifier: Apache-2.0 */
#include "server/id_index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static const uint64_t *
hash_keys(void)
{
    static uint64_t keys[2];

    if (keys[1] != 0)
        return keys;
    if (getrandom(keys, sizeof(keys), GRND_NONBLOCK) != sizeof(keys)) {
        /* Early at boot the kernel may have no entropy yet; the clock and
         * the address of the stack are then better than a constant. */
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        keys[0] = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15U;
        keys[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)now.tv_sec;
    }
    keys[1] |= 1;
    return keys;
}

/* Both halves of the product, so that every input bit reaches every output
 * bit. */
static uint64_t
fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t
vecwire__id_hash(const char *id, size_t len)
{
    const uint64_t *keys = hash_keys();
    uint64_t hash = keys[0] ^ len, word;
    size_t left = len;

    for (; left >= sizeof(word); left -= sizeof(word), id += sizeof(word)) {
        memcpy(&word, id, sizeof(word));
        hash = fold(hash ^ word, keys[1]) + 0x9e3779b97f4a7c15U;
    }
    word = 0;
    memcpy(&word, id, left);
    hash = fold(hash ^ word, keys[1]);
    return fold(hash ^ keys[0], 0x9fb21c651e98df25U);
}

size_t
vecwire__id_index_find(const struct vecwire__id_index *index, uint64_t hash,
                       const char *id, size_t len, vecwire__id_equal equal,
                       const void *rows)
{
    size_t mask = index->n_slots - 1;

    if (index->n_used == 0)
        return SIZE_MAX;
    for (size_t at = hash & mask; index->slots[at].row_plus_one != 0;
         at = (at + 1) & mask) {
        const struct vecwire__id_slot *slot = &index->slots[at];

        if (slot->hash == hash && equal(rows, slot->row_plus_one - 1, id, len))
            return slot->row_plus_one - 1;
    }
    return SIZE_MAX;
}

bool
vecwire__id_index_reserve(struct vecwire__id_index *index)
{
    struct vecwire__id_index grown = {NULL, 64, 0};

    if (index->n_used < index->n_slots - index->n_slots / 4)
        return true;
    if (index->n_slots != 0)
        grown.n_slots = 2 * index->n_slots;
    grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < index->n_slots; i++) {
        const struct vecwire__id_slot *slot = &index->slots[i];

        if (slot->row_plus_one != 0)
            vecwire__id_index_add(&grown, slot->hash, slot->row_plus_one - 1);
    }
    free(index->slots);
    *index = grown;
    return true;
}

void
vecwire__id_index_add(struct vecwire__id_index *index, uint64_t hash,
                      size_t row)
{
    size_t mask = index->n_slots - 1, at = hash & mask;

    while (index->slots[at].row_plus_one != 0)
        at = (at + 1) & mask;
    index->slots[at].hash = hash;
    index->slots[at].row_plus_one = row + 1;
    index->n_used++;
}

static size_t
slot_of_row(const struct vecwire__id_index *index, uint64_t hash, size_t row)
{
    size_t mask = index->n_slots - 1, at = hash & mask;

    while (index->slots[at].row_plus_one != row + 1)
        at = (at + 1) & mask;
    return at;
}

void
vecwire__id_index_remove(struct vecwire__id_index *index, uint64_t hash,
                         size_t row)
{
    size_t mask = index->n_slots - 1;
    size_t hole = slot_of_row(index, hash, row);

    for (size_t at = (hole + 1) & mask; index->slots[at].row_plus_one != 0;
         at = (at + 1) & mask) {
        size_t home = index->slots[at].hash & mask;

        /* An entry may fill the hole unless its home lies behind it. */
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->slots[hole] = index->slots[at];
            hole = at;
        }
    }
    index->slots[hole].row_plus_one = 0;
    index->n_used--;
}

void
vecwire__id_index_move(struct vecwire__id_index *index, uint64_t hash,
                       size_t from, size_t to)
{
    index->slots[slot_of_row(index, hash, from)].row_plus_one = to + 1;
}

void
vecwire__id_index_fini(struct vecwire__id_index *index)
{
    free(index->slots);
    memset(index, 0, sizeof(*index));
}
