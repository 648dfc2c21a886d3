/* SPDX-License-Identifier: Apache-2.0 */
/* A client through its public functions, and a server that says anything, in
 * any pieces, with closes and pauses: each call that was taken completes once,
 * and afterwards no memory and no descriptor is left.
 *
 * Input: two bytes of modes; then what the server says on the connection that
 * was opened last. 0xff and a byte behind it do something, see act(). There is
 * no network: connect() gives one end of a pair of sockets. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/fuzz/fuzz.h"

#define MAX_CALLS 12
#define MAX_CONNS 24
#define MAX_PASSES 64

#define MODE_PAUSE 1   /* rows callbacks pause */
#define MODE_FREE 2    /* the first completion frees the client */
#define MODE_AGAIN 4   /* completions start another call */
#define MODE_REPEAT 8  /* writes are repeated */
#define MODE_SHORT 16  /* short deadlines */
#define MODE_LITTLE 32 /* little is read in one turn, small limits */
#define MODE_KEEP 64   /* replies are kept past the client */
#define MODE_ONE 128   /* one connection */

struct fuzz_call {
    vecwire_call_id id;
    const struct vecwire_reply *kept;
    uint64_t rows;
    unsigned runs;
    bool by_rows; /* a query with on_rows, */
    bool paused;  /* which has asked for a pause */
};

struct rig {
    struct fuzz_mem counting;
    struct vecwire_client *client;
    struct fuzz_call calls[MAX_CALLS];
    size_t n_calls;
    int conns[MAX_CONNS]; /* the server's ends; -1: closed */
    size_t n_conns;
    unsigned mode, passes, naps, closes, closed;
    bool refusing, deaf, in_free;
};

static struct rig rig;
static struct event_base *base;

/* In place of the C library's; libevent calls it too. */
int
connect(int fd, const struct sockaddr *address, socklen_t len)
{
    int pair[2];

    if (address->sa_family != AF_INET)
        return (int)syscall(SYS_connect, fd, address, len);
    if (rig.refusing || rig.n_conns == MAX_CONNS) {
        errno = ECONNREFUSED;
        return -1;
    }
    FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                            0, pair) == 0 &&
                     dup3(pair[0], fd, O_CLOEXEC) == fd,
                 "no sockets");
    close(pair[0]);
    rig.conns[rig.n_conns++] = pair[1];
    errno = EINPROGRESS;
    return -1;
}

/* --- the client's side --- */

static void start(unsigned kind);

/* Everything that a reply has is there to be read. */
static void
look_at(const struct vecwire_reply *reply)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct vecwire_header header;
    const struct vecwire_row *row;
    size_t sum = strlen(vecwire_reply_peer(reply)), len;

    for (size_t i = 0; (row = vecwire_reply_row(reply, i)) != NULL; i++) {
        FUZZ_REQUIRE(row->id.text != NULL && row->id.text[row->id.len] == '\0',
                     "id");
        sum += strlen(row->id.text) + (row->text == NULL ? 0 : row->text_len);
        FUZZ_REQUIRE(row->payload == NULL ||
                         row->payload[row->payload_len] == '\0',
                     "payload");
    }
    for (size_t i = 0; vecwire_reply_header_at(reply, i, &header); i++)
        sum += strlen(header.name) + strlen(header.value);
    FUZZ_REQUIRE(vecwire_reply_body(reply, &len)[len] == '\0', "body");
    FUZZ_REQUIRE(sum < SIZE_MAX / 2, "texts");
    if (error == NULL)
        FUZZ_REQUIRE(vecwire_reply_status(reply) >= 200 &&
                         vecwire_reply_status(reply) < 300,
                     "success with %u", vecwire_reply_status(reply));
    else
        FUZZ_REQUIRE(error->code != VECWIRE_OK && error->detail != NULL &&
                         vecwire_reply_count(reply) == 0,
                     "a failure without a reason");
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct fuzz_call *call = arg;

    FUZZ_REQUIRE(call->runs == 0, "rows behind the end");
    FUZZ_REQUIRE(!call->paused, "rows in a pause");
    FUZZ_REQUIRE(vecwire_reply_count(rows) > 0, "no rows");
    call->rows += vecwire_reply_count(rows);
    look_at(rows);
    call->paused = (rig.mode & MODE_PAUSE) != 0;
    return call->paused ? VECWIRE_PAUSE : VECWIRE_CONTINUE;
}

