/* SPDX-License-Identifier: Apache-2.0 */
/* The only door to the user's code. */
#ifndef VECWIRE_CALL_FINISH_H
#define VECWIRE_CALL_FINISH_H

#include <vecwire/scroller.h>
#include <vecwire/uploader.h>

#include "call/engine.h"

/* Run the completion of a call that is DONE and off every list, and free the
 * call. The engine may be shut when this returns. */
void vecwire__finish_call(struct vecwire__call *call);

/* Run on_rows for the whole rows of the call's batch. The call may be gone,
 * and the engine shut, when this returns. */
enum vecwire_rows_action vecwire__finish_rows(struct vecwire__call *call);

/* Run the callback of vecwire_client_close(). As above. */
void vecwire__finish_close(struct vecwire__engine *engine,
                           enum vecwire_err code);

/* The callbacks of an upload: rows that failed, room, the completion. What
 * runs on the upload holds it; it may have come to its end when these
 * return. */
void vecwire__finish_failed(struct vecwire_uploader *up,
                            const struct vecwire_failed_rows *failed);
void vecwire__finish_room(struct vecwire_uploader *up);
void vecwire__finish_upload(struct vecwire__engine *engine,
                            struct vecwire_uploader *up);

/* Those of a scroll. As above. */
enum vecwire_rows_action
vecwire__finish_scrolled(struct vecwire_scroller *scroller,
                         const struct vecwire_reply *rows);
void vecwire__finish_scroll(struct vecwire__engine *engine,
                            struct vecwire_scroller *scroller);

#endif
