/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "server/json_text.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_query.h"
#include "server/qdrant_record.h"

#define GROUPS_MAX ((size_t)10000)
#define GROUP_HITS_MAX ((size_t)10000)

struct group {
    json_t *id; /* borrowed from a payload; NULL: none yet */
    struct vecwire__found *hits;
    size_t n_hits, cap_hits;
};

struct grouping {
    struct vecwire__json_path path;
    struct group *groups;
    size_t n_groups, limit, size;
    size_t n_full;
    struct vecwire__found hit; /* whose values are being visited */
    bool failed;               /* no memory */
};

static struct group *
group_find(struct grouping *grouping, const json_t *id)
{
    json_t *value = (json_t *)(uintptr_t)id;

    for (size_t i = 0; i < grouping->n_groups; i++) {
        if (json_equal(grouping->groups[i].id, value))
            return &grouping->groups[i];
    }
    if (grouping->n_groups == grouping->limit)
        return NULL;
    grouping->groups[grouping->n_groups].id = value;
    return &grouping->groups[grouping->n_groups++];
}

/* A point counts once in each group whose value it has. */
static bool
visit(const json_t *value, void *arg)
{
    struct grouping *grouping = arg;
    struct group *group;
    void *hits;

    if (!json_is_string(value) && !json_is_integer(value))
        return true;
    group = group_find(grouping, value);
    if (group == NULL || group->n_hits == grouping->size ||
        (group->n_hits > 0 &&
         group->hits[group->n_hits - 1].row == grouping->hit.row))
        return true;
    hits = group->hits;
    if (!vecwire__mem_grow(&vecwire__mem_libc, &hits, &group->cap_hits,
                           group->n_hits + 1, sizeof(group->hits[0]))) {
        grouping->failed = true;
        return false;
    }
    group->hits = hits;
    group->hits[group->n_hits++] = grouping->hit;
    grouping->n_full += group->n_hits == grouping->size;
    return true;
}

static bool
results_group(struct vecwire__qdrant_call *call,
              const struct vecwire__results *results, struct grouping *grouping)
{
    grouping->groups = calloc(grouping->limit + 1, sizeof(struct group));
    if (grouping->groups == NULL)
        return vecwire__qdrant_wrote(call, false);
    for (size_t i = 0; i < results->n && grouping->n_full < grouping->limit;
         i++) {
        struct vecwire__point *point =
            &call->collection->points[results->list[i].row];
        const json_t *tree = vecwire__point_tree(point, &call->fault);

        grouping->hit = results->list[i];
        if (call->fault.status != 0)
            return false;
        if (tree != NULL)
            (void)vecwire__json_path_each_flat(&grouping->path, tree, visit,
                                               grouping);
        if (grouping->failed)
            return vecwire__qdrant_wrote(call, false);
    }
    return true;
}

static bool
put_group(struct vecwire__qdrant_call *call, const struct group *group,
          const struct vecwire__record_parts *parts)
{
    struct vecwire__buf *reply = call->reply;
    bool done = vecwire__buf_str(reply, "{\"hits\":[");

    for (size_t i = 0; done && i < group->n_hits; i++)
        done = (i == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__record_put(reply, call->collection, group->hits[i].row,
                                   parts, &group->hits[i].score);
    return done && vecwire__buf_str(reply, "],\"id\":") &&
           vecwire__json_dump(reply, group->id) &&
           vecwire__buf_byte(reply, '}');
}

static bool
put_groups(struct vecwire__qdrant_call *call, const struct grouping *grouping,
           const struct vecwire__record_parts *parts)
{
    bool done = vecwire__buf_str(call->reply, "{\"groups\":[");

    for (size_t i = 0; done && i < grouping->n_groups; i++)
        done = (i == 0 || vecwire__buf_byte(call->reply, ',')) &&
               put_group(call, &grouping->groups[i], parts);
    return vecwire__qdrant_wrote(call,
                                 done && vecwire__buf_str(call->reply, "]}"));
}

static bool
grouping_read(struct vecwire__qdrant_call *call, struct grouping *grouping)
{
    struct vecwire__view by, size, limit, lookup;
    const struct vecwire__view_want wants[] = {{"group_by", &by},
                                               {"group_size", &size},
                                               {"limit", &limit},
                                               {"with_lookup", &lookup}};
    json_t *path;
    bool done;

    grouping->size = 3;
    grouping->limit = 10;
    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 4) ||
        !vecwire__qdrant_size(&call->fault, "group_size", size, 1,
                              &grouping->size) ||
        !vecwire__qdrant_size(&call->fault, "limit", limit, 1,
                              &grouping->limit))
        return false;
    if (lookup.at != NULL)
        return vecwire__qdrant_fail(
            call, 400, "Bad request: this server does not offer with_lookup");
    if (by.at == NULL)
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: missing field `group_by`");
    if (grouping->limit > GROUPS_MAX || grouping->size > GROUP_HITS_MAX)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: this server makes 10000 groups of 10000 at the most");
    if (!vecwire__qdrant_tree(&call->fault, by, &path))
        return false;
    done = vecwire__json_path_read(&grouping->path, path, &call->fault);
    json_decref(path);
    return done;
}

static void
grouping_fini(struct grouping *grouping)
{
    for (size_t i = 0; i < grouping->n_groups; i++)
        free(grouping->groups[i].hits);
    free(grouping->groups);
    vecwire__json_path_fini(&grouping->path);
}

bool
vecwire__qdrant_query_groups(struct vecwire__qdrant_call *call)
{
    struct vecwire__view payload, vector;
    const struct vecwire__view_want wants[] = {{"with_payload", &payload},
                                               {"with_vector", &vector}};
    struct grouping grouping;
    struct vecwire__record_parts parts;
    struct vecwire__results results = {NULL, 0};
    bool done = false;

    memset(&grouping, 0, sizeof(grouping));
    memset(&parts, 0, sizeof(parts));
    if (grouping_read(call, &grouping) &&
        vecwire__qdrant_members(&call->fault, call->body, wants, 2) &&
        vecwire__record_parts_read(&parts, call->collection, payload, vector,
                                   false, &call->fault))
        done = vecwire__query_run(call, call->body, 0,
                                  call->collection->n_live + 1, &results) &&
               results_group(call, &results, &grouping) &&
               put_groups(call, &grouping, &parts);
    vecwire__results_fini(&results);
    vecwire__record_parts_fini(&parts);
    grouping_fini(&grouping);
    return done;
}
