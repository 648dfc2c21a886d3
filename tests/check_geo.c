/* SPDX-License-Identifier: Apache-2.0 */
/* Areas that a place in a payload is in, or not. */
#include <stdlib.h>

#include "server/geo.h"
#include "server/qdrant_filter.h"
#include "tests/json_rig.h"

typedef enum vecwire__geo_rc (*area)(struct vecwire__geo *geo,
                                     const json_t *tree);

static bool
has(area read, const char *area_text, const char *place_text)
{
    struct vecwire__geo geo = {.has_box = false};
    json_t *tree = json_of(area_text), *place = json_of(place_text);
    bool found;

    ck_assert_int_eq(read(&geo, tree), VECWIRE__GEO_FINE);
    found = vecwire__geo_has(&geo, place);
    vecwire__geo_fini(&geo);
    json_decref(tree);
    json_decref(place);
    return found;
}

static void
check_wrong(area read, const char *area_text)
{
    struct vecwire__geo geo = {.has_box = false};
    json_t *tree = json_of(area_text);

    ck_assert_msg(read(&geo, tree) == VECWIRE__GEO_WRONG, "%s", area_text);
    vecwire__geo_fini(&geo);
    json_decref(tree);
}

START_TEST(a_circle_has_what_is_no_further_than_its_radius)
{
    /* From Berlin to Potsdam there are about 26 km. */
    const char *potsdam = "{\"lat\":52.3906,\"lon\":13.0645}";

    ck_assert(has(vecwire__geo_circle,
                  "{\"center\":{\"lat\":52.52,\"lon\":13.405},"
                  "\"radius\":28000}",
                  potsdam));
    ck_assert(!has(vecwire__geo_circle,
                   "{\"center\":{\"lat\":52.52,\"lon\":13.405},"
                   "\"radius\":26000}",
                   potsdam));
}
END_TEST

START_TEST(a_degree_of_the_equator_is_111195_metres)
{
    const char *place = "{\"lat\":0,\"lon\":-179.5}";

    ck_assert(has(vecwire__geo_circle,
                  "{\"center\":{\"lat\":0,\"lon\":179.5},\"radius\":111196}",
                  place));
    ck_assert(!has(vecwire__geo_circle,
                   "{\"center\":{\"lat\":0,\"lon\":179.5},\"radius\":111194}",
                   place));
}
END_TEST

START_TEST(a_box_has_what_is_between_its_sides)
{
    const char *box = "{\"top_left\":{\"lat\":10,\"lon\":-5},"
                      "\"bottom_right\":{\"lat\":-10,\"lon\":5}}";

    ck_assert(has(vecwire__geo_box, box, "{\"lat\":9,\"lon\":-4}"));
    ck_assert(!has(vecwire__geo_box, box, "{\"lat\":11,\"lon\":0}"));
    ck_assert(!has(vecwire__geo_box, box, "{\"lat\":0,\"lon\":6}"));
}
END_TEST

START_TEST(a_box_may_go_over_the_date_line)
{
    const char *box = "{\"top_left\":{\"lat\":10,\"lon\":170},"
                      "\"bottom_right\":{\"lat\":-10,\"lon\":-170}}";

    ck_assert(has(vecwire__geo_box, box, "{\"lat\":0,\"lon\":175}"));
    ck_assert(has(vecwire__geo_box, box, "{\"lat\":0,\"lon\":-175}"));
    ck_assert(!has(vecwire__geo_box, box, "{\"lat\":0,\"lon\":0}"));
}
END_TEST

#define RING(a, b)                                                             \
    "{\"points\":[{\"lat\":" a ",\"lon\":" a "},{\"lat\":" a ",\"lon\":" b     \
    "},{\"lat\":" b ",\"lon\":" b "},{\"lat\":" b ",\"lon\":" a                \
    "},{\"lat\":" a ",\"lon\":" a "}]}"

