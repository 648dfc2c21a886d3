/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define BETWEEN_NS (NS_PER_S / 5)

static uint64_t
now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* "4 s", "3 min 20 s", "2 h 5 min" */
static void
put_time(double seconds, char *text, size_t room)
{
    unsigned long long s = (unsigned long long)(seconds + 0.5);

    if (s < 60)
        snprintf(text, room, "%llu s", s);
    else if (s < 3600)
        snprintf(text, room, "%llu min %llu s", s / 60, s % 60);
    else
        snprintf(text, room, "%llu h %llu min", s / 3600, s % 3600 / 60);
}

void
vecwire__progress_text(const struct progress_state *state, char *text,
                       size_t room)
{
    char total[32] = "", part[16] = "", rate[40] = "", left[48] = "";

    if (state->total > 0)
        snprintf(total, sizeof(total), " of %llu",
                 (unsigned long long)state->total);
    if (state->part >= 0)
        snprintf(part, sizeof(part), ", %d %%", (int)(state->part * 100));
    if (state->seconds > 0)
        snprintf(rate, sizeof(rate), ", %.0f rows/s",
                 (double)state->done / state->seconds);
    /* Too early, the guess would be wild. */
    if (state->part > 0 && state->part < 1 && state->seconds >= 1) {
        char time[32];

        put_time(state->seconds * (1 - state->part) / state->part, time,
                 sizeof(time));
        snprintf(left, sizeof(left), ", %s left", time);
    }
    snprintf(text, room, "%llu%s rows%s%s%s", (unsigned long long)state->done,
             total, part, rate, left);
}

void
vecwire__progress_begin(struct progress *progress, const char *command)
{
    memset(progress, 0, sizeof(*progress));
    progress->command = command;
    progress->shown = isatty(STDERR_FILENO) == 1;
    progress->begin_ns = now_ns();
}

static void
write_line(struct progress *progress, struct progress_state *state, bool last)
{
    char text[160];
    int len;

    state->seconds = (double)(now_ns() - progress->begin_ns) / (double)NS_PER_S;
    vecwire__progress_text(state, text, sizeof(text));
    /* Blanks over what is left of a longer one. */
    len = fprintf(stderr, "\rvecwire %s: %s", progress->command, text);
    for (size_t i = len > 0 ? (size_t)len : 0; i < progress->last; i++)
        putc(' ', stderr);
    if (last)
        putc('\n', stderr);
    fflush(stderr);
    progress->last = len > 0 ? (size_t)len : 0;
}

void
vecwire__progress_show(struct progress *progress, struct progress_state *state)
{
    uint64_t now;

    if (!progress->shown)
        return;
    now = now_ns();
    if (now < progress->next_ns)
        return;
    progress->next_ns = now + BETWEEN_NS;
    write_line(progress, state, false);
}

void
vecwire__progress_end(struct progress *progress, struct progress_state *state)
{
    if (progress->shown)
        write_line(progress, state, true);
    progress->shown = false;
}
