/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's good answers. */
#include "tests/fault_list.h"

#include <string.h>

static const char hits[] = LINE MARKED
    "Content-Length: 85\r\n\r\n"
    "{\"result\":{\"points\":[{\"id\":7,\"version\":1,\"score\":1.5}"
    "]},\"status\":\"ok\",\"time\":0.00012}";
static const char page[] =
    LINE MARKED "Content-Length: 100\r\n\r\n"
                "{\"result\":{\"points\":[{\"id\":7,\"vector\":[1.0,2.5]}],"
                "\"next_page_offset\":null},\"status\":\"ok\",\"time\":0.1}";
static const char updated[] =
    LINE MARKED "Content-Length: 77\r\n\r\n"
                "{\"result\":{\"operation_id\":3,\"status\":\"completed\"},"
                "\"status\":\"ok\",\"time\":0.001}";
static const char updates[] =
    LINE MARKED "Content-Length: 79\r\n\r\n"
                "{\"result\":[{\"operation_id\":3,\"status\":\"completed\"}],"
                "\"status\":\"ok\",\"time\":0.001}";
static const char counted[] =
    LINE MARKED "Content-Length: 48\r\n\r\n"
                "{\"result\":{\"count\":2},\"status\":\"ok\",\"time\":0.01}";

static const char *
answer(const char *request)
{
    static const struct {
        const char *path;
        const char *reply;
    } routes[] = {
        {" /collections/c/points/query ", hits},
        {" /collections/c/points/scroll ", page},
        {" /collections/c/points/count ", counted},
        {" /collections/c/points/batch ", updates},
        {" /collections/c/points/delete ", updated},
        {" /collections/c/points ", updated},
    };

    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (strstr(request, routes[i].path) != NULL)
            return routes[i].reply;
    }
    return NULL;
}

const struct fault_dialect fault_qdrant = {
    .dialect = VECWIRE_QDRANT, .answer = answer, .collection = "c", .id = "7"};
