/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rows_rig.h"

#include <string.h>

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct taking *taking = arg;

    ck_assert_uint_eq(taking->runs, 0);
    taking->row_runs++;
    for (size_t i = 0; i < vecwire_reply_count(rows); i++) {
        const struct vecwire_row *row = vecwire_reply_row(rows, i);

        ck_assert_uint_eq(strlen(row->text), row->text_len);
        taking->bytes += row->text_len;
        taking->n_rows++;
    }
    if (taking->pauses == 0)
        return VECWIRE_CONTINUE;
    taking->pauses--;
    return VECWIRE_PAUSE;
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct taking *taking = arg;

    taking->runs++;
    taking->code = error == NULL ? VECWIRE_OK : error->code;
    taking->given = vecwire_reply_rows_given(reply);
    taking->wakeups = vecwire_reply_wakeups(reply);
    if (taking->next != NULL)
        take(taking->rig, taking->next, 0);
}

void
take(struct client_rig *rig, struct taking *taking, unsigned pauses)
{
    static const float vector[] = {1, 0.5F, -2};

    *taking = (struct taking){.rig = rig, .pauses = pauses};
    ck_assert_int_eq(
        vecwire_query(rig->client,
                      &VECWIRE_QUERY(.vector = vector, .dim = 3, .top_k = 100,
                                     .on_rows = on_rows, .rows_arg = taking),
                      on_reply, taking, &taking->id),
        VECWIRE_OK);
}

void
turn(struct client_rig *rig, int passes)
{
    for (int i = 0; i < passes; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
}

void
run_until_paused(struct taking *taking)
{
    for (int i = 0; i < 1000 && taking->row_runs == 0; i++)
        ck_assert_int_eq(vecwire_loop_step(taking->rig->loop, NULL),
                         VECWIRE_OK);
    ck_assert_uint_eq(taking->row_runs, 1);
}
