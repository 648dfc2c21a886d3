/* SPDX-License-Identifier: Apache-2.0 */
/* Files of authorities, certificates and keys: what is in them, and that no
 * passphrase is ever asked for. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/serve_tls.h"
#include "tests/client_rig.h"
#include "tests/tls_rig.h"

/* --- files of authorities --- */

/* A client that trusts this file: is our server taken? */
static enum vecwire_err
ask_trusting(const char *ca_file)
{
    struct tls_rig rig;
    enum vecwire_err code;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    code =
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.ca_file = ca_file));
    if (code == VECWIRE_OK)
        code = tls_rig_ask(&rig);
    else
        ck_assert_msg(strstr(rig.refusal.text, "ca_file: ") != NULL, "%s",
                      rig.refusal.text);
    if (code != VECWIRE_OK)
        ck_assert_uint_eq(fault_server_received(rig.server), 0);
    tls_rig_fini(&rig);
    return code;
}

START_TEST(each_authority_of_a_file_is_trusted)
{
    const struct cert *another =
        cert_new(&(struct cert_spec){.name = "another CA", .ca = true});
    const struct cert *both[] = {another, cert_authority()};
    char file[40];

    cert_bundle(file, sizeof(file), both, 2, "");
    ck_assert_int_eq(ask_trusting(file), VECWIRE_OK);
    cert_bundle(file, sizeof(file), both, 1, "");
    ck_assert_int_eq(ask_trusting(file), VECWIRE_ETLS);
}
END_TEST

START_TEST(text_around_the_certificates_is_no_matter)
{
    const struct cert *ours[] = {cert_authority()};
    char file[40];

    cert_bundle(file, sizeof(file), ours, 1, "\n# the end\n");
    ck_assert_int_eq(ask_trusting(file), VECWIRE_OK);
}
END_TEST

static const char *const broken[] = {
    "", "no certificate\n", "-----BEGIN CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n"};

START_TEST(a_file_without_an_authority_is_refused)
{
    char file[40];

    cert_bundle(file, sizeof(file), NULL, 0, broken[_i]);
    ck_assert_int_eq(ask_trusting(file), VECWIRE_EINVAL);
}
END_TEST

START_TEST(a_file_that_breaks_off_behind_an_authority_is_refused)
{
    const struct cert *ours[] = {cert_authority()};
    char file[40];

    cert_bundle(file, sizeof(file), ours, 1, broken[_i]);
    ck_assert_int_eq(ask_trusting(file), VECWIRE_EINVAL);
}
END_TEST

START_TEST(a_directory_is_no_file_of_authorities)
{
    ck_assert_int_eq(ask_trusting("/"), VECWIRE_EINVAL);
}
END_TEST

/* --- our own certificate --- */

/* Made once: it takes a while. */
static const struct cert *
rsa_cert(void)
{
    static const struct cert *cert;

    if (cert == NULL)
        cert = cert_new(&(struct cert_spec){.name = "rsa", .rsa_bits = 2048});
    return cert;
}

/* What the refusal says; "": the client was made. */
static const char *
refusal_with(const char *cert_file, const char *key_file)
{
    static char text[240];
    struct tls_rig rig;
    enum vecwire_err code;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    code = tls_rig_client(
        &rig, "localhost",
        VECWIRE_OPTIONS(.cert_file = cert_file, .key_file = key_file));
    snprintf(text, sizeof(text), "%s",
             code == VECWIRE_OK ? "" : rig.refusal.text);
    if (code != VECWIRE_OK)
        ck_assert_int_eq(code, VECWIRE_EINVAL);
    tls_rig_fini(&rig);
    return text;
}

START_TEST(a_key_of_another_kind_than_its_certificate_is_refused)
{
    const struct cert *rsa = rsa_cert();
    const char *text = refusal_with(cert_localhost()->cert_file, rsa->key_file);

    ck_assert_msg(strstr(text, "key_file: ") == text, "%s", text);
    ck_assert_str_eq(refusal_with(rsa->cert_file, rsa->key_file), "");
}
END_TEST

START_TEST(a_server_gets_the_certificates_behind_ours)
{
    const struct cert *middle = cert_new(&(struct cert_spec){
        .issuer = cert_authority(), .name = "middle", .ca = true});
    const struct cert *ours =
        cert_new(&(struct cert_spec){.issuer = middle, .name = "us"});
    const struct cert *chain[] = {ours, middle};
    struct tls_rig rig;
    char file[40];

    cert_bundle(file, sizeof(file), chain, (size_t)_i + 1, "");
    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    SSL_CTX_load_verify_file(rig.ctx, cert_authority()->cert_file);
    SSL_CTX_set_verify(rig.ctx,
                       SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    ck_assert_int_eq(
        tls_rig_client(
            &rig, "localhost",
            VECWIRE_OPTIONS(.cert_file = file, .key_file = ours->key_file)),
        VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), _i == 1 ? VECWIRE_OK : VECWIRE_ETLS);
    tls_rig_fini(&rig);
}
END_TEST

