/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_reader.h"

#include <assert.h>
#include <string.h>

#include "codec/json_cursor.h"
#include "codec/json_key.h"
#include "codec/json_value.h"

/* The elements of an array of objects are values of a field without key. */
#define ELEMENT(shape)                                                         \
    {                                                                          \
        "", VECWIRE__JSON_OBJ, 0, shape, false                                 \
    }
static const struct vecwire__json_field elements[8] = {
    ELEMENT(0), ELEMENT(1), ELEMENT(2), ELEMENT(3),
    ELEMENT(4), ELEMENT(5), ELEMENT(6), ELEMENT(7)};
static const struct vecwire__json_field root_array = {"", VECWIRE__JSON_ARR, 0,
                                                      1, false};

static void
take_name(struct vecwire__json_name *name,
          const struct vecwire__json_field *field, unsigned char bit)
{
    assert(field->key[sizeof(field->key) - 1] == '\0');
    name->word = vecwire__word_load(field->key);
    name->mask = ~(uint64_t)0;
    name->field = field;
    name->bit = bit;
    if (field->key[7] != '\0') {
        name->len = strlen(field->key);
    } else if (name->word != 0) {
        unsigned unused = (unsigned)__builtin_clzll(name->word) / 8;

        name->mask >>= 8 * unused;
        name->len = 8 - unused;
    } else { /* a map's: no text begins with 8 NULs and with a quote */
        name->len = 0;
    }
}

static void
take_table(struct vecwire__json_reader *reader,
           const struct vecwire__json_table *table)
{
    reader->table = table;
    reader->field = NULL;
    if (table->n_shapes != 0)
        reader->field = table->root_array ? &root_array : &elements[1];
    for (size_t i = 0; i < table->n_shapes; i++) {
        const struct vecwire__json_shape *shape = &table->shapes[i];

        struct vecwire__json_name *names = reader->names[i + 1];

        assert(shape->n_fields >= 1 && shape->n_fields <= 8);
        for (size_t j = 0; j < shape->n_fields; j++) {
            assert(shape->fields[j].sub + (size_t)(shape->fields[j].kind ==
                                                   VECWIRE__JSON_EITHER) <=
                   table->n_shapes);
            assert(shape->fields[j].key[0] != '\0' || shape->n_fields == 1);
            take_name(&names[j], &shape->fields[j], (unsigned char)(1u << j));
            names[j].next = &names[j + 1];
        }
        reader->last[i + 1] = &names[shape->n_fields - 1];
        reader->last[i + 1]->next = names;
    }
}

/* Field by field: a reply of 1 KB is read in less than a microsecond, and
 * clearing the whole struct would take a tenth of that. */
void
vecwire__json_init(struct vecwire__json_reader *reader,
                   const struct vecwire__json_table *table,
                   vecwire__json_sink sink, void *ctx,
                   struct vecwire__buf *texts, unsigned depth)
{
    assert(depth >= 1 && depth <= 255 && table->n_shapes <= 7);
    reader->ctx = ctx;
    reader->texts = texts;
    reader->text_at = 0;
    reader->u64 = 0;
    reader->floats = NULL;
    reader->room = reader->n = 0;
    reader->f32 = 0.0f;
    reader->is_nan = false;
    reader->offset = 0;
    reader->key = "";
    reader->sink = sink;
    take_table(reader, table);
    reader->raw = NULL;
    reader->begin = reader->p = reader->end = reader->raw_from = NULL;
    reader->base = reader->token_at = reader->raw_at = 0;
    reader->depth = 0;
    reader->max_depth = depth;
    reader->end_depth = 0;
    reader->state = ST_VALUE;
    reader->rc = VECWIRE__JSON_MORE;
    reader->literal = reader->n_literal = reader->number = 0;
    reader->n_unit = reader->n_name = reader->n_token = 0;
    reader->frames[0] = 0;
}

int
vecwire__json_fail(struct vecwire__json_reader *reader,
                   enum vecwire__json_rc rc, uint64_t offset)
{
    reader->rc = (unsigned char)rc;
    reader->offset = offset;
    return ST_FAILED;
}

int
vecwire__json_fail_at(struct vecwire__json_reader *reader,
                      enum vecwire__json_rc rc, const char *p)
{
    return vecwire__json_fail(reader, rc,
                              reader->base + (uint64_t)(p - reader->begin));
}

bool
vecwire__json_begins_value(char c)
{
    return c == '"' || c == '{' || c == '[' || c == '-' || c == 't' ||
           c == 'f' || c == 'n' || (c >= '0' && c <= '9');
}

