/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one reply, as its bytes come, into a vecwire_reply. */
#ifndef VECWIRE_CALL_DECODER_H
#define VECWIRE_CALL_DECODER_H

#include "call/engine.h"

/* Begin: the head has come. False: no memory. */
VECWIRE_NODISCARD bool vecwire__decode_head(struct vecwire__call *call,
                                            const struct vecwire__head *head);

/* A segment of the body. False: see vecwire__decode_fault(). */
VECWIRE_NODISCARD bool vecwire__decode_body(struct vecwire__call *call,
                                            const char *bytes, size_t len);

/* The whole rows of the call's batch have gone out: make room. */
void vecwire__decode_drop_rows(struct vecwire__call *call);

/* The body has ended. False as above. */
VECWIRE_NODISCARD bool vecwire__decode_end(struct vecwire__call *call);

/* What was wrong when one of these said false: the code, and a line. */
enum vecwire_err vecwire__decode_fault(const struct vecwire__call *call,
                                       char *line, size_t size);

/* Nothing is read for this call any more. */
void vecwire__decode_stop(struct vecwire__call *call);

/* Free the decoders kept for reuse. */
void vecwire__decoders_free(struct vecwire__engine *engine);

#endif