static void
free_client(void)
{
    struct vecwire_client *client = rig.client;

    rig.client = NULL;
    vecwire_client_free(client);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct fuzz_call *call = arg;

    FUZZ_REQUIRE(call->runs == 0, "a second completion");
    call->runs++;
    FUZZ_REQUIRE(!call->paused || vecwire_reply_error(reply) != NULL,
                 "success in a pause");
    look_at(reply);
    FUZZ_REQUIRE(!call->by_rows ||
                     (vecwire_reply_count(reply) == 0 &&
                      vecwire_reply_rows_given(reply) == call->rows),
                 "%llu rows were given", (unsigned long long)call->rows);
    FUZZ_REQUIRE(vecwire_reply_attempts(reply) <= 3 + 1, "%u attempts",
                 vecwire_reply_attempts(reply));
    if ((rig.mode & MODE_KEEP) != 0)
        call->kept = vecwire_reply_keep(reply);
    if ((rig.mode & MODE_FREE) != 0 && rig.client != NULL)
        free_client();
    else if ((rig.mode & MODE_AGAIN) != 0)
        start((unsigned)rig.n_calls);
}

static void
on_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    (void)client;
    (void)code;
    (void)arg;
    rig.closed++;
}

static enum vecwire_err
submit(unsigned kind, struct fuzz_call *call,
       const struct vecwire_call_options *options)
{
    static const float vector[] = {1, 0.5f};
    static const char *const ids[] = {"a", "b"};

    switch (kind % 5) {
    case 0:
        return vecwire_query(
            rig.client,
            &VECWIRE_QUERY(.vector = vector, .dim = 2, .call = options),
            on_reply, call, &call->id);
    case 1:
        call->by_rows = true;
        return vecwire_query(rig.client,
                             &VECWIRE_QUERY(.vector = vector, .dim = 2,
                                            .on_rows = on_rows,
                                            .rows_arg = call, .call = options),
                             on_reply, call, &call->id);
    case 2:
        return vecwire_upsert(rig.client,
                              &VECWIRE_UPSERT(.matrix = vector, .dim = 1,
                                              .rows = 2, .ids = ids,
                                              .call = options),
                              on_reply, call, &call->id);
    case 3:
        return vecwire_delete(
            rig.client, &VECWIRE_DELETE(.ids = ids, .rows = 1, .call = options),
            on_reply, call, &call->id);
    default:
        return vecwire_raw(
            rig.client,
            &VECWIRE_RAW(.method = kind % 2 == 0 ? "GET" : "HEAD", .path = "/x",
                         .call = options),
            on_reply, call, &call->id);
    }
}

static void
start(unsigned kind)
{
    struct fuzz_call *call = &rig.calls[rig.n_calls];
    const struct vecwire_call_options options =
        VECWIRE_CALL_OPTIONS(.deadline_ms =
                                 (rig.mode & MODE_SHORT) != 0 ? 1 : 10000);

    if (rig.client == NULL || rig.n_calls == MAX_CALLS)
        return;
    rig.n_calls++;
    memset(call, 0, sizeof(*call));
    /* Refused: as if it had been answered. */
    if (submit(kind, call, &options) != VECWIRE_OK)
        call->runs = 1;
}

static void
begin(unsigned mode)
{
    struct vecwire_options options =
        VECWIRE_OPTIONS(.url = "http://127.0.0.1:9/p", .mem = &rig.counting.mem,
                        .repeat_writes = (mode & MODE_REPEAT) != 0,
                        .connections = (mode & MODE_ONE) != 0 ? 1 : 2);

    memset(&rig, 0, sizeof(rig));
    rig.mode = mode;
    fuzz_mem_init(&rig.counting);
    if ((mode & MODE_LITTLE) != 0) {
        options.read_per_turn = 1024;
        options.max_header_bytes = 256;
        options.max_header_lines = 4;
        options.max_reply_bytes = 200;
        options.json_depth = 3;
    }
    FUZZ_REQUIRE(vecwire_client_new(&rig.client, base, &options) == VECWIRE_OK,
                 "no client");
}

/* --- the server's side --- */

/* The connection opened last that is still open; -1: none. */
static int *
current(void)
{
    for (size_t i = rig.n_conns; i > 0; i--) {
        if (rig.conns[i - 1] >= 0)
            return &rig.conns[i - 1];
    }
    return NULL;
}