/* The key whose array or map the reader is in. */
static const char *
outer_key(const struct vecwire__json_reader *reader)
{
    unsigned depth = reader->depth, frame, shape;
    const char *key = "";

    do {
        frame = reader->frames[depth];
        if (depth == 0 || frame <= IS_ARRAY)
            return "";
        shape = reader->frames[--depth] >> 1;
        if ((reader->frames[depth] & IS_ARRAY) != 0 || shape == 0)
            return "";
        key = reader->last[shape]->field->key;
    } while (key[0] == '\0');
    return key;
}

static const char *
blamed_key(const struct vecwire__json_reader *reader)
{
    unsigned frame = reader->frames[reader->depth];

    if (reader->field != NULL && reader->field->key[0] != '\0')
        return reader->field->key;
    if (reader->raw != NULL)
        return reader->raw->key;
    if ((frame & IS_ARRAY) != 0 || (frame != 0 && is_map(reader, frame >> 1)))
        return outer_key(reader);
    return "";
}

VECWIRE__INLINE int
next_element(const struct vecwire__json_reader *reader, struct cursor *c)
{
    if (VECWIRE__UNLIKELY(c->frame == FRAME_LIST))
        c->field = &reader->inner;
    else if (c->frame > IS_ARRAY)
        c->field = &elements[c->frame >> 1];
    return ST_VALUE;
}

static inline int
step_first(struct vecwire__json_reader *reader, struct cursor *c, int state)
{
    if (!more(c))
        return cut(reader, (enum vecwire__json_state)state);
    if (state == ST_FIRST_KEY)
        return *c->p == '}' ? ST_CLOSE : ST_KEY;
    return *c->p == ']' ? ST_CLOSE : next_element(reader, c);
}

/* Keep raw text up to `p`. */
static bool
keep_raw(struct vecwire__json_reader *reader, const char *p)
{
    const char *from = reader->raw_from;

    return p <= from ||
           vecwire__buf_add(reader->texts, from, (size_t)(p - from));
}

static VECWIRE__NOINLINE int
raw_ended(struct vecwire__json_reader *reader, const char *p)
{
    if (!keep_raw(reader, p))
        return vecwire__json_fail(reader, VECWIRE__JSON_EMEM, reader->raw_at);
    reader->raw_from = p; /* so that a refusal does not keep it again */
    if (!vecwire__json_tell(reader, VECWIRE__JSON_EV_RAW, reader->raw->tag))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, p);
    reader->raw = NULL;
    reader->end_depth = 0;
    return ST_AFTER;
}

VECWIRE__INLINE int
step_ended(struct vecwire__json_reader *reader, struct cursor *c)
{
    c->field = NULL;
    if (VECWIRE__LIKELY(c->depth != reader->end_depth))
        return ST_AFTER;
    return c->depth == 0 ? ST_DONE : raw_ended(reader, c->p);
}

VECWIRE__INLINE int
step_after(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (!more(c))
        return cut(reader, ST_AFTER);
    if (*c->p == ',') {
        c->p++;
        return (c->frame & IS_ARRAY) != 0 ? next_element(reader, c) : ST_KEY;
    }
    if (*c->p != ((c->frame & IS_ARRAY) != 0 ? ']' : '}'))
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    return ST_CLOSE;
}

VECWIRE__INLINE int
step_close(struct vecwire__json_reader *reader, struct cursor *c)
{
    unsigned frame = c->frame;

    c->p++;
    c->depth--;
    c->frame = reader->frames[c->depth];
    if (frame > IS_ARRAY && (frame & IS_ARRAY) == 0)
        return tell(reader, c, VECWIRE__JSON_EV_END, frame >> 1, ST_ENDED);
    if (VECWIRE__UNLIKELY(frame == FRAME_LIST) &&
        reader->inner.kind == VECWIRE__JSON_F32S)
        return tell(reader, c, VECWIRE__JSON_EV_MULTI_END, reader->inner.tag,
                    ST_ENDED);
    return ST_ENDED;
}

static inline int
step_done(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (more(c))
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    return cut(reader, ST_DONE);
}

#ifdef VECWIRE__SSE2
static inline int
step_skim(struct vecwire__json_reader *reader, struct cursor *c)
{
    int state;

    reader->p = c->p;
    reader->depth = c->depth;
    state = vecwire__json_skim(reader);
    c->p = reader->p;
    c->depth = reader->depth;
    c->frame = reader->frames[c->depth];
    return state;
}
#endif

/* The parts that are not in line. */
static inline int
step_called(struct vecwire__json_reader *reader, struct cursor *c, int state)
{
#ifdef VECWIRE__SSE2
    if (state == ST_SKIM)
        return step_skim(reader, c);
#endif
    if (state == ST_VECTOR_FIRST)
        return step_vector_first(reader, c);
    reader->p = c->p;
    reader->field = c->field;
    if (state == ST_NUMBER)
        state = vecwire__json_number_skip(reader);
    else if (state == ST_TYPED_NUMBER)
        state = vecwire__json_number_typed(reader);
    else
        state = vecwire__json_row(reader, state);
    c->p = reader->p;
    return state;
}

