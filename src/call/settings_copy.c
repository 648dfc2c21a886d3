/* SPDX-License-Identifier: Apache-2.0 */
#include "call/settings_copy.h"

#include <string.h>

#include "codec/mem.h"

#define N_TEXTS 6

/* The places of all single texts. */
static void
list_texts(struct vecwire__settings_copy *copy, const char **texts[N_TEXTS])
{
    texts[0] = &copy->settings.collection;
    texts[1] = &copy->filter;
    texts[2] = &copy->qdrant.shard_key;
    texts[3] = &copy->qdrant.payload_selector;
    texts[4] = &copy->qdrant.order_by;
    texts[5] = &copy->qdrant.update_filter;
}

/* A text, moved to where *to is, which goes on behind it. */
static const char *
move(const char *text, char **to)
{
    size_t bytes = strlen(text) + 1;
    char *at = *to;

    memcpy(at, text, bytes);
    *to += bytes;
    return at;
}

/* Names that are not there are refused when the call is encoded; NULL among
 * them is the unnamed vector. */
static size_t
count_names(const struct vecwire_qdrant_params *qdrant)
{
    return qdrant->vector_names == NULL ? 0 : qdrant->n_vector_names;
}

static const char *
name_at(const struct vecwire_qdrant_params *qdrant, size_t index)
{
    const char *name = qdrant->vector_names[index];

    return name == NULL ? "" : name;
}

static size_t
size_of(const struct vecwire__settings_copy *copy, const char **texts[N_TEXTS])
{
    const struct vecwire_qdrant_params *qdrant = &copy->qdrant;
    size_t n = count_names(qdrant), bytes = n * sizeof(char *);

    for (size_t i = 0; i < N_TEXTS; i++)
        bytes += *texts[i] == NULL ? 0 : strlen(*texts[i]) + 1;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(name_at(qdrant, i)) + 1;
    /* A list without names is a list. */
    return bytes + 1;
}

static void
move_all(struct vecwire__settings_copy *copy, const char **texts[N_TEXTS])
{
    struct vecwire_qdrant_params *qdrant = &copy->qdrant;
    const char **names = (const char **)(void *)copy->block;
    size_t n = count_names(qdrant);
    char *to = copy->block + n * sizeof(*names);

    for (size_t i = 0; i < n; i++)
        names[i] = move(name_at(qdrant, i), &to);
    if (qdrant->vector_names != NULL)
        qdrant->vector_names = names;
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (*texts[i] != NULL)
            *texts[i] = move(*texts[i], &to);
    }
}

bool
vecwire__settings_copy(struct vecwire__settings_copy *out,
                       const struct vecwire__settings *settings,
                       const char *filter, const struct vecwire_mem *mem)
{
    const char **texts[N_TEXTS];

    memset(out, 0, sizeof(*out));
    out->settings = *settings;
    if (settings->qdrant != NULL) {
        out->qdrant = *settings->qdrant;
        out->settings.qdrant = &out->qdrant;
    }
    out->filter = filter;
    list_texts(out, texts);
    out->bytes = size_of(out, texts);
    out->block = vecwire__mem_alloc(mem, out->bytes);
    if (out->block == NULL)
        return false;
    move_all(out, texts);
    return true;
}

void
vecwire__settings_copy_free(struct vecwire__settings_copy *copy,
                            const struct vecwire_mem *mem)
{
    vecwire__mem_free(mem, copy->block, copy->bytes);
    copy->block = NULL;
}
