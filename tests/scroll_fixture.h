/* SPDX-License-Identifier: Apache-2.0 */
/* A scroll on an engine between a fake transport and a fake clock. What the
 * callbacks see is written into a log: "[1 2][3]done". */
#ifndef VECWIRE_TESTS_SCROLL_FIXTURE_H
#define VECWIRE_TESTS_SCROLL_FIXTURE_H

#include "call/scroll.h"
#include "tests/engine_fixture.h"

enum scroll_event { SCROLL_ROWS, SCROLL_DONE };

struct scroll_fixture {
    struct engine_fixture base;
    struct vecwire__settings settings;
    struct vecwire__headers headers;
    struct vecwire__scroll_config config;
    struct vecwire_scroller *s; /* NULL once the test has freed it */
    struct vecwire_refusal refusal;
    char log[1024];
    unsigned pauses; /* the next so many rows callbacks pause */
    unsigned row_runs, completions;
    enum vecwire_err code; /* of the completion, */
    char detail[128];
    struct vecwire_scroll_result result;
    char offset[64]; /* "none" for NULL; as of the last callback */
    /* What the test wants done in a callback; may be NULL. */
    void (*then)(struct scroll_fixture *f, enum scroll_event event);
};

/* An engine and settings for a scroll of 3 rows a page, which may be changed
 * before it is begun. `overrides` may be NULL. */
void scroll_init(struct scroll_fixture *f,
                 const struct vecwire__engine_config *overrides);
void scroll_begin(struct scroll_fixture *f);

/* Both, with nothing changed. */
void scroll_start(struct scroll_fixture *f);

/* Frees what is left and checks that nothing remains. */
void scroll_fini(struct scroll_fixture *f);

/* The connection of the request under way; NULL: there is none. */
struct vecwire__conn *scroll_conn(struct scroll_fixture *f);

/* Is the body of the request under way exactly this? */
void scroll_asks(struct scroll_fixture *f, const char *offset, unsigned limit);

/* A page answers the request under way: ids as JSON, with a comma between;
 * the next offset as JSON, "null" for none. */
void scroll_answer(struct scroll_fixture *f, const char *ids, const char *next);

/* The same in parts: its begin with these rows, more of them (each list with a
 * row at least), its end. A comma stands before `more`. */
void scroll_part(struct scroll_fixture *f, const char *ids);
void scroll_more(struct scroll_fixture *f, const char *ids);
void scroll_finish(struct scroll_fixture *f, const char *next);

/* Any reply with success, in one segment; `points` is JSON. */
void scroll_reply(struct scroll_fixture *f, const char *points,
                  const char *next);

/* The connection of the request under way is lost while its reply comes. */
void scroll_break(struct scroll_fixture *f);

#endif
