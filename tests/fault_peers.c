/* SPDX-License-Identifier: Apache-2.0 */
/* Who a run has to do with, besides its client and the server's scripts. */
#include "tests/fault_rig.h"

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef VECWIRE_NO_OPENSSL

#include "tests/certs.h"

bool
fault_rig_has_tls(void)
{
    return true;
}

void
fault_run_make_certificates(void)
{
    (void)cert_authority();
    (void)cert_localhost();
}

void
fault_run_use_tls(struct fault_run *run, struct vecwire_options *options)
{
    run->tls_ctx = cert_server_ctx(cert_localhost());
    fault_server_use_tls(run->server, run->tls_ctx, SIZE_MAX);
    options->ca_file = cert_authority()->cert_file;
}

void
fault_run_drop_tls(struct fault_run *run)
{
    SSL_CTX_free(run->tls_ctx);
}

#else

bool
fault_rig_has_tls(void)
{
    return false;
}

void
fault_run_make_certificates(void)
{
}

void
fault_run_use_tls(struct fault_run *run, struct vecwire_options *options)
{
    (void)run;
    (void)options;
}

void
fault_run_drop_tls(struct fault_run *run)
{
    (void)run;
}

#endif

void
fault_run_connect(struct fault_run *run)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port =
                                      htons(fault_server_port(run->server)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    run->peer = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(
        connect(run->peer, (struct sockaddr *)&address, sizeof(address)), 0);
}

void
fault_run_disconnect(struct fault_run *run)
{
    if (run->peer != 0)
        close(run->peer);
    run->peer = 0;
}
