/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/soak.h"

#include <stdio.h>

/* What loses a connection under a request. */
#define LOSSES                                                                 \
    (CHAOS_BIT(MUTE_CLOSE) | CHAOS_BIT(MUTE_RESET) | CHAOS_BIT(CUT_CLOSE) |    \
     CHAOS_BIT(CUT_RESET) | CHAOS_BIT(NONSENSE) | CHAOS_BIT(UNFRAMED) |        \
     CHAOS_BIT(UNFRAMED_RESET) | CHAOS_BIT(THEN_RESET) | CHAOS_BIT(UNREAD))

#define STATUSES                                                               \
    (CHAOS_BIT(TOLD_429) | CHAOS_BIT(TOLD_503) | CHAOS_BIT(TOLD_OTHER))

/* Which faults explain a code by themselves. */
static const unsigned explains[SOAK_CODES] = {
    [VECWIRE_EIO] = LOSSES,
    [VECWIRE_EUNKNOWN] = LOSSES,
    [VECWIRE_EHTTP] = STATUSES,
    [VECWIRE_EPROTO] = CHAOS_BIT(NONSENSE) | CHAOS_BIT(HINTS),
    [VECWIRE_EDECODE] = CHAOS_BIT(WRONG_JSON),
};

/* Clocks are rounded. */
#define CLOCK_US 1000

static bool
deadline_passed(const struct soak_call *call)
{
    return soak_now_us() + CLOCK_US >=
           call->started_us + call->deadline_ms * UINT64_C(1000);
}

static bool
status_told(unsigned faults, uint32_t status)
{
    if (status == 429)
        return (faults & CHAOS_BIT(TOLD_429)) != 0;
    if (status == 503)
        return (faults & CHAOS_BIT(TOLD_503)) != 0;
    return (faults & CHAOS_BIT(TOLD_OTHER)) != 0 &&
           (status == 500 || status == 404 || status == 302);
}

static const char *
unexplained(const struct soak_call *call, const struct vecwire_error *error,
            unsigned faults)
{
    switch (error->code) {
    case VECWIRE_ECANCELED:
        return call->call.canceled ? NULL : "canceled by nobody";
    case VECWIRE_ETIMEDOUT:
        return deadline_passed(call) ? NULL : "timed out before its time";
    case VECWIRE_EHTTP:
        return status_told(faults, error->http_status)
                   ? NULL
                   : "a status that was not told";
    case VECWIRE_EREFUSED:
    case VECWIRE_EIO:
    case VECWIRE_EUNKNOWN:
        return NULL; /* it may be the connection's fault: soak_explain_sum() */
    default:
        return (explains[error->code] & faults) != 0
                   ? NULL
                   : "a failure that no fault explains";
    }
}

/* The one to blame: a fault that explains the code, else any. */
static size_t
blame(enum vecwire_err code, unsigned faults)
{
    unsigned guilty = faults & explains[code];
    size_t i = 0;

    if (guilty == 0 && (code == VECWIRE_ETIMEDOUT || code == VECWIRE_ECANCELED))
        guilty = faults;
    if (guilty == 0)
        return CHAOS_FAULTS;
    while ((guilty >> i & 1U) == 0)
        i++;
    return i;
}

void
soak_explain(struct soak *soak, const struct soak_call *call,
             const struct vecwire_error *error)
{
    const struct chaos_seen *seen =
        chaos_notes_seen(soak->options.notes, call->call.marker);
    const char *why = unexplained(call, error, seen->faults);
    char text[256];

    soak->failures[error->code][blame(error->code, seen->faults)]++;
    if (why == NULL)
        return;
    snprintf(text, sizeof(text), "%s: %s: %.150s", why,
             vecwire_err_name(error->code), error->detail);
    soak_wrong(soak, call, text);
}

void
soak_explain_sum(struct soak *soak)
{
    static const enum chaos_fault of_connections[] = {
        CHAOS_HUNG_UP,    CHAOS_HUNG_UP_RESET, CHAOS_IDLE_CLOSE,
        CHAOS_DEAF,       CHAOS_THEN_CLOSE,    CHAOS_THEN_RESET,
        CHAOS_THEN_STALL, CHAOS_SAID_CLOSE,    CHAOS_BEHIND};
    uint64_t lost = soak->failures[VECWIRE_EREFUSED][CHAOS_FAULTS] +
                    soak->failures[VECWIRE_EIO][CHAOS_FAULTS] +
                    soak->failures[VECWIRE_EUNKNOWN][CHAOS_FAULTS];
    uint64_t ended = 0;

    for (size_t i = 0; i < sizeof(of_connections) / sizeof(of_connections[0]);
         i++)
        ended += soak->options.notes->faults[of_connections[i]];
    if (lost > ended)
        soak_wrong(soak, NULL, "more calls were lost than connections");
}
