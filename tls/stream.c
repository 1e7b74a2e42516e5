/* stream.c - a connection: OpenSSL above, the descriptor below, a transport of conn.h.
 *
 * Purpose: a BIO of its own makes OpenSSL receive and send by co4_recv_until() and its like, also
 * in the simulated network. It takes all output: `held` keeps the bytes that the descriptor
 * does not take. So a write of OpenSSL never stops within a record, and its rules for a repeated
 * write do not matter: bytes in a record count as written, like those in a socket's buffer.
 *
 * Invariants: output is sent in the order in which OpenSSL writes it. A write begins when nothing
 * is held, so `held` has one record at most, and the answers that reads have to send. A read that
 * finds too many answers there waits until they are sent.
 *
 * Concurrency: an SSL is for one thread at a time, but one task reads while another writes. `lock`
 * is held for one call of OpenSSL, which never waits: the time of a record, some microseconds.
 *
 * Failures: a send that fails is kept from OpenSSL, and later output is dropped. So a read still
 * finds the alert by which the peer has said why it closed. A failure of OpenSSL is final.
 *
 * Rejected: SSL_set_fd(), which knows nothing of simulated descriptors and raises SIGPIPE. An
 * SSL_write() that is repeated after a wait: after a cancellation the caller may write other bytes,
 * and half a record cannot be taken back. */
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "co4/io.h"

/* More output of reads than this is sent before the next read. */
#define MOST_HELD 65536
/* A write takes no more at once, so that other tasks get their turn. */
#define MOST_TAKEN 262144

/* ---- output that was not sent ---- */

static void forget_held(struct co4__tls *t)
{
    free(t->held.bytes);
    t->held.bytes = NULL;
    t->held.at = t->held.end = t->held.size = 0;
}

static bool hold(struct co4__tls *t, const char *from, size_t bytes)
{
    if (t->held.size - t->held.end < bytes) {
        size_t size = t->held.end + bytes;
        char *more = realloc(t->held.bytes, size);
        if (!more)
            return false;
        t->held.bytes = more;
        t->held.size = size;
    }
    memcpy(t->held.bytes + t->held.end, from, bytes);
    t->held.end += bytes;
    return true;
}

/* Returns how many bytes the descriptor has taken, also 0. */
static size_t send_some(struct co4__tls *t, const char *from, size_t bytes)
{
    ssize_t n = co4_send_until(t->fd, from, bytes, 0, CO4_NOW);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
        t->send_code = co4_code_of_errno(errno);
    return n > 0 ? (size_t)n : 0;
}

/* Sends what is held. Returns whether nothing is left. */
static bool send_held(struct co4__tls *t)
{
    while (t->held.at < t->held.end) {
        size_t n = send_some(t, t->held.bytes + t->held.at, t->held.end - t->held.at);
        if (t->send_code)
            break;
        if (n == 0)
            return false;
        t->held.at += n;
    }
    forget_held(t);
    return true;
}

/* ---- the BIO ---- */

static int bio_write(BIO *bio, const char *from, int bytes)
{
    struct co4__tls *t = BIO_get_data(bio);
    size_t sent = 0, all = (size_t)bytes;
    BIO_clear_retry_flags(bio);
    if (t->send_code || bytes <= 0)
        return bytes;
    if (send_held(t))
        sent = t->send_code ? 0 : send_some(t, from, all);
    if (!t->send_code && sent < all && !hold(t, from + sent, all - sent))
        t->send_code = t->failed = CO4_ENOMEM;
    return bytes;
}

static int bio_read(BIO *bio, char *to, int bytes)
{
    struct co4__tls *t = BIO_get_data(bio);
    ssize_t n = co4_recv_until(t->fd, to, (size_t)bytes, 0, CO4_NOW);
    BIO_clear_retry_flags(bio);
    if (n > 0)
        return (int)n;
    if (n == 0)
        t->ended = true;
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
        BIO_set_retry_read(bio);
    else
        t->receive_code = co4_code_of_errno(errno);
    return n == 0 ? 0 : -1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    const struct co4__tls *t = BIO_get_data(bio);
    (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH || (command == BIO_CTRL_EOF && t->ended);
}

BIO_METHOD *co4__tls_descriptor_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "co4 descriptor");
    if (m && (BIO_meth_set_write(m, bio_write) != 1 || BIO_meth_set_read(m, bio_read) != 1 ||
              BIO_meth_set_ctrl(m, bio_control) != 1)) {
        BIO_meth_free(m);
        return NULL;
    }
    return m;
}

/* ---- calls of OpenSSL ---- */

/* Before each call: OpenSSL looks at the thread's queue of errors, which other code may have
 * used. */
static SSL *prepare(struct co4__tls *t)
{
    ERR_clear_error();
    t->receive_code = 0;
    return t->ssl;
}

