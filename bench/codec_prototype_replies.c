/* SPDX-License-Identifier: Apache-2.0 */
/* The prototype of the reply reader, from the directory that is given to
 * make bench-codec: jr.h with the tables of reply.h. */
#include "codec.h"

#include <string.h>

#include "bench.h"

#include <reply.h>

/* Its buffers are kept from one reply to the next, as ours are. */
static void
begin(jr *reader, const jr_shape *shapes, int (*sink)(jr *, int, int),
      void *results)
{
    char *texts = reader->ar;
    size_t room = reader->acap;

    jr_init(reader, shapes, sink, results);
    reader->ar = texts;
    reader->acap = room;
}

static void
read_whole(jr *reader, const char *text, size_t len)
{
    int rc = jr_feed(reader, text, len);

    if (rc < 0 || jr_finish(reader) != JR_DONE)
        bench_die("the prototype does not read a reply");
}

void
codec_prototype_hms(const char *text, size_t len, struct codec_found *found)
{
    static jr reader;
    static matches results;

    results.n = 0;
    begin(&reader, H_SHAPE, h_ev, &results);
    read_whole(&reader, text, len);
    found->rows += results.n;
    for (size_t i = 0; i < results.n; i++) {
        found->id_bytes += results.m[i].id.len;
        found->scores += (double)results.m[i].score;
    }
}

void
codec_prototype_scroll(const char *text, size_t len, struct codec_found *found)
{
    static jr reader;
    static scroll results;

    scroll_reset(&results);
    begin(&reader, Q_SHAPE, q_ev, &results);
    read_whole(&reader, text, len);
    found->rows += results.n;
    found->floats += results.n * results.dim;
    for (size_t i = 0; i < results.n; i++)
        found->id_bytes += results.id[i].num;
}
