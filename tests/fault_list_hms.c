/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's replies, gone wrong. */
#include "tests/fault_list.h"

#define ROOM(row) "{\"matches\":[" row "]}"
#define GOOD "{\"id\":\"" FAULT_MARK "\",\"score\":1}"
#define UNREADABLE SEES(EDECODE, RECEIVING, .status = 200)
/* A query's body that is not read to its end. */
#define BAD(what, body)                                                        \
    ROW(what, QUERY, UNREADABLE, DROPPED,                                      \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
/* One that is, and is not whole: the connection is none the worse. */
#define PART(what, body)                                                       \
    ROW(what, QUERY, UNREADABLE, KEPT,                                         \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define WELL(what, body)                                                       \
    ROW(what, QUERY, FINE, KEPT,                                               \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define BAD_MATCH(what, match) BAD(what, ROOM(match))
#define BAD_TO(call_, what, body)                                              \
    ROW(what, call_, UNREADABLE, DROPPED,                                      \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define PART_TO(call_, what, body)                                             \
    ROW(what, call_, UNREADABLE, KEPT,                                         \
        .scripts = ONE(READ, REPLY("200 OK", body), SERVE))
#define ERROR_OF(what, number, body, code_, text_)                             \
    ROW(what, QUERY, SEES(EHTTP, RECEIVING, .status = number), KEPT,           \
        .scripts = ONE(READ, REPLY(#number " No", body), SERVE),               \
        .code = code_, .text = text_)

static const struct fault hms[] = {
    /* --- errors --- */
    ERROR_OF("an error of its own", 422,
             "{\"error\":{\"code\":\"invalid_request\",\"message\":\"dim\"}}",
             "invalid_request", "dim"),
    ERROR_OF("an error with a wrong key", 401,
             "{\"error\":{\"code\":\"unauthorized\",\"message\":\"no\"}}",
             "unauthorized", "no"),
    ERROR_OF("an error without a message", 400,
             "{\"error\":{\"code\":\"bad\"}}", "bad", "HTTP 400"),
    ERROR_OF("an error in two lines", 400,
             "{\"error\":{\"code\":\"bad\",\"message\":\"a\\nb\"}}", "bad",
             "a b"),
    ERROR_OF("an error that is a text", 400, "{\"error\":\"bad\"}", "",
             "HTTP 400"),
    ERROR_OF("an error whose code is a number", 500,
             "{\"error\":{\"code\":7,\"message\":\"m\"}}", "", "HTTP 500"),
    ERROR_OF("a gateway's page", 502, "<html>Bad Gateway</html>", "",
             "HTTP 502"),
    ERROR_OF("an error that is cut", 500, "{\"error\":{\"code\":\"ba", "",
             "HTTP 500"),
    ERROR_OF("an error of nothing", 500, "", "", "HTTP 500"),
    ERROR_OF("an error with good matches", 500, ROOM(GOOD), "", "HTTP 500"),
    /* --- no JSON --- */
    PART("no body", ""),
    PART("blanks for a body", " \r\n\t "),
    BAD("plain text", "hello"),
    BAD("a page", "<html>welcome</html>"),
    BAD("a byte order mark", "\xef\xbb\xbf" ROOM(GOOD)),
    BAD("UTF-16", "{\0\"\0m\0a\0t\0c\0h\0e\0s\0\"\0:\0[\0]\0}\0"),
    PART("JSON that is cut in a key", "{\"matc"),
    PART("JSON that is cut in a text", "{\"matches\":[{\"id\":\"a"),
    PART("JSON that is cut before its end", "{\"matches\":[" GOOD "]"),
    BAD("two documents", ROOM(GOOD) ROOM(GOOD)),
    BAD("something behind the document", ROOM(GOOD) "x"),
    BAD("a comment", "/* hello */" ROOM(GOOD)),
    BAD("single quotes", "{'matches':[]}"),
    BAD("a comma too much", "{\"matches\":[" GOOD ",]}"),
    BAD("a comma too few", "{\"matches\":[" GOOD GOOD "]}"),
    BAD("an open bracket", "{\"matches\":[" GOOD "}"),
    BAD("lines of JSON", "[]\n[]\n"),
    BAD("a key without quotes", "{matches:[]}"),
    /* --- other JSON --- */
    BAD("null", "null"),
    BAD("an array", "[" GOOD "]"),
    BAD("a number", "7"),
    PART("an object without matches", "{}"),
    PART("matches in capitals", "{\"MATCHES\":[]}"),
    BAD("matches that are null", "{\"matches\":null}"),
    BAD("matches that are an object", "{\"matches\":{}}"),
    BAD("matches that are a text", "{\"matches\":\"\"}"),
    BAD("matches twice", "{\"matches\":[" GOOD "],\"matches\":[]}"),
    BAD_MATCH("a match that is null", "null"),
    BAD_MATCH("a match that is a number", "1"),
    BAD_MATCH("a match that is an array", "[]"),
    BAD_MATCH("a match without an id", "{\"score\":1}"),
    BAD_MATCH("an id that is null", "{\"id\":null,\"score\":1}"),
    BAD_MATCH("an id that is a number", "{\"id\":1,\"score\":1}"),
    BAD_MATCH("an id twice", "{\"id\":\"a\",\"id\":\"b\",\"score\":1}"),
    BAD_MATCH("a match without a score", "{\"id\":\"a\"}"),
    BAD_MATCH("a score that is a text", "{\"id\":\"a\",\"score\":\"1\"}"),
    BAD_MATCH("a score that is true", "{\"id\":\"a\",\"score\":true}"),
    BAD_MATCH("a score twice", "{\"id\":\"a\",\"score\":1,\"score\":2}"),
    BAD_MATCH("the word NaN", "{\"id\":\"a\",\"score\":NaN}"),
    BAD_MATCH("the word Infinity", "{\"id\":\"a\",\"score\":-Infinity}"),
    BAD_MATCH("a number with a zero in front", "{\"id\":\"a\",\"score\":01}"),
    BAD_MATCH("a number without digits behind its point",
              "{\"id\":\"a\",\"score\":1.}"),
    BAD_MATCH("an empty exponent", "{\"id\":\"a\",\"score\":1e}"),
    BAD_MATCH("a hexadecimal number", "{\"id\":\"a\",\"score\":0x1}"),
    BAD_MATCH("a text that is no UTF-8", "{\"id\":\"\xff\",\"score\":1}"),
    BAD_MATCH("UTF-8 that is too long", "{\"id\":\"\xc0\x80\",\"score\":1}"),
    BAD_MATCH("half a surrogate pair", "{\"id\":\"\\ud800\",\"score\":1}"),
    BAD_MATCH("an escape that is none", "{\"id\":\"\\x41\",\"score\":1}"),
    BAD_MATCH("a line end in a text", "{\"id\":\"a\nb\",\"score\":1}"),
    BAD_MATCH("metadata that is a text",
              "{\"id\":\"a\",\"score\":1,\"metadata\":\"m\"}"),
    BAD_MATCH("a text that is an object",
              "{\"id\":\"a\",\"score\":1,\"text\":{}}"),
    BAD("brackets deeper than the limit", TEN(TEN(TEN("[")))),
    BAD_MATCH("metadata deeper than the limit",
              "{\"id\":\"a\",\"score\":1,\"metadata\":{\"a\":" TEN(TEN("[["))
                  TEN(TEN("]]")) "}}"),
    BAD("an unknown key deeper than the limit",
        "{\"other\":" TEN(TEN(TEN("["))) TEN(TEN(TEN("]"))) ",\"matches\":[]}"),
    ROW("more matches than asked for", QUERY, UNREADABLE, DROPPED,
        .scripts = ONE(READ, REPLY("200 OK", ROOM(TEN(GOOD ",") GOOD)), SERVE)),
    /* --- odd, and well --- */
    WELL("a score that is null",
         ROOM("{\"id\":\"" FAULT_MARK "\",\"score\":null}")),
    WELL("a score that is no float",
         ROOM("{\"id\":\"" FAULT_MARK "\",\"score\":1e-400}")),
    WELL("keys that nobody knows",
         "{\"a\":[1,{\"b\":null}],\"matches\":[{\"x\":{},\"score\":1,"
         "\"id\":\"" FAULT_MARK "\"}],\"z\":true}"),
    WELL("no match", "{\"matches\":[]}"),
    WELL("escapes in a key", "{\"\\u006datches\":[" GOOD "]}"),
    ROW("matches under status 201", QUERY, {.status = 201}, KEPT,
        .scripts = ONE(READ, REPLY("201 Created", ROOM(GOOD)), SERVE)),
    ROW("no matches under status 204", QUERY,
        SEES(EDECODE, RECEIVING, .status = 204), KEPT,
        .scripts =
            ONE(READ, SEND("HTTP/1.1 204 None\r\n" MARKED "\r\n"), SERVE)),
    ROW("a page of another type", QUERY, UNREADABLE, DROPPED,
        .scripts = ONE(READ,
                       SEND(LINE MARKED "Content-Type: text/html\r\n"
                                        "Content-Length: 6\r\n\r\n<html>"),
                       SERVE)),
    ROW("a body over the limit", QUERY,
        SEES(EREPLYSIZE, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, REPLY("200 OK", ROOM(TEN(GOOD ",") GOOD)), STALL),
        .options = {.max_reply_bytes = 100}),
    /* --- rows as they come --- */
    ROW("a bad row behind a good one", ROWS, UNREADABLE, DROPPED,
        .scripts = ONE(READ, REPLY("200 OK", ROOM(GOOD ",{\"id\":7}")), SERVE)),
    ROW("rows that end in the middle", ROWS, UNREADABLE, KEPT,
        .scripts =
            ONE(READ, REPLY("200 OK", "{\"matches\":[" GOOD "," GOOD), SERVE),
        .rows = 2),
    ROW("a bad row in a chunk of its own", ROWS, UNREADABLE, DROPPED,
        .scripts = ONE(READ,
                       SEND(CHUNKED "28\r\n{\"matches\":[{\"id\":\"" FAULT_MARK
                                    "\",\"score\":1.5},\r\n"),
                       GATE, SEND("4\r\nnull\r\n0\r\n\r\n"), STALL),
        .rows = 1, .act = FAULT_OPEN),
    ROW("rows under an error status", ROWS,
        SEES(EHTTP, RECEIVING, .status = 500), KEPT,
        .scripts = ONE(READ, REPLY("500 No", ROOM(GOOD)), SERVE)),
    /* --- writes --- */
    PART_TO(UPSERT, "an upsert answered with nothing", ""),
    PART_TO(UPSERT, "an upsert answered with {}", "{}"),
    BAD_TO(UPSERT, "an upsert answered with a text", "{\"added\":\"1\"}"),
    BAD_TO(UPSERT, "an upsert answered with a negative number",
           "{\"added\":-1}"),
    BAD_TO(UPSERT, "an upsert answered with a fraction", "{\"added\":1.5}"),
    BAD_TO(UPSERT, "an upsert answered with null", "{\"added\":null}"),
    BAD_TO(UPSERT, "an upsert answered with 2^64",
           "{\"added\":18446744073709551616}"),
    PART_TO(UPSERT, "an upsert answered with matches", ROOM(GOOD)),
    ROW("an upsert that added nothing", UPSERT, FINE, KEPT,
        .scripts = ONE(READ, REPLY("200 OK", "{\"added\":0}"), SERVE)),
    BAD_TO(DELETE, "a delete answered with a number", "{\"deleted\":1}"),
    PART_TO(DELETE, "a delete answered with nothing", ""),
    ROW("a delete of what is not there", DELETE, {.status = 404}, KEPT,
        .scripts = ONE(READ,
                       REPLY("404 No", "{\"error\":{\"code\":\"not_found\","
                                       "\"message\":\"m\"}}"),
                       SERVE)),
    ROW("a delete, and a 404 that is not HMS's", DELETE,
        SEES(EHTTP, RECEIVING, .status = 404), KEPT,
        .scripts = ONE(READ, REPLY("404 No", "<html>"), SERVE)),
    /* --- uploads --- */
    ROW("an upload that is too large as a whole", UPLOAD, FINE, KEPT,
        .scripts = ONE(READ, REPLY("413 Large", FAULT_MARK), SERVE),
        .requests = 3),
    ROW("an upload to a server without batches", UPLOAD, FINE, KEPT,
        .scripts = ONE(READ, REPLY("404 No", FAULT_MARK), SERVE),
        .requests = 3),
    ROW("an upload, and status 503", UPLOAD, FINE, KEPT,
        .scripts = ONE(READ, REPLY("503 Busy", FAULT_MARK), SERVE),
        .requests = 2),
    ROW("an upload, and status 422", UPLOAD,
        SEES(EHTTP, RECEIVING, .status = 422), KEPT,
        .scripts = ONE(READ, REPLY("422 No", FAULT_MARK), SERVE)),
    ROW("an upload, half of it stored", UPLOAD,
        SEES(EDECODE, RECEIVING, .status = 200, .unknown = true), KEPT,
        .scripts = ONE(READ, REPLY("200 OK", "{\"added\":1}"), SERVE)),
    ROW("an upload answered with what cannot be read", UPLOAD,
        SEES(EDECODE, RECEIVING, .status = 200, .unknown = true), DROPPED,
        .scripts = ONE(READ, REPLY("200 OK", "hello"), SERVE)),
    ROW("an upload, closed without a word", UPLOAD,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ)),
    ROW("an upload, never answered", UPLOAD,
        SEES(ETIMEDOUT, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, STALL)),
    ROW("an upload, canceled", UPLOAD,
        SEES(ECANCELED, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, STALL), .act = FAULT_CANCEL),
};

const struct fault_list fault_list_hms =
    FAULT_LIST("HMS's replies", &fault_hms, true, true, hms);
