/* tls.h - what the files of the library co4_tls share. stream.c explains a connection. */
#ifndef CO4_TLS_INTERNAL_H
#define CO4_TLS_INTERNAL_H

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/tls.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

struct co4__tls_session;

/* Sessions of a client, the newest first (sessions.c). `lock` guards both fields. */
struct co4__tls_sessions {
    pthread_mutex_t lock;
    struct co4__tls_session *first;
    int count;
};

/* Constant after its creation, except for `references` and `sessions`. */
struct co4_tls_config {
    SSL_CTX *context;
    BIO_METHOD *descriptor; /* of the BIO between OpenSSL and a descriptor */
    bool server;
    unsigned flags;
    atomic_int references;
    /* ALPN: as it is sent, and the same names with a '\0' behind each. */
    unsigned char *alpn;
    unsigned alpn_bytes;
    char *alpn_names;
    struct co4__tls_sessions sessions;
};

/* A connection. `lock` guards all below it; it comes before the lock of the sessions. */
struct co4__tls {
    co4_tls_config *config;
    int fd;
    char *host;       /* of a client: the key of its sessions; or NULL */
    const char *alpn; /* in `alpn_names` of the configuration; set by the handshake */

    pthread_mutex_t lock;
    SSL *ssl;
    /* Output of OpenSSL that was not sent: the bytes from `at` to `end`. */
    struct {
        char *bytes;
        size_t at, end, size;
    } held;
    bool ended;       /* the descriptor has no more input */
    int receive_code; /* of the last receive that has failed; 0: none */
    int send_code;    /* of the first send that has failed; later output is dropped */
    int failed;       /* OpenSSL cannot go on: the code of all later calls */
    char *peer;       /* the subject of its certificate; NULL: no call has asked for it yet */
};

/* ---- failure.c ---- */

/* Makes the codes of this library known to co4_strerror(). */
void co4__tls_codes_begin(void);
/* Notes why the calling task has failed. A text of NULL is that of the code. Returns the code. */
int co4__tls_fails(int code, const char *text);
/* The same by the queue of errors of OpenSSL, which it empties; `ssl` may be NULL. */
int co4__tls_fails_by_openssl(const SSL *ssl, int otherwise, const char *about);

/* ---- sessions.c ---- */

/* Returns 0 or an error number. */
int co4__tls_sessions_init(struct co4__tls_sessions *s);
void co4__tls_sessions_fini(struct co4__tls_sessions *s);
/* Takes over the session. False: there is no memory, and the caller still has it. */
bool co4__tls_sessions_put(struct co4__tls_sessions *s, const char *host, SSL_SESSION *session);
/* Returns a session to resume, which is the caller's; or NULL. */
SSL_SESSION *co4__tls_sessions_take(struct co4__tls_sessions *s, const char *host);

/* ---- config.c ---- */

void co4__tls_config_retain(co4_tls_config *config);
/* Returns the text of a protocol in the configuration; NULL: it is not there. */
const char *co4__tls_protocol(const co4_tls_config *config, const unsigned char *name,
                              size_t bytes);

/* ---- stream.c ---- */

/* Returns NULL when out of memory. */
BIO_METHOD *co4__tls_descriptor_method(void);
/* Begins a connection. Returns CO4_OK or a code. */
int co4__tls_begin(struct co4__tls **t, co4_tls_config *config, bool server, int fd,
                   const char *host);
/* Goes on with the handshake. Returns CO4_OK when it is over, CO4_WANTS_…, or a code. */
int co4__tls_try_handshake(struct co4__tls *t);
/* After the handshake: makes the connection, which then has `t`. Returns CO4_OK or a code. */
int co4__tls_finish(co4_conn **c, struct co4__tls *t);
/* Gives everything back but the descriptor. */
void co4__tls_destroy(void *t);

#endif
