/* SPDX-License-Identifier: Apache-2.0 */
/* Short names for the steps of a script. */
#ifndef VECWIRE_TESTS_FAULT_STEPS_H
#define VECWIRE_TESTS_FAULT_STEPS_H

#include "tests/fault_server.h"

#define READ                                                                   \
    {                                                                          \
        FAULT_READ, NULL, 0                                                    \
    }
#define SEND(text)                                                             \
    {                                                                          \
        FAULT_SEND, text, sizeof(text) - 1                                     \
    }
#define GATE                                                                   \
    {                                                                          \
        FAULT_GATE, NULL, 0                                                    \
    }
#define RESET                                                                  \
    {                                                                          \
        FAULT_RESET, NULL, 0                                                   \
    }
#define STALL                                                                  \
    {                                                                          \
        FAULT_STALL, NULL, 0                                                   \
    }
#define AGAIN                                                                  \
    {                                                                          \
        FAULT_AGAIN, NULL, 0                                                   \
    }
#define END                                                                    \
    {                                                                          \
        FAULT_END, NULL, 0                                                     \
    }

#endif
