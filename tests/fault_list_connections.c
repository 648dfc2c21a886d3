/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that never come up, stall or end. Of no dialect. */
#include "tests/fault_list.h"

#include "tests/fault_rig.h"

#define HALF "HTTP/1.1 200 OK\r\nContent-"
#define CHUNKS "6\r\n" FAULT_MARK "\r\n5\r\nhello\r\n0\r\n\r\n"
#define TOO_LARGE                                                              \
    "HTTP/1.1 413 Too Large\r\n" MARKED "Content-Length: 6\r\n\r\n" FAULT_MARK
#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define UNREAD .requests = FAULT_UNREAD

/* Passes that cut a text behind its first byte, its second, ... */
#define EACH_BYTE(text) ((unsigned)sizeof(text) - 2)
/* The requests of the rig, with a port of five digits. */
#define EACH_OF_GET 60
#define EACH_OF_POST 123
#define EACH_OF_UPSERT 160

static void
refuse(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    fault_server_be_deaf(run->server);
}

static void
accept_none(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    fault_server_accept_none(run->server, 5);
}

/* One connection waits to be accepted, and no other has a place. */
static void
fill_backlog(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    fault_server_accept_none(run->server, 0);
    fault_run_connect(run);
}

static void
listen_again(struct fault_run *run)
{
    fault_run_disconnect(run);
    fault_server_be_deaf(run->server);
    fault_server_hear(run->server);
}