/* --- passphrases --- */

/* What the server says of its own; "": nothing. */
static const char *
server_refusal(const char *cert_file, const char *key_file)
{
    static char text[300];
    SSL_CTX *ctx =
        vecwire__serve_tls_new(cert_file, key_file, text, sizeof(text));

    if (ctx != NULL)
        text[0] = '\0';
    vecwire__serve_tls_free(ctx);
    return text;
}

START_TEST(the_server_s_own_files_are_looked_at_the_same_way)
{
    const struct cert *cert = cert_localhost();
    const struct cert *rsa = rsa_cert();
    const char *text;
    char file[40];

    ck_assert_str_eq(server_refusal(cert->cert_file, cert->key_file), "");
    text = server_refusal(cert->cert_file, rsa->key_file);
    ck_assert_ptr_eq(strstr(text, rsa->key_file), text);
    text = server_refusal(cert->cert_file, cert_authority()->key_file);
    ck_assert_msg(strstr(text, "mismatch") != NULL, "%s", text);
    cert_locked_key(file, sizeof(file), cert, _i == 1);
    text = server_refusal(cert->cert_file, file);
    ck_assert_msg(strstr(text, "encrypted") != NULL, "%s", text);
}
END_TEST

START_TEST(an_encrypted_key_is_refused)
{
    const struct cert *cert = cert_localhost();
    const char *text;
    char file[40];

    cert_locked_key(file, sizeof(file), cert, _i == 1);
    text = refusal_with(cert->cert_file, file);
    ck_assert_msg(strstr(text, "key_file: ") == text &&
                      strstr(text, "encrypted") != NULL,
                  "%s", text);
}
END_TEST

/* A process with a terminal of its own, at which nobody types: whoever asks
 * hangs there, or leaves words on it. */
static void
at_terminal(const char *terminal, const char *key_file)
{
    struct vecwire_client *client = NULL;
    struct event_base *base;
    int fd, tty;

    setsid();
    fd = open(terminal, O_RDWR);
    if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) < 0)
        _exit(2);
    tty = open("/dev/tty", O_RDWR);
    if (tty < 0)
        _exit(2);
    close(tty);
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    /* OpenSSL catches what else would end a prompt. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    base = event_base_new();
    if (vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(.url = "https://localhost",
                             .cert_file = cert_localhost()->cert_file,
                             .key_file = key_file)) != VECWIRE_EINVAL)
        _exit(3);
    event_base_free(base);
    _exit(0);
}

START_TEST(no_passphrase_is_asked_for_on_the_terminal)
{
    char file[40], words[200] = "";
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), status = 0;
    pid_t child;
    ssize_t n;

    if (master < 0) {
        printf("SKIP no_passphrase_is_asked_for_on_the_terminal: no terminals "
               "here\n");
        return;
    }
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    cert_locked_key(file, sizeof(file), cert_localhost(), _i == 1);
    child = fork();
    if (child == 0)
        at_terminal(ptsname(master), file);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    n = read(master, words, sizeof(words) - 1);
    ck_assert_msg(n <= 0, "%s", words);
    ck_assert_int_eq(status, 0);
    close(master);
}
END_TEST

static void
add_tests(TCase *tc)
{
    int n_broken = (int)(sizeof(broken) / sizeof(broken[0]));

    tcase_add_test(tc, each_authority_of_a_file_is_trusted);
    tcase_add_test(tc, text_around_the_certificates_is_no_matter);
    tcase_add_loop_test(tc, a_file_without_an_authority_is_refused, 0,
                        n_broken);
    tcase_add_loop_test(
        tc, a_file_that_breaks_off_behind_an_authority_is_refused, 2, n_broken);
    tcase_add_test(tc, a_directory_is_no_file_of_authorities);
    tcase_add_test(tc, a_key_of_another_kind_than_its_certificate_is_refused);
    tcase_add_loop_test(tc, a_server_gets_the_certificates_behind_ours, 0, 2);
    tcase_add_loop_test(tc, an_encrypted_key_is_refused, 0, 2);
    tcase_add_loop_test(tc, the_server_s_own_files_are_looked_at_the_same_way,
                        0, 2);
    tcase_add_loop_test(tc, no_passphrase_is_asked_for_on_the_terminal, 0, 2);
}

int
main(void)
{
    return client_rig_main("tls_files", add_tests);
}
