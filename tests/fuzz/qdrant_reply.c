/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's replies: in pieces they come to the same as whole, and to what
 * jansson finds in them; rows before the end are the rows, each of them once.
 *
 * Input: one byte of modes, four sizes of pieces, the body. */
#include "call/decoder.h"
#include "codec/mem.h"
#include "dialect/qdrant_admin.h"
#include "dialect/qdrant_update.h"
#include "tests/fuzz/qdrant_tree.h"

/* The ways to read a reply. */
enum kind {
    HITS,
    PAGE,
    POINT,
    COUNT,
    GROUPS,
    BATCH,
    FACET,
    UPDATE,
    UPDATES,
    BOOL,
    EXISTS,
    NAMES,
    INFO,
    N_KINDS
};

static const struct vecwire__decoding *const decodings[N_KINDS] = {
    [HITS] = &vecwire__qdrant_hits_decoding,
    [PAGE] = &vecwire__qdrant_page_decoding,
    [POINT] = &vecwire__qdrant_point_decoding,
    [COUNT] = &vecwire__qdrant_count_decoding,
    [GROUPS] = &vecwire__qdrant_groups_decoding,
    [BATCH] = &vecwire__qdrant_batch_decoding,
    [FACET] = &vecwire__qdrant_facet_decoding,
    [UPDATE] = &vecwire__qdrant_update_decoding,
    [UPDATES] = &vecwire__qdrant_updates_decoding,
    [BOOL] = &vecwire__qdrant_bool_decoding,
    [EXISTS] = &vecwire__qdrant_exists_decoding,
    [NAMES] = &vecwire__qdrant_names_decoding,
    [INFO] = &vecwire__qdrant_info_decoding,
};

