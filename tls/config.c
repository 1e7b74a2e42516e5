/* config.c - configurations: certificates, versions, protocols, for many connections.
 *
 * Invariants: a configuration is constant once it is made, but for its references and the sessions
 * of its client. Each connection has a reference.
 *
 * Security: verification is on unless a flag with a loud name says otherwise. Names are compared
 * with the alternative names of a certificate only, never with its subject, and a wildcard is a
 * whole label. Renegotiation and compression are off. A key with a password is refused: OpenSSL
 * would ask for it at the terminal. */
#include "tls.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT_FLAGS (CO4_TLS_INSECURE_ANY_CERTIFICATE | CO4_TLS_NO_RESUMPTION)
#define SERVER_FLAGS (CO4_TLS_NO_RESUMPTION | CO4_TLS_ASK_CLIENT | CO4_TLS_REQUIRE_CLIENT)

/* ---- ALPN ---- */

/* Copies the names. Returns CO4_OK or a code. */
static int copy_protocols(co4_tls_config *config, const char *const *names)
{
    size_t bytes = 0;
    for (int i = 0; names[i]; i++) {
        size_t length = strlen(names[i]);
        if (length == 0 || length > 255)
            return co4__tls_fails(CO4_EINVAL, "alpn: a name has 1 to 255 bytes");
        bytes += length + 1;
    }
    if (bytes == 0)
        return 0;
    if (bytes > 65535)
        return co4__tls_fails(CO4_EINVAL, "alpn: too many names");
    config->alpn = malloc(bytes);
    config->alpn_names = malloc(bytes + 1);
    if (!config->alpn || !config->alpn_names)
        return co4__tls_fails(CO4_ENOMEM, NULL);
    size_t at = 0;
    for (int i = 0; names[i]; i++) {
        size_t length = strlen(names[i]);
        config->alpn[at] = (unsigned char)length;
        memcpy(config->alpn + at + 1, names[i], length);
        memcpy(config->alpn_names + at, names[i], length + 1);
        at += length + 1;
    }
    config->alpn_names[at] = '\0';
    config->alpn_bytes = (unsigned)bytes;
    return 0;
}

const char *co4__tls_protocol(const co4_tls_config *config, const unsigned char *name, size_t bytes)
{
    for (const char *at = config->alpn_names; at && *at; at += strlen(at) + 1)
        if (strlen(at) == bytes && memcmp(at, name, bytes) == 0)
            return at;
    return NULL;
}

/* A server takes the first of its own protocols that the client has offered. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_bytes,
                           const unsigned char *offered, unsigned bytes, void *arg)
{
    const co4_tls_config *config = arg;
    (void)ssl;
    for (unsigned own = 0; own < config->alpn_bytes; own += config->alpn[own] + 1u)
        for (unsigned at = 0; at < bytes; at += offered[at] + 1u)
            if (offered[at] == config->alpn[own] && at + offered[at] < bytes &&
                memcmp(offered + at + 1, config->alpn + own + 1, offered[at]) == 0) {
                *out = config->alpn + own + 1;
                *out_bytes = config->alpn[own];
                return SSL_TLSEXT_ERR_OK;
            }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* ---- certificates ---- */

static int no_password(char *to, int bytes, int writes, void *arg)
{
    (void)to, (void)bytes, (void)writes, (void)arg;
    return -1;
}

static int use_files(SSL_CTX *context, const co4_tls_options *o)
{
    SSL_CTX_set_default_passwd_cb(context, no_password);
    if (o->cert_file && SSL_CTX_use_certificate_chain_file(context, o->cert_file) != 1)
        return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, o->cert_file);
    if (!o->key_file)
        return 0;
    if (SSL_CTX_use_PrivateKey_file(context, o->key_file, SSL_FILETYPE_PEM) == 1)
        return 0;
    return co4__tls_fails_by_openssl(
        NULL, ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_X509 ? CO4_TLS_BAD_KEY : CO4_TLS_BAD_FILE,
        o->key_file);
}

static int trust(SSL_CTX *context, const co4_tls_options *o, bool server)
{
    if (o->ca_file && SSL_CTX_load_verify_file(context, o->ca_file) != 1)
        return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, o->ca_file);
    if (o->ca_dir && SSL_CTX_load_verify_dir(context, o->ca_dir) != 1)
        return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, o->ca_dir);
    if (!server && !o->ca_file && !o->ca_dir && SSL_CTX_set_default_verify_paths(context) != 1)
        return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, "certificates of the system");
    if (o->crl_file) {
        X509_STORE *store = SSL_CTX_get_cert_store(context);
        X509_LOOKUP *lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
        if (!lookup || X509_load_crl_file(lookup, o->crl_file, X509_FILETYPE_PEM) < 1 ||
            X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK) != 1)
            return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, o->crl_file);
    }
    if (server && o->ca_file && (o->flags & (CO4_TLS_ASK_CLIENT | CO4_TLS_REQUIRE_CLIENT))) {
        STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(o->ca_file);
        if (!names)
            return co4__tls_fails_by_openssl(NULL, CO4_TLS_BAD_FILE, o->ca_file);
        SSL_CTX_set_client_CA_list(context, names);
    }
    return 0;
}

