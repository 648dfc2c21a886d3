/* SPDX-License-Identifier: Apache-2.0 */
/* Vecwire inside a libevent program that has a loop and a timer of its own:
 * one call that is answered, one that reaches its deadline, one that the
 * program takes back. The timer goes on ticking under all of them.
 *
 *   in_a_server [http://127.0.0.1:8080]
 */
#include <event2/event.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vecwire/vecwire.h>

enum { DIM = 384, TICK_MS = 10, CANCEL_AT_TICK = 3, DEADLINE_MS = 100 };

struct host;

/* What a call needs when it ends. It must live until then: exactly one
 * callback comes for every call that was taken, canceled or not. */
struct call {
    struct host *host;
    const char *name;
    enum vecwire_err expected;
    unsigned n_callbacks;
    vecwire_call_id id;
};

/* The program itself. */
struct host {
    struct event_base *base;
    struct event *timer;
    struct vecwire_client *db;
    struct vecwire_client *mute; /* a database that never answers */
    struct call answered, late, unwanted;
    unsigned n_ticks;
    unsigned n_unfinished;
    bool failed;
};

static void
on_hits(const struct vecwire_reply *reply, void *arg)
{
    struct call *call = arg;
    struct host *host = call->host;
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const struct vecwire_row *best = vecwire_reply_row(reply, 0);
    enum vecwire_err code = error != NULL ? error->code : VECWIRE_OK;

    call->n_callbacks++;
    if (error != NULL)
        printf("%s: %s while %s: %s\n", call->name, vecwire_err_name(code),
               vecwire_phase_name(error->phase), error->detail);
    else if (best != NULL)
        printf("%s: %zu rows, the best is %s with %.4f\n", call->name,
               vecwire_reply_count(reply), best->id.text, (double)best->score);
    else
        printf("%s: no rows\n", call->name);
    if (code != call->expected)
        host->failed = true;
    if (--host->n_unfinished == 0)
        event_base_loopexit(host->base, NULL);
}

/* The host's own work. It also loses interest in one of the calls. */
static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct host *host = arg;

    (void)fd;
    (void)what;
    host->n_ticks++;
    /* The callback still runs, a little later, with VECWIRE_ECANCELED. */
    if (host->n_ticks == CANCEL_AT_TICK)
        vecwire_cancel(host->mute, host->unwanted.id);
}

/* A verb returns at once. If it did not take the call, no callback comes. */
static void
ask(struct vecwire_client *client, struct call *call, uint32_t deadline_ms)
{
    static const float vector[DIM] = {0.6f, 0.0f, 0.8f};
    struct vecwire_refusal why = {0};

    if (vecwire_query(
            client,
            &VECWIRE_QUERY(.vector = vector, .dim = DIM,
                           .call = &VECWIRE_CALL_OPTIONS(.deadline_ms =
                                                             deadline_ms),
                           .refusal = &why),
            on_hits, call, &call->id) == VECWIRE_OK) {
        call->host->n_unfinished++;
        return;
    }
    fprintf(stderr, "%s: %s\n", call->name, why.text);
    call->host->failed = true;
}

static struct vecwire_client *
new_client(struct event_base *base, const char *url)
{
    struct vecwire_refusal why = {0};
    struct vecwire_client *client;

    if (vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = url, .refusal = &why)) !=
        VECWIRE_OK)
        fprintf(stderr, "%s\n", why.text);
    return client;
}

/* The kernel takes connections for this socket, but nobody reads them. */
static int
listen_and_never_answer(char *url, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 ||
        listen(fd, 8) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        perror("listen");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    snprintf(url, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return fd;
}

static void
run(struct host *host)
{
    const struct timeval period = {.tv_usec = TICK_MS * 1000L};

    host->timer = event_new(host->base, -1, EV_PERSIST, on_tick, host);
    if (host->timer == NULL || event_add(host->timer, &period) != 0)
        host->failed = true;
    if (host->failed)
        return;
    ask(host->db, &host->answered, 0); /* 0: the client's, 30 s */
    ask(host->mute, &host->late, DEADLINE_MS);
    ask(host->mute, &host->unwanted, VECWIRE_NEVER);
    if (host->n_unfinished > 0)
        event_base_dispatch(host->base);
}

int
main(int argc, char **argv)
{
    struct host host = {
        .answered = {&host, "answered", VECWIRE_OK, 0, 0},
        .late = {&host, "late", VECWIRE_ETIMEDOUT, 0, 0},
        .unwanted = {&host, "unwanted", VECWIRE_ECANCELED, 0, 0},
        .failed = true};
    char mute_url[64];
    int mute_fd = listen_and_never_answer(mute_url, sizeof(mute_url));

    if (mute_fd < 0)
        return 1;
    host.base = event_base_new(); /* any base will do */
    host.db =
        new_client(host.base, argc > 1 ? argv[1] : "http://127.0.0.1:8080");
    host.mute = new_client(host.base, mute_url);
    if (host.db != NULL && host.mute != NULL) {
        host.failed = false;
        run(&host);
    }
    /* Clients go before their base; calls that are left complete in here. */
    vecwire_client_free(host.mute);
    vecwire_client_free(host.db);
    if (host.timer != NULL)
        event_free(host.timer);
    if (host.base != NULL)
        event_base_free(host.base);
    close(mute_fd);
    printf("callbacks: %u %u %u\n", host.answered.n_callbacks,
           host.late.n_callbacks, host.unwanted.n_callbacks);
    printf("the timer ticked %u times meanwhile\n", host.n_ticks);
    return host.failed;
}
