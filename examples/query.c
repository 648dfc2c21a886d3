/* SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <vecwire/vecwire.h>

static void
on_hits(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const struct vecwire_row *row;
    bool *failed = arg;

    *failed = error != NULL;
    if (error != NULL)
        fprintf(stderr, "%s\n", error->detail);
    for (size_t i = 0; (row = vecwire_reply_row(reply, i)) != NULL; i++)
        printf("%s %.4f\n", row->id.text, (double)row->score);
}

int
main(int argc, char **argv)
{
    float vector[384] = {0.6f, 0.0f, 0.8f};
    struct vecwire_refusal why = {.text = "no answer in time"};
    struct vecwire_options options =
        VECWIRE_OPTIONS(.url = argc > 1 ? argv[1] : "http://127.0.0.1:8080",
                        .refusal = &why);
    struct event_base *base = vecwire_event_base_new(); /* or your own */
    struct vecwire_client *db;
    bool failed = true;

    if (vecwire_client_new(&db, base, &options) != VECWIRE_OK ||
        vecwire_query(
            db, &VECWIRE_QUERY(.vector = vector, .dim = 384, .refusal = &why),
            on_hits, &failed, NULL) != VECWIRE_OK ||
        vecwire_client_drain(db, 5000) != VECWIRE_OK)
        fprintf(stderr, "%s\n", why.text);
    vecwire_client_free(db);
    event_base_free(base);
    return failed;
}
