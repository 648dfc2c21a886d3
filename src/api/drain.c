/* SPDX-License-Identifier: Apache-2.0 */
#include "api/client.h"

#include <assert.h>

#include <event2/event.h>

#include "api/base.h"

static void
on_time_up(evutil_socket_t fd, short what, void *arg)
{
    bool *time_up = arg;

    (void)fd;
    (void)what;
    *time_up = true;
}

static enum vecwire_err
one_pass(struct event_base *base, struct vecwire_loop *loop)
{
    bool more;
    int rc;

    if (loop != NULL) {
        enum vecwire_err err = vecwire__loop_pass(loop, &more);

        return err != VECWIRE_OK || !more ? VECWIRE_EIO : VECWIRE_OK;
    }
    rc = event_base_loop(base, EVLOOP_ONCE);
    return rc == 0 ? VECWIRE_OK : VECWIRE_EIO;
}

static enum vecwire_err
run(struct vecwire_client *client, const bool *time_up)
{
    struct event_base *base = client->base;
    struct vecwire_loop *loop = client->options.loop;
    enum vecwire_err err = VECWIRE_OK;
    bool gone = false;

    client->gone = &gone;
    while (err == VECWIRE_OK && !gone &&
           vecwire__engine_unfinished(&client->engine)) {
        if (*time_up)
            err = VECWIRE_ETIMEDOUT;
        else
            err = one_pass(base, loop);
        if (!gone && err == VECWIRE_OK &&
            (event_base_got_break(base) || event_base_got_exit(base)) &&
            vecwire__engine_unfinished(&client->engine))
            err = VECWIRE_EIO;
    }
    if (!gone)
        client->gone = NULL;
    return gone ? VECWIRE_ECLOSED : err;
}

enum vecwire_err
vecwire_client_drain(struct vecwire_client *client, uint32_t timeout_ms)
{
    struct timeval wait = {(time_t)(timeout_ms / 1000),
                           (suseconds_t)(timeout_ms % 1000) * 1000};
    bool time_up = timeout_ms == 0;
    enum vecwire_err err;
    struct event *timer;

    if (client == NULL)
        return VECWIRE_EINVAL;
    assert(!client->engine.in_hook);
    if (vecwire__home_left(&client->home))
        return VECWIRE_ECLOSED;
    if (client->engine.depth > 0 || vecwire__base_runs(client->base))
        return VECWIRE_EBUSY;
    timer = event_new(client->base, -1, EV_TIMEOUT, on_time_up, &time_up);
    if (timer == NULL)
        return VECWIRE_ENOMEM;
    if (timeout_ms != VECWIRE_NEVER && !time_up)
        event_add(timer, &wait);
    err = run(client, &time_up);
    event_free(timer);
    return err;
}
