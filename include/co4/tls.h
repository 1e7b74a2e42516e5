/* co4/tls.h - TLS, by OpenSSL: encrypted connections, as those of conn.h. In a library of its own,
 * co4_tls: find_package(co4 COMPONENTS tls), or pkg-config co4_tls.
 *
 *     pausable int open_secure(co4_conn **c, co4_tls_config *config, const char *host)
 *     {
 *         int64_t deadline = co4_after(10 * CO4_SEC);
 *         int fd = co4_tcp_connect_until(host, "443", deadline);
 *         if (fd < 0)
 *             return fd;
 *         int err = co4_tls_connect_until(c, config, fd, host, deadline);
 *         if (err != CO4_OK) {
 *             fprintf(stderr, "%s: %s\n", host, co4_tls_error_text());
 *             co4_close(fd);
 *         }
 *         return err;
 *     }
 *
 * A client verifies the certificate of the server, and that it is for this host, unless a flag says
 * otherwise. Versions before TLS 1.2, compression and renegotiation are off.
 *
 * A call that fails for a reason of TLS returns one of the codes below, also the calls of conn.h.
 * Other codes are as there. A peer that closes without the end that TLS has is not the end of the
 * input: CO4_TLS_TRUNCATED. */
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

/* Codes (error.h). The numbers are fixed. */
typedef enum co4_tls_code {
    CO4_TLS_PROTOCOL = -2151,       /* the peer has sent what is no TLS, or breaks its rules */
    CO4_TLS_TRUNCATED = -2152,      /* the peer has closed without the end of TLS */
    CO4_TLS_REFUSED = -2153,        /* the peer has sent an alert, which the text names */
    CO4_TLS_NO_VERSION = -2154,     /* no version is common */
    CO4_TLS_NO_CIPHER = -2155,      /* no cipher is common, or none for this certificate */
    CO4_TLS_NO_PROTOCOL = -2156,    /* ALPN: no protocol is common */
    CO4_TLS_NO_CERTIFICATE = -2157, /* the peer has shown none */
    /* The certificate of the peer, or one above it, is not acceptable. */
    CO4_TLS_BAD_CERTIFICATE = -2158, /* for another reason than the following: see the text */
    CO4_TLS_EXPIRED = -2159,
    CO4_TLS_NOT_YET_VALID = -2160,
    CO4_TLS_OTHER_NAME = -2161,     /* it is for another host */
    CO4_TLS_UNKNOWN_ISSUER = -2162, /* no trusted certificate has signed it */
    CO4_TLS_SELF_SIGNED = -2163,    /* likewise: it, or its root, has signed itself */
    CO4_TLS_REVOKED = -2164,        /* it is in `crl_file` */
    /* The configuration itself. */
    CO4_TLS_BAD_FILE = -2165, /* a file cannot be read, or is not what it has to be */
    CO4_TLS_BAD_KEY = -2166   /* the key is not that of the certificate */
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
 * Returns: CO4_OK, and *config is set; else it is NULL: CO4_EINVAL for options that make no sense,
 *     CO4_ENOMEM, CO4_TLS_BAD_FILE, CO4_TLS_BAD_KEY, CO4_TLS_PROTOCOL.
 * Blocks: the thread, while it reads files.
 * Ownership: the caller's, until co4_tls_config_release(). The options are copied. */
CO4_MUST_USE int co4_tls_client(co4_tls_config **config, const co4_tls_options *options);

/* Makes the configuration of servers; cert_file and key_file have to be there. Its keys for tickets
 * are its own: a server that runs for long makes a new configuration every day, say. That also
 * reads a new certificate.
 *
 * Returns: as co4_tls_client().
 * Blocks: the thread, while it reads files.
 * Ownership: as co4_tls_client(). */
CO4_MUST_USE int co4_tls_server(co4_tls_config **config, const co4_tls_options *options);

/* Connections that use the configuration keep it. NULL does nothing.
 *
 * Ownership: ends the caller's. */
void co4_tls_config_release(co4_tls_config *config);

/* Makes a TLS connection of a descriptor: the handshake of the client, and that of the server.
 * `host` is the name, or the address, that the certificate of the server has to be for. It may be
 * NULL with CO4_TLS_INSECURE_ANY_CERTIFICATE.
 *
 * Returns: CO4_OK, and *c is a connection for the calls of conn.h; else it is NULL: a code above,
 *     CO4_EINVAL, CO4_ENOMEM, CO4_ECLOSED for what is no open descriptor, CO4_ECANCELED,
 *     CO4_ETIMEDOUT, and those of the system.
 * Pauses: until the handshake is over.
 * Cancellation: CO4_ECANCELED.
 * Ownership: the connection has the descriptor; if there is none, the caller still has it, and
 *     closes it: another handshake is not possible. */
pausable_or_block int co4_tls_connect(co4_conn **c, co4_tls_config *config, int fd,
                                      const char *host);
pausable_or_block int co4_tls_connect_until(co4_conn **c, co4_tls_config *config, int fd,
                                            const char *host, int64_t deadline);
pausable_or_block int co4_tls_accept(co4_conn **c, co4_tls_config *config, int fd);
pausable_or_block int co4_tls_accept_until(co4_conn **c, co4_tls_config *config, int fd,
                                           int64_t deadline);

/* Why the last call of TLS has failed, one of this header or one of conn.h, in more words than
 * co4_strerror() has: the name of the file, what the alert says. For the calling task; outside
 * tasks, for the thread.
 *
 * Returns: a text, never NULL.
 * Thread safety: the calling task.
 * Ownership: the text is valid until the next call of the task that fails. */
const char *co4_tls_error_text(void);

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
