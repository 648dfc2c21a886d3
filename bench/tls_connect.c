/* SPDX-License-Identifier: Apache-2.0 */
/* New connections of Vecwire. usage: tls_connect URL CA-FILE N */
#include "tls_connect.h"

#include <event2/event.h>
#include <vecwire/vecwire.h>

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    if (error != NULL)
        bench_die("%s", error->detail);
}

static void
ask(void *arg, uint64_t n)
{
    struct vecwire_client *client = arg;

    for (uint64_t i = 0; i < n; i++) {
        if (vecwire_raw(client, &VECWIRE_RAW(.path = "/"), on_reply, NULL,
                        NULL) != VECWIRE_OK ||
            vecwire_client_drain(client, 10000) != VECWIRE_OK)
            bench_die("a call was refused, or hangs");
    }
}

int
main(int argc, char **argv)
{
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_refusal refusal = {.text = ""};
    struct vecwire_client *client;
    uint64_t n;

    if (argc != 4 || !bench_number(argv[3], 1000000, &n) || base == NULL)
        bench_die("usage: tls_connect URL CA-FILE N");
    if (vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = argv[1], .ca_file = argv[2],
                                            .refusal = &refusal)) != VECWIRE_OK)
        bench_die("%s", refusal.text);
    tls_connect_measure(ask, client, n);
    vecwire_client_free(client);
    event_base_free(base);
    return 0;
}
