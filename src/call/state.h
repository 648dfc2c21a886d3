/* SPDX-License-Identifier: Apache-2.0 */
/* The states of one call in flight, as a pure table.
 *
 * QUEUED --lease cold--> CONNECTING --up--> SENDING --first byte--> RECEIVING
 *  |  |                      '------- first byte -------------------^  |
 *  |  '---- lease warm ----------------------^                        end
 *  |                                                                   v
 *  |   any of the three --retry--> RETRY_WAIT --timer--> QUEUED       DONE
 *  any but DONE --deadline, cancel, close, verdict--> DONE
 *
 * RECEIVING --pause--> PAUSED --resume--> RECEIVING: its caller takes rows
 * before the end, and none for now. */
#ifndef VECWIRE_CALL_STATE_H
#define VECWIRE_CALL_STATE_H

enum vecwire__call_state {
    VECWIRE__CALL_QUEUED,     /* encoded; waits for a connection */
    VECWIRE__CALL_CONNECTING, /* bound to a connection that comes up */
    VECWIRE__CALL_SENDING,    /* request leaves or has left */
    VECWIRE__CALL_RECEIVING,  /* a byte of the reply has come */
    VECWIRE__CALL_PAUSED,     /* keeps its connection, which is not read */
    VECWIRE__CALL_RETRY_WAIT, /* holds no connection, waits for its time */
    VECWIRE__CALL_DONE,       /* outcome fixed, off every list */
    VECWIRE__CALL_N_STATES
};

enum vecwire__call_event {
    VECWIRE__CALL_EV_LEASE_COLD,
    VECWIRE__CALL_EV_LEASE_WARM,
    VECWIRE__CALL_EV_UP,
    VECWIRE__CALL_EV_FIRST_BYTE,
    VECWIRE__CALL_EV_PAUSE,
    VECWIRE__CALL_EV_RESUME,
    VECWIRE__CALL_EV_RETRY,
    VECWIRE__CALL_EV_TIMER,
    VECWIRE__CALL_EV_END,     /* the reply is whole */
    VECWIRE__CALL_EV_GIVE_UP, /* deadline, cancel, close, verdict */
    VECWIRE__CALL_N_EVENTS
};

/* Pure. The next state, or -1 when `event` cannot happen in `from`. */
int vecwire__call_next(enum vecwire__call_state from,
                       enum vecwire__call_event event);

#endif
