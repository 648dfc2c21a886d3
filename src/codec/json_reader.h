/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON reader for every reply: driven by a table, resumable at every
 * byte, reads segments in place, checks all grammar once.
 *
 *   feed(segment) ... feed(segment) finish()
 *
 * Known objects and unknown ones run through the same loop; unknown keys are
 * skipped (and checked), key order never matters. Between segments at most
 * one token is carried. */
#ifndef VECWIRE_CODEC_JSON_READER_H
#define VECWIRE_CODEC_JSON_READER_H

#include "codec/buf.h"

/* What the value of a known key must be. Another type is an error, but for
 * null where the field is nullable: it then counts as absent. (Null for SKIP,
 * RAW and F32 is a value of theirs; a nullable RAW reports it as absent.) */
enum vecwire__json_kind {
    VECWIRE__JSON_SKIP,    /* anything, checked and dropped */
    VECWIRE__JSON_RAW,     /* anything, kept as its own text */
    VECWIRE__JSON_RAW_OBJ, /* an object, kept as its own text */
    VECWIRE__JSON_STR,     /* text, decoded to UTF-8 */
    VECWIRE__JSON_ID,      /* u64 or text */
    VECWIRE__JSON_U64,
    VECWIRE__JSON_U32,  /* a U64 of at most 2^32 - 1 */
    VECWIRE__JSON_U32S, /* array of them */
    VECWIRE__JSON_BOOL,
    VECWIRE__JSON_F32,    /* number, or null: NaN */
    VECWIRE__JSON_F32S,   /* array of numbers, null in it: NaN */
    VECWIRE__JSON_OBJ,    /* object of shape `sub` */
    VECWIRE__JSON_ARR,    /* array of objects of shape `sub` (0: of anything) */
    VECWIRE__JSON_EITHER, /* OBJ of shape `sub`, or ARR of shape `sub` + 1 */
    VECWIRE__JSON_VECTOR  /* F32S, array of F32S, or OBJ (not with sub 0) */
};

struct vecwire__json_field {
    char key[32]; /* ends with a NUL */
    unsigned char kind;
    unsigned char tag; /* the caller's, handed to the sink */
    unsigned char sub;
    bool nullable;
};

/* The keys of one kind of object, 1 to 8. One field with the key "" makes a
 * map: it has any keys, each of them told (EV_KEY), the same one again, too,
 * and all values are what this field says. */
struct vecwire__json_shape {
    const struct vecwire__json_field *fields;
    size_t n_fields;
};

/* Shapes 1..n_shapes; shape 1 is the root object, or, with root_array, that
 * of the elements of the root array. Shape 0 is nobody's. At most 7. Without
 * any the root may be anything. */
struct vecwire__json_table {
    const struct vecwire__json_shape *shapes; /* [0] is shape 1 */
    size_t n_shapes;
    bool root_array;
};

enum vecwire__json_event {
    VECWIRE__JSON_EV_BEGIN, /* an object of shape `tag` begins */
    VECWIRE__JSON_EV_END,   /* ... has ended */
    VECWIRE__JSON_EV_ARR,   /* an array of objects (tag 0: the root) or of U32S
                               begins; the latter tells each as EV_U64 */
    VECWIRE__JSON_EV_KEY,   /* of a map, as a text; the tag is its field's */
    VECWIRE__JSON_EV_STR,   /* text at [text_at, texts.len) of texts */
    VECWIRE__JSON_EV_RAW,   /* its JSON text, at the same place */
    VECWIRE__JSON_EV_U64,   /* reader->u64 */
    VECWIRE__JSON_EV_BOOL,  /* reader->u64 is 0 or 1 */
    VECWIRE__JSON_EV_F32,   /* reader->f32; is_nan: it was null */
    VECWIRE__JSON_EV_ROW,   /* a float array begins: set floats, room, n=0 */
    VECWIRE__JSON_EV_GROW,  /* floats is full: give more (it may move) */
    VECWIRE__JSON_EV_F32S,  /* it has ended: n floats; is_nan: one was null */
    VECWIRE__JSON_EV_MULTI, /* a VECTOR is an array of arrays: rows follow, */
    VECWIRE__JSON_EV_MULTI_END, /* ... have ended; both with its tag */
    VECWIRE__JSON_EV_NULL       /* null in a nullable field */
};

/* How reading ended or goes on. */
enum vecwire__json_rc {
    VECWIRE__JSON_MORE,     /* so far well; the text is not complete */
    VECWIRE__JSON_DONE,     /* complete (only blanks may follow) */
    VECWIRE__JSON_EGRAMMAR, /* no JSON */
    VECWIRE__JSON_ETYPE,    /* a known key has another type */
    VECWIRE__JSON_ETWICE,   /* a known key stands twice in one object */
    VECWIRE__JSON_ERANGE,   /* a number in a known place beyond its type */
    VECWIRE__JSON_EDEPTH,   /* nested too deep */
    VECWIRE__JSON_EEND,     /* ended too early (finish only) */
    VECWIRE__JSON_EMEM,     /* no memory for texts */
    VECWIRE__JSON_ESINK     /* the sink said no */
};

