/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/soak.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/* What may differ between two quarters: buffers that are kept for the next
 * burst of calls. */
#define MORE_BLOCKS 128
#define MORE_BYTES (1024 * 1024)
#define MORE_RESIDENT_KB 4096
/* A short run still fills them: not more than the client ever keeps. */
#define MOST_KEPT_BLOCKS 2048
#define MOST_KEPT_BYTES (8 * 1024 * 1024)

static size_t
resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    size_t pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%*u %zu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* As rig_descriptors(), which may only be asked inside a test. */
size_t
soak_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    size_t n = 0;

    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

void
soak_take_sample(struct soak *soak)
{
    if (soak->n_samples == SOAK_SAMPLES)
        return;
    soak->samples[soak->n_samples++] =
        (struct soak_sample){.blocks = soak->counting.blocks,
                             .bytes = soak->counting.bytes,
                             .resident_kb = resident_kb(),
                             .descriptors = soak_descriptors()};
}

static size_t
max_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct soak_sample
most(const struct soak *soak, size_t from, size_t to)
{
    struct soak_sample most = {0};

    for (size_t i = from; i < to; i++) {
        const struct soak_sample *at = &soak->samples[i];

        most.blocks = max_of(most.blocks, at->blocks);
        most.bytes = max_of(most.bytes, at->bytes);
        most.resident_kb = max_of(most.resident_kb, at->resident_kb);
        most.descriptors = max_of(most.descriptors, at->descriptors);
    }
    return most;
}

void
soak_check_flat(struct soak *soak)
{
    size_t n = soak->n_samples;
    struct soak_sample third = most(soak, n / 2, n * 3 / 4);
    struct soak_sample fourth = most(soak, n * 3 / 4, n);

    printf("held when idle, third quarter and fourth: %zu and %zu bytes in "
           "%zu and %zu blocks, %zu and %zu KB resident, %zu and %zu "
           "descriptors\n",
           third.bytes, fourth.bytes, third.blocks, fourth.blocks,
           third.resident_kb, fourth.resident_kb, third.descriptors,
           fourth.descriptors);
    if (n < SOAK_SAMPLES
            ? fourth.blocks > MOST_KEPT_BLOCKS || fourth.bytes > MOST_KEPT_BYTES
            : fourth.blocks > third.blocks + MORE_BLOCKS ||
                  fourth.bytes > third.bytes + MORE_BYTES)
        soak_wrong(soak, NULL, "the client's memory grows");
    /* A short one still warms up, and instruments keep what is freed. */
    if (n == SOAK_SAMPLES &&
        fourth.resident_kb > third.resident_kb + MORE_RESIDENT_KB)
        soak_wrong(soak, NULL, "the process grows");
    if (fourth.descriptors != third.descriptors)
        soak_wrong(soak, NULL, "descriptors grow");
}
