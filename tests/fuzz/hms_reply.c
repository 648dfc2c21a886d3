/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's replies: in pieces they come to the same as whole, and to what jansson
 * finds in them; rows before the end are the rows, each of them once.
 *
 * Input: one byte of modes, four sizes of pieces, the body. */
#include "call/decoder.h"
#include "codec/mem.h"
#include "dialect/hms.h"
#include "tests/fuzz/same.h"

/* A call, as much of it as decoding needs, and what it came to. */
struct decoding {
    struct vecwire__engine engine;
    struct vecwire__call call;
    struct fuzz_mem counting;
    struct vecwire__buf rows; /* all that were seen, as lines */
    size_t n_rows;
    bool good;
    char fault[160];
};

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    return VECWIRE_CONTINUE;
}

static void
add(struct decoding *d, const void *bytes, size_t len)
{
    FUZZ_REQUIRE(vecwire__buf_add(&d->rows, &len, sizeof(len)) &&
                     vecwire__buf_add(&d->rows, bytes, len),
                 "no memory");
}

static void
add_text(struct decoding *d, const char *text, size_t len)
{
    bool there = text != NULL;

    FUZZ_REQUIRE(there || len == 0, "a length of nothing");
    FUZZ_REQUIRE(!there || text[len] == '\0', "no NUL behind a text");
    add(d, &there, sizeof(there));
    add(d, text, len);
}

/* Write down the first `n` rows of what is read. */
static void
take_rows(struct decoding *d, struct vecwire_reply *reply, size_t n)
{
    vecwire__reply_settle(reply);
    for (size_t i = 0; i < n; i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        FUZZ_REQUIRE(row != NULL, "no row %zu", i);
        add_text(d, row->id.text, row->id.len);
        add_text(d, row->text, row->text_len);
        add_text(d, row->payload, row->payload_len);
        add(d, &row->score, sizeof(row->score));
        add(d, &row->flags, sizeof(row->flags));
        d->n_rows++;
    }
}

static const struct vecwire__decoding *const decodings[VECWIRE__N_VERBS] = {
    [VECWIRE__VERB_QUERY] = &vecwire__hms_query_decoding,
    [VECWIRE__VERB_UPSERT] = &vecwire__hms_upsert_decoding,
    [VECWIRE__VERB_DELETE] = &vecwire__hms_delete_decoding,
};

static void
begin(struct decoding *d, enum vecwire__verb verb, uint32_t status, bool early,
      unsigned depth)
{
    struct vecwire__head head = {.status = status};

    memset(d, 0, sizeof(*d));
    fuzz_mem_init(&d->counting);
    vecwire__buf_init(&d->rows, &d->counting.mem);
    d->engine.config.mem = &d->counting.mem;
    d->engine.config.dialect = &vecwire__dialect_hms;
    d->engine.config.json_depth = depth;
    d->call.engine = &d->engine;
    d->call.enc.verb = verb;
    d->call.enc.decoding = decodings[verb];
    d->call.on_rows = early ? on_rows : NULL;
    d->call.reply = vecwire__reply_new(&d->counting.mem);
    d->good = vecwire__decode_head(&d->call, &head);
    FUZZ_REQUIRE(d->good, "no memory");
}

/* As call/flow.c does with a piece of the body. */
static void
feed(struct decoding *d, const char *bytes, size_t len)
{
    char *piece = fuzz_copy(bytes, len);

    d->good = vecwire__decode_body(&d->call, piece, len);
    free(piece);
    if (!d->good || d->call.batch == NULL || d->call.batch->n_whole == 0)
        return;
    take_rows(d, d->call.batch, d->call.batch->n_whole);
    vecwire__decode_drop_rows(&d->call);
}

static void
end(struct decoding *d)
{
    d->good = d->good && vecwire__decode_end(&d->call);
    if (!d->good)
        FUZZ_REQUIRE(
            vecwire__decode_fault(&d->call, d->fault, sizeof(d->fault)) ==
                    VECWIRE_EDECODE &&
                d->fault[0] != '\0',
            "no reason");
    else if (d->call.batch == NULL)
        take_rows(d, d->call.reply, vecwire_reply_count(d->call.reply));
    else
        FUZZ_REQUIRE(vecwire_reply_count(d->call.batch) == 0,
                     "rows that nobody was given");
}

static void
drop(struct decoding *d)
{
    vecwire__decode_stop(&d->call);
    vecwire__decoders_free(&d->engine);
    vecwire__reply_release(d->call.reply);
    vecwire__reply_release(d->call.batch);
    vecwire__buf_fini(&d->rows);
    FUZZ_REQUIRE(d->counting.blocks == 0, "%zu blocks are left",
                 d->counting.blocks);
}

/* --- beside each other --- */

