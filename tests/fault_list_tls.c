/* SPDX-License-Identifier: Apache-2.0 */
/* What only TLS can suffer. Of no dialect. */
#include "tests/fault_list.h"

#ifndef VECWIRE_NO_OPENSSL

#include <stdint.h>
#include <stdio.h>

#include "tests/certs.h"
#include "tests/fault_rig.h"

#define UNREAD .requests = FAULT_UNREAD
#define NO_LENGTH LINE MARKED "\r\n" FAULT_MARK

/* --- servers that do not speak TLS --- */

static void
no_tls(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    fault_server_use_tls(run->server, NULL, 0);
}

static void
tls_again(struct fault_run *run)
{
    fault_server_use_tls(run->server, run->tls_ctx, SIZE_MAX);
}

/* A client without TLS. */
static void
plain_client(struct fault_run *run, struct vecwire_options *options)
{
    snprintf(run->url, sizeof(run->url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(run->server));
    options->ca_file = NULL;
}

static void
plain_again(struct fault_run *run)
{
    fault_server_use_tls(run->server, NULL, 0);
}

/* --- handshakes --- */

/* The server's flight is a little longer. */
#define PLACES 30
#define APART 22

static void
fall_silent(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    fault_server_use_tls(run->server, run->tls_ctx, run->pass * APART);
}

static void
end_midway(struct fault_run *run, struct vecwire_options *options)
{
    fall_silent(run, options);
    fault_server_cut_tls(run->server);
}

static void
another_name(struct fault_run *run, struct vecwire_options *options)
{
    const struct cert *cert = cert_authority();

    (void)options;
    SSL_CTX_use_certificate(run->tls_ctx, cert->x509);
    SSL_CTX_use_PrivateKey(run->tls_ctx, cert->key);
}

static void
right_name(struct fault_run *run)
{
    const struct cert *cert = cert_localhost();

    SSL_CTX_use_certificate(run->tls_ctx, cert->x509);
    SSL_CTX_use_PrivateKey(run->tls_ctx, cert->key);
}

static void
old_version(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    SSL_CTX_set_security_level(run->tls_ctx, 0);
    SSL_CTX_set_min_proto_version(run->tls_ctx, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(run->tls_ctx, TLS1_1_VERSION);
}

static void
any_version(struct fault_run *run)
{
    SSL_CTX_set_max_proto_version(run->tls_ctx, 0);
}

static void
tls_1_2(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    SSL_CTX_set_max_proto_version(run->tls_ctx, TLS1_2_VERSION);
}

static int
choose_h2(SSL *ssl, const unsigned char **out, unsigned char *n,
          const unsigned char *in, unsigned in_len, void *arg)
{
    (void)ssl;
    (void)in;
    (void)in_len;
    (void)arg;
    *out = (const unsigned char *)"h2";
    *n = 2;
    return SSL_TLSEXT_ERR_OK;
}

static void
speak_h2(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    SSL_CTX_set_alpn_select_cb(run->tls_ctx, choose_h2, NULL);
}

static void
speak_any(struct fault_run *run)
{
    SSL_CTX_set_alpn_select_cb(run->tls_ctx, NULL, NULL);
}

static void
want_certificate(struct fault_run *run, struct vecwire_options *options)
{
    (void)options;
    SSL_CTX_set_verify(run->tls_ctx,
                       SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}

static void
want_certificate_1_2(struct fault_run *run, struct vecwire_options *options)
{
    want_certificate(run, options);
    tls_1_2(run, options);
}

static void
want_none(struct fault_run *run)
{
    SSL_CTX_set_verify(run->tls_ctx, SSL_VERIFY_NONE, NULL);
}

#else

#define no_tls NULL
#define tls_again NULL
#define plain_client NULL
#define plain_again NULL
#define PLACES 30
#define fall_silent NULL
#define end_midway NULL
#define another_name NULL
#define right_name NULL
#define old_version NULL
#define any_version NULL
#define tls_1_2 NULL
#define speak_h2 NULL
#define speak_any NULL
#define want_certificate NULL
#define want_certificate_1_2 NULL
#define want_none NULL
#define UNREAD .requests = FAULT_UNREAD
#define NO_LENGTH LINE MARKED "\r\n" FAULT_MARK

#endif

/* A server without TLS, as the others are meant to be. */
#define NO_TLS .prepare = no_tls, .mend = tls_again, UNREAD
#define ONE_TRY .options = {.attempts = 1}
#define NO_SHAKE(what, bytes)                                                  \
    ROW(what, GET, SEES(ETLS, TLS), DROPPED,                                   \
        .scripts = ONE(SEND(bytes), STALL), NO_TLS)
#define EACH_BYTE(text) ((unsigned)sizeof(text) - 2)

static const struct fault tls[] = {
    /* --- no handshake --- */
    NO_SHAKE("a server that speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"),
    NO_SHAKE("a server that speaks SSH", "SSH-2.0-OpenSSH_9.2\r\n"),
    NO_SHAKE("garbage for a handshake", "\xff\xff\xff\xff\xff\xff\xff\xff"),
    NO_SHAKE("a record of 64 KB", "\x16\x03\x03\xff\xff\x02"),
    NO_SHAKE("data before the handshake", "\x17\x03\x03\x00\x05hello"),
    NO_SHAKE("an alert: handshake_failure", "\x15\x03\x03\x00\x02\x02\x28"),
    NO_SHAKE("an alert: internal_error", "\x15\x03\x03\x00\x02\x02\x50"),
    ROW("a goodbye for a handshake", GET, SEES(EIO, TLS), DROPPED,
        .scripts = ONE(SEND("\x15\x03\x03\x00\x02\x01\x00"), STALL), NO_TLS,
        ONE_TRY),
    ROW("closed before the handshake", GET, SEES(EIO, TLS), DROPPED,
        .scripts = ONE(END), NO_TLS, ONE_TRY),
    ROW("closed before the handshake, three times", POST, SEES(EIO, TLS),
        DROPPED, .scripts = {SCRIPT(END), SCRIPT(END), SCRIPT(END)},
        .connections = 3, NO_TLS),
    ROW("no handshake at all", GET, SEES(ETIMEDOUT, TLS), DROPPED,
        .scripts = ONE(STALL), NO_TLS, ONE_TRY),
    ROW("closed at each of the first 200 bytes of our hello", GET,
        SEES(EIO, TLS), DROPPED, .scripts = ONE(READ_SOME(1)), NO_TLS, ONE_TRY,
        .cut = 1, .passes = 200, .partly = true),
    ROW("reset at each of the first 40 bytes of our hello", POST,
        SEES(EIO, TLS), DROPPED, .scripts = ONE(READ_SOME(1), RESET), NO_TLS,
        ONE_TRY, .cut = 1, .passes = 40, .partly = true),
    ROW("half closed at each of the first 40 bytes of our hello", POST,
        SEES(EIO, TLS), DROPPED,
        .scripts = ONE(READ_SOME(1), HALF_CLOSE, STALL), NO_TLS, ONE_TRY,
        .cut = 1, .passes = 40, .partly = true),
    ROW("a plain client to a TLS server", GET, SEES(EIO, WAITING), DROPPED,
        .prepare = plain_client, .mend = plain_again, UNREAD),
    /* --- half a handshake --- */
    ROW("the server falls silent in its handshake", GET, SEES(ETIMEDOUT, TLS),
        DROPPED, .prepare = fall_silent, .mend = tls_again, ONE_TRY, UNREAD,
        .passes = PLACES),
    ROW("the server falls silent in its handshake, the call is canceled", POST,
        SEES(ECANCELED, TLS), DROPPED, .prepare = fall_silent,
        .mend = tls_again, UNREAD, .passes = PLACES, .act = FAULT_CANCEL),
    ROW("the server falls silent in its handshake, the client is freed", POST,
        SEES(ECLOSED, TLS), DROPPED, .prepare = fall_silent, UNREAD,
        .passes = PLACES, .act = FAULT_FREE),
    ROW("the server closes in its handshake", POST, SEES(EIO, TLS), DROPPED,
        .prepare = end_midway, .mend = tls_again, ONE_TRY, UNREAD,
        .passes = PLACES),
    /* --- a bad one --- */
    ROW("another's certificate", GET, SEES(ETLS, TLS), DROPPED,
        .prepare = another_name, .mend = right_name, UNREAD,
        .text = "mismatch"),
    ROW("a version before 1.2", GET, SEES(ETLS, TLS), DROPPED,
        .prepare = old_version, .mend = any_version, UNREAD,
        .text = "protocol version"),
    ROW("HTTP/2, which was not offered", GET, SEES(ETLS, TLS), DROPPED,
        .prepare = speak_h2, .mend = speak_any, UNREAD),
    ROW("our certificate is wanted, TLS 1.2", GET, SEES(ETLS, TLS), DROPPED,
        .prepare = want_certificate_1_2, .mend = want_none, UNREAD),
    ROW("our certificate is wanted, TLS 1.3", GET, SEES(ETLS, WAITING), DROPPED,
        .prepare = want_certificate, .mend = want_none, UNREAD,
        .text = "refused our certificate"),
    ROW("a server of TLS 1.2", GET, FINE, KEPT, .scripts = ONE(SERVE),
        .prepare = tls_1_2),
    /* --- ends without close_notify --- */
    ROW("cut behind the reply", GET, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, CUT)),
    ROW("cut without a word", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ, CUT)),
    ROW("cut without a word, a write by id", UPSERT,
        SEES(EUNKNOWN, WAITING, .unknown = true), DROPPED,
        .scripts = ONE(READ, CUT)),
    ROW("cut without a word, on a used connection", GET, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, READ, CUT), .warm = true, .connections = 2,
        .requests = 2),
    ROW("cut while idle", GET, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, GATE, CUT)),
    ROW("cut while idle, not seen", POST, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, GATE, CUT), .unseen = true),
    ROW("cut at each byte of a head", GET, SEES(EIO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND(HEAD("6")), CUT), .cut = 2,
        .passes = EACH_BYTE(HEAD("6"))),
    ROW("cut at each byte of a body without a length", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(LINE MARKED "\r\n"),
                       SEND(FAULT_MARK "0123456789"), CUT),
        .cut = 3, .passes = EACH_BYTE(FAULT_MARK "0123456789")),
    ROW("a body without a length, cut where it ends", GET,
        SEES(EIO, RECEIVING, .status = 200), DROPPED,
        .scripts = ONE(READ, SEND(NO_LENGTH), CUT)),
    ROW("a body without a length, closed where it ends", GET, FINE, DROPPED,
        .scripts = ONE(READ, SEND(NO_LENGTH), END)),
    /* --- between, and in, records --- */
    ROW("garbage instead of a reply", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ, RAW("HTTP/1.1 200 OK\r\n\r\n"), STALL)),
    ROW("a forged record instead of a reply", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ,
                       RAW("\x17\x03\x03\x00\x20"
                           "01234567890123456789012345678901"),
                       STALL)),
    ROW("a forged record in a reply", GET, SEES(EIO, RECEIVING), DROPPED,
        .scripts = ONE(READ, SEND("HTTP/1.1 200 OK\r\nContent-"),
                       RAW("\x17\x03\x03\x00\x20"
                           "01234567890123456789012345678901"),
                       STALL)),
    ROW("a forged record while idle", GET, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, GATE,
                       RAW("\x17\x03\x03\x00\x20"
                           "01234567890123456789012345678901"),
                       STALL)),
    ROW("a forged record while idle, not seen", GET, FINE, DROPPED,
        .scripts = ONE(READ, ANSWER, GATE,
                       RAW("\x17\x03\x03\x00\x20"
                           "01234567890123456789012345678901"),
                       STALL),
        .unseen = true),
    ROW("half a record", GET, SEES(ETIMEDOUT, WAITING), DROPPED,
        .scripts = ONE(READ,
                       RAW("\x17\x03\x03\x00\x20"
                           "0123"),
                       STALL)),
    ROW("half a record, closed", GET, SEES(EIO, WAITING), DROPPED,
        .scripts = ONE(READ,
                       RAW("\x17\x03\x03\x00\x20"
                           "0123"),
                       CUT)),
    ROW("new keys before a reply", GET, FINE, KEPT,
        .scripts = ONE(READ, NEW_KEYS, ANSWER, SERVE)),
    ROW("new keys in a reply", GET, FINE, KEPT,
        .scripts =
            ONE(READ, SEND(HEAD("6")), NEW_KEYS, SEND(FAULT_MARK), SERVE)),
    ROW("new keys while idle", GET, FINE, KEPT,
        .scripts = ONE(READ, ANSWER, GATE, NEW_KEYS, SERVE)),
    ROW("new keys while idle, not seen", GET, FINE, KEPT,
        .scripts = ONE(READ, ANSWER, GATE, NEW_KEYS, SERVE), .unseen = true),
    ROW("a new handshake is asked for, TLS 1.2", GET, FINE, DROPPED,
        .scripts = ONE(READ, NEW_KEYS, ANSWER, SERVE), .prepare = tls_1_2),
};

const struct fault_list fault_list_tls =
    FAULT_LIST("What only TLS can suffer", &fault_hms, false, true, tls);
