/* SPDX-License-Identifier: Apache-2.0 */
/* Masks and the clients made with them: what is refused, who owns what, and
 * that the key goes nowhere. */
#include <stdio.h>
#include <stdlib.h>

#include "api/client.h"
#include "tests/client_rig.h"
#include "tests/counting_mem.h"

#define PASSPHRASE "h1dden pass"
#define SALT "h1dden salt of 23 bytes"

static struct vecwire_refusal refusal;
static struct vecwire_hms_mask *mask;
static struct counting_mem mem;

static void
setup(void)
{
    memset(&refusal, 0, sizeof(refusal));
    counting_mem_init(&mem);
    mask = NULL;
}

static void
teardown(void)
{
    vecwire_hms_mask_free(mask);
    ck_assert_uint_eq(mem.blocks, 0);
}

/* It begins as something else than NULL, to see it set. */
static enum vecwire_err
make(struct vecwire_hms_mask_options options)
{
    options.refusal = &refusal;
    mask = (struct vecwire_hms_mask *)(void *)&refusal;
    return vecwire_hms_mask_new(&mask, &options);
}

static void
check_refused(struct vecwire_hms_mask_options options, const char *text)
{
    ck_assert_int_eq(make(options), VECWIRE_EINVAL);
    ck_assert_ptr_null(mask);
    ck_assert_str_eq(refusal.text, text);
    ck_assert_uint_eq(refusal.row, SIZE_MAX);
    ck_assert_uint_eq(refusal.coordinate, SIZE_MAX);
}

/* --- what is refused, with OpenSSL or without --- */

START_TEST(a_passphrase_is_needed)
{
    check_refused(VECWIRE_HMS_MASK_OPTIONS(.salt = SALT, .salt_len = 23),
                  "passphrase is NULL");
}
END_TEST

START_TEST(an_empty_passphrase_is_refused)
{
    check_refused(VECWIRE_HMS_MASK_OPTIONS(.passphrase = ""),
                  "passphrase is empty");
}
END_TEST

static const char *const not_utf8[] = {
    "h1dden \xff",  "\x80h1dden",      "\xc3", "h1dden\xc0\xaf", "\xe5\xaf",
    "\xed\xa0\x80", "\xf4\x90\x80\x80"};
#define N_NOT_UTF8 ((int)(sizeof(not_utf8) / sizeof(not_utf8[0])))

START_TEST(a_passphrase_that_is_no_utf8_is_refused_and_not_told)
{
    check_refused(VECWIRE_HMS_MASK_OPTIONS(.passphrase = not_utf8[_i]),
                  "passphrase is not UTF-8");
}
END_TEST

START_TEST(a_salt_under_16_bytes_is_refused_and_not_told)
{
    static const size_t lens[] = {0, 1, 15};
    char text[64];

    snprintf(text, sizeof(text), "salt of %zu bytes, expected at least 16",
             lens[_i]);
    check_refused(VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE,
                                           .salt = SALT, .salt_len = lens[_i]),
                  text);
}
END_TEST

START_TEST(a_length_without_a_salt_is_refused)
{
    check_refused(
        VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE, .salt_len = 16),
        "salt is NULL, salt_len is 16");
}
END_TEST

START_TEST(an_allocator_needs_all_its_functions)
{
    mem.mem.free = NULL;
    check_refused(
        VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE, .mem = &mem.mem),
        "mem lacks a function");
}
END_TEST

START_TEST(options_without_macro_and_init_are_refused)
{
    struct vecwire_hms_mask_options options = {.passphrase = PASSPHRASE,
                                               .refusal = &refusal};

    mask = (struct vecwire_hms_mask *)(void *)&refusal;
    ck_assert_int_eq(vecwire_hms_mask_new(&mask, &options), VECWIRE_EINVAL);
    ck_assert_ptr_null(mask);
    ck_assert_int_eq(vecwire_hms_mask_new(&mask, NULL), VECWIRE_EINVAL);
    ck_assert_str_eq(refusal.text, "");
}
END_TEST

START_TEST(a_null_place_for_the_mask_is_refused)
{
    ck_assert_int_eq(
        vecwire_hms_mask_new(
            NULL, &VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE)),
        VECWIRE_EINVAL);
}
END_TEST

START_TEST(freeing_no_mask_is_fine)
{
    vecwire_hms_mask_free(NULL);
}
END_TEST

#ifdef VECWIRE_NO_OPENSSL

START_TEST(without_openssl_there_is_no_mask)
{
    ck_assert_int_eq(make(VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE,
                                                   .mem = &mem.mem)),
                     VECWIRE_EUNSUPPORTED);
    ck_assert_ptr_null(mask);
    ck_assert_str_eq(refusal.text, "a mask needs OpenSSL with scrypt");
}
END_TEST

static void
add_masked_tests(TCase *tc)
{
    tcase_add_test(tc, without_openssl_there_is_no_mask);
}

