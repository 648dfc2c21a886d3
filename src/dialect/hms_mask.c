/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/hms_mask.h"

#include <string.h>

#include "codec/float_enc.h"
#include "codec/json_writer.h"
#include "codec/mem.h"

#define TAG VECWIRE__HMS_TAG_BYTES

void
vecwire__hms_masking_init(struct vecwire__hms_masking *masking,
                          const struct vecwire_hms_mask *mask,
                          const struct vecwire_mem *mem)
{
    memset(masking, 0, sizeof(*masking));
    masking->mem = mem;
    memcpy(masking->key, mask->key, sizeof(masking->key));
}

static size_t
table_bytes(size_t dim)
{
    return vecwire__mem_array(dim, sizeof(uint32_t) + sizeof(float));
}

/* The permutation is as good as the key for this dimension. */
static void
forget(struct vecwire__hms_masking *masking)
{
    if (masking->places == NULL)
        return;
    explicit_bzero(masking->places, table_bytes(masking->dim));
    vecwire__mem_free(masking->mem, masking->places, table_bytes(masking->dim));
    masking->places = NULL;
    masking->row = NULL;
    masking->dim = 0;
}

void
vecwire__hms_masking_fini(struct vecwire__hms_masking *masking)
{
    forget(masking);
    explicit_bzero(masking, sizeof(*masking));
}

/* Of two sorted runs, [0, mid) and [mid, n), make one. */
static void
merge(uint32_t *to, const uint32_t *from, size_t mid, size_t n,
      const unsigned char *tags)
{
    size_t left = 0, right = mid;

    for (size_t i = 0; i < n; i++) {
        bool take_left = left < mid;

        if (left < mid && right < n)
            take_left = memcmp(tags + from[left] * (size_t)TAG,
                               tags + from[right] * (size_t)TAG, TAG) <= 0;
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Sort the indices by their tags; equal tags leave them in order. Returns
 * `order` or `spare`, whichever has the result. The C library's sort may
 * allocate beside the caller's allocator, and leave tags behind there. */
static const uint32_t *
sort(uint32_t *order, uint32_t *spare, size_t n, const unsigned char *tags)
{
    for (size_t run = 1; run < n; run *= 2) {
        uint32_t *sorted = spare;

        for (size_t at = 0; at < n; at += 2 * run) {
            size_t len = n - at < 2 * run ? n - at : 2 * run;

            merge(spare + at, order + at, len < run ? len : run, len, tags);
        }
        spare = order;
        order = sorted;
    }
    return order;
}

/* `spare` has room for dim places, `tags` for dim tags. */
static bool
fill_places(const struct vecwire__hms_masking *masking, uint32_t *places,
            size_t dim, uint32_t *spare, unsigned char *tags)
{
    const uint32_t *sorted;

    if (!vecwire__hms_mask_tags(masking->key, dim, tags))
        return false;
    for (size_t i = 0; i < dim; i++)
        places[i] = (uint32_t)i;
    sorted = sort(places, spare, dim, tags);
    for (size_t j = 0; j < dim; j++) {
        uint32_t source = sorted[j];
        bool odd = (tags[source * (size_t)TAG + TAG - 1] & 1) != 0;

        places[j] = source | (odd ? 0 : 0x80000000);
    }
    return true;
}

bool
vecwire__hms_masking_prepare(struct vecwire__hms_masking *masking, size_t dim)
{
    size_t work_bytes = vecwire__mem_array(dim, sizeof(uint32_t) + TAG);
    uint32_t *work, *places;
    bool made = false;

    if (masking->dim == dim)
        return true;
    forget(masking);
    work = vecwire__mem_alloc(masking->mem, work_bytes);
    places = vecwire__mem_alloc(masking->mem, table_bytes(dim));
    if (work != NULL && places != NULL)
        made = fill_places(masking, places, dim, work,
                           (unsigned char *)(work + dim));
    if (work != NULL)
        explicit_bzero(work, work_bytes);
    vecwire__mem_free(masking->mem, work, work_bytes);
    if (!made) {
        vecwire__mem_free(masking->mem, places, table_bytes(dim));
        return false;
    }
    masking->places = places;
    masking->row = (float *)(void *)(places + dim);
    masking->dim = dim;
    return true;
}

/* Bits are moved, not numbers multiplied: -0 and the last digit stay. */
static void
gather(float *masked, const float *plain, const uint32_t *places, size_t dim)
{
    for (size_t j = 0; j < dim; j++) {
        uint32_t bits;

        memcpy(&bits, plain + vecwire__hms_place_source(places[j]),
               sizeof(bits));
        bits ^= vecwire__hms_place_flip(places[j]);
        memcpy(masked + j, &bits, sizeof(bits));
    }
}

enum vecwire_err
vecwire__hms_put_masked(struct vecwire__hms_masking *masking,
                        struct vecwire__buf *text, const float *vector,
                        size_t dim, size_t row, struct vecwire_refusal *refusal)
{
    enum vecwire_err err;

    if (!vecwire__hms_masking_prepare(masking, dim))
        return VECWIRE_ENOMEM;
    gather(masking->row, vector, masking->places, dim);
    err = vecwire__json_put_vector(text, masking->row, dim, NULL);
    if (err != VECWIRE_EINVAL)
        return err;
    return vecwire__refuse_float(refusal, row,
                                 vecwire__floats_first_bad(vector, dim));
}
