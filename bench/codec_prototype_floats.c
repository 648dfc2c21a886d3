/* SPDX-License-Identifier: Apache-2.0 */
/* The prototypes of the float codec, from the directory that is given to
 * make bench-codec: encc.h and dec3.h. */
#include "codec.h"

#include "bench.h"

#include <encc.h>
#include <dec3.h>

static size_t
prototype_write(const float *vector, char *text)
{
    static int ready;

    if (!ready) {
        encc_init();
        ready = 1;
    }
    return (size_t)(encc_array(text, vector, CODEC_DIM) - text);
}

static size_t
prototype_read(const char *text, size_t len, float *vector)
{
    size_t n;

    if (dec3_array(text, text + len, vector, CODEC_DIM, &n) == NULL)
        bench_die("the prototype does not read a vector");
    return n;
}

const struct codec_peer codec_prototype = {
    .name = "prototype",
    .share = 1,
    .write = prototype_write,
    .read = prototype_read,
    .hms = codec_prototype_hms,
    .scroll = codec_prototype_scroll,
};
