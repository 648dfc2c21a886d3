/* SPDX-License-Identifier: Apache-2.0 */
/* What the float and vector tests share: samples, and memory with an edge. */
#ifndef VECWIRE_TESTS_FLOAT_SAMPLE_H
#define VECWIRE_TESTS_FLOAT_SAMPLE_H

#include <check.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/float_word.h"

/* As ck_assert_msg(), which reports each time that it holds: too slow for
 * millions. */
#define REQUIRE(holds, ...)                                                    \
    do {                                                                       \
        if (!(holds))                                                          \
            ck_abort_msg(__VA_ARGS__);                                         \
    } while (0)

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static inline uint64_t
random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1du;
}

/* Memory between two pages that fault when touched. */
struct guarded {
    char *map;
    char *first; /* the byte before it faults */
    char *end;   /* faults */
    size_t page;
};

static inline struct guarded
guarded_new(void)
{
    struct guarded g;
    size_t inner = 4;

    g.page = (size_t)sysconf(_SC_PAGESIZE);
    g.map = mmap(NULL, (inner + 2) * g.page, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g.map, MAP_FAILED);
    g.first = g.map + g.page;
    g.end = g.first + inner * g.page;
    ck_assert_int_eq(mprotect(g.map, g.page, PROT_NONE), 0);
    ck_assert_int_eq(mprotect(g.end, g.page, PROT_NONE), 0);
    return g;
}

static inline void
guarded_free(struct guarded *g)
{
    ck_assert_int_eq(munmap(g->map, (size_t)(g->end - g->map) + g->page), 0);
}

#define DIM_MAX 384

/* A component of a kind: 0 embedding, 1 any bits, 2 subnormal, 3 whole, 4 few
 * decimals, 5 power of two, 6 just around the limits of the fast path, 7 zero,
 * 8 a mixture. */
#define KINDS 9

static inline float
float_random(unsigned kind, uint64_t *state)
{
    static const float limits[] = {0x1p-16f, 0x1p-10f, 1.0f, 0x1p-17f, 0.5f};
    uint64_t r = random_next(state);
    uint32_t sign = (uint32_t)(r >> 63) << 31, bits = (uint32_t)r & 0x7fffffff;

    switch (kind) {
    case 0:
        bits = 0x3a800000u + bits % 0x04800000u;
        break;
    case 1:
        bits %= 0x7f800000u;
        break;
    case 2:
        bits %= 0x00800000u;
        break;
    case 3:
        bits = vecwire__float_bits((float)(r % 1000));
        break;
    case 4:
        bits = vecwire__float_bits((float)(r % 1000) / 1000.0f);
        break;
    case 5:
        bits = (bits >> 8) % 255 << 23;
        break;
    case 6:
        bits = vecwire__float_bits(limits[r % 5]) + (uint32_t)(r >> 8) % 5 - 2;
        break;
    case 7:
        bits = 0;
        break;
    default:
        return float_random((unsigned)(r >> 40) % 8, state);
    }
    return vecwire__float_of_bits(bits | sign);
}

static inline void
vector_random(float *v, size_t n, unsigned kind, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        v[i] = float_random(kind, state);
}

/* Vectors of 0..70 and of 384 floats, for tests over all lengths. */
#define LENGTHS 72

static inline size_t
length_at(size_t i)
{
    return i == LENGTHS - 1 ? DIM_MAX : i;
}

/* Switch this process to a locale that writes "0,5", one made for the occasion
 * if the machine has none. False when it cannot be made either. */
static inline bool
locale_with_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    char dir[] = "/tmp/vecwire-locale-XXXXXX", command[160];
    bool found = false;

    for (int i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found && mkdtemp(dir) != NULL) {
        snprintf(command, sizeof(command),
                 "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir,
                 dir);
        found = system(command) == 0 && setenv("LOCPATH", dir, 1) == 0 &&
                setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        snprintf(command, sizeof(command), "rm -rf %s", dir);
        if (system(command) != 0)
            printf("could not remove %s\n", dir);
    }
    return found && strcmp(localeconv()->decimal_point, ",") == 0;
}

#endif