/* ---- sessions ---- */

/* OpenSSL calls it under the lock of the connection. */
static int new_session(SSL *ssl, SSL_SESSION *session)
{
    struct co4__tls *t = SSL_get_app_data(ssl);
    return t && t->host && co4__tls_sessions_put(&t->config->sessions, t->host, session);
}

static int set_sessions(SSL_CTX *context, bool server, unsigned flags)
{
    if (flags & CO4_TLS_NO_RESUMPTION) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        return SSL_CTX_set_num_tickets(context, 0);
    }
    if (server) { /* tickets alone: the server keeps nothing */
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        return SSL_CTX_set_session_id_context(context, (const unsigned char *)"co4", 3);
    }
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, new_session);
    return 1;
}

/* ---- versions and the rest ---- */

static int version_of(int version, int otherwise)
{
    return version == CO4_TLS_1_2   ? TLS1_2_VERSION
           : version == CO4_TLS_1_3 ? TLS1_3_VERSION
           : version == 0           ? otherwise
                                    : -1;
}

static bool options_make_sense(const co4_tls_options *o, bool server)
{
    int min = version_of(o->min_version, TLS1_2_VERSION);
    int max = version_of(o->max_version, TLS1_3_VERSION);
    return min > 0 && max >= min && !(o->flags & ~(server ? SERVER_FLAGS : CLIENT_FLAGS)) &&
           !o->cert_file == !o->key_file && (!server || o->cert_file);
}

static int set_up(co4_tls_config *config, const co4_tls_options *o)
{
    SSL_CTX *context = config->context;
    int verify = config->server ? SSL_VERIFY_NONE : SSL_VERIFY_PEER;
    if (o->flags & (CO4_TLS_ASK_CLIENT | CO4_TLS_REQUIRE_CLIENT))
        verify = SSL_VERIFY_PEER;
    if (o->flags & CO4_TLS_REQUIRE_CLIENT)
        verify |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    if (o->flags & CO4_TLS_INSECURE_ANY_CERTIFICATE)
        verify = SSL_VERIFY_NONE;
    SSL_CTX_set_verify(context, verify, NULL);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(context, 1); /* a record with one receive, not two */
    if (SSL_CTX_set_min_proto_version(context, version_of(o->min_version, TLS1_2_VERSION)) != 1 ||
        SSL_CTX_set_max_proto_version(context, version_of(o->max_version, 0)) != 1 ||
        set_sessions(context, config->server, o->flags) != 1)
        return co4__tls_fails_by_openssl(NULL, CO4_TLS_PROTOCOL, NULL);
    int err = trust(context, o, config->server);
    if (err == CO4_OK)
        err = use_files(context, o);
    if (err == CO4_OK && o->alpn)
        err = copy_protocols(config, o->alpn);
    if (err != CO4_OK)
        return err;
    if (config->server && config->alpn)
        SSL_CTX_set_alpn_select_cb(context, choose_protocol, config);
    else if (config->alpn && SSL_CTX_set_alpn_protos(context, config->alpn, config->alpn_bytes))
        return co4__tls_fails(CO4_ENOMEM, NULL);
    return 0;
}

static int create(co4_tls_config **out, const co4_tls_options *o, bool server)
{
    static const co4_tls_options none = { 0 };
    co4__tls_codes_begin();
    o = o ? o : &none;
    if (out)
        *out = NULL;
    if (!out || !options_make_sense(o, server))
        return co4__tls_fails(CO4_EINVAL, "the options make no sense");
    co4_tls_config *config = calloc(1, sizeof *config);
    if (config && co4__tls_sessions_init(&config->sessions) != 0) {
        free(config);
        config = NULL;
    }
    if (!config)
        return co4__tls_fails(CO4_ENOMEM, NULL);
    ERR_clear_error();
    config->server = server;
    config->flags = o->flags;
    atomic_init(&config->references, 1);
    config->context = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
    config->descriptor = co4__tls_descriptor_method();
    int err = config->context && config->descriptor ? set_up(config, o)
                                                    : co4__tls_fails(CO4_ENOMEM, NULL);
    if (err == CO4_OK)
        *out = config;
    else
        co4_tls_config_release(config);
    /* A thread of the pool, which co4_blocking() uses for this, ends after OpenSSL has: what
     * OpenSSL keeps for it would be lost. It takes that anew when it needs it. */
    OPENSSL_thread_stop();
    return err;
}

int co4_tls_client(co4_tls_config **config, const co4_tls_options *options)
{
    return create(config, options, false);
}

int co4_tls_server(co4_tls_config **config, const co4_tls_options *options)
{
    return create(config, options, true);
}

void co4__tls_config_retain(co4_tls_config *config)
{
    atomic_fetch_add_explicit(&config->references, 1, memory_order_relaxed);
}

void co4_tls_config_release(co4_tls_config *config)
{
    if (!config || atomic_fetch_sub_explicit(&config->references, 1, memory_order_acq_rel) != 1)
        return;
    co4__tls_sessions_fini(&config->sessions);
    SSL_CTX_free(config->context);
    BIO_meth_free(config->descriptor);
    free(config->alpn);
    free(config->alpn_names);
    free(config);
}
