/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's replies, gone wrong. */
#include "tests/fault_list.h"

#define ENVELOPE ",\"status\":\"ok\",\"time\":0.1}"
#define RESULT(result) "{\"result\":" result ENVELOPE
#define POINTS(points) RESULT("{\"points\":[" points "]}")
#define PAGE(points)                                                           \
    RESULT("{\"points\":[" points "],\"next_page_offset\":null}")
#define POINT(members) "{\"id\":7," members "}"
#define UPDATE(status) RESULT("{\"operation_id\":3,\"status\":" status "}")
#define PAGE_OF_6(next)                                                        \
    RESULT("{\"points\":[{\"id\":6}],\"next_page_offset\":" next "}")
#define PAGE_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"
#define PAGE_BEGIN "{\"result\":{\"points\":["
#define GOOD POINT("\"score\":1.5,\"version\":1")
#define UNREADABLE SEES(EDECODE, RECEIVING, .status = 200)

/* A body that is not read to its end; one that is, and is not whole: the
 * connection is none the worse; one that is well. */
#define BAD(call_, what, body)                                                 \
    ROW(what, call_, UNREADABLE, DROPPED,                                      \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define PART(call_, what, body)                                                \
    ROW(what, call_, UNREADABLE, KEPT,                                         \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define WELL(call_, what, body)                                                \
    ROW(what, call_, FINE, KEPT,                                               \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define ERROR_OF(call_, what, number, body, text_)                             \
    ROW(what, call_, SEES(EHTTP, RECEIVING, .status = number), KEPT,           \
        .scripts = ONE(READ, REPLY(#number " No", body), SERVE),               \
        .text = text_)
/* The same with its type. */
#define TYPED(what, number, type, length, body, text_)                         \
    ROW(what, QUERY, SEES(EHTTP, RECEIVING, .status = number), KEPT,           \
        .scripts = ONE(READ,                                                   \
                       SEND("HTTP/1.1 " #number " No\r\n" MARKED               \
                            "Content-Type: " type                              \
                            "\r\nContent-Length: " length "\r\n\r\n" body),    \
                       SERVE),                                                 \
        .text = text_)

static const struct fault qdrant[] = {
    /* --- errors --- */
    ERROR_OF(QUERY, "an error of its own", 404,
             "{\"status\":{\"error\":\"Not found: c\"},\"time\":0.1}",
             "Not found: c"),
    ERROR_OF(QUERY, "an error with a result that is null", 400,
             "{\"result\":null,\"status\":{\"error\":\"Wrong input: x\"},"
             "\"time\":0.1}",
             "Wrong input: x"),
    ERROR_OF(QUERY, "an error in two lines", 400,
             "{\"status\":{\"error\":\"a\\nb\"},\"time\":0}", "a b"),
    TYPED("a missing key, in plain text", 401, "text/plain", "7", "no key.",
          "no key."),
    TYPED("a page of a gateway", 502, "text/html", "15", "<html>Bad</html",
          "<html>Bad</html"),
    TYPED("an error of no type that is known", 500, "application/x-thing", "4",
          "\x01\x02"
          "ab",
          "ab"),
    TYPED("an error that is no UTF-8", 500, "text/plain", "2", "\xff\xfe",
          "HTTP 500"),
    ERROR_OF(QUERY, "an error without a text", 500,
             "{\"status\":{\"error\":null},\"time\":0}", "error"),
    ERROR_OF(QUERY, "an error that is cut", 500, "{\"status\":{\"er",
             "{\"status\":{\"er"),
    ERROR_OF(QUERY, "an error of nothing", 500, "", "HTTP 500"),
    ERROR_OF(QUERY, "an error with good points", 500, POINTS(GOOD), "points"),
    ROW("429 without a time to wait", QUERY,
        SEES(EHTTP, RECEIVING, .status = 429), KEPT,
        .scripts = ONE(
            READ, REPLY("429 Slow", "{\"status\":{\"error\":\"larger than\"}}"),
            SERVE),
        .text = "larger than"),
    ROW("429 with a time to wait", QUERY, FINE, KEPT,
        .scripts = ONE(READ,
                       SEND("HTTP/1.1 429 Slow\r\n" MARKED
                            "Retry-After: 1\r\nContent-Length: 0\r\n\r\n"),
                       SERVE),
        .requests = 2),
    ROW("a shard that is not there, then is", QUERY, FINE, KEPT,
        .scripts = ONE(
            READ, REPLY("503 Busy", "{\"status\":{\"error\":\"s\"}}"), SERVE),
        .requests = 2),
    ERROR_OF(COUNT, "a collection that is not there", 404,
             "{\"status\":{\"error\":\"Not found: Collection `c`\"}}",
             "Not found: Collection `c`"),
    /* --- no JSON --- */
    PART(QUERY, "no body", ""),
    BAD(QUERY, "plain text", "hello"),
    PART(QUERY, "JSON that is cut in a vector",
         "{\"result\":{\"points\":[{\"id\":7,\"score\":1,\"vector\":[0.5,0."),
    BAD(QUERY, "something behind the document", POINTS(GOOD) "x"),
    BAD(QUERY, "the word NaN", POINTS("{\"id\":7,\"score\":NaN}")),
    /* --- other JSON --- */
    BAD(QUERY, "an array", "[" GOOD "]"),
    PART(QUERY, "an object without a result", "{\"status\":\"ok\"}"),
    PART(QUERY, "a result without points", RESULT("{}")),
    BAD(QUERY, "a result that is null", RESULT("null")),
    BAD(QUERY, "a result that is a text", RESULT("\"\"")),
    BAD(QUERY, "a result twice",
        "{\"result\":{\"points\":[]},\"result\":"
        "{\"points\":[]}" ENVELOPE),
    BAD(QUERY, "points twice", RESULT("{\"points\":[" GOOD "],\"points\":[]}")),
    BAD(QUERY, "a point that is null", POINTS("null")),
    BAD(QUERY, "a point without an id", POINTS("{\"score\":1}")),
    BAD(QUERY, "an id that is null", POINTS("{\"id\":null,\"score\":1}")),
    BAD(QUERY, "an id that is a fraction", POINTS("{\"id\":1.0,\"score\":1}")),
    BAD(QUERY, "an id below 0", POINTS("{\"id\":-1,\"score\":1}")),
    BAD(QUERY, "an id of 2^64",
        POINTS("{\"id\":18446744073709551616,\"score\":1}")),
    BAD(QUERY, "an id twice", POINTS("{\"id\":7,\"id\":8,\"score\":1}")),
    BAD(QUERY, "a hit without a score", POINTS("{\"id\":7}")),
    BAD(QUERY, "a score that is a text", POINTS("{\"id\":7,\"score\":\"1\"}")),
    BAD(QUERY, "a vector twice",
        POINTS(POINT("\"score\":1,\"vector\":[1],\"vector\":[1]"))),
    BAD(QUERY, "a vector of texts",
        POINTS(POINT("\"score\":1,\"vector\":[\"1\"]"))),
    BAD(QUERY, "a vector that is a number",
        POINTS(POINT("\"score\":1,\"vector\":1"))),
    BAD(QUERY, "rows of a multi-vector of different lengths",
        POINTS(POINT("\"score\":1,\"vector\":[[1,2],[3]]"))),
    BAD(QUERY, "a sparse vector with fewer values than indices",
        POINTS(POINT("\"score\":1,\"vector\":{\"s\":{\"indices\":[1,2],"
                     "\"values\":[1.0]}}"))),
    BAD(QUERY, "a sparse vector with an index of 2^32",
        POINTS(POINT("\"score\":1,\"vector\":{\"s\":{\"indices\":[4294967296],"
                     "\"values\":[1.0]}}"))),
    BAD(QUERY, "a name of a vector twice",
        POINTS(POINT("\"score\":1,\"vector\":{\"a\":[1],\"a\":[1]}"))),
    BAD(QUERY, "a payload that is a text",
        POINTS(POINT("\"score\":1,\"payload\":\"p\""))),
    BAD(QUERY, "a payload deeper than the limit",
        POINTS(POINT("\"score\":1,\"payload\":{\"a\":" TEN(TEN("[["))
                         TEN(TEN("]]")) "}"))),
    ROW("more points than asked for", QUERY, UNREADABLE, DROPPED,
        .scripts =
            ONE(READ, REPLY("200 OK", POINTS(TEN(GOOD ",") GOOD)), SERVE)),
    /* --- odd, and well --- */
    WELL(QUERY, "a score that is null", POINTS("{\"id\":7,\"score\":null}")),
    WELL(QUERY, "the status before the result",
         "{\"time\":1e-5,\"usage\":null,\"status\":\"ok\",\"result\":{"
         "\"points\":[" GOOD "]}}"),
    WELL(QUERY, "points of an old server, a bare array",
         RESULT("[{\"id\":7,\"version\":0,\"score\":1}]")),
    WELL(QUERY, "keys that nobody knows",
         "{\"a\":[1,{\"b\":null}],\"result\":{\"x\":{},\"points\":[{\"new\":[],"
         "\"score\":1,\"id\":7}]},\"z\":true}"),
    WELL(QUERY, "no point", POINTS("")),
    WELL(QUERY, "the largest id, and a UUID",
         POINTS("{\"id\":18446744073709551615,\"score\":1},{\"id\":"
                "\"550e8400-e29b-41d4-a716-446655440000\",\"score\":0.5}")),
    WELL(QUERY, "everything that may be null",
         POINTS(POINT("\"score\":1,\"payload\":null,\"vector\":null,"
                      "\"shard_key\":null,\"order_value\":null"))),
    WELL(SCROLL, "vectors of every form, each point its own",
         PAGE("{\"id\":1,\"vector\":[1,null]},{\"id\":2,\"vector\":[[1],[2]]},"
              "{\"id\":3,\"vector\":{}},{\"id\":4},{\"id\":5,\"vector\":"
              "{\"a\":[1.5],\"m\":[[1,2]],\"s\":{\"indices\":[2,9],"
              "\"values\":[0.5,-1]}}}")),
    /* --- pages --- */
    WELL(SCROLL, "an empty page", PAGE("")),
    BAD(SCROLL, "an offset that is a fraction",
        RESULT("{\"points\":[],\"next_page_offset\":1.5}")),
    BAD(SCROLL, "an offset twice",
        RESULT(
            "{\"points\":[],\"next_page_offset\":1,\"next_page_offset\":2}")),
    PART(COUNT, "a count without a number", RESULT("{}")),
    BAD(COUNT, "a count below 0", RESULT("{\"count\":-1}")),
    BAD(COUNT, "a count that is a fraction", RESULT("{\"count\":1.5}")),
    WELL(COUNT, "a count of 2^64-1",
         RESULT("{\"count\":18446744073709551615}")),
    /* --- rows as they come --- */
    ROW("a bad row behind a good one", ROWS, UNREADABLE, DROPPED,
        .scripts =
            ONE(READ, REPLY("200 OK", POINTS(GOOD ",{\"id\":-7}")), SERVE)),
    ROW("rows that end in the middle", ROWS, UNREADABLE, KEPT,
        .scripts = ONE(
            READ, REPLY("200 OK", "{\"result\":{\"points\":[" GOOD "," GOOD),
            SERVE),
        .rows = 2),
    ROW("rows under an error status", ROWS,
        SEES(EHTTP, RECEIVING, .status = 500), KEPT,
        .scripts = ONE(READ, REPLY("500 No", POINTS(GOOD)), SERVE)),
    /* --- writes --- */
    WELL(UPSERT, "an update that was noted", UPDATE("\"acknowledged\"")),
    WELL(UPSERT, "an update that the server stopped waiting for",
         UPDATE("\"wait_timeout\"")),
    WELL(UPSERT, "an update without a number",
         RESULT("{\"status\":\"completed\"}")),
    PART(UPSERT, "an update without a status", RESULT("{\"operation_id\":3}")),
    PART(UPSERT, "an upsert answered with nothing", ""),
    PART(UPSERT, "an upsert answered with {}", "{}"),
    BAD(UPSERT, "an update of a status that nobody knows",
        UPDATE("\"postponed\"")),
    BAD(UPSERT, "an update whose status is a number", UPDATE("3")),
    BAD(UPSERT, "an update whose number is 2^64",
        RESULT("{\"operation_id\":18446744073709551616,"
               "\"status\":\"completed\"}")),
    ERROR_OF(DELETE, "a delete that is refused", 400,
             "{\"status\":{\"error\":\"Bad request: x\"},\"time\":0}",
             "Bad request: x"),
    ROW("operations of which one failed", OPERATIONS,
        SEES(EHTTP, RECEIVING, .status = 400, .unknown = true), KEPT,
        .scripts = ONE(
            READ, REPLY("400 No", "{\"status\":{\"error\":\"Wrong\"}}"), SERVE),
        .text = "Wrong"),
    ROW("operations of which one is of a status that nobody knows", OPERATIONS,
        SEES(EDECODE, RECEIVING, .status = 200, .unknown = true), DROPPED,
        .scripts = ONE(
            READ,
            REPLY("200 OK", RESULT("[{\"operation_id\":3,\"status\":\"x\"}]")),
            SERVE)),
    ROW("operations whose failure is cut", OPERATIONS,
        SEES(EUNKNOWN, RECEIVING, .status = 500, .unknown = true), DROPPED,
        .scripts = ONE(READ, SEND("HTTP/1.1 500 No\r\n" MARKED
                                  "Content-Length: 9\r\n\r\n{"))),
    /* --- uploads --- */
    ROW("an upload that is too large as a whole", UPLOAD, FINE, KEPT,
        .scripts = ONE(READ, REPLY("413 Large", FAULT_MARK), SERVE),
        .requests = 3),
    ROW("an upload that a rate limit will never let through", UPLOAD, FINE,
        KEPT, .scripts = ONE(READ, REPLY("429 Slow", FAULT_MARK), SERVE),
        .requests = 3),
    ROW("an upload, and status 429 with a time to wait", UPLOAD, FINE, KEPT,
        .scripts = ONE(READ,
                       SEND("HTTP/1.1 429 Slow\r\n" MARKED
                            "Retry-After: 1\r\nContent-Length: 0\r\n\r\n"),
                       SERVE),
        .requests = 2),
    ROW("an upload, and status 400", UPLOAD,
        SEES(EHTTP, RECEIVING, .status = 400), KEPT,
        .scripts = ONE(READ, REPLY("400 No", FAULT_MARK), SERVE)),
    ROW("an upload that the server stopped waiting for", UPLOAD,
        SEES(EUNKNOWN, RECEIVING, .status = 200, .unknown = true), KEPT,
        .scripts =
            ONE(READ, REPLY("200 OK", UPDATE("\"wait_timeout\"")), SERVE)),
    ROW("an upload, never answered", UPLOAD,
        SEES(ETIMEDOUT, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, STALL)),
    /* --- scrolls: the answer to all that follows is row 7 --- */
    ROW("a scroll of two pages", SCROLLER, FINE, KEPT,
        .scripts = ONE(READ, REPLY("200 OK", PAGE_OF_6("7")), SERVE),
        .requests = 2, .rows = 2),
    ROW("a page of a scroll that is lost at any byte of its head", SCROLLER,
        SEES(EIO, RECEIVING), DROPPED, .scripts = ONE(READ, SEND(PAGE_HEAD)),
        .cut = 2, .passes = sizeof(PAGE_HEAD) - 2),
    ROW("a page of a scroll that is lost at any byte before its row", SCROLLER,
        FINE, DROPPED, .scripts = ONE(READ, SEND(PAGE_HEAD), SEND(PAGE_BEGIN)),
        .cut = 3, .passes = sizeof(PAGE_BEGIN) - 2, .connections = 2,
        .requests = 2, .rows = 1),
    ROW("a page of a scroll that is lost behind its row", SCROLLER, FINE,
        DROPPED,
        .scripts = ONE(READ, SEND(PAGE_HEAD PAGE_BEGIN "{\"id\":6},{\"id\":7")),
        .connections = 2, .requests = 2, .rows = 2),
    ROW("a page of a scroll that is no JSON behind its row", SCROLLER,
        UNREADABLE, DROPPED,
        .scripts =
            ONE(READ, REPLY("200 OK", "{\"result\":{\"points\":[{\"id\":6},x"),
                SERVE)),
    ROW("a next page that is this one", SCROLLER, UNREADABLE, KEPT,
        .scripts = ONE(READ, REPLY("200 OK", PAGE_OF_6("6")), SERVE),
        .rows = 1),
    ROW("an empty page with a next one", SCROLLER, UNREADABLE, KEPT,
        .scripts = ONE(
            READ,
            REPLY("200 OK", RESULT("{\"points\":[],\"next_page_offset\":7}")),
            SERVE)),
    ROW("a scroll of a collection that is gone", SCROLLER,
        SEES(EHTTP, RECEIVING, .status = 404), KEPT,
        .scripts = ONE(
            READ, REPLY("404 No", "{\"status\":{\"error\":\"Not found: c\"}}"),
            SERVE),
        .text = "Not found: c"),
    ROW("a scroll, and status 429 with a time to wait", SCROLLER, FINE, KEPT,
        .scripts = ONE(READ,
                       SEND("HTTP/1.1 429 Slow\r\n" MARKED
                            "Retry-After: 1\r\nContent-Length: 0\r\n\r\n"),
                       SERVE),
        .requests = 2, .rows = 1),
    ROW("a scroll, never answered", SCROLLER, SEES(ETIMEDOUT, WAITING), DROPPED,
        .scripts = ONE(READ, STALL)),
    ROW("a scroll that is canceled behind a row", SCROLLER,
        SEES(ECANCELED, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(PAGE_HEAD PAGE_BEGIN "{\"id\":6},"), STALL),
        .act = FAULT_CANCEL, .rows = 1),
    ROW("a scroll whose client is freed behind a row", SCROLLER,
        SEES(ECLOSED, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(PAGE_HEAD PAGE_BEGIN "{\"id\":6},"), STALL),
        .act = FAULT_FREE, .rows = 1),
};

const struct fault_list fault_list_qdrant =
    FAULT_LIST("Qdrant's replies", &fault_qdrant, true, true, qdrant);
