/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_reader.h"

static const struct vecwire__json_table anything = {NULL, 0, false};
static const struct vecwire__json_field any_object = {"", VECWIRE__JSON_OBJ, 0,
                                                      0, false};

enum vecwire__json_rc
vecwire__json_check(const char *text, size_t len, unsigned depth,
                    bool want_object, size_t *offset)
{
    struct vecwire__json_reader reader;
    enum vecwire__json_rc rc;

    vecwire__json_init(&reader, &anything, NULL, NULL, NULL, depth);
    if (want_object)
        reader.field = &any_object;
    (void)vecwire__json_feed(&reader, text, len);
    rc = vecwire__json_finish(&reader);
    if (rc != VECWIRE__JSON_DONE && offset != NULL)
        *offset = (size_t)reader.offset;
    return rc;
}

const char *
vecwire__json_rc_text(enum vecwire__json_rc rc)
{
    switch (rc) {
    case VECWIRE__JSON_MORE:
        return "not complete yet";
    case VECWIRE__JSON_DONE:
        return "complete";
    case VECWIRE__JSON_EGRAMMAR:
        return "not JSON";
    case VECWIRE__JSON_ETYPE:
        return "wrong type";
    case VECWIRE__JSON_ETWICE:
        return "key stands twice";
    case VECWIRE__JSON_ERANGE:
        return "number out of range";
    case VECWIRE__JSON_EDEPTH:
        return "nested too deep";
    case VECWIRE__JSON_EEND:
        return "ended too early";
    case VECWIRE__JSON_EMEM:
        return "no memory for texts";
    case VECWIRE__JSON_ESINK:
        return "refused by the dialect";
    }
    return "unknown";
}
