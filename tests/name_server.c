/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/name_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#define TYPE_A 1
#define TYPE_CNAME 5
#define TYPE_AAAA 28
#define HEAD 12
#define MAX_ASKED 256

/* A message that is on its way. */
struct packet {
    TAILQ_ENTRY(packet) link;
    struct name_server *server;
    struct event *leave;
    struct sockaddr_in to;
    unsigned times;
    size_t len;
    uint8_t bytes[2048];
};

TAILQ_HEAD(packet_list, packet);

struct name_server {
    struct event_base *base;
    struct event *readable;
    const struct name_rule *rules;
    size_t n_rules, n_queries, n_waiting;
    struct packet_list packets;
    char asked[MAX_ASKED][256]; /* their names */
    char conf[40];
    int fd;
    uint16_t port;
};

static void
packet_free(struct packet *packet)
{
    TAILQ_REMOVE(&packet->server->packets, packet, link);
    packet->server->n_waiting--;
    event_free(packet->leave);
    free(packet);
}

static void
on_leave(evutil_socket_t fd, short what, void *arg)
{
    struct packet *packet = arg;

    (void)fd;
    (void)what;
    for (unsigned i = 0; i < packet->times; i++)
        (void)sendto(packet->server->fd, packet->bytes, packet->len, 0,
                     (struct sockaddr *)&packet->to, sizeof(packet->to));
    packet_free(packet);
}

static void
put(struct packet *packet, const void *bytes, size_t n)
{
    assert(packet->len + n <= sizeof(packet->bytes));
    memcpy(packet->bytes + packet->len, bytes, n);
    packet->len += n;
}

static void
put_u16(struct packet *packet, unsigned value)
{
    uint16_t big = htons((uint16_t)value);

    put(packet, &big, 2);
}

static void
put_name(struct packet *packet, const char *name, size_t n)
{
    const char *end = name + n;

    while (name < end) {
        const char *dot = memchr(name, '.', (size_t)(end - name));
        size_t len = (size_t)((dot == NULL ? end : dot) - name);
        uint8_t byte = (uint8_t)len;

        put(packet, &byte, 1);
        put(packet, name, len);
        name += len + 1;
    }
    put(packet, "", 1);
}

/* Everything of a record in front of its data, but for its owner. */
static void
put_record(struct packet *packet, unsigned type, uint32_t ttl)
{
    put_u16(packet, type);
    put_u16(packet, 1);
    put_u16(packet, ttl >> 16);
    put_u16(packet, ttl & 0xffff);
    packet->bytes[7]++;
}

