/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/json_writer.h"
#include "codec/mem.h"
#include "server/json_text.h"

bool
vecwire__qdrant_fail(struct vecwire__qdrant_call *call, int status,
                     const char *format, ...)
{
    char text[sizeof(call->fault.text)];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    vecwire__fault_set(&call->fault, status, "%s", text);
    return false;
}

bool
vecwire__qdrant_wrote(struct vecwire__qdrant_call *call, bool done)
{
    if (!done)
        vecwire__fault_memory(&call->fault);
    return done;
}

bool
vecwire__qdrant_members(struct vecwire__fault *fault,
                        struct vecwire__view object,
                        const struct vecwire__view_want *wants, size_t n_wants)
{
    const char *twice;

    if (!vecwire__view_is_object(object)) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: expected an object");
        return false;
    }
    twice = vecwire__view_members(object, wants, n_wants);
    if (twice == NULL)
        return true;
    vecwire__fault_set(
        fault, 400, "Format error in JSON body: duplicate field `%s`", twice);
    return false;
}

static bool
wrong_type(struct vecwire__fault *fault, const char *name, const char *expected)
{
    vecwire__fault_set(fault, 400, "Format error in JSON body: %s: expected %s",
                       name, expected);
    return false;
}

bool
vecwire__qdrant_size(struct vecwire__fault *fault, const char *name,
                     struct vecwire__view value, size_t least, size_t *number)
{
    uint64_t got;

    if (value.at == NULL)
        return true;
    if (!vecwire__view_u64(value, &got))
        return wrong_type(fault, name, "an unsigned integer");
    if (got < least) {
        vecwire__fault_set(fault, 422,
                           "Validation error in JSON body: [%s: value %llu "
                           "invalid, must be %zu or larger]",
                           name, (unsigned long long)got, least);
        return false;
    }
    *number = got > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)got;
    return true;
}

bool
vecwire__qdrant_flag(struct vecwire__fault *fault, const char *name,
                     struct vecwire__view value, bool *flag)
{
    return value.at == NULL || vecwire__view_bool(value, flag) ||
           wrong_type(fault, name, "a boolean");
}

bool
vecwire__qdrant_text(struct vecwire__fault *fault, const char *name,
                     struct vecwire__view value, struct vecwire__buf *buf)
{
    size_t before = buf->len;

    if (!vecwire__view_is_string(value))
        return wrong_type(fault, name, "a string");
    if (!vecwire__view_text(value, buf)) {
        vecwire__fault_memory(fault);
        return false;
    }
    if (memchr(buf->bytes + before, '\0', buf->len - before) != NULL)
        return wrong_type(fault, name, "a string without NUL");
    return true;
}

bool
vecwire__qdrant_take_id(struct vecwire__fault *fault,
                        struct vecwire__view value,
                        struct vecwire__point_id *id)
{
    memset(id, 0, sizeof(*id));
    if (vecwire__view_u64(value, &id->number)) {
        id->is_number = true;
        return true;
    }
    if (vecwire__view_is_string(value) &&
        vecwire__point_id_uuid(id, value.at + 1,
                               (size_t)(value.end - value.at) - 2))
        return true;
    vecwire__fault_set(fault, 400,
                       "Format error in JSON body: value is not a valid point "
                       "ID, valid values are either an unsigned integer or a "
                       "UUID");
    return false;
}

bool
vecwire__qdrant_tree(struct vecwire__fault *fault, struct vecwire__view value,
                     json_t **tree)
{
    *tree = NULL;
    if (value.at == NULL)
        return true;
    *tree = vecwire__json_load(value.at, (size_t)(value.end - value.at), fault);
    return *tree != NULL;
}

bool
vecwire__qdrant_updated(struct vecwire__qdrant_call *call)
{
    struct vecwire__buf *reply = call->reply;

    return vecwire__qdrant_wrote(
        call,
        vecwire__buf_str(reply, "{\"operation_id\":") &&
            vecwire__json_put_u64(reply, call->collection->n_updates) &&
            vecwire__buf_str(reply, call->wait ? ",\"status\":\"completed\"}"
                                               : ",\"status\":"
                                                 "\"acknowledged\"}"));
}
