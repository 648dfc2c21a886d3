/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_writer.h"

#include <jansson.h>

struct target {
    struct vecwire__buf *buf;
    bool full;
};

static int
append(const char *bytes, size_t n, void *data)
{
    struct target *target = data;

    target->full = !vecwire__buf_add(target->buf, bytes, n);
    return target->full ? -1 : 0;
}

/* jansson's iterators write nothing but want a tree that is not const. */
static json_t *
readable(const json_t *tree)
{
    return (json_t *)(uintptr_t)tree;
}

/* Whether at most `depth` containers are nested. jansson prints by recursion
 * without a limit; this one stops also where a tree contains itself. */
static bool
is_shallow(const json_t *tree, unsigned depth)
{
    const char *key;
    json_t *value;
    size_t i;

    if (!json_is_object(tree) && !json_is_array(tree))
        return true;
    if (depth == 0)
        return false;
    if (json_is_array(tree)) {
        for (i = 0; i < json_array_size(tree); i++) {
            if (!is_shallow(json_array_get(tree, i), depth - 1))
                return false;
        }
        return true;
    }
    json_object_foreach(readable(tree), key, value)
    {
        if (!is_shallow(value, depth - 1))
            return false;
    }
    return true;
}

enum vecwire_err
vecwire__json_put_tree(struct vecwire__buf *buf, const struct json_t *tree,
                       unsigned depth)
{
    struct target target = {buf, false};
    const size_t before = buf->len;

    if (tree == NULL || !is_shallow(tree, depth))
        return VECWIRE_EINVAL;
    if (json_dump_callback(tree, append, &target,
                           JSON_COMPACT | JSON_ENCODE_ANY) == 0)
        return VECWIRE_OK;
    buf->len = before;
    return target.full ? VECWIRE_ENOMEM : VECWIRE_EINVAL;
}
