/* SPDX-License-Identifier: Apache-2.0 */
#include "call/state.h"

/* An absent entry is 0: it cannot happen. */
#define TO(state) ((state) + 1)

static const unsigned char
    next[VECWIRE__CALL_N_STATES][VECWIRE__CALL_N_EVENTS] = {
        [VECWIRE__CALL_QUEUED] =
            {
                [VECWIRE__CALL_EV_LEASE_COLD] = TO(VECWIRE__CALL_CONNECTING),
                [VECWIRE__CALL_EV_LEASE_WARM] = TO(VECWIRE__CALL_SENDING),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
        [VECWIRE__CALL_CONNECTING] =
            {
                [VECWIRE__CALL_EV_UP] = TO(VECWIRE__CALL_SENDING),
                /* An answer that was there before a byte of ours had left. */
                [VECWIRE__CALL_EV_FIRST_BYTE] = TO(VECWIRE__CALL_RECEIVING),
                [VECWIRE__CALL_EV_RETRY] = TO(VECWIRE__CALL_RETRY_WAIT),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
        [VECWIRE__CALL_SENDING] =
            {
                [VECWIRE__CALL_EV_FIRST_BYTE] = TO(VECWIRE__CALL_RECEIVING),
                [VECWIRE__CALL_EV_RETRY] = TO(VECWIRE__CALL_RETRY_WAIT),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
        [VECWIRE__CALL_RECEIVING] =
            {
                [VECWIRE__CALL_EV_PAUSE] = TO(VECWIRE__CALL_PAUSED),
                [VECWIRE__CALL_EV_RETRY] = TO(VECWIRE__CALL_RETRY_WAIT),
                [VECWIRE__CALL_EV_END] = TO(VECWIRE__CALL_DONE),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
        [VECWIRE__CALL_PAUSED] =
            {
                [VECWIRE__CALL_EV_RESUME] = TO(VECWIRE__CALL_RECEIVING),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
        [VECWIRE__CALL_RETRY_WAIT] =
            {
                [VECWIRE__CALL_EV_TIMER] = TO(VECWIRE__CALL_QUEUED),
                [VECWIRE__CALL_EV_GIVE_UP] = TO(VECWIRE__CALL_DONE),
            },
};

int
vecwire__call_next(enum vecwire__call_state from,
                   enum vecwire__call_event event)
{
    return next[from][event] - 1;
}
