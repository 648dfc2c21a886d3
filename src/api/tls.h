/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_API_TLS_H
#define VECWIRE_API_TLS_H

#include "api/client.h"

/* The TLS side of a client whose URL is https, of its options; else *out is
 * NULL. */
enum vecwire_err vecwire__client_tls(struct vecwire_client *client,
                                     struct vecwire__tls **out,
                                     struct vecwire_refusal *refusal);

#endif