START_TEST(a_polygon_has_what_is_inside_but_not_in_its_holes)
{
    const char *frame =
        "{\"exterior\":" RING("0", "9") ",\"interiors\":[" RING("3", "6") "]}";

    ck_assert(has(vecwire__geo_polygon, frame, "{\"lat\":1,\"lon\":5}"));
    ck_assert(!has(vecwire__geo_polygon, frame, "{\"lat\":5,\"lon\":5}"));
    ck_assert(!has(vecwire__geo_polygon, frame, "{\"lat\":5,\"lon\":10}"));
}
END_TEST

START_TEST(what_is_no_place_is_nowhere)
{
    const char *world = "{\"center\":{\"lat\":0,\"lon\":0},\"radius\":1e9}";

    ck_assert(!has(vecwire__geo_circle, world, "{\"lat\":1}"));
    ck_assert(!has(vecwire__geo_circle, world, "[1,2]"));
    ck_assert(!has(vecwire__geo_circle, world, "\"Berlin\""));
}
END_TEST

START_TEST(areas_of_the_wrong_shape_are_refused)
{
    check_wrong(vecwire__geo_circle, "{\"center\":{\"lat\":91,\"lon\":0},"
                                     "\"radius\":1}");
    check_wrong(vecwire__geo_circle, "{\"center\":{\"lat\":0,\"lon\":181},"
                                     "\"radius\":1}");
    check_wrong(vecwire__geo_circle, "{\"center\":{\"lat\":0,\"lon\":0}}");
    check_wrong(vecwire__geo_box, "{\"top_left\":{\"lat\":0,\"lon\":0}}");
    check_wrong(vecwire__geo_polygon, "{}");
    check_wrong(vecwire__geo_polygon,
                "{\"exterior\":{\"points\":[{\"lat\":0,\"lon\":0},{\"lat\":1,"
                "\"lon\":0},{\"lat\":1,\"lon\":1},{\"lat\":0,\"lon\":1}]}}");
    check_wrong(vecwire__geo_polygon,
                "{\"exterior\":{\"points\":[{\"lat\":0,\"lon\":0},{\"lat\":1,"
                "\"lon\":0},{\"lat\":0,\"lon\":0}]}}");
}
END_TEST

START_TEST(a_filter_asks_for_an_area)
{
    struct vecwire__fault fault;
    const struct vecwire__point_id id = {.is_number = true};
    json_t *tree = json_of("{\"must\":{\"key\":\"at\",\"geo_radius\":{"
                           "\"center\":{\"lat\":0,\"lon\":0},"
                           "\"radius\":1000}}}");
    json_t *near = json_of("{\"at\":[{\"lat\":50,\"lon\":0},"
                           "{\"lat\":0,\"lon\":0.001}]}");
    json_t *far = json_of("{\"at\":{\"lat\":50,\"lon\":0}}");
    struct vecwire__filter_point point = {&id, near, NULL, NULL};
    struct vecwire__filter *filter = vecwire__filter_new(tree, &fault);

    ck_assert(vecwire__filter_matches(filter, &point));
    point.payload = far;
    ck_assert(!vecwire__filter_matches(filter, &point));
    vecwire__filter_free(filter);
    json_decref(tree);
    json_decref(near);
    json_decref(far);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("geo");
    TCase *areas = tcase_create("areas");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(areas, a_circle_has_what_is_no_further_than_its_radius);
    tcase_add_test(areas, a_degree_of_the_equator_is_111195_metres);
    tcase_add_test(areas, a_box_has_what_is_between_its_sides);
    tcase_add_test(areas, a_box_may_go_over_the_date_line);
    tcase_add_test(areas, a_polygon_has_what_is_inside_but_not_in_its_holes);
    tcase_add_test(areas, what_is_no_place_is_nowhere);
    tcase_add_test(areas, areas_of_the_wrong_shape_are_refused);
    tcase_add_test(areas, a_filter_asks_for_an_area);
    suite_add_tcase(suite, areas);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
