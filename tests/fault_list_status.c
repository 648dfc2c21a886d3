/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses that are no plain success. Of no dialect. */
#include "tests/fault_list.h"

#define FAILED(number) SEES(EHTTP, RECEIVING, .status = number)
#define FAILS(number, reason)                                                  \
    ROW("status " #number, GET, FAILED(number), KEPT,                          \
        .scripts = ONE(READ, REPLY(#number " " reason, FAULT_MARK), SERVE))
#define WITH(lines)                                                            \
    SEND("HTTP/1.1 " lines MARKED "Content-Length: 6\r\n\r\n" FAULT_MARK)
#define MOVED(number, lines) WITH(#number " Elsewhere\r\n" lines)
#define BUSY REPLY("503 Busy", FAULT_MARK)
#define SLOWER REPLY("429 Slower", FAULT_MARK)
/* Answered so at first, and then well. */
#define AFTER(what, call_, first, ...)                                         \
    ROW(what, call_, FINE, KEPT, .scripts = ONE(READ, first, SERVE),           \
        .requests = 2, __VA_ARGS__)
/* Answered so, and not sent again. */
#define ONCE(what, call_, number, first, ...)                                  \
    ROW(what, call_, FAILED(number), KEPT, .scripts = ONE(READ, first, SERVE), \
        __VA_ARGS__)

static const struct fault status[] = {
    ROW("status 201", POST, {.status = 201}, KEPT,
        .scripts = ONE(READ, REPLY("201 Created", FAULT_MARK), SERVE)),
    ROW("status 204", GET, {.status = 204}, KEPT,
        .scripts =
            ONE(READ, SEND("HTTP/1.1 204 None\r\n" MARKED "\r\n"), SERVE)),
    ROW("status 206", GET, {.status = 206}, KEPT,
        .scripts = ONE(READ, REPLY("206 Partial", FAULT_MARK), SERVE)),
    ROW("status 299", GET, {.status = 299}, KEPT,
        .scripts = ONE(READ, REPLY("299 Well", FAULT_MARK), SERVE)),
    /* --- elsewhere: never followed --- */
    ONCE("status 300", GET, 300, MOVED(300, "Location: /b\r\n"),
         .text = "Location: /b"),
    ONCE("status 301", GET, 301, MOVED(301, "Location: http://[::1]:1/b\r\n"),
         .text = "Location: http://[::1]:1/b"),
    ONCE("status 302", GET, 302, MOVED(302, "Location: //other/b\r\n"),
         .text = "Location: //other/b"),
    ONCE("status 303", POST, 303, MOVED(303, "Location: /b\r\n"),
         .text = "Location: /b"),
    ROW("status 304", GET, FAILED(304), KEPT,
        .scripts = ONE(
            READ,
            SEND("HTTP/1.1 304 Same\r\n" MARKED "Content-Length: 6\r\n\r\n"),
            SERVE)),
    ONCE("status 305", GET, 305, MOVED(305, "Location: http://proxy/\r\n")),
    ONCE("status 307, to a write", POST, 307,
         MOVED(307, "Location: https://other/\r\n"),
         .text = "Location: https://other/"),
    ONCE("status 308, to a write by id", UPSERT, 308,
         MOVED(308, "Location: /b\r\n"), .text = "Location: /b"),
    ONCE("status 302 without a place", GET, 302, MOVED(302, ""),
         .text = "HTTP 302"),
    ONCE("status 301 to itself", GET, 301, MOVED(301, "Location: /echo\r\n")),
    FAILS(399, "Elsewhere"),
    /* --- refused --- */
    FAILS(400, "Bad"),
    FAILS(401, "Who"),
    FAILS(402, "Pay"),
    FAILS(403, "No"),
    FAILS(404, "Nowhere"),
    FAILS(405, "Not so"),
    FAILS(406, "Not that"),
    FAILS(407, "Proxy"),
    FAILS(408, "Slow"),
    FAILS(409, "Conflict"),
    FAILS(410, "Gone"),
    FAILS(411, "How long"),
    FAILS(412, "Not now"),
    FAILS(413, "Too large"),
    FAILS(414, "Too long"),
    FAILS(415, "Not such"),
    FAILS(416, "Range"),
    FAILS(417, "Unexpected"),
    FAILS(418, "Teapot"),
    FAILS(421, "Misdirected"),
    FAILS(422, "Unprocessable"),
    FAILS(423, "Locked"),
    FAILS(424, "Depends"),
    FAILS(425, "Too early"),
    FAILS(426, "Upgrade"),
    FAILS(428, "Required"),
    FAILS(431, "Headers"),
    FAILS(451, "Law"),
    FAILS(499, "Whatever"),
    /* --- failed --- */
    FAILS(500, "Broken"),
    FAILS(501, "No such"),
    FAILS(502, "Gateway"),
    FAILS(504, "Late"),
    FAILS(505, "Version"),
    FAILS(507, "Full"),
    FAILS(511, "Log in"),
    FAILS(599, "Whatever"),
    FAILS(600, "Beyond"),
    FAILS(999, "Beyond"),
    ROW("status 500 with a body of 1 MB", GET, FAILED(500), KEPT,
        .scripts = ONE(READ,
                       SEND("HTTP/1.1 500 Broken\r\n" MARKED
                            "Content-Length: 1000000\r\n\r\n"),
                       FILL(1000000), SERVE)),
    ROW("status 500 without a body", GET, FAILED(500), KEPT,
        .scripts = ONE(READ, REPLY("500 Broken", ""), SERVE)),
    ROW("status 500, and a close", POST, FAILED(500), DROPPED,
        .scripts = ONE(READ, REPLY("500 Broken", FAULT_MARK))),
    ROW("status 500 to HEAD", HEAD, FAILED(500), KEPT,
        .scripts = ONE(
            READ,
            SEND("HTTP/1.1 500 Broken\r\n" MARKED "Content-Length: 6\r\n\r\n"),
            SERVE)),
    ROW("status 500, closed in its body", GET,
        SEES(EIO, RECEIVING, .status = 500), DROPPED,
        .scripts = ONE(READ, SEND("HTTP/1.1 500 Broken\r\n" MARKED
                                  "Content-Length: 60\r\n\r\n" FAULT_MARK))),
    /* --- later --- */
    AFTER("status 429", GET, SLOWER),
    AFTER("status 429 to a write by id", UPSERT, SLOWER),
    ONCE("status 429 to a write", POST, 429, SLOWER),
    AFTER("status 503", GET, BUSY),
    AFTER("status 503 to a query", QUERY, BUSY),
    ONCE("status 503 to a write", POST, 503, BUSY),
    ONCE("status 503 to a write by id", UPSERT, 503, BUSY),
    AFTER("status 503 to a write by id that may be repeated", UPSERT, BUSY,
          .options = {.repeat_writes = true}),
    ONCE("status 503, no repeat allowed", GET, 503, BUSY,
         .options = {.no_retry = true}),
    ROW("status 503 three times", GET, FAILED(503), KEPT,
        .scripts = ONE(READ, BUSY, READ, BUSY, READ, BUSY, SERVE),
        .requests = 3),
    ROW("status 503, and a close", GET, FINE, DROPPED,
        .scripts = ONE(READ, BUSY), .connections = 2, .requests = 2),
    ROW("status 503, and then closed without a word", GET, SEES(EIO, WAITING),
        DROPPED, .scripts = {SCRIPT(READ, BUSY), SCRIPT(READ)},
        .connections = 2, .requests = 2),
    AFTER("status 503 and one second", GET,
          WITH("503 Busy\r\nRetry-After: 1\r\n")),
    AFTER("status 503 and a date that has passed", GET,
          WITH("503 Busy\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n")),
    AFTER("status 503 and a negative number", GET,
          WITH("503 Busy\r\nRetry-After: -1\r\n")),
    AFTER("status 429 and what is neither number nor date", GET,
          WITH("429 Slower\r\nRetry-After: soon\r\n")),
    ONCE("status 429 and more than a minute", GET, 429,
         WITH("429 Slower\r\nRetry-After: 99999\r\n")),
    ONCE("status 503 and a number beyond all", GET, 503,
         WITH("503 Busy\r\nRetry-After: 99999999999999999999\r\n")),
    ONCE("status 503 and more than the deadline", GET, 503,
         WITH("503 Busy\r\nRetry-After: 5\r\n"),
         .options = {.deadline_ms = 2000}),
};

const struct fault_list fault_list_status = FAULT_LIST(
    "Statuses that are no plain success", &fault_hms, true, true, status);