/* A call, as much of it as decoding needs, and what it came to. */
struct decoding {
    struct vecwire__engine engine;
    struct vecwire__call call;
    struct fuzz_mem counting;
    struct vecwire__buf seen; /* all that was read, one behind the other */
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

/* --- what was seen --- */

static void
add(struct decoding *d, const void *bytes, size_t len)
{
    FUZZ_REQUIRE(vecwire__buf_add(&d->seen, bytes, len), "no memory");
}

static void
add_number(struct decoding *d, uint64_t number)
{
    add(d, &number, sizeof(number));
}

static void
add_text(struct decoding *d, const char *text, size_t len)
{
    FUZZ_REQUIRE(text != NULL || len == 0, "a length of nothing");
    FUZZ_REQUIRE(text == NULL || text[len] == '\0', "no NUL behind a text");
    add_number(d, text == NULL ? SIZE_MAX : len);
    add(d, text, len);
}

static void
add_line(struct decoding *d, const char *text)
{
    add_text(d, text, text == NULL ? 0 : strlen(text));
}

static void
add_id(struct decoding *d, const struct vecwire_id *id)
{
    add_text(d, id->text, id->len);
    add_number(d, id->is_number);
    add_number(d, id->number);
}

static size_t
n_floats(const struct vecwire_vector *vector)
{
    return vector->dim * (vector->rows == 0 ? 1 : vector->rows);
}

static void
add_vector(struct decoding *d, const struct vecwire_vector *vector)
{
    add_line(d, vector->name);
    add_number(d, vector->dim);
    add_number(d, vector->rows);
    add(d, vector->values, n_floats(vector) * sizeof(float));
    if (vector->indices != NULL)
        add(d, vector->indices, vector->dim * sizeof(uint32_t));
}

static void
add_row(struct decoding *d, const struct vecwire_row *row)
{
    add_id(d, &row->id);
    add_text(d, row->text, row->text_len);
    add_text(d, row->payload, row->payload_len);
    add_line(d, row->order_value);
    add_line(d, row->shard_key);
    add(d, &row->score, sizeof(row->score));
    add_number(d, row->flags);
    add_number(d, row->version);
    add_number(d, row->dim);
    add(d, row->vector, row->dim * sizeof(float));
    add_number(d, row->n_vectors);
    for (size_t i = 0; i < row->n_vectors; i++)
        add_vector(d, &row->vectors[i]);
}

/* Write down the first `n` rows of what is read. */
static void
take_rows(struct decoding *d, struct vecwire_reply *reply, size_t n)
{
    vecwire__reply_settle(reply);
    for (size_t i = 0; i < n; i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        FUZZ_REQUIRE(row != NULL, "no row %zu", i);
        add_row(d, row);
        d->n_rows++;
    }
}

static void
take_facet(struct decoding *d, const struct vecwire_reply *reply)
{
    struct vecwire_qdrant_facet_value hit;

    for (size_t i = 0; vecwire_qdrant_facet_at(reply, i, &hit); i++) {
        add_id(d, &hit.value);
        add_number(d, hit.count);
        add_number(d, hit.is_text);
    }
}

/* What a reply tells beside its rows. */
static void
take_rest(struct decoding *d)
{
    struct vecwire_reply *reply = d->call.reply;
    const struct vecwire_id *next;

    vecwire__reply_settle(reply);
    next = vecwire_reply_next_offset(reply);
    add_number(d, next != NULL);
    if (next != NULL)
        add_id(d, next);
    for (size_t i = 0; i < vecwire_reply_groups(reply); i++) {
        const struct vecwire_group *group = vecwire_reply_group(reply, i);

        FUZZ_REQUIRE(group->first + group->n <= vecwire_reply_count(reply),
                     "group %zu reaches beyond the rows", i);
        add_id(d, &group->id);
        add_number(d, group->first);
        add_number(d, group->n);
        add_number(d, group->lookup != NULL);
    }
    take_facet(d, reply);
    for (size_t i = 0; i < reply->n_updates; i++) {
        uint64_t number = 0;

        add_number(d, vecwire_qdrant_update_outcome(reply, i));
        add_number(d, vecwire_qdrant_operation_number(reply, i, &number));
        add_number(d, number);
    }
}

/* --- one decoding --- */

static void
begin(struct decoding *d, enum kind kind, uint32_t status, bool early,
      unsigned depth)
{
    struct vecwire__head head = {.status = status};

    memset(d, 0, sizeof(*d));
    fuzz_mem_init(&d->counting);
    vecwire__buf_init(&d->seen, &d->counting.mem);
    d->engine.config.mem = &d->counting.mem;
    d->engine.config.dialect = &vecwire__dialect_qdrant;
    d->engine.config.json_depth = depth;
    d->call.engine = &d->engine;
    d->call.enc.verb = VECWIRE__VERB_OWN;
    d->call.enc.decoding = decodings[kind];
    d->call.enc.rows = 3;
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
    if (d->good)
        take_rest(d);
}

static void
drop(struct decoding *d)
{
    vecwire__decode_stop(&d->call);
    vecwire__decoders_free(&d->engine);
    vecwire__reply_release(d->call.reply);
    vecwire__reply_release(d->call.batch);
    vecwire__buf_fini(&d->seen);
    FUZZ_REQUIRE(d->counting.blocks == 0, "%zu blocks are left",
                 d->counting.blocks);
}

static void
compare(const struct decoding *a, const struct decoding *b)
{
    FUZZ_REQUIRE(a->good == b->good && strcmp(a->fault, b->fault) == 0,
                 "\"%s\" and \"%s\"", a->fault, b->fault);
    if (!a->good)
        return;
    FUZZ_REQUIRE(a->n_rows == b->n_rows, "%zu and %zu rows", a->n_rows,
                 b->n_rows);
    FUZZ_REQUIRE(a->seen.len == b->seen.len &&
                     memcmp(a->seen.bytes, b->seen.bytes, a->seen.len) == 0,
                 "other rows");
}

/* --- beside jansson's tree --- */

/* What was read, in one piece and to a good end, is what jansson reads. Keys
 * that stand twice are left to the comparison of pieces. */
static void
compare_tree(const struct decoding *d, enum kind kind, const char *body,
             size_t len)
{
    json_error_t error;
    json_t *tree =
        json_loadb(body, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    const struct vecwire_reply *reply = d->call.reply;
    const json_t *result = json_object_get(tree, "result");

    FUZZ_REQUIRE(tree != NULL ||
                     json_error_code(&error) == json_error_numeric_overflow ||
                     json_error_code(&error) == json_error_duplicate_key ||
                     json_error_code(&error) == json_error_null_byte_in_key,
                 "jansson: %s", error.text);
    if (tree == NULL)
        return;
    if (kind == HITS || kind == PAGE)
        compare_page(reply, result);
    else if (kind == POINT)
        compare_point(vecwire_reply_row(reply, 0), result);
    else if (kind == COUNT)
        FUZZ_REQUIRE(
            vecwire_reply_total(reply) ==
                (uint64_t)json_integer_value(json_object_get(result, "count")),
            "count");
    else if (kind == GROUPS)
        compare_parts(reply, json_object_get(result, "groups"), "hits");
    else if (kind == BATCH)
        compare_parts(reply, result, "points");
    else if (kind == FACET)
        compare_facet(reply, json_object_get(result, "hits"));
    json_decref(tree);
}

/* An error's body: its text is jansson's, or there is none. */
static void
check_error(struct decoding *d, const char *body, size_t len)
{
    struct vecwire__server_error found;
    struct vecwire_reply *reply = d->call.reply;
    json_error_t error;
    json_t *tree =
        json_loadb(body, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    const json_t *text =
        json_object_get(json_object_get(tree, "status"), "error");

    vecwire__dialect_qdrant.server_error(reply, &found);
    if (found.has_text && json_is_string(text))
        FUZZ_REQUIRE(strcmp(reply->texts.bytes + found.text_at,
                            json_string_value(text)) == 0,
                     "text");
    FUZZ_REQUIRE(reply->body.len == (len < 65536 ? len : 65536),
                 "%zu bytes of %zu are kept", reply->body.len, len);
    json_decref(tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct decoding whole, parts, early;
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input);
    enum kind kind = (enum kind)((mode & 0x3f) % N_KINDS);
    uint32_t status = (mode & 0x40) != 0 ? 400 : 200;
    unsigned depth = (mode & 0x80) != 0 ? 5 : 128;
    struct fuzz_cuts cuts;
    const char *body;

    fuzz_take_cuts(&input, &cuts);
    body = (const char *)input.at;
    begin(&whole, kind, status, false, depth);
    begin(&parts, kind, status, false, depth);
    begin(&early, kind, status, kind <= PAGE, depth);
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
        compare_tree(&whole, kind, body, input.left);
    if (status >= 300)
        check_error(&parts, body, input.left);
    drop(&whole);
    drop(&parts);
    drop(&early);
    return 0;
}