/* Translates a result that is no success. At the end that the peer has sent it is 0. */
static int outcome(struct co4__tls *t, int result)
{
    switch (SSL_get_error(t->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return t->failed ? co4__tls_fails(t->failed, NULL) : CO4_WANTS_READ;
    case SSL_ERROR_WANT_WRITE:
        return CO4_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        break;
    }
    if (!t->failed && !t->receive_code)
        return t->failed = co4__tls_fails_by_openssl(t->ssl, CO4_TLS_PROTOCOL, NULL);
    t->failed = t->failed ? t->failed : t->receive_code;
    return co4__tls_fails(t->failed, NULL);
}

/* Translates the result of a call that fails if the peer has ended the connection. */
static int not_the_end(int n)
{
    return n != 0 ? n : co4__tls_fails(CO4_TLS_REFUSED, "the peer has ended the connection");
}

/* ---- the transport ---- */

static ssize_t try_read(struct co4__tls *t, void *to, size_t bytes)
{
    size_t got = 0;
    if (t->failed)
        return co4__tls_fails(t->failed, NULL);
    if (t->held.end - t->held.at > MOST_HELD && !send_held(t))
        return CO4_WANTS_WRITE;
    int result = SSL_read_ex(prepare(t), to, bytes, &got);
    return result == 1 ? (ssize_t)got : outcome(t, result);
}

/* Sends what is held, before other output. Returns CO4_OK, CO4_WANTS_WRITE, or a code. */
static int try_send(struct co4__tls *t)
{
    if (!t->send_code && !send_held(t))
        return CO4_WANTS_WRITE;
    return t->send_code ? co4__tls_fails(t->send_code, NULL) : CO4_OK;
}

static ssize_t try_write(struct co4__tls *t, const struct iovec *from, int count)
{
    size_t taken = 0;
    if (t->failed)
        return co4__tls_fails(t->failed, NULL);
    int before = try_send(t);
    if (before != 0)
        return before;
    if (count > 0 && (SSL_get_shutdown(t->ssl) & SSL_SENT_SHUTDOWN))
        return co4__tls_fails(-EPIPE, NULL);
    for (int i = 0; i < count; i++)
        for (size_t at = 0, n = 0; at < from[i].iov_len; at += n) {
            const char *bytes = (const char *)from[i].iov_base + at;
            int result = SSL_write_ex(prepare(t), bytes, from[i].iov_len - at, &n);
            if (result != 1)
                return taken > 0 ? (ssize_t)taken : not_the_end(outcome(t, result));
            taken += n;
            if (t->send_code)
                return co4__tls_fails(t->send_code, NULL);
            if (t->held.at < t->held.end || taken >= MOST_TAKEN)
                return (ssize_t)taken;
        }
    return (ssize_t)taken;
}

static int try_end(struct co4__tls *t)
{
    if (t->failed)
        return co4__tls_fails(t->failed, NULL);
    if (!(SSL_get_shutdown(t->ssl) & SSL_SENT_SHUTDOWN)) {
        int result = SSL_shutdown(prepare(t));
        if (result < 0)
            return not_the_end(outcome(t, result));
    }
    /* A peer that has ended the connection may also have closed its socket. */
    if (t->send_code && (SSL_get_shutdown(t->ssl) & SSL_RECEIVED_SHUTDOWN))
        return 0;
    return try_send(t);
}

static ssize_t transport_read(void *self, void *to, size_t bytes)
{
    struct co4__tls *t = self;
    pthread_mutex_lock(&t->lock);
    ssize_t n = try_read(t, to, bytes);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static ssize_t transport_write(void *self, const struct iovec *from, int count)
{
    struct co4__tls *t = self;
    pthread_mutex_lock(&t->lock);
    ssize_t n = try_write(t, from, count);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static int transport_end(void *self)
{
    struct co4__tls *t = self;
    pthread_mutex_lock(&t->lock);
    int n = try_end(t);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static const co4_transport transport = { transport_read, transport_write, transport_end,
                                         co4__tls_destroy };

/* ---- making and destroying ---- */

void co4__tls_destroy(void *self)
{
    struct co4__tls *t = self;
    if (!t)
        return;
    SSL_free(t->ssl);
    ERR_clear_error();
    forget_held(t);
    pthread_mutex_destroy(&t->lock);
    co4_tls_config_release(t->config);
    free(t->host);
    OPENSSL_free(t->peer);
    free(t);
}

/* The certificate has to be for this host; a name is also sent, so that the server can choose one.
 * Returns 1, or another number. */
static int set_host(struct co4__tls *t)
{
    unsigned char address[16];
    X509_VERIFY_PARAM *rules = SSL_get0_param(t->ssl);
    if (inet_pton(AF_INET, t->host, address) == 1 || inet_pton(AF_INET6, t->host, address) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(rules, t->host);
    SSL_set_hostflags(t->ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (SSL_set1_host(t->ssl, t->host) != 1)
        return 0;
    return (int)SSL_set_tlsext_host_name(t->ssl, t->host);
}

static int set_client(struct co4__tls *t, const char *host)
{
    size_t length = host ? strlen(host) : 0;
    if (length > 1 && host[length - 1] == '.') /* an absolute name; certificates have none */
        length--;
    if (host && (length == 0 || length > 253))
        return co4__tls_fails(CO4_EINVAL, "a host has 1 to 253 characters");
    if (!host && !(t->config->flags & CO4_TLS_INSECURE_ANY_CERTIFICATE))
        return co4__tls_fails(CO4_EINVAL, "no host to verify");
    SSL_set_connect_state(t->ssl);
    if (!host)
        return 0;
    t->host = strndup(host, length);
    if (!t->host || set_host(t) != 1)
        return co4__tls_fails(CO4_ENOMEM, NULL);
    if (t->config->flags & CO4_TLS_NO_RESUMPTION)
        return 0;
    SSL_SESSION *session = co4__tls_sessions_take(&t->config->sessions, t->host);
    if (session)
        SSL_set_session(t->ssl, session); /* if it cannot, the handshake is a whole one */
    SSL_SESSION_free(session);
    return 0;
}

static int set_ssl(struct co4__tls *t)
{
    ERR_clear_error();
    t->ssl = SSL_new(t->config->context);
    BIO *bio = t->ssl ? BIO_new(t->config->descriptor) : NULL;
    if (!bio)
        return co4__tls_fails(CO4_ENOMEM, NULL);
    BIO_set_data(bio, t);
    BIO_set_init(bio, 1);
    SSL_set_bio(t->ssl, bio, bio);
    SSL_set_app_data(t->ssl, t);
    return 0;
}

int co4__tls_begin(struct co4__tls **out, co4_tls_config *config, bool server, int fd,
                   const char *host)
{
    if (!config || config->server != server || fd < 0)
        return co4__tls_fails(config && fd < 0 ? CO4_ECLOSED : CO4_EINVAL, NULL);
    struct co4__tls *t = calloc(1, sizeof *t);
    if (!t || pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return co4__tls_fails(CO4_ENOMEM, NULL);
    }
    t->fd = fd;
    t->config = config;
    co4__tls_config_retain(config);
    int err = set_ssl(t);
    if (err == CO4_OK && server)
        SSL_set_accept_state(t->ssl);
    else if (err == CO4_OK)
        err = set_client(t, host);
    if (err == CO4_OK)
        *out = t;
    else
        co4__tls_destroy(t);
    return err;
}

/* The handshake is over. Notes the protocol, and sends what is held. */
static int end_handshake(struct co4__tls *t)
{
    const unsigned char *name;
    unsigned bytes;
    SSL_get0_alpn_selected(t->ssl, &name, &bytes);
    t->alpn = bytes > 0 ? co4__tls_protocol(t->config, name, bytes) : NULL;
    if (bytes > 0 && !t->alpn) {
        t->failed = CO4_TLS_NO_PROTOCOL;
        return co4__tls_fails(t->failed, "ALPN: the server chose another one");
    }
    return try_send(t);
}

int co4__tls_try_handshake(struct co4__tls *t)
{
    pthread_mutex_lock(&t->lock);
    int n = SSL_do_handshake(prepare(t));
    n = n == 1 ? end_handshake(t) : not_the_end(outcome(t, n));
    if (n == CO4_WANTS_READ && !t->send_code && !send_held(t))
        n = CO4_WANTS_WRITE;
    else if (n < 0 && n != CO4_WANTS_READ && n != CO4_WANTS_WRITE && !t->send_code)
        send_held(t); /* an alert */
    pthread_mutex_unlock(&t->lock);
    return n;
}

int co4__tls_finish(co4_conn **c, struct co4__tls *t)
{
    *c = co4_conn_create_over(t->fd, &transport, t);
    return *c ? CO4_OK : co4__tls_fails(CO4_ENOMEM, NULL);
}

/* ---- what is known of a connection ---- */

static struct co4__tls *of(const co4_conn *c)
{
    return c ? co4_conn_transport(c, &transport) : NULL;
}

const char *co4_tls_alpn(const co4_conn *c)
{
    const struct co4__tls *t = of(c);
    return t ? t->alpn : NULL;
}

const char *co4_tls_version(const co4_conn *c)
{
    const struct co4__tls *t = of(c);
    return t ? SSL_get_version(t->ssl) : NULL;
}

int co4_tls_resumed(const co4_conn *c)
{
    const struct co4__tls *t = of(c);
    return t ? SSL_session_reused(t->ssl) : 0;
}

/* Returns what OPENSSL_free() frees; NULL: there is none. */
static char *subject_of(SSL *ssl)
{
    X509 *certificate = SSL_get1_peer_certificate(ssl);
    BIO *text = certificate ? BIO_new(BIO_s_mem()) : NULL;
    char *copy = NULL, *bytes;
    if (text && X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0,
                                   XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        long length = BIO_get_mem_data(text, &bytes);
        copy = length > 0 ? OPENSSL_strndup(bytes, (size_t)length) : OPENSSL_strdup("");
    }
    BIO_free(text);
    X509_free(certificate);
    ERR_clear_error();
    return copy;
}

const char *co4_tls_peer(const co4_conn *c)
{
    struct co4__tls *t = of(c);
    if (!t)
        return NULL;
    pthread_mutex_lock(&t->lock);
    if (!t->peer)
        t->peer = subject_of(t->ssl);
    const char *peer = t->peer;
    pthread_mutex_unlock(&t->lock);
    return peer;
}
