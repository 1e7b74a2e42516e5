/* co4/tls.h - TLS, by OpenSSL: encrypted connections, as those of conn.h. In a library of its own,
 * co4_tls: find_package(co4 COMPONENTS tls), or pkg-config co4_tls.
 *
 *     pausable co4_conn *open(co4_tls_config *config, const char *host)
 *     {
 *         int64_t deadline = co4_now() + 10 * CO4_SEC;
 *         int fd = co4_tcp_connect_until(host, "443", deadline);
 *         co4_conn *c = fd < 0 ? NULL : co4_tls_connect_until(config, fd, host, deadline);
 *         if (!c && fd >= 0) {
 *             fprintf(stderr, "%s: %s\n", host, co4_tls_error_text());
 *             co4_close(fd);
 *         }
 *         return c;
 *     }
 *
 * A client verifies the certificate of the server, and that it is for this host, unless a flag says
 * otherwise. Versions before TLS 1.2, compression and renegotiation are off.
 *
 * A connection that fails for a reason of TLS has the `errno` EPROTO; co4_tls_error() says more. A
 * peer that closes without the end that TLS has is not the end of the input: ECONNRESET. */
#ifndef CO4_TLS_H
#define CO4_TLS_H

#include <stddef.h>
#include <stdint.h>

#include "conn.h"
#include "mark.h"
#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Certificates, keys and rules, for any number of connections. */
typedef struct co4_tls_config co4_tls_config;

/* `flags` of a configuration. */

/* A client takes any certificate of any server. So it may talk to an attacker. */
#define CO4_TLS_INSECURE_ANY_CERTIFICATE 1u
/* Each handshake is a whole one: no session is kept, no ticket is sent. */
#define CO4_TLS_NO_RESUMPTION 2u
/* A server asks for a certificate, and verifies the one that it gets. */
#define CO4_TLS_ASK_CLIENT 4u
/* A server refuses a client that shows no certificate. */
#define CO4_TLS_REQUIRE_CLIENT 8u

/* Versions. */
#define CO4_TLS_1_2 12
#define CO4_TLS_1_3 13

/* What is 0 or NULL is as the comment says. Files are PEM. */
typedef struct co4_tls_options {
    /* The certificates that are trusted; a folder has names as `openssl rehash` makes them. Both
     * NULL: those of the system; for a server that asks clients, none. */
    const char *ca_file, *ca_dir;
    /* Lists of revoked certificates (CRL), of each issuer whose certificates a peer may show. NULL:
     * none is looked for. Only the certificate of the peer itself is looked up. Without a list of
     * its issuer, or with one that is out of date, it is a CO4_TLS_BAD_CERTIFICATE. A resumed
     * session is not looked up again: a new list needs a new configuration. */
    const char *crl_file;
    /* The own certificate, then those up to the root, and its key. A client needs none. The key is
     * not encrypted. */
    const char *cert_file, *key_file;
    /* ALPN: names of protocols, the best first; NULL ends them. A server chooses. */
    const char *const *alpn;
    int min_version; /* 0: CO4_TLS_1_2 */
    int max_version; /* 0: the newest */
    unsigned flags;
} co4_tls_options;

/* Why a connection has failed. The numbers are fixed. */
typedef enum co4_tls_code {
    CO4_TLS_OK = 0,             /* nothing has failed */
    CO4_TLS_SYSTEM = 1,         /* no reason of TLS: `errno` says it */
    CO4_TLS_PROTOCOL = 2,       /* the peer has sent what is no TLS, or breaks its rules */
    CO4_TLS_TRUNCATED = 3,      /* the peer has closed without the end of TLS */
    CO4_TLS_REFUSED = 4,        /* the peer has sent an alert, which the text names */
    CO4_TLS_NO_VERSION = 5,     /* no version is common */
    CO4_TLS_NO_CIPHER = 6,      /* no cipher is common, or none for this certificate */
    CO4_TLS_NO_PROTOCOL = 7,    /* ALPN: no protocol is common */
    CO4_TLS_NO_CERTIFICATE = 8, /* the peer has shown none */
    /* The certificate of the peer, or one above it, is not acceptable. */
    CO4_TLS_BAD_CERTIFICATE = 9, /* for another reason than the following, which the text says */
    CO4_TLS_EXPIRED = 10,
    CO4_TLS_NOT_YET_VALID = 11,
    CO4_TLS_OTHER_NAME = 12,     /* it is for another host */
    CO4_TLS_UNKNOWN_ISSUER = 13, /* no trusted certificate has signed it */
    CO4_TLS_SELF_SIGNED = 14,    /* likewise: it, or its root, has signed itself */
    CO4_TLS_REVOKED = 15,        /* it is in `crl_file` */
    /* The configuration itself. */
    CO4_TLS_BAD_FILE = 16, /* a file cannot be read, or is not what it has to be */
    CO4_TLS_BAD_KEY = 17   /* the key is not that of the certificate */
} co4_tls_code;

