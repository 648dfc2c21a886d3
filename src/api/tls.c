/* SPDX-License-Identifier: Apache-2.0 */
#include "api/tls.h"

#ifndef VECWIRE_NO_OPENSSL

enum vecwire_err
vecwire__client_tls(struct vecwire_client *client, struct vecwire__tls **out,
                    struct vecwire_refusal *refusal)
{
    const struct vecwire_options *o = &client->options;
    struct vecwire__tls_config config = {.mem = &client->mem,
                                         .host = client->url.host,
                                         .ca_file = o->ca_file,
                                         .cert_file = o->cert_file,
                                         .key_file = o->key_file,
                                         .insecure = o->insecure};
    char why[sizeof(refusal->text)] = "";
    enum vecwire_err err;

    *out = NULL;
    if (!client->url.tls)
        return VECWIRE_OK;
    err = vecwire__tls_new(out, &config, why, sizeof(why));
    if (err == VECWIRE_OK)
        return err;
    return vecwire__refuse(refusal, err, SIZE_MAX, SIZE_MAX, "%s", why);
}

#else

enum vecwire_err
vecwire__client_tls(struct vecwire_client *client, struct vecwire__tls **out,
                    struct vecwire_refusal *refusal)
{
    *out = NULL;
    if (!client->url.tls)
        return VECWIRE_OK;
    return vecwire__refuse(refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX, SIZE_MAX,
                           "url: https needs a build with OpenSSL");
}

#endif
