/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/loop.h>

#include <stdlib.h>

#include <event2/event.h>

#include "api/base.h"

struct vecwire_loop {
    struct event_base *base;
    uint64_t passes; /* ended ones that ran a callback */
    bool running;    /* inside a pass */
    bool stop;
};

struct event_base *
vecwire_event_base_new(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;

    if (config == NULL)
        return NULL;
    if (event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK) == 0 &&
        event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST) ==
            0)
        base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

enum vecwire_err
vecwire_loop_new(struct vecwire_loop **out, struct event_base *base)
{
    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    if (base == NULL)
        return VECWIRE_EINVAL;
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return VECWIRE_ENOMEM;
    (*out)->base = base;
    return VECWIRE_OK;
}

void
vecwire_loop_free(struct vecwire_loop *loop)
{
    free(loop);
}

/* One pass that runs a callback. EVLOOP_ONCE goes on waiting until there was
 * one: the times that a rounded timer wakes it for nothing are no
 * iterations. */
enum vecwire_err
vecwire__loop_pass(struct vecwire_loop *loop, bool *more)
{
    int rc;

    loop->running = true;
    rc = event_base_loop(loop->base, EVLOOP_ONCE);
    loop->running = false;
    *more = rc == 0;
    if (rc == 0)
        loop->passes++;
    return rc < 0 ? VECWIRE_EIO : VECWIRE_OK;
}

static enum vecwire_err
may_run(const struct vecwire_loop *loop)
{
    if (loop == NULL)
        return VECWIRE_EINVAL;
    if (loop->running || vecwire__base_runs(loop->base))
        return VECWIRE_EBUSY;
    return VECWIRE_OK;
}

enum vecwire_err
vecwire_loop_step(struct vecwire_loop *loop, bool *more)
{
    enum vecwire_err err = may_run(loop);
    bool left = false;

    if (err == VECWIRE_OK)
        err = vecwire__loop_pass(loop, &left);
    if (more != NULL)
        *more = left;
    return err;
}

enum vecwire_err
vecwire_loop_run(struct vecwire_loop *loop)
{
    enum vecwire_err err = may_run(loop);
    bool more = true;

    if (err != VECWIRE_OK)
        return err;
    loop->stop = false;
    while (err == VECWIRE_OK && more && !loop->stop) {
        err = vecwire__loop_pass(loop, &more);
        if (event_base_got_exit(loop->base) || event_base_got_break(loop->base))
            break;
    }
    return err;
}

void
vecwire_loop_stop(struct vecwire_loop *loop)
{
    if (loop != NULL)
        loop->stop = true;
}

uint64_t
vecwire_loop_iterations(const struct vecwire_loop *loop)
{
    if (loop == NULL)
        return 0;
    return loop->passes + (loop->running ? 1 : 0);
}
