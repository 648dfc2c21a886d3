/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that only Qdrant has. */
#include "api/verb.h"

#include "dialect/qdrant.h"

#define OWN(encoder)                                                           \
    .which = VECWIRE__VERB_OWN, .own = vecwire__qdrant_encode_##encoder,       \
    .dialect = VECWIRE_QDRANT

#include "dialect/qdrant.h"
