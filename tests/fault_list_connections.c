/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that end, stall, or never come up. Of no dialect. */
#include "tests/fault_list.h"

static const struct fault connections[] = {
    {.name = "closed without a word",
     .call = FAULT_GET,
     .scripts = ONE(READ),
     .sees = SEES(EIO, WAITING),
     .fate = FAULT_DROPPED},
    {.name = "a write, closed without a word",
     .call = FAULT_UPSERT,
     .scripts = ONE(READ),
     .sees = SEES(EUNKNOWN, WAITING, .unknown = true),
     .fate = FAULT_DROPPED},
    {.name = "a request read and never answered",
     .call = FAULT_GET,
     .scripts = ONE(READ, STALL),
     .sees = SEES(ETIMEDOUT, WAITING),
     .fate = FAULT_DROPPED},
    {.name = "closed at every byte of a head",
     .call = FAULT_GET,
     .scripts = ONE(READ, SEND(HEAD("6"))),
     .sees = SEES(EIO, RECEIVING),
     .fate = FAULT_DROPPED,
     .cut = 2,
     .passes = sizeof(HEAD("6")) - 2},
};

const struct fault_list fault_list_connections =
    FAULT_LIST("Connections that end, stall, or never come up", &fault_hms,
               true, true, connections);