#else

static void
make_mask(const struct vecwire_mem *its_mem)
{
    struct vecwire_hms_mask_options options;

    vecwire_hms_mask_options_init(&options);
    options.passphrase = PASSPHRASE;
    options.salt = SALT;
    options.salt_len = 23;
    options.mem = its_mem;
    ck_assert_int_eq(make(options), VECWIRE_OK);
    ck_assert_ptr_nonnull(mask);
}

START_TEST(without_memory_there_is_no_mask)
{
    counting_mem_arm(&mem, 1, true);
    ck_assert_int_eq(make(VECWIRE_HMS_MASK_OPTIONS(.passphrase = PASSPHRASE,
                                                   .mem = &mem.mem)),
                     VECWIRE_ENOMEM);
    ck_assert_ptr_null(mask);
    ck_assert_str_eq(refusal.text, "out of memory");
}
END_TEST

START_TEST(a_mask_comes_from_the_allocator_it_is_given)
{
    make_mask(&mem.mem);
    ck_assert_uint_eq(mem.blocks, 1);
}
END_TEST

START_TEST(a_mask_goes_with_hms_alone)
{
    struct vecwire_client *client;
    struct event_base *base = vecwire_event_base_new();

    make_mask(NULL);
    ck_assert_int_eq(
        vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(.url = "http://h", .dialect = VECWIRE_QDRANT,
                             .hms_mask = mask, .refusal = &refusal)),
        VECWIRE_EINVAL);
    ck_assert_ptr_null(client);
    ck_assert_str_eq(refusal.text, "hms_mask: only HMS has masks");
    event_base_free(base);
}
END_TEST

/* --- clients --- */

static const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                           FAULT_OK("{\"matches\":[]}", "14"),
                                           {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {script};

/* One query of {1, 2, 3}; what its body holds of it. */
static void
query_once(struct client_rig *rig, char *vector, size_t room)
{
    static const float plain[] = {1, 2, 3};
    const char *begin, *end;

    ck_assert_int_eq(vecwire_query(rig->client,
                                   &VECWIRE_QUERY(.vector = plain, .dim = 3),
                                   NULL, NULL, NULL),
                     VECWIRE_OK);
    client_rig_run(rig);
    begin = strchr(fault_server_request(rig->server), '[');
    ck_assert_ptr_nonnull(begin);
    end = strchr(begin, ']');
    ck_assert_ptr_nonnull(end);
    ck_assert_uint_lt((size_t)(end - begin) + 2, room);
    memcpy(vector, begin, (size_t)(end + 1 - begin));
    vector[end + 1 - begin] = '\0';
}

START_TEST(a_mask_serves_many_clients_and_may_go_before_them)
{
    struct client_rig rigs[2];
    char sent[2][64];

    make_mask(NULL);
    for (size_t i = 0; i < 2; i++)
        client_rig_init(&rigs[i], scripts, 1,
                        VECWIRE_OPTIONS(.hms_mask = mask));
    vecwire_hms_mask_free(mask);
    mask = NULL;
    for (size_t i = 0; i < 2; i++)
        query_once(&rigs[i], sent[i], sizeof(sent[i]));
    ck_assert_str_ne(sent[0], "[1,2,3]");
    ck_assert_str_eq(sent[0], sent[1]);
    for (size_t i = 0; i < 2; i++)
        client_rig_fini(&rigs[i]);
}
END_TEST

START_TEST(without_a_mask_vectors_go_out_as_they_are)
{
    struct client_rig rig;
    char sent[64];

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    query_once(&rig, sent, sizeof(sent));
    ck_assert_str_eq(sent, "[1,2,3]");
    client_rig_fini(&rig);
}
END_TEST

/* --- secrets --- */

static unsigned char secret[VECWIRE__HMS_KEY_BYTES];
static char heard[4096];

static void *
plain_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return calloc(1, size);
}

static void *
plain_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    char *moved = calloc(1, size);

    (void)ctx;
    ck_assert_ptr_nonnull(moved);
    memcpy(moved, block, old_size < size ? old_size : size);
    free(block);
    return moved;
}

/* Neither the key nor what it was made from is given back. Blocks may have
 * bytes that nobody has set, which memcheck does not like to see searched. */
static void
watchful_free(void *block, size_t size, void *ctx)
{
    (void)ctx;
    if (getenv("VECWIRE_VALGRIND") == NULL) {
        ck_assert_ptr_null(memmem(block, size, secret, sizeof(secret)));
        ck_assert_ptr_null(memmem(block, size, "h1dden", 6));
    }
    free(block);
}

static void
listen_in(enum vecwire_log_level level, const char *line, void *arg)
{
    size_t len = strlen(heard);

    (void)level;
    (void)arg;
    snprintf(heard + len, sizeof(heard) - len, "%s\n", line);
}

