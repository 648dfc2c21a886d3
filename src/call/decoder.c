/* SPDX-License-Identifier: Apache-2.0 */
#include "call/decoder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/float_dec.h"
#include "codec/mem.h"

/* The first so many bytes of an error's body are kept. */
#define MAX_ERROR_BODY ((size_t)64 << 10)

struct vecwire__decoder {
    struct vecwire__json_reader reader;
    struct vecwire__decoder *next_spare;
    enum vecwire__json_rc rc;
};

static struct vecwire__decoder *
take_decoder(struct vecwire__engine *engine)
{
    struct vecwire__decoder *decoder = engine->spares.decoders;

    if (decoder == NULL)
        return vecwire__mem_alloc(engine->config.mem, sizeof(*decoder));
    engine->spares.decoders = decoder->next_spare;
    return decoder;
}

/* What is read now: the reply, or the rows that go out before its end. */
static struct vecwire_reply *
target_of(const struct vecwire__call *call)
{
    return call->batch != NULL ? call->batch : call->reply;
}

/* False: no memory. */
static bool
begin_batch(struct vecwire__call *call)
{
    if (call->on_rows == NULL)
        return true;
    if (call->batch == NULL)
        call->batch = vecwire__call_take_reply(call->engine);
    if (call->batch == NULL)
        return false;
    vecwire__reply_reset(call->batch);
    call->batch->is_batch = true;
    call->batch->id = call->id;
    call->batch->status = call->reply->status;
    return true;
}

/* The length of the body, where the head tells it. */
static void
expect_body(struct vecwire_reply *reply, const struct vecwire__head *head)
{
    for (size_t i = 0; i < head->n_headers; i++) {
        const char *value = head->headers[i].value;
        uint64_t bytes;

        if (strcasecmp(head->headers[i].name, "content-length") == 0 &&
            vecwire__u64_read(value, value + strlen(value), &bytes))
            vecwire__reply_expect(reply, bytes);
    }
}

bool
vecwire__decode_head(struct vecwire__call *call,
                     const struct vecwire__head *head)
{
    const struct vecwire__decoding *decoding = call->enc.decoding;
    struct vecwire_reply *reply = call->reply;

    reply->status = head->status;
    if (!vecwire__reply_take_headers(reply, head->headers, head->n_headers))
        return false;
    if (decoding == NULL || !vecwire__reply_is_2xx(reply))
        return true;
    if (!begin_batch(call))
        return false;
    reply = target_of(call);
    call->decoder = take_decoder(call->engine);
    if (call->decoder == NULL)
        return false;
    call->decoder->rc = VECWIRE__JSON_MORE;
    expect_body(reply, head);
    reply->max_rows = call->enc.max_rows;
    reply->max_parts = call->enc.max_parts;
    reply->rows_asked = call->enc.rows;
    reply->max_row_bytes = call->engine->config.max_row_bytes;
    vecwire__json_init(&call->decoder->reader, decoding->table, decoding->sink,
                       reply, &reply->texts, call->engine->config.json_depth);
    return true;
}

static bool
keep_body(struct vecwire__call *call, const char *bytes, size_t len)
{
    struct vecwire__buf *body = &call->reply->body;

    /* The body itself was asked for, or it is that of an error. */
    if (call->enc.verb != VECWIRE__VERB_RAW &&
        !vecwire__reply_is_2xx(call->reply)) {
        size_t room = MAX_ERROR_BODY - body->len;

        len = len < room ? len : room;
    }
    /* One more for the NUL that the accessor promises. */
    if (!vecwire__buf_reserve(body, len + 1) ||
        !vecwire__buf_add(body, bytes, len))
        return false;
    body->bytes[body->len] = '\0';
    return true;
}

bool
vecwire__decode_body(struct vecwire__call *call, const char *bytes, size_t len)
{
    struct vecwire__decoder *decoder = call->decoder;

    if (decoder == NULL)
        return keep_body(call, bytes, len);
    decoder->rc = vecwire__json_feed(&decoder->reader, bytes, len);
    if (decoder->rc == VECWIRE__JSON_MORE &&
        !vecwire__reply_row_fits(target_of(call)))
        decoder->rc = VECWIRE__JSON_ESINK;
    return decoder->rc == VECWIRE__JSON_MORE ||
           decoder->rc == VECWIRE__JSON_DONE;
}

