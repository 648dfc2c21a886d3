/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"

void
vecwire__qdrant_init(struct vecwire__qdrant *qdrant, vecwire__dot dot)
{
    memset(qdrant, 0, sizeof(*qdrant));
    qdrant->dot = dot;
    qdrant->random = 1;
}

static void
alias_fini(struct vecwire__alias *alias)
{
    free(alias->name);
    free(alias->target);
}

void
vecwire__qdrant_fini(struct vecwire__qdrant *qdrant)
{
    for (size_t i = 0; i < qdrant->n_collections; i++)
        vecwire__collection_free(qdrant->collections[i]);
    for (size_t i = 0; i < qdrant->n_aliases; i++)
        alias_fini(&qdrant->aliases[i]);
    free(qdrant->collections);
    free(qdrant->aliases);
    memset(qdrant, 0, sizeof(*qdrant));
}

struct vecwire__collection *
vecwire__qdrant_named(const struct vecwire__qdrant *qdrant, const char *name)
{
    for (size_t i = 0; i < qdrant->n_collections; i++) {
        if (strcmp(qdrant->collections[i]->name, name) == 0)
            return qdrant->collections[i];
    }
    return NULL;
}

static struct vecwire__alias *
alias_find(const struct vecwire__qdrant *qdrant, const char *name)
{
    for (size_t i = 0; i < qdrant->n_aliases; i++) {
        if (strcmp(qdrant->aliases[i].name, name) == 0)
            return &qdrant->aliases[i];
    }
    return NULL;
}

const char *
vecwire__qdrant_alias_target(const struct vecwire__qdrant *qdrant,
                             const char *name)
{
    const struct vecwire__alias *alias = alias_find(qdrant, name);

    return alias == NULL ? NULL : alias->target;
}

struct vecwire__collection *
vecwire__qdrant_find(const struct vecwire__qdrant *qdrant, const char *name)
{
    struct vecwire__collection *collection =
        vecwire__qdrant_named(qdrant, name);
    const char *target;

    if (collection != NULL)
        return collection;
    target = vecwire__qdrant_alias_target(qdrant, name);
    return target == NULL ? NULL : vecwire__qdrant_named(qdrant, target);
}

struct vecwire__collection *
vecwire__qdrant_get(const struct vecwire__qdrant *qdrant, const char *name,
                    struct vecwire__fault *fault)
{
    struct vecwire__collection *collection = vecwire__qdrant_find(qdrant, name);

    if (collection == NULL)
        vecwire__fault_set(fault, 404,
                           "Not found: Collection `%s` doesn't exist!", name);
    return collection;
}

bool
vecwire__qdrant_add(struct vecwire__qdrant *qdrant,
                    struct vecwire__collection *collection)
{
    void *collections = qdrant->collections;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &collections,
                           &qdrant->cap_collections, qdrant->n_collections + 1,
                           sizeof(qdrant->collections[0])))
        return false;
    qdrant->collections = collections;
    qdrant->collections[qdrant->n_collections++] = collection;
    return true;
}

static void
alias_remove(struct vecwire__qdrant *qdrant, size_t i)
{
    alias_fini(&qdrant->aliases[i]);
    qdrant->n_aliases--;
    memmove(&qdrant->aliases[i], &qdrant->aliases[i + 1],
            (qdrant->n_aliases - i) * sizeof(qdrant->aliases[0]));
}

void
vecwire__qdrant_drop(struct vecwire__qdrant *qdrant,
                     struct vecwire__collection *collection)
{
    size_t at = 0;

    for (size_t i = qdrant->n_aliases; i-- > 0;) {
        if (strcmp(qdrant->aliases[i].target, collection->name) == 0)
            alias_remove(qdrant, i);
    }
    while (qdrant->collections[at] != collection)
        at++;
    qdrant->n_collections--;
    memmove(&qdrant->collections[at], &qdrant->collections[at + 1],
            (qdrant->n_collections - at) * sizeof(qdrant->collections[0]));
    vecwire__collection_free(collection);
}

bool
vecwire__qdrant_alias(struct vecwire__qdrant *qdrant, const char *name,
                      const char *target)
{
    struct vecwire__alias *old = alias_find(qdrant, name);
    struct vecwire__alias alias = {strdup(name), strdup(target)};
    void *aliases = qdrant->aliases;

    if (alias.name == NULL || alias.target == NULL ||
        (old == NULL &&
         !vecwire__mem_grow(&vecwire__mem_libc, &aliases, &qdrant->cap_aliases,
                            qdrant->n_aliases + 1,
                            sizeof(qdrant->aliases[0])))) {
        alias_fini(&alias);
        return false;
    }
    if (old != NULL) {
        alias_fini(old);
        *old = alias;
        return true;
    }
    qdrant->aliases = aliases;
    qdrant->aliases[qdrant->n_aliases++] = alias;
    return true;
}

bool
vecwire__qdrant_unalias(struct vecwire__qdrant *qdrant, const char *name)
{
    struct vecwire__alias *alias = alias_find(qdrant, name);

    if (alias == NULL)
        return false;
    alias_remove(qdrant, (size_t)(alias - qdrant->aliases));
    return true;
}