static void
compare(const struct decoding *a, const struct decoding *b)
{
    FUZZ_REQUIRE(a->good == b->good && strcmp(a->fault, b->fault) == 0,
                 "\"%s\" and \"%s\"", a->fault, b->fault);
    if (!a->good)
        return;
    FUZZ_REQUIRE(a->n_rows == b->n_rows, "%zu and %zu rows", a->n_rows,
                 b->n_rows);
    FUZZ_REQUIRE(a->rows.len == b->rows.len &&
                     (a->rows.len == 0 ||
                      memcmp(a->rows.bytes, b->rows.bytes, a->rows.len) == 0),
                 "other rows");
}

static void
compare_row(const struct vecwire_row *row, const json_t *match)
{
    FUZZ_REQUIRE(
        same_text(row->id.text, row->id.len, json_object_get(match, "id")),
        "id");
    FUZZ_REQUIRE(
        same_text(row->text, row->text_len, json_object_get(match, "text")),
        "text");
    FUZZ_REQUIRE(same_json(row->payload, row->payload_len,
                           json_object_get(match, "metadata")),
                 "metadata");
    FUZZ_REQUIRE(same_float(row->score, json_object_get(match, "score")),
                 "score");
}

/* What was read, in one piece and to a good end, is what jansson reads. */
static void
compare_tree(const struct decoding *d, enum vecwire__verb verb,
             const char *body, size_t len)
{
    json_error_t error;
    json_t *tree = json_loadb(body, len, JSON_ALLOW_NUL, &error);
    const struct vecwire_reply *reply = d->call.reply;
    const json_t *matches = json_object_get(tree, "matches");

    FUZZ_REQUIRE(tree != NULL ||
                     json_error_code(&error) == json_error_numeric_overflow ||
                     json_error_code(&error) == json_error_null_byte_in_key,
                 "jansson: %s", error.text);
    if (tree != NULL && verb == VECWIRE__VERB_QUERY) {
        FUZZ_REQUIRE(json_array_size(matches) == d->n_rows, "%zu of %zu rows",
                     d->n_rows, json_array_size(matches));
        for (size_t i = 0; i < d->n_rows; i++)
            compare_row(vecwire_reply_row(reply, i),
                        json_array_get(matches, i));
    } else if (tree != NULL) {
        const json_t *added = json_object_get(tree, "added");
        const json_t *deleted = json_object_get(tree, "deleted");

        FUZZ_REQUIRE(reply->affected ==
                         (verb == VECWIRE__VERB_UPSERT
                              ? (uint64_t)json_integer_value(added)
                              : json_is_true(deleted)),
                     "%llu affected", (unsigned long long)reply->affected);
    }
    json_decref(tree);
}

/* An error's body: code and text are jansson's, or there are none. */
static void
check_error(struct decoding *d, enum vecwire__verb verb, const char *body,
            size_t len)
{
    struct vecwire__server_error found;
    struct vecwire_reply *reply = d->call.reply;
    const json_t *object;
    json_error_t error;
    json_t *tree = json_loadb(body, len, JSON_ALLOW_NUL, &error);
    bool forgiven = vecwire__dialect_hms.forgives(verb, reply);

    object = json_object_get(tree, "error");
    vecwire__dialect_hms.server_error(reply, &found);
    FUZZ_REQUIRE(!forgiven || (verb == VECWIRE__VERB_DELETE &&
                               reply->status == 404 && found.has_code),
                 "forgiven");
    if (found.has_code && tree != NULL)
        FUZZ_REQUIRE(
            strcmp(reply->texts.bytes + found.code_at,
                   json_string_value(json_object_get(object, "code"))) == 0,
            "code");
    if (found.has_text && tree != NULL)
        FUZZ_REQUIRE(
            strcmp(reply->texts.bytes + found.text_at,
                   json_string_value(json_object_get(object, "message"))) == 0,
            "message");
    FUZZ_REQUIRE(reply->body.len == (len < 65536 ? len : 65536),
                 "%zu bytes of %zu are kept", reply->body.len, len);
    json_decref(tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const uint32_t statuses[] = {200, 201, 404, 500};
    static struct decoding whole, parts, early;
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input);
    enum vecwire__verb verb = (enum vecwire__verb)(mode % 3);
    uint32_t status = statuses[mode >> 2 & 3];
    unsigned depth = (mode & 0x80) != 0 ? 3 : 128;
    struct fuzz_cuts cuts;
    const char *body;

    fuzz_take_cuts(&input, &cuts);
    body = (const char *)input.at;
    begin(&whole, verb, status, false, depth);
    begin(&parts, verb, status, false, depth);
    begin(&early, verb, status, true, depth);
    if (input.left > 0)
        feed(&whole, body, input.left);
    for (size_t at = 0, n; at < input.left; at += n) {
        n = fuzz_cut(&cuts, input.left - at);
        if (parts.good)
            feed(&parts, body + at, n);
        if (early.good)
            feed(&early, body + at, n);
    }
    end(&whole);
    end(&parts);
    end(&early);
    compare(&whole, &parts);
    compare(&whole, &early);
    if (status < 300 && whole.good)
        compare_tree(&whole, verb, body, input.left);
    if (status >= 300)
        check_error(&parts, verb, body, input.left);
    drop(&whole);
    drop(&parts);
    drop(&early);
    return 0;
}
