/* SPDX-License-Identifier: Apache-2.0 */
#include "server/json_path.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/json_text.h"

enum step_kind {
    STEP_KEY,
    STEP_INDEX,
    STEP_EACH /* [] */
};

struct vecwire__json_step {
    enum step_kind kind;
    size_t index;
    const char *key; /* behind the steps, in the same block */
};

/* Where reading is. */
struct reader {
    const char *p;
    const char *end;
    struct vecwire__json_step *steps;
    size_t n;
    char *keys; /* where the next key goes */
};

/* What may stand in a key without quotes. Letters and digits of all scripts
 * may; whatever is beyond ASCII is taken for one. */
static bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (unsigned char)c >= 0x80;
}

static bool
add_key(struct reader *reader, const char *from, size_t len)
{
    if (reader->n == VECWIRE__JSON_PATH_STEPS)
        return false;
    memcpy(reader->keys, from, len);
    reader->keys[len] = '\0';
    reader->steps[reader->n++] =
        (struct vecwire__json_step){STEP_KEY, 0, reader->keys};
    reader->keys += len + 1;
    return true;
}

static bool
read_key(struct reader *reader)
{
    const char *from = reader->p;

    if (from < reader->end && *from == '"') {
        from++;
        for (reader->p = from; reader->p < reader->end; reader->p++) {
            if (*reader->p == '\\' || *reader->p == '\0')
                return false;
            if (*reader->p == '"')
                return add_key(reader, from, (size_t)(reader->p++ - from));
        }
        return false;
    }
    while (reader->p < reader->end && is_bare(*reader->p))
        reader->p++;
    return reader->p != from &&
           add_key(reader, from, (size_t)(reader->p - from));
}

/* Behind "[". */
static bool
read_index(struct reader *reader)
{
    struct vecwire__json_step step = {STEP_EACH, 0, NULL};

    while (reader->p < reader->end && *reader->p >= '0' && *reader->p <= '9') {
        const size_t digit = (size_t)(*reader->p++ - '0');

        if (step.index > (SIZE_MAX - digit) / 10)
            return false;
        step.index = step.index * 10 + digit;
        step.kind = STEP_INDEX;
    }
    if (reader->p == reader->end || *reader->p++ != ']' ||
        reader->n == VECWIRE__JSON_PATH_STEPS)
        return false;
    reader->steps[reader->n++] = step;
    return true;
}

static bool
read_steps(struct reader *reader)
{
    if (!read_key(reader))
        return false;
    while (reader->p < reader->end) {
        const char c = *reader->p++;

        if (!(c == '.' ? read_key(reader) : c == '[' && read_index(reader)))
            return false;
    }
    return true;
}

/* No more steps than that are in a text: each begins with '.' or '[', or is
 * the first. */
static size_t
count_steps(const char *text, size_t len)
{
    size_t n = 1;

    for (size_t i = 0; i < len; i++)
        n += text[i] == '.' || text[i] == '[';
    return n < VECWIRE__JSON_PATH_STEPS ? n : VECWIRE__JSON_PATH_STEPS;
}

bool
vecwire__json_path_parse(struct vecwire__json_path *path, const char *text,
                         size_t len, struct vecwire__fault *fault)
{
    struct reader reader = {text, text + len, NULL, 0, NULL};
    const size_t max = count_steps(text, len);

    memset(path, 0, sizeof(*path));
    if (len > VECWIRE__JSON_PATH_MAX) {
        vecwire__fault_set(fault, 400,
                           "Bad request: a json path has %zu bytes, at most "
                           "%d are taken",
                           len, VECWIRE__JSON_PATH_MAX);
        return false;
    }
    /* A key needs a NUL and leaves out at least a byte before it, or begins
     * the text. */
    reader.steps = malloc(max * sizeof(*reader.steps) + len + 1);
    if (reader.steps == NULL) {
        vecwire__fault_memory(fault);
        return false;
    }
    reader.keys = (char *)(reader.steps + max);
    if (!read_steps(&reader)) {
        free(reader.steps);
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: Invalid json path: "
                           "'%.*s'",
                           (int)len, text);
        return false;
    }
    path->steps = reader.steps;
    path->n_steps = reader.n;
    return true;
}

bool
vecwire__json_path_read(struct vecwire__json_path *path, const json_t *value,
                        struct vecwire__fault *fault)
{
    if (vecwire__json_is_text(value))
        return vecwire__json_path_parse(path, json_string_value(value),
                                        json_string_length(value), fault);
    memset(path, 0, sizeof(*path));
    vecwire__fault_set(fault, 400,
                       "Format error in JSON body: a json path must be a "
                       "string");
    return false;
}

void
vecwire__json_path_fini(struct vecwire__json_path *path)
{
    free(path->steps);
    memset(path, 0, sizeof(*path));
}

bool
vecwire__json_path_step(const struct vecwire__json_path *path, size_t i,
                        const char *key)
{
    const struct vecwire__json_step *step = &path->steps[i];

    return key == NULL ? step->kind == STEP_EACH
                       : step->kind == STEP_KEY && strcmp(step->key, key) == 0;
}

struct walk {
    vecwire__json_visit visit;
    void *arg;
    bool flat; /* an array at the end counts as its elements */
};

