/* failure.c - why a call has failed: codes and texts, for each task.
 *
 * Purpose: OpenSSL's queue of errors belongs to the thread, and a task may change threads at its
 * next pause. So a failing call translates the reason to a code in the same step, and keeps its
 * text in task-local storage.
 *
 * Invariants: OpenSSL's queue is empty after each call of this library. The storage of a task is
 * allocated by its first failure. */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "co4/error.h"
#include "co4/local.h"

static const co4_error_text all[] = {
#define ROW(code, text)                                                                            \
    {                                                                                              \
        code, #code, text                                                                          \
    }
    ROW(CO4_TLS_PROTOCOL, "what the peer sends is no TLS, or breaks its rules"),
    ROW(CO4_TLS_TRUNCATED, "the peer has closed without the end of TLS"),
    ROW(CO4_TLS_REFUSED, "the peer has ended the connection, by an alert"),
    ROW(CO4_TLS_NO_VERSION, "no version of TLS is common"),
    ROW(CO4_TLS_NO_CIPHER, "no cipher of TLS is common, or none for this certificate"),
    ROW(CO4_TLS_NO_PROTOCOL, "ALPN: no protocol is common"),
    ROW(CO4_TLS_NO_CERTIFICATE, "the peer has shown no certificate"),
    ROW(CO4_TLS_BAD_CERTIFICATE, "the certificate of the peer is not acceptable"),
    ROW(CO4_TLS_EXPIRED, "the certificate of the peer has expired"),
    ROW(CO4_TLS_NOT_YET_VALID, "the certificate of the peer is not valid yet"),
    ROW(CO4_TLS_OTHER_NAME, "the certificate of the peer is for another host"),
    ROW(CO4_TLS_UNKNOWN_ISSUER, "no trusted certificate has signed that of the peer"),
    ROW(CO4_TLS_SELF_SIGNED, "the certificate of the peer, or its root, has signed itself"),
    ROW(CO4_TLS_REVOKED, "the certificate of the peer is revoked"),
    ROW(CO4_TLS_BAD_FILE, "a file of the configuration cannot be read, or has other contents"),
    ROW(CO4_TLS_BAD_KEY, "the key is not that of the certificate"),
#undef ROW
};

struct failure {
    char text[196];
};

static const co4_task_local of_task = CO4_TASK_LOCAL(free);
/* Outside tasks, and of a task whose storage could not be allocated. */
static _Thread_local struct failure of_thread;

static struct failure *place(void)
{
    struct failure *f = co4_task_local_get(&of_task);
    if (f)
        return f;
    f = calloc(1, sizeof *f);
    if (f && co4_task_local_set(&of_task, f) == CO4_OK)
        return f;
    free(f);
    return &of_thread;
}

const char *co4_tls_error_text(void)
{
    const struct failure *f = co4_task_local_get(&of_task);
    f = f ? f : &of_thread;
    return f->text[0] ? f->text : "no error";
}

static void add_codes(void)
{
    static co4_error_texts texts = { all, sizeof all / sizeof *all, { NULL } };
    co4_error_add(&texts);
}

void co4__tls_codes_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_codes);
}

int co4__tls_fails(int code, const char *text)
{
    struct failure *f = place();
    co4__tls_codes_begin();
    snprintf(f->text, sizeof f->text, "%s", text ? text : co4_strerror(code));
    ERR_clear_error();
    return code;
}

static int of_certificate(long result)
{
    switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return CO4_TLS_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return CO4_TLS_NOT_YET_VALID;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return CO4_TLS_OTHER_NAME;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return CO4_TLS_UNKNOWN_ISSUER;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return CO4_TLS_SELF_SIGNED;
    case X509_V_ERR_CERT_REVOKED:
        return CO4_TLS_REVOKED;
    default:
        return CO4_TLS_BAD_CERTIFICATE;
    }
}

static int of_reason(int reason, int otherwise)
{
    switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
        return CO4_TLS_NO_VERSION;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_CIPHERS_AVAILABLE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SUITABLE_GROUPS:
        return CO4_TLS_NO_CIPHER;
    case SSL_R_NO_APPLICATION_PROTOCOL:
    case SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL:
        return CO4_TLS_NO_PROTOCOL;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return CO4_TLS_NO_CERTIFICATE;
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
        return CO4_TLS_TRUNCATED;
    default:
        return reason >= SSL_AD_REASON_OFFSET ? CO4_TLS_REFUSED : otherwise;
    }
}

int co4__tls_fails_by_openssl(const SSL *ssl, int otherwise, const char *about)
{
    unsigned long error = ERR_peek_error();
    int reason = ERR_GET_REASON(error);
    const char *text = error ? ERR_reason_error_string(error) : NULL;
    char both[sizeof of_thread.text];
    int code = otherwise;
    if (reason == ERR_R_MALLOC_FAILURE)
        return co4__tls_fails(CO4_ENOMEM, NULL);
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && ssl && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        long result = SSL_get_verify_result(ssl);
        code = of_certificate(result);
        text = X509_verify_cert_error_string(result);
    } else if (ERR_GET_LIB(error) == ERR_LIB_SSL && ssl) {
        code = of_reason(reason, otherwise);
    }
    if (code == CO4_TLS_TRUNCATED)
        return co4__tls_fails(code, NULL);
    if (ERR_SYSTEM_ERROR(error))
        text = strerror(reason);
    snprintf(both, sizeof both, "%s%s%s", about ? about : "", about ? ": " : "",
             text ? text : "an error of OpenSSL without a text");
    return co4__tls_fails(code, both);
}