/* The completion of a page tells where the next one begins, whether its rows
 * went out before or not. False: no memory. */
static bool
take_next(struct vecwire__call *call)
{
    const struct vecwire_reply *batch = call->batch;
    struct vecwire_reply *reply = call->reply;

    if (batch == NULL || !batch->has_next)
        return true;
    reply->next_offset = batch->next_offset;
    reply->next_at = reply->texts.len;
    reply->has_next =
        vecwire__buf_add(&reply->texts, batch->texts.bytes + batch->next_at,
                         batch->next_offset.len + 1);
    return reply->has_next;
}

bool
vecwire__decode_end(struct vecwire__call *call)
{
    struct vecwire__decoder *decoder = call->decoder;

    if (decoder == NULL)
        return true;
    decoder->rc = vecwire__json_finish(&decoder->reader);
    if (decoder->rc == VECWIRE__JSON_DONE && !take_next(call))
        decoder->rc = VECWIRE__JSON_EMEM;
    return decoder->rc == VECWIRE__JSON_DONE && target_of(call)->answered;
}

void
vecwire__decode_drop_rows(struct vecwire__call *call)
{
    struct vecwire__json_reader *reader = &call->decoder->reader;
    size_t whole_at = call->batch->whole_at;
    size_t moved = vecwire__reply_drop_rows(call->batch, reader);

    /* A text that is being read. */
    if (reader->text_at >= whole_at)
        reader->text_at -= moved;
}

/* What the reader has against the reply. */
static void
put_reader_fault(const struct vecwire__call *call, char *text, size_t size)
{
    enum vecwire__json_rc rc = call->decoder->rc;

    if (rc == VECWIRE__JSON_EDEPTH)
        snprintf(text, size, "%s, limit %u brackets in all (json_depth)",
                 vecwire__json_rc_text(rc),
                 (unsigned)call->engine->config.json_depth);
    else
        snprintf(text, size, "%s", vecwire__json_rc_text(rc));
}

enum vecwire_err
vecwire__decode_fault(const struct vecwire__call *call, char *line, size_t size)
{
    const struct vecwire__decoder *decoder = call->decoder;
    const char *fault = target_of(call)->fault;
    unsigned long long at;
    char text[80];

    snprintf(line, size, "%s", vecwire_strerror(VECWIRE_ENOMEM));
    if (decoder == NULL || decoder->rc == VECWIRE__JSON_EMEM ||
        (decoder->rc == VECWIRE__JSON_ESINK && fault == NULL))
        return VECWIRE_ENOMEM;
    at = decoder->reader.offset;
    if (decoder->rc == VECWIRE__JSON_ESINK &&
        target_of(call)->fault_limit != 0) {
        snprintf(line, size, "reply at byte %llu: %s, limit %llu", at, fault,
                 (unsigned long long)target_of(call)->fault_limit);
        return VECWIRE_EDECODE;
    }
    put_reader_fault(call, text, sizeof(text));
    if (decoder->rc == VECWIRE__JSON_DONE)
        snprintf(line, size, "reply has no \"%s\"",
                 call->enc.decoding->required);
    else if (decoder->rc == VECWIRE__JSON_ESINK)
        snprintf(line, size, "reply at byte %llu: %s", at, fault);
    else if (decoder->reader.key[0] != '\0')
        snprintf(line, size, "reply at byte %llu, key \"%s\": %s", at,
                 decoder->reader.key, text);
    else
        snprintf(line, size, "reply at byte %llu: %s", at, text);
    return VECWIRE_EDECODE;
}

void
vecwire__decode_stop(struct vecwire__call *call)
{
    struct vecwire__decoder *decoder = call->decoder;

    if (decoder == NULL)
        return;
    call->decoder = NULL;
    decoder->next_spare = call->engine->spares.decoders;
    call->engine->spares.decoders = decoder;
}

void
vecwire__decoders_free(struct vecwire__engine *engine)
{
    struct vecwire__decoder *decoder = engine->spares.decoders, *next;

    for (; decoder != NULL; decoder = next) {
        next = decoder->next_spare;
        vecwire__mem_free(engine->config.mem, decoder, sizeof(*decoder));
    }
    engine->spares.decoders = NULL;
}
