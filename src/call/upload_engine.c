/* SPDX-License-Identifier: Apache-2.0 */
/* All uploads of one client. */
#include "call/upload.h"

#include "call/log.h"

bool
vecwire__uploads_may_send(const struct vecwire__engine *engine, size_t rows)
{
    return rows == 1 || engine->uploads.many != VECWIRE__MANY_ASKED;
}

void
vecwire__uploads_learn(const struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    const struct vecwire__dialect *dialect = engine->config.dialect;
    struct vecwire__uploads *uploads = &engine->uploads;

    if (!call->enc.many || !dialect->upsert_parts->may_lack_many)
        return;
    /* What was found out is not asked again: a route that was there is not
     * gone for a 404 of something on the way. */
    if (uploads->many == VECWIRE__MANY_LACKED ||
        uploads->many == VECWIRE__MANY_TAKEN)
        return;
    if (call->reply->status == 404) {
        vecwire__log(engine, VECWIRE_LOG_INFO,
                     "the server has no route for several rows (404): "
                     "one row a request from now on");
        uploads->many = VECWIRE__MANY_LACKED;
    } else if (vecwire__reply_is_2xx(call->reply)) {
        uploads->many = VECWIRE__MANY_TAKEN;
    }
}

/* Is what was in its way gone? */
static bool
can_go_on(const struct vecwire_uploader *up)
{
    const struct vecwire__engine *engine = up->engine;

    if (vecwire__engine_admit(engine, up->asked_bytes) != VECWIRE_OK)
        return false;
    return engine->uploads.many != VECWIRE__MANY_ASKED ||
           vecwire__batch_part(TAILQ_FIRST(&up->ready)) == 1;
}

/* Only whoever has waited longest, so that a look costs the same with ten
 * thousand of them; the next one's turn is when that one has gone on. */
void
vecwire__uploads_look(struct vecwire__engine *engine)
{
    struct vecwire_uploader *up = TAILQ_FIRST(&engine->uploads.stuck);

    if (up != NULL && !up->due && can_go_on(up))
        vecwire__upload_soon(up);
}

void
vecwire__uploads_run(struct vecwire__engine *engine)
{
    const struct vecwire__host *host = &engine->config.host;
    struct vecwire__upload_list *due = &engine->uploads.due;
    size_t n = engine->uploads.n;

    /* What callbacks make due is left for the next pass. */
    while (n-- > 0 && !TAILQ_EMPTY(due)) {
        vecwire__upload_step(TAILQ_FIRST(due));
        vecwire__uploads_look(engine);
    }
    if (!TAILQ_EMPTY(due))
        host->soon(host->ctx);
}

void
vecwire__uploads_end(struct vecwire__engine *engine)
{
    struct vecwire_uploader *up;

    TAILQ_FOREACH (up, &engine->uploads.list, link)
        vecwire__upload_end(up);
}

void
vecwire__uploads_stop(struct vecwire__engine *engine, enum vecwire_err code)
{
    struct vecwire_uploader *up;

    /* All of them first, so that no callback finds one that takes rows. */
    TAILQ_FOREACH (up, &engine->uploads.list, link)
        vecwire__upload_stop(up, code);
    while ((up = TAILQ_FIRST(&engine->uploads.list)) != NULL) {
        vecwire__upload_hold(up);
        vecwire__upload_report(up);
        vecwire__upload_drop(up);
    }
}