static void
use_watched_client(void)
{
    static const struct vecwire_mem watchful = {plain_alloc, plain_realloc,
                                                watchful_free, NULL};
    struct client_rig rig;
    char sent[64];

    make_mask(&watchful);
    memcpy(secret, mask->key, sizeof(secret));
    client_rig_init(
        &rig, scripts, 1,
        VECWIRE_OPTIONS(.hms_mask = mask, .mem = &watchful, .log = listen_in));
    query_once(&rig, sent, sizeof(sent));
    client_rig_fini(&rig);
    vecwire_hms_mask_free(mask);
    mask = NULL;
}

START_TEST(an_allocator_gets_no_key_back)
{
    use_watched_client();
}
END_TEST

START_TEST(the_log_hears_nothing_of_a_mask)
{
    char hex[2 * sizeof(secret) + 1];

    use_watched_client();
    for (size_t i = 0; i < sizeof(secret); i++)
        snprintf(hex + 2 * i, 3, "%02x", secret[i]);
    ck_assert_ptr_nonnull(strstr(heard, "connected to"));
    ck_assert_ptr_null(strstr(heard, "h1dden"));
    ck_assert_ptr_null(strcasestr(heard, hex));
}
END_TEST

START_TEST(without_memory_at_any_point_there_is_no_masked_client)
{
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_client *client;
    size_t n = 1;

    make_mask(NULL);
    for (;; n++) {
        enum vecwire_err err;

        counting_mem_arm(&mem, n, _i == 1);
        err = vecwire_client_new(&client, base,
                                 &VECWIRE_OPTIONS(.url = "http://127.0.0.1",
                                                  .hms_mask = mask,
                                                  .mem = &mem.mem));
        if (err == VECWIRE_OK)
            break;
        ck_assert_int_eq(err, VECWIRE_ENOMEM);
        ck_assert_ptr_null(client);
        ck_assert_uint_eq(mem.blocks, 0);
    }
    ck_assert_uint_gt(n, 1);
    vecwire_client_free(client);
    event_base_free(base);
}
END_TEST

/* A verb that finds no memory for the permutation is refused, the next one
 * that has it goes through. */
START_TEST(without_memory_at_any_point_no_masked_query_is_sent)
{
    static const float plain[] = {1, 2, 3};
    struct client_rig rig;
    size_t n = 1;
    char sent[64];

    make_mask(NULL);
    client_rig_init(&rig, scripts, 1,
                    VECWIRE_OPTIONS(.hms_mask = mask, .mem = &mem.mem));
    for (;; n++) {
        enum vecwire_err err;

        counting_mem_arm(&mem, n, false);
        err =
            vecwire_query(rig.client, &VECWIRE_QUERY(.vector = plain, .dim = 3),
                          NULL, NULL, NULL);
        counting_mem_arm(&mem, 0, false);
        if (err == VECWIRE_OK)
            break;
        ck_assert_int_eq(err, VECWIRE_ENOMEM);
        ck_assert_uint_eq(fault_server_requests(rig.server), 0);
    }
    ck_assert_uint_gt(n, 2);
    query_once(&rig, sent, sizeof(sent));
    ck_assert_str_ne(sent, "[1,2,3]");
    client_rig_fini(&rig);
}
END_TEST

static void
add_masked_tests(TCase *tc)
{
    tcase_add_test(tc, without_memory_there_is_no_mask);
    tcase_add_test(tc, a_mask_comes_from_the_allocator_it_is_given);
    tcase_add_test(tc, a_mask_goes_with_hms_alone);
    tcase_add_test(tc, a_mask_serves_many_clients_and_may_go_before_them);
    tcase_add_test(tc, without_a_mask_vectors_go_out_as_they_are);
    tcase_add_test(tc, an_allocator_gets_no_key_back);
    tcase_add_test(tc, the_log_hears_nothing_of_a_mask);
    tcase_add_loop_test(
        tc, without_memory_at_any_point_there_is_no_masked_client, 0, 2);
    tcase_add_test(tc, without_memory_at_any_point_no_masked_query_is_sent);
}

#endif

static void
add_tests(TCase *tc)
{
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_passphrase_is_needed);
    tcase_add_test(tc, an_empty_passphrase_is_refused);
    tcase_add_loop_test(tc,
                        a_passphrase_that_is_no_utf8_is_refused_and_not_told, 0,
                        N_NOT_UTF8);
    tcase_add_loop_test(tc, a_salt_under_16_bytes_is_refused_and_not_told, 0,
                        3);
    tcase_add_test(tc, a_length_without_a_salt_is_refused);
    tcase_add_test(tc, an_allocator_needs_all_its_functions);
    tcase_add_test(tc, options_without_macro_and_init_are_refused);
    tcase_add_test(tc, a_null_place_for_the_mask_is_refused);
    tcase_add_test(tc, freeing_no_mask_is_fine);
    add_masked_tests(tc);
}

int
main(void)
{
    return client_rig_main("hms mask, new", add_tests);
}
