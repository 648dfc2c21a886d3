/* SPDX-License-Identifier: Apache-2.0 */
#include <vecwire/error.h>

const char *
vecwire_strerror(enum vecwire_err code)
{
    switch (code) {
#define X(name, number, text)                                                  \
    case VECWIRE_##name:                                                       \
        return text;
        VECWIRE_ERROR_MAP(X)
#undef X
    }
    return "unknown error";
}

const char *
vecwire_err_name(enum vecwire_err code)
{
    switch (code) {
#define X(name, number, text)                                                  \
    case VECWIRE_##name:                                                       \
        return "VECWIRE_" #name;
        VECWIRE_ERROR_MAP(X)
#undef X
    }
    return "VECWIRE_?";
}

const char *
vecwire_phase_name(enum vecwire_phase phase)
{
    switch (phase) {
#define X(name, number, text)                                                  \
    case VECWIRE_PHASE_##name:                                                 \
        return text;
        VECWIRE_PHASE_MAP(X)
#undef X
    }
    return "?";
}