struct vecwire__json_reader;

/* Longest text of a number in a known place. A longer one is ERANGE, however
 * it is cut. Numbers that nobody reads have no limit. */
#define VECWIRE__JSON_NUMBER_MAX 255

/* A known key, made ready for comparing. Servers keep their order, so each
 * one has the key that followed it last time. */
struct vecwire__json_name {
    uint64_t word; /* its first 8 bytes */
    uint64_t mask; /* which of these count */
    size_t len;
    const struct vecwire__json_field *field;
    struct vecwire__json_name *next;
    unsigned char bit; /* among those of its shape */
};

/* Called for each event; false stops the reader with VECWIRE__JSON_ESINK.
 * It may append to reader->texts (a NUL behind a text, say). */
typedef bool (*vecwire__json_sink)(struct vecwire__json_reader *reader,
                                   enum vecwire__json_event event,
                                   unsigned tag);

struct vecwire__json_reader {
    /* For the sink. Texts and floats belong to the caller. */
    void *ctx;
    /* Decoded texts and raw values; without a block while all are empty. */
    struct vecwire__buf *texts;
    size_t text_at;
    uint64_t u64;
    float *floats; /* the row being filled, */
    size_t room;   /* how many it holds, */
    size_t n;      /* how many are there */
    float f32;
    bool is_nan;
    /* On an error: where, see below, and the key whose value it was, "" when
     * unknown; static as the table is. */
    uint64_t offset;
    const char *key;
    /* private */
    vecwire__json_sink sink;
    const struct vecwire__json_table *table;
    const struct vecwire__json_field *field; /* whose value is being read */
    const struct vecwire__json_field *raw;   /* whose text is being kept */
    struct vecwire__json_field inner; /* each element of a multi-vector, U32S */
    const char *begin;                /* the segment, */
    const char *p;                    /* how far it is read (for calls), */
    const char *end;                  /* and its end */
    const char *raw_from; /* raw text of this segment not yet kept */
    uint64_t base;        /* bytes before this segment */
    uint64_t token_at;    /* where the key, text or number began */
    uint64_t raw_at;      /* where the raw value began */
    unsigned depth;       /* open brackets */
    unsigned max_depth;
    unsigned end_depth;      /* that of the raw value, or else the root's */
    unsigned char state;     /* of codec/json_state.h */
    unsigned char rc;        /* once it is final; MORE before */
    unsigned char literal;   /* which one, */
    unsigned char n_literal; /* and how many bytes of it are read */
    unsigned char number;    /* state of a number that nobody reads */
    unsigned char n_unit;    /* bytes of a cut escape or character, */
    unsigned char n_name;    /* of a cut key, */
    unsigned char n_token;   /* of a cut number */
    struct vecwire__json_name names[8][8]; /* by shape and index */
    struct vecwire__json_name *last[8];    /* by shape: the key seen last */
    unsigned char frames[256];             /* by depth, see json_cursor.h */
    unsigned char seen[256];               /* by depth: bits of known keys */
    char unit[12];
    char name[32];
    /* A cut number, behind room for loads that end where it ends, and with
     * room for a separator. */
    char token[24 + VECWIRE__JSON_NUMBER_MAX + 1];
};

/* Begin a reply. `texts` is appended to; `depth` is 1..255. */
void vecwire__json_init(struct vecwire__json_reader *reader,
                        const struct vecwire__json_table *table,
                        vecwire__json_sink sink, void *ctx,
                        struct vecwire__buf *texts, unsigned depth);

/* Read one segment in place; no byte outside it is read. After an error it
 * returns the same error again. Code and offset do not depend on how the text
 * is cut. The offset is that of the first byte that no correct text could have
 * there (EGRAMMAR), of the value, or key, that is refused (ETYPE, ERANGE, EMEM;
 * ETWICE), of the bracket that is one too many (EDEPTH), of the end (EEND), of
 * the first byte not used yet when the sink was called (ESINK). */
enum vecwire__json_rc vecwire__json_feed(struct vecwire__json_reader *reader,
                                         const char *bytes, size_t len);

/* The reply has ended: VECWIRE__JSON_DONE or what is wrong. */
enum vecwire__json_rc vecwire__json_finish(struct vecwire__json_reader *reader);

/* "wrong type", "nested too deep", ...; static memory. */
const char *vecwire__json_rc_text(enum vecwire__json_rc rc);

/* Is `text` one JSON document (an object, with want_object)? DONE, or what
 * is wrong with *offset (may be NULL) where. Needs no memory. */
enum vecwire__json_rc vecwire__json_check(const char *text, size_t len,
                                          unsigned depth, bool want_object,
                                          size_t *offset);

#endif
