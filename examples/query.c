/* SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <vecwire/vecwire.h>

static void
on_hits(const struct vecwire_reply *reply, void *failed)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const struct vecwire_row *row;

    *(bool *)failed = error != NULL;
    if (error != NULL)
        fprintf(stderr, "%s: %s\n", vecwire_strerror(error->code),
                error->detail);
    else
        printf("%u loop iterations\n", vecwire_reply_wakeups(reply));
    for (size_t i = 0; (row = vecwire_reply_row(reply, i)) != NULL; i++)
        printf("  %s %.4f\n", row->id.text, (double)row->score);
}

int
main(int argc, char **argv)
{
    const char *url = argc > 1 ? argv[1] : "http://127.0.0.1:8080";
    float vector[384] = {0.6f, 0.0f, 0.8f};
    struct event_base *base = vecwire_event_base_new(); /* or your own */
    struct vecwire_refusal why = {.text = ""};
    struct vecwire_client *db;
    bool failed = false;
    enum vecwire_err rc = vecwire_client_new(
        &db, base, &VECWIRE_OPTIONS(.url = url, .refusal = &why));

    for (int i = 0; i < 2 && rc == VECWIRE_OK && !failed; i++) {
        rc = vecwire_query(db,
                           &VECWIRE_QUERY(.vector = vector, .dim = 384,
                                          .top_k = 3, .refusal = &why),
                           on_hits, &failed, NULL);
        if (rc == VECWIRE_OK) /* a server runs its own loop instead */
            rc = vecwire_client_drain(db, 5000);
    }
    if (rc != VECWIRE_OK)
        fprintf(stderr, "%s: %s\n", vecwire_strerror(rc), why.text);
    vecwire_client_free(db);
    if (base != NULL)
        event_base_free(base);
    return rc != VECWIRE_OK || failed;
}
