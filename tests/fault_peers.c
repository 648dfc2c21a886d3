/* SPDX-License-Identifier: Apache-2.0 */
/* Who a run has to do with, besides its client and the server's scripts. */
#include "tests/fault_rig.h"

#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- libevent's memory --- */

static size_t n_blocks;

static void *
count_malloc(size_t size)
{
    void *block = malloc(size);

    n_blocks += block != NULL;
    return block;
}

static void *
count_realloc(void *block, size_t size)
{
    void *moved = realloc(block, size);

    n_blocks += block == NULL && moved != NULL;
    return moved;
}

static void
count_free(void *block)
{
    n_blocks -= block != NULL;
    free(block);
}

void
fault_rig_count_libevent(void)
{
    event_set_mem_functions(count_malloc, count_realloc, count_free);
}

size_t
fault_rig_libevent_blocks(void)
{
    return n_blocks;
}

/* --- TLS --- */

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

/* --- another client --- */

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