static const struct fault connections[] = {
    /* --- never up --- */
    ROW("connecting is refused", GET, SEES(EREFUSED, CONNECTING), NEVER_UP,
        .prepare = refuse, .mend = listen_again),
    ROW("connecting is refused, to a write", POST, SEES(EREFUSED, CONNECTING),
        NEVER_UP, .prepare = refuse, .mend = listen_again),
    ROW("connecting hangs", GET, SEES(ETIMEDOUT, CONNECTING), NEVER_UP,
        .prepare = fill_backlog, .mend = listen_again),
    ROW("connecting hangs until the call's deadline", GET,
        SEES(ETIMEDOUT, CONNECTING), NEVER_UP, .prepare = fill_backlog,
        .mend = listen_again,
        .options = {.deadline_ms = 1000, .connect_ms = 60000}),
    ROW("connecting hangs, the call is canceled", POST,
        SEES(ECANCELED, CONNECTING), NEVER_UP, .prepare = fill_backlog,
        .mend = listen_again, .act = FAULT_CANCEL),
    ROW("reset at once, then not again", POST, FINE, DROPPED,
        .scripts = ONE(RESET), .connections = 2, .plain_only = true),
    /* --- nothing is read --- */
    ROW("never accepted", GET, SEES(ETIMEDOUT, WAITING), DROPPED,
        .prepare = accept_none, .mend = listen_again, .connections = -1, UNREAD,
        .plain_only = true),
    ROW("accepted and never read", GET, SEES(ETIMEDOUT, WAITING), DROPPED,
        .scripts = ONE(STALL), UNREAD),
    ROW("a write, accepted and never read", POST,
        SEES(ETIMEDOUT, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(STALL), UNREAD),
    ROW("a large write, never read", BIG_POST,
        SEES(ETIMEDOUT, SENDING, .unknown = true), DROPPED,
        .scripts = ONE(STALL), UNREAD),
    ROW("a large write, never read and canceled", BIG_POST,
        SEES(ECANCELED, SENDING, .unknown = true), DROPPED,
        .scripts = ONE(STALL), .act = FAULT_CANCEL, UNREAD),
    ROW("a large write, read in part", BIG_POST,
        SEES(ETIMEDOUT, SENDING, .unknown = true), DROPPED,
        .scripts = ONE(READ_SOME(100000), STALL), UNREAD),
    ROW("a large write, read in part and closed", BIG_POST,
        SEES(EUNKNOWN, SENDING, .unknown = true), DROPPED,
        .scripts = ONE(READ_SOME(100000)), UNREAD),
    ROW("a large write, read in part and reset", BIG_POST,
        SEES(EUNKNOWN, SENDING, .unknown = true), DROPPED,
        .scripts = ONE(READ_SOME(100000), RESET), UNREAD),
    ROW("closed on accept", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(END), UNREAD),
    ROW("closed on accept, a write", UPSERT,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED, .scripts = ONE(END),
        UNREAD),
    ROW("closed on accept, a large write", BIG_POST,
        SEES(EUNKNOWN, SENDING, .unknown = true), DROPPED, .scripts = ONE(END),
        UNREAD),
    /* --- the request is cut --- */
    ROW("closed at each byte of a read", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ_SOME(1)), UNREAD, .cut = 1, .passes = EACH_OF_GET),
    ROW("reset at each byte of a read", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ_SOME(1), RESET), UNREAD, .cut = 1,
        .passes = EACH_OF_GET),
    ROW("half closed at each byte of a read", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ_SOME(1), HALF_CLOSE, STALL), UNREAD, .cut = 1,
        .passes = EACH_OF_GET),
    ROW("stalled at each byte of a read", GET, SEES(ETIMEDOUT, WAITING),
        DROPPED, .scripts = ONE(READ_SOME(1), STALL), UNREAD, .cut = 1,
        .passes = EACH_OF_GET),
    ROW("closed at each byte of a write", POST,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ_SOME(1)), UNREAD, .cut = 1, .passes = EACH_OF_POST),
    ROW("reset at each byte of a write by id", UPSERT,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ_SOME(1), RESET), UNREAD, .cut = 1,
        .passes = EACH_OF_UPSERT),
    /* --- no reply --- */
    ROW("closed without a word", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ)),
    ROW("reset without a word", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ, RESET)),
    ROW("half closed without a word", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ, HALF_CLOSE, STALL)),
    ROW("a write, closed without a word", POST,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ)),
    ROW("a write by id, closed without a word", UPSERT,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ)),
    ROW("a write by id that may be repeated, closed without a word", UPSERT,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED, .scripts = ONE(READ),
        .options = {.repeat_writes = true}),
    ROW("never answered", GET, SEES(ETIMEDOUT, WAITING), DROPPED,
        .scripts = ONE(READ, STALL)),
    ROW("a write, never answered", UPSERT,
        SEES(ETIMEDOUT, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, STALL)),
    ROW("four calls, all closed without a word", GET, SEES(EIO, WAITING),
        DROPPED,
        .scripts = {SCRIPT(READ), SCRIPT(READ), SCRIPT(READ), SCRIPT(READ)},
        .calls = 4, .connections = 4, .requests = 4),
    /* --- the reply is cut --- */
    ROW("closed at each byte of a head", GET, SEES(EIO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("6"))), .cut = 2,
        .passes = EACH_BYTE(HEAD("6"))),
    ROW("reset at each byte of a head", GET, SEES(EIO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("6")), RESET), .cut = 2,
        .passes = EACH_BYTE(HEAD("6"))),
    ROW("half closed at each byte of a head", GET, SEES(EIO, RECEIVING),
        DROPPED, .scripts = ONE(READ, SEND(HEAD("6")), HALF_CLOSE, STALL),
        .cut = 2, .passes = EACH_BYTE(HEAD("6"))),
    ROW("stalled at each byte of a head", GET, SEES(ETIMEDOUT, RECEIVING),
        DROPPED, .scripts = ONE(READ, SEND(HEAD("6")), STALL), .cut = 2,
        .passes = EACH_BYTE(HEAD("6"))),
    ROW("closed at each byte of the head for a write", UPSERT,
        SEES(EUNKNOWN, RECEIVING, .unknown = true), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("6"))), .cut = 2,
        .passes = EACH_BYTE(HEAD("6"))),
    ROW("closed at each byte of a body", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("26")),
                       SEND(FAULT_MARK "01234567890123456789")),
        .cut = 3, .passes = EACH_BYTE(FAULT_MARK "01234567890123456789")),
    ROW("reset at each byte of a body", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("26")),
                       SEND(FAULT_MARK "01234567890123456789"), RESET),
        .cut = 3, .passes = EACH_BYTE(FAULT_MARK "01234567890123456789")),
    ROW("closed at each byte of chunks", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(CHUNKED), SEND(CHUNKS)), .cut = 3,
        .passes = EACH_BYTE(CHUNKS)),
    ROW("stalled at each byte of chunks", GET,
        SEES(ETIMEDOUT, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(CHUNKED), SEND(CHUNKS), STALL), .cut = 3,
        .passes = EACH_BYTE(CHUNKS)),
    ROW("reset at each byte of a body without a length", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(LINE MARKED "\r\n"),
                       SEND(FAULT_MARK "0123456789"), RESET),
        .cut = 3, .passes = EACH_BYTE(FAULT_MARK "0123456789")),
    ROW("a write's reply, closed in its body", UPSERT,
        SEES(EUNKNOWN, RECEIVING, .status = 200, .unknown = true), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("11") "{\"add"))),
    ROW("rows that were handed out, and a close", ROWS,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts =
            ONE(READ, SEND(HEAD("99") "{\"matches\":[{\"id\":\"" FAULT_MARK
                                      "\",\"score\":1},{\"id\"")),
        .rows = 1),
    ROW("rows that were handed out, and a stall", ROWS,
        SEES(ETIMEDOUT, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ,
                       SEND(HEAD("99") "{\"matches\":[{\"id\":\"" FAULT_MARK
                                       "\",\"score\":1},{\"id\""),
                       STALL),
        .rows = 1),
    /* --- slow, and late --- */
    ROW("a reply bit by bit", GET, FINE, KEPT,
        .scripts = ONE(READ, DRIP(WHOLE, 1), SERVE)),
    ROW("chunks bit by bit", GET, FINE, KEPT,
        .scripts = ONE(READ, DRIP(CHUNKED CHUNKS, 1), SERVE)),
    ROW("a reply behind the deadline", GET, SEES(ETIMEDOUT, WAITING), DROPPED,
        .scripts = ONE(READ, GATE, ANSWER, SERVE)),
    ROW("the rest of a reply behind the deadline", GET,
        SEES(ETIMEDOUT, RECEIVING), DROPPED,
        .scripts =
            ONE(READ, SEND(HALF), GATE, SEND("Length: 0\r\n\r\n"), SERVE)),
    ROW("a reply behind a cancel", GET, SEES(ECANCELED, WAITING), DROPPED,
        .scripts = ONE(READ, GATE, ANSWER, SERVE), .act = FAULT_CANCEL),
    ROW("a reply to a write behind a cancel", UPSERT,
        SEES(ECANCELED, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, GATE, ANSWER, SERVE), .act = FAULT_CANCEL),
    ROW("the rest of a reply behind a cancel", GET, SEES(ECANCELED, RECEIVING),
        DROPPED,
        .scripts =
            ONE(READ, SEND(HALF), GATE, SEND("Length: 0\r\n\r\n"), SERVE),
        .act = FAULT_CANCEL),
    ROW("never answered, the client is closed", POST,
        SEES(ECLOSED, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, STALL), .act = FAULT_CLOSE),
    ROW("never answered, the client is freed", GET, SEES(ECLOSED, WAITING),
        DROPPED, .scripts = ONE(READ, STALL), .act = FAULT_FREE),
    ROW("half a reply, the client is freed", GET, SEES(ECLOSED, RECEIVING),
        DROPPED, .scripts = ONE(READ, SEND(HALF), STALL), .act = FAULT_FREE),
    ROW("twelve calls, answered late and out of order", GET, FINE, KEPT,
        .scripts = {SCRIPT(READ, GATE, ANSWER, SERVE), SCRIPT(SERVE),
                    SCRIPT(READ, GATE, ANSWER, SERVE)},
        .calls = 12, .connections = 4, .requests = 12, .act = FAULT_OPEN),
    /* --- early --- */
    ROW("refused before a large write is read, and kept open", BIG_POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(TOO_LARGE), STALL)),
    ROW("refused before a large write is read, and closed", BIG_POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(TOO_LARGE))),
    ROW("refused before a large write is read, and half closed", BIG_POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(TOO_LARGE), HALF_CLOSE, DISCARD)),
    ROW("refused before a large write is read, and reset", BIG_POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(TOO_LARGE), RESET)),
    ROW("refused before a large write is read, which then is", BIG_POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(TOO_LARGE), DISCARD)),
    ROW("answered before a large write is read", BIG_POST, FINE, DROPPED,
        .scripts = ONE(READ_HEAD, SEND(WHOLE), STALL)),
    ROW("half an answer before a large write is read", BIG_POST,
        SEES(ETIMEDOUT, RECEIVING, .unknown = true), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(HALF), STALL)),
    ROW("half an answer before a large write is read, closed", BIG_POST,
        SEES(EUNKNOWN, RECEIVING, .unknown = true), DROPPED,
        .scripts = ONE(READ_HEAD, SEND(HALF))),
    ROW("answered without a length before a large write is read, reset",
        BIG_POST, SEES(EUNKNOWN, RECEIVING, .status = 200, .unknown = true),
        DROPPED,
        .scripts = ONE(READ_HEAD, SEND(LINE MARKED "\r\n" FAULT_MARK), RESET)),
    ROW("a 100 before a large write is read", BIG_POST, FINE, KEPT,
        .scripts = ONE(READ_SOME(40), SEND(CONTINUE), READ, ANSWER, SERVE)),
    ROW("refused before a small write is read, and closed", POST,
        SEES(EHTTP, RECEIVING, .status = 413), DROPPED,
        .scripts = ONE(READ_SOME(40), SEND(TOO_LARGE)), UNREAD),
};

const struct fault_list fault_list_connections =
    FAULT_LIST("Connections that never come up, stall or end", &fault_hms, true,
               true, connections);
