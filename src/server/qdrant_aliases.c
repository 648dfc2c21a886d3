/* SPDX-License-Identifier: Apache-2.0 */
/* Other names for collections. */
#include <string.h>

#include "codec/json_writer.h"
#include "server/json_text.h"
#include "server/qdrant.h"
#include "server/qdrant_handlers.h"

/* The name of that key in an action, or NULL with a fault. */
static const char *
name_in(struct vecwire__qdrant_call *call, const json_t *action,
        const char *key)
{
    const json_t *value = json_object_get(action, key);

    if (vecwire__json_is_text(value) &&
        strlen(json_string_value(value)) == json_string_length(value))
        return json_string_value(value);
    vecwire__qdrant_fail(
        call, 400, "Format error in JSON body: %s: expected a string", key);
    return NULL;
}

/* May a new alias be called so? */
static bool
check_name(struct vecwire__qdrant_call *call, const char *name)
{
    if (vecwire__qdrant_named(call->qdrant, name) != NULL)
        return vecwire__qdrant_fail(
            call, 409,
            "Wrong input: Collection with the same name already exists: `%s`",
            name);
    if (*name == '\0' || strlen(name) > VECWIRE__COLLECTION_NAME ||
        strpbrk(name, "<>:\"/\\|?*\x1f") != NULL)
        return vecwire__qdrant_fail(
            call, 422,
            "Validation error in JSON body: [alias_name: must have from 1 to "
            "255 bytes and none of <>:\"/\\|?*]");
    if (call->qdrant->n_aliases >= VECWIRE__QDRANT_ALIASES &&
        vecwire__qdrant_alias_target(call->qdrant, name) == NULL)
        return vecwire__qdrant_fail(call, 507,
                                    "This server holds %d aliases only",
                                    VECWIRE__QDRANT_ALIASES);
    return true;
}

static bool
create_alias(struct vecwire__qdrant_call *call, const json_t *action)
{
    const char *target = name_in(call, action, "collection_name");
    const char *name =
        target == NULL ? NULL : name_in(call, action, "alias_name");

    if (name == NULL || !check_name(call, name))
        return false;
    if (vecwire__qdrant_named(call->qdrant, target) == NULL)
        return vecwire__qdrant_fail(
            call, 404, "Not found: Collection `%s` doesn't exist!", target);
    return vecwire__qdrant_wrote(
        call, vecwire__qdrant_alias(call->qdrant, name, target));
}

static bool
remove_alias(struct vecwire__qdrant_call *call, const json_t *action)
{
    const char *name = name_in(call, action, "alias_name");

    if (name != NULL)
        (void)vecwire__qdrant_unalias(call->qdrant, name);
    return name != NULL;
}

static bool
rename_alias(struct vecwire__qdrant_call *call, const json_t *action)
{
    const char *old = name_in(call, action, "old_alias_name");
    const char *now =
        old == NULL ? NULL : name_in(call, action, "new_alias_name");
    const char *target;

    if (now == NULL)
        return false;
    target = vecwire__qdrant_alias_target(call->qdrant, old);
    if (target == NULL)
        return vecwire__qdrant_fail(
            call, 404, "Not found: Alias %s does not exists!", old);
    if (strcmp(old, now) == 0)
        return true;
    if (!check_name(call, now) ||
        !vecwire__qdrant_wrote(
            call, vecwire__qdrant_alias(call->qdrant, now, target)))
        return false;
    return vecwire__qdrant_unalias(call->qdrant, old);
}

static const struct {
    const char *key;
    bool (*run)(struct vecwire__qdrant_call *, const json_t *);
} actions[] = {
    {"create_alias", create_alias},
    {"delete_alias", remove_alias},
    {"rename_alias", rename_alias},
};

static bool
run(struct vecwire__qdrant_call *call, const json_t *action)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        const json_t *value = json_object_get(action, actions[i].key);

        if (value != NULL)
            return actions[i].run(call, value);
    }
    return vecwire__qdrant_fail(
        call, 400,
        "Format error in JSON body: actions: expected create_alias, "
        "delete_alias or rename_alias");
}

bool
vecwire__qdrant_aliases_change(struct vecwire__qdrant_call *call)
{
    json_t *body;
    const json_t *list;
    bool done;

    if (!vecwire__qdrant_tree(&call->fault, call->body, &body))
        return false;
    list = json_object_get(body, "actions");
    done = json_is_array(list) ||
           vecwire__qdrant_fail(
               call, 400, "Format error in JSON body: missing field `actions`");
    for (size_t i = 0; done && i < json_array_size(list); i++)
        done = run(call, json_array_get(list, i));
    json_decref(body);
    return done &&
           vecwire__qdrant_wrote(call, vecwire__buf_str(call->reply, "true"));
}

static bool
put_alias(struct vecwire__buf *reply, const struct vecwire__alias *alias)
{
    return vecwire__buf_str(reply, "{\"alias_name\":") &&
           vecwire__json_put_str(reply, alias->name, strlen(alias->name),
                                 NULL) == VECWIRE_OK &&
           vecwire__buf_str(reply, ",\"collection_name\":") &&
           vecwire__json_put_str(reply, alias->target, strlen(alias->target),
                                 NULL) == VECWIRE_OK &&
           vecwire__buf_byte(reply, '}');
}

bool
vecwire__qdrant_aliases_list(struct vecwire__qdrant_call *call)
{
    const struct vecwire__qdrant *qdrant = call->qdrant;
    bool done = vecwire__buf_str(call->reply, "{\"aliases\":[");
    bool first = true;

    for (size_t i = 0; done && i < qdrant->n_aliases; i++) {
        const struct vecwire__alias *alias = &qdrant->aliases[i];

        if (call->collection != NULL &&
            strcmp(alias->target, call->collection->name) != 0)
            continue;
        done = (first || vecwire__buf_byte(call->reply, ',')) &&
               put_alias(call->reply, alias);
        first = false;
    }
    return vecwire__qdrant_wrote(call,
                                 done && vecwire__buf_str(call->reply, "]}"));
}
