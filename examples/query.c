/* SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <vecwire/vecwire.h>

static void
on_hits(const struct vecwire_reply *reply, void *failed)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const struct vecwire_row *row;

    if ((*(bool *)failed = error != NULL))
        fprintf(stderr, "%s\n", error->detail);
    for (size_t i = 0; (row = vecwire_reply_row(reply, i)) != NULL; i++)
        printf("%s %.4f\n", row->id.text, (double)row->score);
}

int
main(int argc, char **argv)
{
    const char *url = argc > 1 ? argv[1] : "http://127.0.0.1:8080";
    float vector[384] = {0.6f, 0.0f, 0.8f};
    struct event_base *base = vecwire_event_base_new(); /* or your own */
    struct vecwire_client *db;
    bool failed = true;

    if (vecwire_client_new(&db, base, &VECWIRE_OPTIONS(.url = url)) ||
        vecwire_query(db, &VECWIRE_QUERY(.vector = vector, .dim = 384), on_hits,
                      &failed, NULL) ||
        vecwire_client_drain(db, 5000)) /* a server runs its own loop */
        fprintf(stderr, "%s: refused, or not answered in time\n", url);
    vecwire_client_free(db);
    event_base_free(base);
    return failed;
}