/* The word at `text`; its length, 0: no more. */
static size_t
next_word(const char **text)
{
    if (*text == NULL)
        return 0;
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

/* CNAMEs, each record owned by the name that the one before points to. */
static size_t
put_aliases(struct packet *packet, const struct name_answer *answer)
{
    const char *text = answer->aliases;
    size_t owner = HEAD, n;

    while ((n = next_word(&text)) > 0) {
        size_t length_at, from;

        put_u16(packet, 0xc000u | (unsigned)owner);
        put_record(packet, TYPE_CNAME, answer->ttl);
        length_at = packet->len;
        put_u16(packet, 0);
        from = packet->len;
        put_name(packet, text, n);
        packet->bytes[length_at + 1] = (uint8_t)(packet->len - from);
        owner = from;
        text += n;
    }
    return owner;
}

static void
put_addresses(struct packet *packet, const struct name_answer *answer,
              unsigned type, size_t owner)
{
    const char *text = answer->addresses;
    size_t n;

    while ((n = next_word(&text)) > 0) {
        char word[64];
        uint8_t bytes[16];
        bool v6;

        snprintf(word, sizeof(word), "%.*s", (int)n, text);
        text += n;
        v6 = inet_pton(AF_INET6, word, bytes) == 1;
        if (!v6 && inet_pton(AF_INET, word, bytes) != 1)
            abort();
        if ((type == TYPE_AAAA) != v6)
            continue;
        if (answer->fault == NAME_POINTER_LOOP)
            put_u16(packet, 0xc000u | (unsigned)packet->len);
        else
            put_u16(packet, 0xc000u | (unsigned)owner);
        put_record(packet, type, answer->ttl);
        put_u16(packet, v6 ? 16 : 4);
        put(packet, bytes, v6 ? 16 : 4);
    }
}

/* What is wrong with the whole message. */
static void
spoil(struct packet *packet, enum name_fault fault)
{
    switch (fault) {
    case NAME_WRONG_ID:
        packet->bytes[0] ^= 0x55;
        break;
    case NAME_WRONG_QUESTION:
        packet->bytes[HEAD + 1] = '9';
        break;
    case NAME_LOWER_CASE:
        for (size_t i = HEAD; packet->bytes[i] != 0; i++)
            packet->bytes[i] = (uint8_t)tolower(packet->bytes[i]);
        break;
    case NAME_TRUNCATED:
        packet->bytes[2] |= 2;
        break;
    case NAME_CUT:
        packet->len -= 3;
        break;
    case NAME_GARBAGE:
        memset(packet->bytes + 2, 0xff, packet->len - 2);
        break;
    case NAME_EMPTY:
        packet->len = 0;
        break;
    case NAME_NO_RESPONSE_BIT:
        packet->bytes[2] &= 0x7f;
        break;
    default:
        break;
    }
}

static const struct name_answer *
find_answer(const struct name_server *server, const char *name, unsigned type)
{
    static const struct name_answer no_such_name = {.rcode = 3};

    for (size_t i = 0; i < server->n_rules; i++) {
        const struct name_rule *rule = &server->rules[i];
        size_t n = rule->suffix == NULL ? 0 : strlen(rule->suffix);

        if (n <= strlen(name) &&
            (n == 0 || strcasecmp(name + strlen(name) - n, rule->suffix) == 0))
            return type == TYPE_A ? &rule->a : &rule->aaaa;
    }
    return &no_such_name;
}

/* The question's name as a text; what follows it. */
static size_t
read_name(const uint8_t *bytes, size_t n, char name[256])
{
    size_t at = HEAD, len = 0;

    while (at < n && bytes[at] != 0 && at + bytes[at] < n && len < 190) {
        if (len > 0)
            name[len++] = '.';
        memcpy(name + len, bytes + at + 1, bytes[at]);
        len += bytes[at];
        at += bytes[at] + 1u;
    }
    name[len] = '\0';
    return at + 1;
}

static void
answer_query(struct name_server *server, const uint8_t *query, size_t n,
             const struct sockaddr_in *from)
{
    char *name = server->asked[server->n_queries++ % MAX_ASKED];
    size_t end = read_name(query, n, name);
    unsigned type;
    const struct name_answer *answer;
    struct packet *packet;
    struct timeval later;

    assert(end + 4 <= n);
    type = (unsigned)(query[end] << 8 | query[end + 1]);
    answer = find_answer(server, name, type);
    if (answer->fault == NAME_SILENT)
        return;
    packet = calloc(1, sizeof(*packet));
    assert(packet != NULL);
    packet->server = server;
    packet->to = *from;
    packet->times = answer->times == 0 ? 1 : answer->times;
    put(packet, query, end + 4);
    packet->bytes[2] = 0x81;
    packet->bytes[3] = (uint8_t)(0x80 | answer->rcode);
    /* No record but ours. */
    packet->bytes[11] = 0;
    put_addresses(packet, answer, type, put_aliases(packet, answer));
    spoil(packet, answer->fault);
    TAILQ_INSERT_TAIL(&server->packets, packet, link);
    server->n_waiting++;
    packet->leave = event_new(server->base, -1, 0, on_leave, packet);
    later = (struct timeval){.tv_usec = (suseconds_t)answer->late_ms * 1000};
    event_add(packet->leave, &later);
}

static void
on_query(evutil_socket_t fd, short what, void *arg)
{
    struct sockaddr_in from;
    socklen_t len = sizeof(from);
    uint8_t query[512];
    ssize_t n = recvfrom(fd, query, sizeof(query), MSG_DONTWAIT,
                         (struct sockaddr *)&from, &len);

    (void)what;
    if (n > HEAD)
        answer_query(arg, query, (size_t)n, &from);
}

static void
write_conf(struct name_server *server, const char *address)
{
    int fd;

    strcpy(server->conf, "/tmp/vecwire-names-XXXXXX");
    fd = mkstemp(server->conf);
    if (fd < 0 ||
        dprintf(fd, "nameserver %s:%u\n", address, (unsigned)server->port) < 0)
        abort();
    close(fd);
}

struct name_server *
name_server_new(struct event_base *base, const char *address,
                const struct name_rule *rules, size_t n)
{
    struct sockaddr_in sin = {.sin_family = AF_INET,
                              .sin_addr.s_addr = inet_addr(address)};
    socklen_t len = sizeof(sin);
    struct name_server *server = calloc(1, sizeof(*server));

    assert(server != NULL);
    server->base = base;
    server->rules = rules;
    server->n_rules = n;
    TAILQ_INIT(&server->packets);
    server->fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (server->fd < 0 || bind(server->fd, (struct sockaddr *)&sin, len) != 0 ||
        getsockname(server->fd, (struct sockaddr *)&sin, &len) != 0)
        abort();
    server->port = ntohs(sin.sin_port);
    server->readable =
        event_new(base, server->fd, EV_READ | EV_PERSIST, on_query, server);
    event_add(server->readable, NULL);
    write_conf(server, address);
    return server;
}

void
name_server_stop(struct name_server *server)
{
    struct packet *packet;

    while ((packet = TAILQ_FIRST(&server->packets)) != NULL)
        packet_free(packet);
    if (server->fd < 0)
        return;
    event_free(server->readable);
    close(server->fd);
    server->fd = -1;
}

void
name_server_free(struct name_server *server)
{
    if (server == NULL)
        return;
    name_server_stop(server);
    unlink(server->conf);
    free(server);
}

uint16_t
name_server_port(const struct name_server *server)
{
    return server->port;
}

const char *
name_server_conf(const struct name_server *server)
{
    return server->conf;
}

size_t
name_server_queries(const struct name_server *server)
{
    return server->n_queries;
}

size_t
name_server_waiting(const struct name_server *server)
{
    return server->n_waiting;
}

size_t
name_server_asked(const struct name_server *server, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < server->n_queries && i < MAX_ASKED; i++)
        n += strcasecmp(server->asked[i], name) == 0;
    return n;
}