static void
hear(void)
{
    char bytes[4096];

    for (size_t i = 0; i < rig.n_conns; i++) {
        while (rig.conns[i] >= 0 && !rig.deaf &&
               recv(rig.conns[i], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
            continue;
    }
}

static void
pass(void)
{
    if (rig.passes++ > MAX_PASSES)
        return;
    FUZZ_REQUIRE(event_base_loop(base, EVLOOP_NONBLOCK) >= 0, "the loop");
    hear();
}

static void
resume_all(void)
{
    for (size_t i = 0; rig.client != NULL && i < rig.n_calls; i++) {
        rig.calls[i].paused = false;
        (void)vecwire_resume(rig.client, rig.calls[i].id);
    }
}

static void
hang_up(void)
{
    int *conn = current();

    if (conn == NULL)
        return;
    close(*conn);
    *conn = -1;
    pass();
}

static void
say(const uint8_t *bytes, size_t len)
{
    const int *conn = current();

    if (conn != NULL && len > 0)
        (void)send(*conn, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
nap(void)
{
    if (rig.naps++ < 2)
        usleep(1500);
    pass();
}

static void
act(uint8_t what)
{
    int *conn = current();

    switch (what % 14) {
    case 0:
        pass();
        break;
    case 1:
        hang_up();
        break;
    case 2:
        if (conn != NULL)
            shutdown(*conn, SHUT_WR);
        pass();
        break;
    case 3:
        rig.refusing = !rig.refusing;
        break;
    case 4:
        rig.deaf = !rig.deaf;
        break;
    case 5:
        nap();
        break;
    case 6:
        if (rig.client != NULL && rig.closes++ == 0)
            FUZZ_REQUIRE(vecwire_client_close(rig.client, 1000, on_close,
                                              NULL) == VECWIRE_OK,
                         "close");
        break;
    case 7:
        if (rig.client != NULL)
            free_client();
        break;
    case 8:
        if (rig.client != NULL && rig.n_calls > 0)
            (void)vecwire_cancel(rig.client,
                                 rig.calls[what / 14 % rig.n_calls].id);
        break;
    case 9:
        resume_all();
        pass();
        break;
    default:
        start(what);
        pass();
        break;
    }
}

static void
play(struct fuzz_input *input)
{
    while (input->left > 0) {
        const uint8_t *mark = memchr(input->at, 0xff, input->left);
        size_t len = mark == NULL ? input->left : (size_t)(mark - input->at);

        say(input->at, len);
        input->at += len;
        input->left -= len;
        if (mark == NULL)
            break;
        (void)fuzz_byte(input);
        act(fuzz_byte(input));
    }
    for (int i = 0; i < 4; i++)
        pass();
}

/* --- the end --- */

/* The client has closed all of its ends. */
static void
check_descriptors(void)
{
    char bytes[4096];
    ssize_t n;

    for (size_t i = 0; i < rig.n_conns; i++) {
        if (rig.conns[i] < 0)
            continue;
        do
            n = recv(rig.conns[i], bytes, sizeof(bytes), MSG_DONTWAIT);
        while (n > 0);
        FUZZ_REQUIRE(n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK),
                     "connection %zu is still open", i);
        close(rig.conns[i]);
    }
}

static void
end(void)
{
    if (rig.client != NULL)
        free_client();
    for (int i = 0; i < 3; i++)
        FUZZ_REQUIRE(event_base_loop(base, EVLOOP_NONBLOCK) >= 0, "the loop");
    for (size_t i = 0; i < rig.n_calls; i++) {
        FUZZ_REQUIRE(rig.calls[i].runs == 1, "call %zu: %u completions", i,
                     rig.calls[i].runs);
        if (rig.calls[i].kept != NULL)
            look_at(rig.calls[i].kept);
        vecwire_reply_release(rig.calls[i].kept);
    }
    FUZZ_REQUIRE(rig.closed == (rig.closes > 0), "%u close callbacks",
                 rig.closed);
    check_descriptors();
    FUZZ_REQUIRE(rig.counting.blocks == 0, "%zu blocks, %zu bytes are left",
                 rig.counting.blocks, rig.counting.bytes);
    FUZZ_REQUIRE(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED |
                                                     EVENT_BASE_COUNT_ACTIVE) ==
                     0,
                 "events are left");
}

/* The library must not need a program that ignores it. */
static void
on_sigpipe(int number)
{
    (void)number;
    abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input), kinds = fuzz_byte(&input);

    if (base == NULL) {
        base = vecwire_event_base_new();
        signal(SIGPIPE, on_sigpipe);
    }
    FUZZ_REQUIRE(base != NULL, "no base");
    begin(mode);
    start(kinds % 5);
    if (kinds / 5 % 2 != 0)
        start(kinds / 10);
    pass();
    play(&input);
    end();
    return 0;
}
