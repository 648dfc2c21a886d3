/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_API_RAW_H
#define VECWIRE_API_RAW_H

#include "dialect/dialect.h"

/* Encode what vecwire_raw() was given; as the encoders of a dialect. */
enum vecwire_err vecwire__encode_raw(const struct vecwire__settings *settings,
                                     const struct vecwire_raw_request *raw,
                                     struct vecwire__encoding *enc,
                                     struct vecwire_refusal *refusal);

#endif
