/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_SESSION_H
#define VECWIRE_TOOL_SESSION_H

#include <vecwire/vecwire.h>

#include "tool/args.h"

/* A base, its counting runner and one client on it. */
struct tool_session {
    const char *command; /* for messages */
    const char *url;     /* for messages */
    struct event_base *base;
    struct vecwire_loop *loop;
    struct vecwire_client *client;
};

/* What `load` sets. Limits: 0 is the library's default. */
struct session_limits {
    /* Made once for all sessions; NULL: the session makes its own, where the
     * options ask for one. */
    const struct vecwire_hms_mask *mask;
    uint32_t connections;
    uint32_t max_waiting;
    uint64_t max_waiting_bytes;
};

/* TOOL_DONE, or what to exit with; all has been said and nothing is open.
 * `limits` may be NULL. */
int vecwire__session_open(struct tool_session *session, const char *command,
                          const struct tool_common *common,
                          const struct session_limits *limits);

/* The mask that the options ask for, NULL where they ask for none. TOOL_DONE,
 * or what to exit with; all has been said. */
int vecwire__session_mask(const char *command, const struct tool_common *common,
                          struct vecwire_hms_mask **mask);

void vecwire__session_close(struct tool_session *session);

/* A completion: keeps the reply in the `const struct vecwire_reply *` that
 * `arg` points at. */
void vecwire__session_keep(const struct vecwire_reply *reply, void *arg);

/* Run the loop until the reply is there. False: the loop broke, said so. */
bool vecwire__session_wait(struct tool_session *session,
                           const struct vecwire_reply **reply);

/* One line on stderr for a failed reply. */
void vecwire__session_failed(const struct tool_session *session,
                             const char *what,
                             const struct vecwire_error *error);

/* One line on stderr for a call that was refused; what to exit with. */
int vecwire__session_refused(const struct tool_session *session,
                             const char *what, enum vecwire_err rc,
                             const struct vecwire_refusal *refusal);

/* Write "why" of an error to `text`: the code, the status and the detail. */
void vecwire__session_reason(const struct vecwire_error *error, char *text,
                             size_t room);

#endif
