/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that are no HTTP, or doubtful HTTP. Of no dialect. */
#include "tests/fault_list.h"

static const struct fault framing[] = {
    /* --- twice, and too much --- */
    {.name = "a second reply right behind the first",
     .call = FAULT_GET,
     .scripts = ONE(READ, SEND(WHOLE STRAY), STALL),
     .sees = FAULT_FINE,
     .fate = FAULT_DROPPED},
    {.name = "a second reply while the connection is idle",
     .call = FAULT_GET,
     .scripts = ONE(READ, SEND(WHOLE), GATE, SEND(STRAY), STALL),
     .sees = FAULT_FINE,
     .fate = FAULT_DROPPED},
    {.name = "a second reply that the client has not seen yet",
     .call = FAULT_GET,
     .scripts = ONE(READ, SEND(WHOLE), GATE, SEND(STRAY), STALL),
     .sees = FAULT_FINE,
     .fate = FAULT_DROPPED,
     .unseen = true},
};

const struct fault_list fault_list_framing =
    FAULT_LIST("Replies that are no HTTP, or doubtful HTTP", &fault_hms, true,
               true, framing);
