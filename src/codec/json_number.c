/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_number.h"

#include <string.h>

#include "codec/float_dec.h"
#include "codec/json_state.h"

int
vecwire__json_number_skip(struct vecwire__json_reader *reader)
{
    const char *p = reader->p, *end = reader->end;
    int state = reader->number, next = N_STOP;

    for (; p < end; p++) {
        next = vecwire__number_step(state, *p);
        if (next >= N_BAD)
            break;
        state = next;
    }
    reader->p = p;
    reader->number = (unsigned char)state;
    if (p == end) {
        reader->state = ST_NUMBER;
        return ST_CUT;
    }
    if (next == N_BAD || !vecwire__number_ok(state))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_EGRAMMAR, p);
    return ST_ENDED;
}

/* The number's text is no number, or it is one that its place does not take
 * (`rc`). */
static int
refuse(struct vecwire__json_reader *reader, const char *p, const char *end,
       bool whole, enum vecwire__json_rc rc)
{
    uint64_t at = reader->token_at;
    int state = N_START;

    for (; p < end; p++, at++) {
        state = vecwire__number_step(state, *p);
        if (state >= N_BAD)
            return vecwire__json_fail(reader, VECWIRE__JSON_EGRAMMAR, at);
    }
    if (whole && !vecwire__number_ok(state))
        return vecwire__json_fail(reader, VECWIRE__JSON_EGRAMMAR, at);
    return vecwire__json_fail(reader, rc, reader->token_at);
}

static char *
carried(struct vecwire__json_reader *reader)
{
    return reader->token + VECWIRE__TOKEN_BEHIND;
}

void
vecwire__json_number_cut_off(struct vecwire__json_reader *reader)
{
    const char *text = carried(reader);

    (void)refuse(reader, text, text + reader->n_token, false,
                 VECWIRE__JSON_EEND);
    if (reader->rc == VECWIRE__JSON_EEND)
        reader->offset = reader->base;
}

bool
vecwire__json_token_take(struct vecwire__json_reader *reader,
                         struct vecwire__json_token *token, int *next)
{
    const char *start = reader->p, *p = start, *end = reader->end;
    char *text = carried(reader);
    size_t room = VECWIRE__JSON_NUMBER_MAX - (size_t)reader->n_token;

    if (reader->n_token == 0)
        reader->token_at = reader->base + (uint64_t)(p - reader->begin);
    while (p < end && vecwire__number_char[(unsigned char)*p])
        p++;
    if ((size_t)(p - start) > room) {
        /* as much as a cut number could have come to when it was refused */
        memcpy(text + reader->n_token, start, room);
        *next = refuse(reader, text, text + VECWIRE__JSON_NUMBER_MAX, false,
                       VECWIRE__JSON_ERANGE);
        return false;
    }
    reader->p = p;
    if (p != end && reader->n_token == 0) {
        token->p = start;
        token->end = p;
        token->roomy = p - reader->begin >= VECWIRE__TOKEN_BEHIND;
        return true;
    }
    memcpy(text + reader->n_token, start, (size_t)(p - start));
    reader->n_token = (unsigned char)(reader->n_token + (p - start));
    if (p == end) {
        *next = ST_CUT;
        return false;
    }
    token->p = text;
    token->end = text + reader->n_token;
    token->roomy = true;
    text[reader->n_token] = ',';
    reader->n_token = 0;
    return true;
}

int
vecwire__json_token_float(struct vecwire__json_reader *reader,
                          const struct vecwire__json_token *token, float *out)
{
    /* the wide loads take no blank for a separator */
    if (token->roomy && *token->end > ' ' &&
        vecwire__token_fast(token->p, token->end, out))
        return ST_ENDED;
    switch (vecwire__float_read(token->p, token->end, out)) {
    case 1:
        return ST_ENDED;
    case 2:
        return vecwire__json_fail(reader, VECWIRE__JSON_ERANGE,
                                  reader->token_at);
    default:
        return refuse(reader, token->p, token->end, true,
                      VECWIRE__JSON_EGRAMMAR);
    }
}

/* Why a token is no whole number for its place. */
static int
refuse_whole(struct vecwire__json_reader *reader,
             const struct vecwire__json_token *token)
{
    const char *p = token->p;

    while (p < token->end && (unsigned)(*p - '0') < 10)
        p++;
    return refuse(reader, token->p, token->end, true,
                  p == token->end && reader->field->kind == VECWIRE__JSON_U32
                      ? VECWIRE__JSON_ERANGE
                      : VECWIRE__JSON_ETYPE);
}

int
vecwire__json_number_typed(struct vecwire__json_reader *reader)
{
    const struct vecwire__json_field *field = reader->field;
    struct vecwire__json_token token;
    enum vecwire__json_event event = VECWIRE__JSON_EV_U64;
    int next;

    reader->state = ST_TYPED_NUMBER;
    if (!vecwire__json_token_take(reader, &token, &next))
        return next;
    if (field->kind == VECWIRE__JSON_F32) {
        next = vecwire__json_token_float(reader, &token, &reader->f32);
        if (next == ST_FAILED)
            return next;
        reader->is_nan = false;
        event = VECWIRE__JSON_EV_F32;
    } else if (!vecwire__u64_read(token.p, token.end, &reader->u64) ||
               (field->kind == VECWIRE__JSON_U32 && reader->u64 > UINT32_MAX)) {
        return refuse_whole(reader, &token);
    }
    if (!vecwire__json_tell(reader, event, field->tag))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, reader->p);
    return ST_ENDED;
}
