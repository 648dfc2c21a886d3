/* SPDX-License-Identifier: Apache-2.0 */
/* What is no HTTP, and heads that are nearly some. Of no dialect. */
#include "tests/fault_list.h"

#define BODY "Content-Length: 6\r\n\r\n" FAULT_MARK
#define REST "\r\n" MARKED BODY
#define HEADER(line) LINE MARKED line "\r\n" BODY

static const struct fault heads[] = {
    /* --- other protocols --- */
    REFUSED("zeros and ones", "\x00\x01\x02\xff\xfe\r\n\r\n\x00"),
    REFUSED("an SSH server", "SSH-2.0-OpenSSH_9.2\r\n"),
    REFUSED("a mail server", "220 mail.example ESMTP\r\n"),
    REFUSED("a TLS alert", "\x15\x03\x03\x00\x02\x02\x28\r\n"),
    REFUSED("an HTTP/2 server", "\x00\x00\x06\x04\x00\x00\x00\x00\x00"
                                "\x00\x04\x00\x01\x00\x00\n"),
    REFUSED("HTTP/0.9", "<html>hello</html>\n"),
    REFUSED("a radio", "ICY 200 OK" REST),
    ROW("bytes without a line end", GET, SEES(EPROTO, RECEIVING), DROPPED,
        .scripts = ONE(READ, FILL(200000), STALL)),
    ROW("a few bytes without a line end, closed", GET, SEES(EIO, RECEIVING),
        DROPPED, .scripts = ONE(READ, SEND("hello"))),
    ROW("a few bytes without a line end, stalled", GET,
        SEES(ETIMEDOUT, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND("hello"), STALL)),
    ROW("what is no HTTP, to a write", UPSERT,
        SEES(EPROTO, RECEIVING, .unknown = true), DROPPED,
        .scripts = ONE(READ, SEND("220 mail.example\r\n"), STALL)),
    /* --- status lines --- */
    REFUSED("a version in small letters", "http/1.1 200 OK" REST),
    REFUSED("HTTP/2.0", "HTTP/2.0 200 OK" REST),
    REFUSED("HTTP/3", "HTTP/3 200 OK" REST),
    REFUSED("HTTP/1", "HTTP/1 200 OK" REST),
    REFUSED("HTTP/1.10", "HTTP/1.10 200 OK" REST),
    REFUSED("HTTP/-1.1", "HTTP/-1.1 200 OK" REST),
    REFUSED("no version", "HTTP 200 OK" REST),
    REFUSED("no blank before the status", "HTTP/1.1200 OK" REST),
    REFUSED("two blanks before the status", "HTTP/1.1  200 OK" REST),
    REFUSED("a tab before the status", "HTTP/1.1\t200 OK" REST),
    REFUSED("no status", "HTTP/1.1" REST),
    REFUSED("an empty status", "HTTP/1.1  OK" REST),
    REFUSED("status 0", "HTTP/1.1 0 OK" REST),
    REFUSED("status 20", "HTTP/1.1 20 OK" REST),
    REFUSED("status 099", "HTTP/1.1 099 OK" REST),
    REFUSED("status 1000", "HTTP/1.1 1000 OK" REST),
    REFUSED("status 2000", "HTTP/1.1 2000 OK" REST),
    REFUSED("status 4294967496", "HTTP/1.1 4294967496 OK" REST),
    REFUSED("status -1", "HTTP/1.1 -1 OK" REST),
    REFUSED("status +200", "HTTP/1.1 +200 OK" REST),
    REFUSED("status abc", "HTTP/1.1 abc OK" REST),
    REFUSED("status 200abc", "HTTP/1.1 200abc OK" REST),
    TAKEN("no reason", "HTTP/1.1 200" REST),
    TAKEN("an empty reason", "HTTP/1.1 200 " REST),
    TAKEN("a reason in no known letters", "HTTP/1.1 200 \xff\xfe\x80" REST),
    ROW("a reason without end", GET, SEES(EPROTO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND("HTTP/1.1 200 "), FILL(100000), STALL)),
    REFUSED("an empty line before the status line", "\r\n" WHOLE),
    REFUSED("a blank before the status line", " " WHOLE),
    REFUSED("a NUL before the status line", "\x00" WHOLE),
    REFUSED("a NUL in the status line", "HTTP/1.1 200 O\x00K" REST),
    /* --- headers --- */
    REFUSED("a header without a colon", HEADER("no colon here")),
    REFUSED("a header without a name", HEADER(": nothing")),
    REFUSED("a blank in a header's name", HEADER("A B: c")),
    REFUSED("a blank behind a header's name", HEADER("A : c")),
    REFUSED("a header's name in no known letters", HEADER("\xff\x80: c")),
    REFUSED("a NUL in a header", HEADER("A: b\x00 c")),
    REFUSED("a NUL in a header's name", HEADER("A\x00 B: c")),
    REFUSED("a bare CR in a header", HEADER("A: b\rContent-Length: 2")),
    TAKEN("a folded header", HEADER("A: b\r\n c")),
    REFUSED("a first header that is folded", LINE " A: b" REST),
    REFUSED("a folded length",
            LINE MARKED "Content-Length:\r\n 6\r\n\r\n" FAULT_MARK),
    TAKEN("lines that end with LF alone", "HTTP/1.1 200 OK\nX-Mark: " FAULT_MARK
                                          "\nContent-Length: 6\n\n" FAULT_MARK),
    TAKEN("a header with an empty value", HEADER("A:")),
    TAKEN("a header that is there twice", HEADER("A: 1\r\nA: 2")),
    TAKEN("names in capitals, and blanks around values",
          LINE "X-MARK:   " FAULT_MARK
               "  \r\nCONTENT-LENGTH:   6  \r\n\r\n" FAULT_MARK),
    TAKEN("a value in no known letters", HEADER("A: \xff\x80")),
    REFUSED("more header lines than the limit",
            HEADER(TEN(TEN("A: b\r\n")) TEN(TEN("A: b\r\n")) "A: b")),
    ROW("a header without end", GET, SEES(EPROTO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(LINE "A: "), FILL(100000), STALL)),
    ROW("a header's name without end", GET, SEES(EPROTO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(LINE), FILL(100000), STALL)),
    ROW("headers without end", GET, SEES(EPROTO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(LINE TEN(TEN(TEN("A: 0123456789\r\n")))),
                       SEND(TEN(TEN(TEN("A: 0123456789\r\n")))),
                       SEND(TEN(TEN(TEN("A: 0123456789\r\n")))),
                       SEND(TEN(TEN(TEN("A: 0123456789\r\n")))),
                       SEND(TEN(TEN(TEN("A: 0123456789\r\n")))),
                       SEND(TEN(TEN(TEN("A: 0123456789\r\n")))), STALL)),
};

const struct fault_list fault_list_heads = FAULT_LIST(
    "What is no HTTP, or nearly none", &fault_hms, true, true, heads);