/* Unless a function says otherwise:
 *
 * Returns: what is asked for; NULL for a connection without TLS, or for what there is not.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: nothing changes hands.
 * Since: 0.2. */

/* Makes the configuration of clients. NULL: no option is set. It keeps sessions of the hosts that
 * its connections go to, and resumes them.
 *
 * Returns: the configuration; NULL with `errno`: EINVAL for options that make no sense, ENOMEM, or
 *     EPROTO with co4_tls_error().
 * Blocks: the thread, while it reads files.
 * Ownership: the caller's, until co4_tls_config_release(). The options are copied. */
CO4_MUST_USE co4_tls_config *co4_tls_client(const co4_tls_options *options);

/* Makes the configuration of servers; cert_file and key_file have to be there. Its keys for tickets
 * are its own: a server that runs for long makes a new configuration every day, say. That also
 * reads a new certificate.
 *
 * Returns: as co4_tls_client().
 * Blocks: the thread, while it reads files.
 * Ownership: as co4_tls_client(). */
CO4_MUST_USE co4_tls_config *co4_tls_server(const co4_tls_options *options);

/* Connections that use the configuration keep it. NULL does nothing.
 *
 * Ownership: ends the caller's. */
void co4_tls_config_release(co4_tls_config *config);

/* Makes a TLS connection of a descriptor: the handshake of the client, and that of the server.
 * `host` is the name, or the address, that the certificate of the server has to be for. It may be
 * NULL with CO4_TLS_INSECURE_ANY_CERTIFICATE.
 *
 * Returns: the connection, for the calls of conn.h; NULL with `errno`: EPROTO and ECONNRESET as
 *     above, EINVAL, ENOMEM, ECANCELED, ETIMEDOUT, and those of co4_read() and co4_write().
 * Pauses: until the handshake is over.
 * Cancellation: ECANCELED.
 * Ownership: the connection has the descriptor; if there is none, the caller still has it, and
 *     closes it: another handshake is not possible. */
pausable_or_block co4_conn *co4_tls_connect(co4_tls_config *config, int fd, const char *host);
pausable_or_block co4_conn *co4_tls_connect_until(co4_tls_config *config, int fd, const char *host,
                                                  int64_t deadline);
pausable_or_block co4_conn *co4_tls_accept(co4_tls_config *config, int fd);
pausable_or_block co4_conn *co4_tls_accept_until(co4_tls_config *config, int fd, int64_t deadline);

/* Why the last call of TLS has failed: one of this header, or one of conn.h. For the calling task;
 * outside tasks, for the thread.
 *
 * Returns: the code; CO4_TLS_OK if none has failed.
 * Thread safety: the calling task. */
co4_tls_code co4_tls_error(void);
/* The same for people: "certificate has expired".
 *
 * Returns: a text, never NULL.
 * Thread safety: the calling task.
 * Ownership: the text is valid until the next call of the task that fails. */
const char *co4_tls_error_text(void);

/* The name of a code in sources: "CO4_TLS_EXPIRED".
 *
 * Returns: a constant string; "CO4_TLS_?" for a number that is no code. */
const char *co4_tls_code_name(int code);

/* The protocol that ALPN has chosen; NULL: none.
 *
 * Ownership: the text is the connection's. */
const char *co4_tls_alpn(const co4_conn *c);

/* The version: "TLSv1.3".
 *
 * Ownership: the text is static. */
const char *co4_tls_version(const co4_conn *c);

/* Returns 1 if the handshake has resumed a session; 0: it was a whole one, or there is no TLS. */
int co4_tls_resumed(const co4_conn *c);

/* The subject of the certificate that the peer has shown, as RFC 2253 writes it: "CN=example.org".
 *
 * Returns: the text; NULL: the peer has shown none, or there is no TLS, or no memory.
 * Ownership: the text is the connection's. */
const char *co4_tls_peer(const co4_conn *c);

#ifdef __cplusplus
}
#endif

#endif
