/* failure.c - why a call has failed: codes and texts, for each task.
 *
 * Purpose: `errno` says too little about a handshake. OpenSSL's queue of errors belongs to the
 * thread, and a task may change threads at its next pause. So the reason is translated where it
 * comes, in the same step, and stays with the task, in task-local storage.
 *
 * Invariants: OpenSSL's queue is empty after each call of this library. The storage of a task is
 * allocated by its first failure. */
#include "tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "co4/error.h"
#include "co4/local.h"

struct failure {
    co4_tls_code code;
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

static const struct failure *last(void)
{
    const struct failure *f = co4_task_local_get(&of_task);
    return f ? f : &of_thread;
}

co4_tls_code co4_tls_error(void)
{
    return last()->code;
}

const char *co4_tls_error_text(void)
{
    const struct failure *f = last();
    return f->code == CO4_TLS_OK ? "no error" : f->text;
}

int co4__tls_fails(co4_tls_code code, int err, const char *text)
{
    struct failure *f = place();
    f->code = code;
    snprintf(f->text, sizeof f->text, "%s", text ? text : strerror(err));
    ERR_clear_error();
    errno = err;
    return -1;
}

static co4_tls_code of_certificate(long result)
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

static co4_tls_code of_reason(int reason, co4_tls_code otherwise)
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

int co4__tls_fails_by_openssl(const SSL *ssl, co4_tls_code otherwise, const char *about)
{
    unsigned long error = ERR_peek_error();
    int reason = ERR_GET_REASON(error);
    const char *text = error ? ERR_reason_error_string(error) : NULL;
    char both[sizeof of_thread.text];
    co4_tls_code code = otherwise;
    if (reason == ERR_R_MALLOC_FAILURE)
        return co4__tls_fails(CO4_TLS_SYSTEM, ENOMEM, NULL);
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && ssl && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        long result = SSL_get_verify_result(ssl);
        code = of_certificate(result);
        text = X509_verify_cert_error_string(result);
    } else if (ERR_GET_LIB(error) == ERR_LIB_SSL && ssl) {
        code = of_reason(reason, otherwise);
    }
    if (code == CO4_TLS_TRUNCATED)
        return co4__tls_fails(code, ECONNRESET, "the peer has closed without the end of TLS");
    if (ERR_SYSTEM_ERROR(error))
        text = strerror(reason);
    snprintf(both, sizeof both, "%s%s%s", about ? about : "", about ? ": " : "",
             text ? text : "an error of OpenSSL without a text");
    return co4__tls_fails(code, EPROTO, both);
}

const char *co4_tls_code_name(int code)
{
    static const char *const names[] = {
#define NAMED(code) [code] = #code
        NAMED(CO4_TLS_OK),
        NAMED(CO4_TLS_SYSTEM),
        NAMED(CO4_TLS_PROTOCOL),
        NAMED(CO4_TLS_TRUNCATED),
        NAMED(CO4_TLS_REFUSED),
        NAMED(CO4_TLS_NO_VERSION),
        NAMED(CO4_TLS_NO_CIPHER),
        NAMED(CO4_TLS_NO_PROTOCOL),
        NAMED(CO4_TLS_NO_CERTIFICATE),
        NAMED(CO4_TLS_BAD_CERTIFICATE),
        NAMED(CO4_TLS_EXPIRED),
        NAMED(CO4_TLS_NOT_YET_VALID),
        NAMED(CO4_TLS_OTHER_NAME),
        NAMED(CO4_TLS_UNKNOWN_ISSUER),
        NAMED(CO4_TLS_SELF_SIGNED),
        NAMED(CO4_TLS_REVOKED),
        NAMED(CO4_TLS_BAD_FILE),
        NAMED(CO4_TLS_BAD_KEY),
#undef NAMED
    };
    return code >= 0 && code < (int)(sizeof names / sizeof *names) ? names[code] : "CO4_TLS_?";
}