/* Go on in the state that a step has returned. A step in line returns
 * constants, so at each place nothing is left of the switch but jumps to two or
 * three labels. (A loop around one switch reads better, but clang makes one
 * jump through a table of it that all steps share.) */
#define GO_ON(state)                                                           \
    switch (next = (state)) {                                                  \
    case ST_VALUE:                                                             \
        goto value;                                                            \
    case ST_TYPED:                                                             \
        goto typed;                                                            \
    case ST_PLAIN:                                                             \
        goto plain;                                                            \
    case ST_FIRST_ELEMENT:                                                     \
    case ST_FIRST_KEY:                                                         \
        goto first;                                                            \
    case ST_KEY:                                                               \
        goto key;                                                              \
    case ST_KEY_TEXT:                                                          \
        goto key_text;                                                         \
    case ST_COLON:                                                             \
        goto colon;                                                            \
    case ST_STRING:                                                            \
        goto string;                                                           \
    case ST_LITERAL:                                                           \
        goto literal;                                                          \
    case ST_ENDED:                                                             \
        goto ended;                                                            \
    case ST_AFTER:                                                             \
        goto after;                                                            \
    case ST_CLOSE:                                                             \
        goto close;                                                            \
    case ST_DONE:                                                              \
        goto done;                                                             \
    case ST_CUT:                                                               \
    case ST_FAILED:                                                            \
        goto out;                                                              \
    default:                                                                   \
        goto called;                                                           \
    }

/* From state to state until the segment is used up or something is wrong. */
static int
run(struct vecwire__json_reader *reader, struct cursor *cursor)
{
    struct cursor c = *cursor;
    int next;

    GO_ON(reader->state)
value:
    GO_ON(step_value(reader, &c))
typed:
    GO_ON(typed_value(reader, &c))
plain:
    GO_ON(step_plain(reader, &c))
first:
    GO_ON(step_first(reader, &c, next))
key:
    GO_ON(step_key(reader, &c))
key_text:
    GO_ON(step_key_text(reader, &c))
colon:
    GO_ON(step_colon(reader, &c))
string:
    GO_ON(step_string(reader, &c))
literal:
    GO_ON(step_literal(reader, &c))
ended:
    GO_ON(step_ended(reader, &c))
after:
    GO_ON(step_after(reader, &c))
close:
    GO_ON(step_close(reader, &c))
done:
    GO_ON(step_done(reader, &c))
called:
    GO_ON(step_called(reader, &c, next))
out:
    *cursor = c;
    return next;
}

/* The reader has failed. The raw text before the fault is kept first: whether
 * there is room for it must not depend on where the text is cut. */
static enum vecwire__json_rc
settle(struct vecwire__json_reader *reader)
{
    if (reader->raw != NULL && reader->rc != VECWIRE__JSON_EMEM &&
        reader->rc != VECWIRE__JSON_EEND &&
        !keep_raw(reader, reader->begin + (reader->offset - reader->base)))
        (void)vecwire__json_fail(reader, VECWIRE__JSON_EMEM, reader->raw_at);
    reader->key = blamed_key(reader);
    return reader->rc;
}

enum vecwire__json_rc
vecwire__json_feed(struct vecwire__json_reader *reader, const char *bytes,
                   size_t len)
{
    struct cursor c;
    int state;

    if (reader->rc != VECWIRE__JSON_MORE && reader->rc != VECWIRE__JSON_DONE)
        return reader->rc;
    if (len == 0)
        return reader->rc;
    reader->begin = reader->raw_from = bytes;
    reader->end = bytes + len;
    c.p = bytes;
    c.end = bytes + len;
    c.field = reader->field;
    c.depth = reader->depth;
    c.frame = reader->frames[c.depth];
    state = run(reader, &c);
    reader->field = c.field;
    reader->depth = c.depth;
    if (state == ST_FAILED)
        return settle(reader);
    if (reader->raw != NULL && !keep_raw(reader, reader->end)) {
        (void)vecwire__json_fail(reader, VECWIRE__JSON_EMEM, reader->raw_at);
        return settle(reader);
    }
    reader->base += len;
    if (reader->state == ST_DONE)
        reader->rc = VECWIRE__JSON_DONE;
    return reader->rc;
}

enum vecwire__json_rc
vecwire__json_finish(struct vecwire__json_reader *reader)
{
    if (reader->rc != VECWIRE__JSON_MORE)
        return reader->rc;
    /* nothing but the end shows that a number at the root is complete */
    if (reader->state == ST_NUMBER && reader->depth == 0 &&
        vecwire__number_ok(reader->number)) {
        reader->state = ST_DONE;
        return reader->rc = VECWIRE__JSON_DONE;
    }
    vecwire__json_number_cut_off(reader);
    return settle(reader);
}
