/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/load.h"

#include <event2/event.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LATE_NS 1000000u

#define NEVER_NS 1e18 /* 30 years behind the start */

/* When request `number` of this worker is due. */
static uint64_t
due_time(const struct load_worker *worker, uint64_t number)
{
    double wait = worker->offset_ns + worker->gap_ns * (double)number;

    return worker->figures.began_ns +
           (uint64_t)(wait < NEVER_NS ? wait : NEVER_NS);
}

/* Whether request `number` belongs to this run at all. */
static bool
is_planned(const struct load_worker *worker, uint64_t number)
{
    if (worker->share > 0)
        return number < worker->share;
    return due_time(worker, number) < worker->end_ns;
}

/* At the end of a run by duration, count what was due and could not leave;
 * all of it was late. */
static void
give_up_rest(struct load_worker *worker)
{
    uint64_t step = 1, next = worker->sent;

    /* There may be more of them than can be counted one by one. */
    while (is_planned(worker, next + step))
        step *= 2;
    for (; step > 0; step /= 2) {
        if (is_planned(worker, next + step - 1))
            next += step;
    }
    worker->figures.unsent = next - worker->sent;
    worker->figures.late_sends += worker->figures.unsent;
}

/* 0: stop it. */
static void
set_timer(struct load_worker *worker, uint64_t at_ns)
{
    struct itimerspec when;

    if (worker->timer_at == at_ns)
        return;
    worker->timer_at = at_ns;
    memset(&when, 0, sizeof(when));
    when.it_value.tv_sec = (time_t)(at_ns / 1000000000u);
    when.it_value.tv_nsec = (long)(at_ns % 1000000000u);
    timerfd_settime(worker->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void
vecwire__load_pace(struct load_worker *worker)
{
    uint64_t now = vecwire__load_now(), due;

    while (!worker->stopping && is_planned(worker, worker->sent)) {
        due = due_time(worker, worker->sent);
        if (worker->share == 0 && now >= worker->end_ns)
            break;
        if (due > now) {
            set_timer(worker, due);
            return;
        }
        /* With all slots taken the next completion comes back here; until
         * then the timer only watches for the end. */
        if (worker->n_free == 0) {
            set_timer(worker, worker->share == 0 ? worker->end_ns : 0);
            return;
        }
        if (now - due > LATE_NS)
            worker->figures.late_sends++;
        vecwire__load_send(worker, due);
        now = vecwire__load_now();
    }
    if (!worker->stopping)
        give_up_rest(worker);
    worker->stopping = true;
    event_del(worker->timer);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct load_worker *worker = arg;

    (void)fd;
    (void)what;
    /* Not read: setting the timer anew makes it unreadable. */
    set_timer(worker, 0);
    vecwire__load_pace(worker);
    vecwire__load_end_if_over(worker);
}

bool
vecwire__load_pace_init(struct load_worker *worker)
{
    /* libevent's timers are exact to a millisecond, which is more than a
     * request takes. */
    worker->timer_fd =
        timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (worker->timer_fd < 0)
        return false;
    worker->timer = event_new(worker->session.base, worker->timer_fd,
                              EV_READ | EV_PERSIST, on_timer, worker);
    return worker->timer != NULL && event_add(worker->timer, NULL) == 0;
}

void
vecwire__load_pace_fini(struct load_worker *worker)
{
    if (worker->timer != NULL)
        event_free(worker->timer);
    if (worker->timer_fd >= 0)
        close(worker->timer_fd);
    worker->timer = NULL;
    worker->timer_fd = -1;
}