static bool
visit_end(const struct walk *walk, const json_t *value)
{
    if (!walk->flat || !json_is_array(value))
        return walk->visit(value, walk->arg);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!walk->visit(json_array_get(value, i), walk->arg))
            return false;
    }
    return true;
}

static bool
visit_below(const struct walk *walk, const struct vecwire__json_step *step,
            size_t n, const json_t *value)
{
    if (value == NULL)
        return true;
    if (n == 0)
        return visit_end(walk, value);
    if (step->kind == STEP_KEY)
        return visit_below(walk, step + 1, n - 1,
                           json_object_get(value, step->key));
    if (step->kind == STEP_INDEX)
        return visit_below(walk, step + 1, n - 1,
                           json_array_get(value, step->index));
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!visit_below(walk, step + 1, n - 1, json_array_get(value, i)))
            return false;
    }
    return true;
}

bool
vecwire__json_path_each(const struct vecwire__json_path *path,
                        const json_t *object, vecwire__json_visit visit,
                        void *arg)
{
    const struct walk walk = {visit, arg, false};

    return path->n_steps == 0 ||
           visit_below(&walk, path->steps, path->n_steps, object);
}

bool
vecwire__json_path_each_flat(const struct vecwire__json_path *path,
                             const json_t *object, vecwire__json_visit visit,
                             void *arg)
{
    const struct walk walk = {visit, arg, true};

    return path->n_steps == 0 ||
           visit_below(&walk, path->steps, path->n_steps, object);
}

/* The members of `source` into `object`. */
static bool
merge(json_t *object, const json_t *source)
{
    json_t *walked = (json_t *)(uintptr_t)source;

    for (void *i = json_object_iter(walked); i != NULL;
         i = json_object_iter_next(walked, i)) {
        const char *key = json_object_iter_key(i);
        const json_t *value = json_object_iter_value(i);

        if (json_is_null(value))
            (void)json_object_del(object, key);
        else if (json_object_set_new_nocheck(object, key,
                                             json_deep_copy(value)) != 0)
            return false;
    }
    return true;
}

/* `value` where it has the type that is needed there, or an empty one. */
static json_t *
of_type(json_t *value, json_type type)
{
    if (value != NULL && json_typeof(value) == type)
        return json_incref(value);
    return type == JSON_OBJECT ? json_object() : json_array();
}

static json_t *set_below(json_t *value, const struct vecwire__json_step *step,
                         size_t n, const json_t *source);

static bool
set_member(json_t *object, const char *key,
           const struct vecwire__json_step *next, size_t n,
           const json_t *source)
{
    json_t *old = json_object_get(object, key);
    json_t *now = set_below(old, next, n, source);

    if (now == NULL)
        return false;
    if (now != old)
        return json_object_set_new_nocheck(object, key, now) == 0;
    json_decref(now);
    return true;
}

static bool
set_element(json_t *array, size_t i, const struct vecwire__json_step *next,
            size_t n, const json_t *source)
{
    json_t *now = set_below(json_array_get(array, i), next, n, source);

    return now != NULL && json_array_set_new(array, i, now) == 0;
}

static bool
set_elements(json_t *array, const struct vecwire__json_step *step, size_t n,
             const json_t *source)
{
    if (step->kind == STEP_INDEX)
        return step->index >= json_array_size(array) ||
               set_element(array, step->index, step + 1, n - 1, source);
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (!set_element(array, i, step + 1, n - 1, source))
            return false;
    }
    return true;
}

/* What is to stand in the place of `value` (NULL: nothing yet): itself,
 * changed, or a new one. A reference. NULL: no memory. */
static json_t *
set_below(json_t *value, const struct vecwire__json_step *step, size_t n,
          const json_t *source)
{
    const bool is_object = n == 0 || step->kind == STEP_KEY;
    json_t *now = of_type(value, is_object ? JSON_OBJECT : JSON_ARRAY);
    bool fine;

    if (now == NULL)
        return NULL;
    if (n == 0)
        fine = merge(now, source);
    else if (is_object)
        fine = set_member(now, step->key, step + 1, n - 1, source);
    else
        fine = set_elements(now, step, n, source);
    if (fine)
        return now;
    json_decref(now);
    return NULL;
}

bool
vecwire__json_path_set(const struct vecwire__json_path *path, json_t *object,
                       const json_t *source)
{
    if (path == NULL || path->n_steps == 0)
        return merge(object, source);
    return set_member(object, path->steps[0].key, path->steps + 1,
                      path->n_steps - 1, source);
}

static void
delete_below(const struct vecwire__json_step *step, size_t n, json_t *value)
{
    if (n == 1 && step->kind == STEP_KEY) {
        (void)json_object_del(value, step->key);
    } else if (n == 1) {
        if (step->kind == STEP_EACH)
            (void)json_array_clear(value);
    } else if (step->kind == STEP_KEY) {
        delete_below(step + 1, n - 1, json_object_get(value, step->key));
    } else if (step->kind == STEP_INDEX) {
        delete_below(step + 1, n - 1, json_array_get(value, step->index));
    } else {
        for (size_t i = 0; i < json_array_size(value); i++)
            delete_below(step + 1, n - 1, json_array_get(value, i));
    }
}

void
vecwire__json_path_delete(const struct vecwire__json_path *path, json_t *object)
{
    if (path->n_steps != 0)
        delete_below(path->steps, path->n_steps, object);
}
