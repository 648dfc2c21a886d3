/* SPDX-License-Identifier: Apache-2.0 */
/* Programs built with an older header: their structs end where the first
 * version's did, and what lies behind is not theirs. */
#include <stddef.h>
#include <stdlib.h>

#include "tests/client_rig.h"

#define SIZE_UP_TO(type, member)                                               \
    (offsetof(type, member) + sizeof(((type *)NULL)->member))

static const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                           FAULT_OK("{\"matches\":[]}", "14"),
                                           {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {script};

START_TEST(options_of_the_first_version_are_taken)
{
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_client *client;
    struct vecwire_options options;

    memset(&options, 0x55, sizeof(options));
    memset(&options, 0, SIZE_UP_TO(struct vecwire_options, reserved));
    options.size = SIZE_UP_TO(struct vecwire_options, reserved);
    options.url = "http://127.0.0.1";
    ck_assert_int_eq(vecwire_client_new(&client, base, &options), VECWIRE_OK);
    vecwire_client_free(client);
    event_base_free(base);
}
END_TEST

static struct vecwire_query_request
first_query(const float *vector)
{
    struct vecwire_query_request query;

    memset(&query, 0x55, sizeof(query));
    memset(&query, 0, SIZE_UP_TO(struct vecwire_query_request, reserved));
    query.size = SIZE_UP_TO(struct vecwire_query_request, reserved);
    query.vector = vector;
    query.dim = 1;
    return query;
}

START_TEST(a_query_of_the_first_version_is_taken)
{
    static const float vector[] = {1};
    struct vecwire_query_request query = first_query(vector);
    struct client_rig rig;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(vecwire_query(rig.client, &query, NULL, NULL, NULL),
                     VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_ptr_nonnull(strstr(fault_server_request(rig.server),
                                 "\r\n\r\n{\"query_vector\":[1],\"top_k\":"
                                 "10}"));
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_query_shorter_than_that_is_refused)
{
    static const float vector[] = {1};
    struct vecwire_query_request query = first_query(vector);
    struct client_rig rig;

    query.size--;
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(vecwire_query(rig.client, &query, NULL, NULL, NULL),
                     VECWIRE_EINVAL);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, options_of_the_first_version_are_taken);
    tcase_add_test(tc, a_query_of_the_first_version_is_taken);
    tcase_add_test(tc, a_query_shorter_than_that_is_refused);
}

int
main(void)
{
    return client_rig_main("sizes", add_tests);
}
