/* SPDX-License-Identifier: Apache-2.0 */
/* All scrolls of one client. */
#include "call/scroll.h"

/* Only whoever has waited longest, as with uploads. */
void
vecwire__scrolls_look(struct vecwire__engine *engine)
{
    struct vecwire_scroller *s = TAILQ_FIRST(&engine->scrolls.stuck);

    if (s != NULL && !s->due &&
        vecwire__engine_admit(engine, s->asked_bytes) == VECWIRE_OK)
        vecwire__scroll_soon(s);
}

void
vecwire__scrolls_run(struct vecwire__engine *engine)
{
    const struct vecwire__host *host = &engine->config.host;
    struct vecwire__scroll_list *due = &engine->scrolls.due;
    size_t n = engine->scrolls.n;

    /* What callbacks make due is left for the next pass. */
    while (n-- > 0 && !TAILQ_EMPTY(due)) {
        vecwire__scroll_step(TAILQ_FIRST(due));
        vecwire__scrolls_look(engine);
    }
    if (!TAILQ_EMPTY(due))
        host->soon(host->ctx);
}

void
vecwire__scrolls_stop(struct vecwire__engine *engine, enum vecwire_err code)
{
    struct vecwire_scroller *s;

    /* All of them first, so that no callback finds one that goes on. */
    TAILQ_FOREACH (s, &engine->scrolls.list, link)
        vecwire__scroll_stop(s, code);
    while ((s = TAILQ_FIRST(&engine->scrolls.list)) != NULL) {
        vecwire__scroll_hold(s);
        vecwire__scroll_complete(s);
        vecwire__scroll_drop(s);
    }
}
