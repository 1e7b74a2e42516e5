/* configurations.c - configurations that cannot be made, and why.
 * needs: tls
 * modes: woven
 * expect: a client: made
 * expect: a client with everything: made
 * expect: a server: made
 * expect: a server without options: CO4_EINVAL
 * expect: a server without a certificate: CO4_EINVAL
 * expect: a certificate without a key: CO4_EINVAL
 * expect: a version that there is not: CO4_EINVAL
 * expect: versions in the wrong order: CO4_EINVAL
 * expect: a flag of servers: CO4_EINVAL
 * expect: a server that verifies nothing: CO4_EINVAL
 * expect: a flag that there is not: CO4_EINVAL
 * expect: an empty protocol: CO4_EINVAL
 * expect: protocols of 65535 bytes: made
 * expect: protocols of 65536 bytes: CO4_EINVAL
 * expect: no file of roots: CO4_TLS_BAD_FILE
 * expect: roots of rubbish: CO4_TLS_BAD_FILE
 * expect: no file of a certificate: CO4_TLS_BAD_FILE
 * expect: a certificate of rubbish: CO4_TLS_BAD_FILE
 * expect: no file of a key: CO4_TLS_BAD_FILE
 * expect: a key with a password: CO4_TLS_BAD_FILE
 * expect: another key: CO4_TLS_BAD_KEY
 * expect: texts name the file: yes
 * expect: codes: CO4_TLS_BAD_KEY, the key is not that of the certificate; CO4_TLS_PROTOCOL, what the peer sends is no TLS, or breaks its rules; CO4_E?
 * expect: no place: CO4_EINVAL CO4_EINVAL */
#include "common.h"

static int named = 1;

static void attempt(const char *what, int make(co4_tls_config **, const co4_tls_options *),
                    const co4_tls_options *o)
{
    co4_tls_config *config;
    int err = make(&config, o);
    printf("%s: %s\n", what, err == CO4_OK && config ? "made" : co4_errname(err));
    if (err <= CO4_TLS_BAD_FILE && !strchr(co4_tls_error_text(), '/')) {
        named = 0;
        printf("%s\n", co4_tls_error_text());
    }
    co4_tls_config_release(config);
}

static void client(const char *what, co4_tls_options o)
{
    attempt(what, co4_tls_client, &o);
}

static void server(const char *what, co4_tls_options o)
{
    attempt(what, co4_tls_server, &o);
}

/* 256 names, which with their lengths take 65536 bytes, or some less. */
static const char *const *protocols(int less)
{
    static char name[256], shorter[256];
    static const char *names[257];
    memset(name, 'x', 255);
    memset(shorter, 'x', 255 - (size_t)less);
    shorter[255 - less] = '\0';
    for (int i = 0; i < 256; i++)
        names[i] = name;
    names[255] = shorter;
    return names;
}

int main(void)
{
    static const char *const web[] = { "h2", "http/1.1", NULL };
    static const char *const empty[] = { "", NULL };
    static const char *const none[] = { NULL };
    co4_tls_options good = shows("server"), o;
    attempt("a client", co4_tls_client, NULL);
    o = shows("client");
    o.ca_file = file("authority", "pem");
    o.ca_dir = "/";
    o.alpn = web;
    o.min_version = CO4_TLS_1_2;
    o.max_version = CO4_TLS_1_3;
    client("a client with everything", o);
    o = good;
    o.alpn = none;
    server("a server", o);
    attempt("a server without options", co4_tls_server, NULL);
    server("a server without a certificate", trusts("authority"));
    o = (co4_tls_options){ .cert_file = good.cert_file };
    client("a certificate without a key", o);
    client("a version that there is not", (co4_tls_options){ .min_version = 11 });
    o = (co4_tls_options){ .min_version = CO4_TLS_1_3, .max_version = CO4_TLS_1_2 };
    client("versions in the wrong order", o);
    client("a flag of servers", (co4_tls_options){ .flags = CO4_TLS_ASK_CLIENT });
    o = good;
    o.flags = CO4_TLS_INSECURE_ANY_CERTIFICATE;
    server("a server that verifies nothing", o);
    client("a flag that there is not", (co4_tls_options){ .flags = 1u << 20 });
    client("an empty protocol", (co4_tls_options){ .alpn = empty });
    client("protocols of 65535 bytes", (co4_tls_options){ .alpn = protocols(1) });
    client("protocols of 65536 bytes", (co4_tls_options){ .alpn = protocols(0) });
    client("no file of roots", trusts("absent"));
    client("roots of rubbish", trusts("rubbish"));
    o = good;
    o.cert_file = file("absent", "pem");
    server("no file of a certificate", o);
    o.cert_file = file("rubbish", "pem");
    server("a certificate of rubbish", o);
    o = good;
    o.key_file = file("absent", "key");
    server("no file of a key", o);
    o.key_file = file("locked", "key");
    server("a key with a password", o);
    o.key_file = file("client", "key");
    server("another key", o);
    printf("texts name the file: %s\n", named ? "yes" : "no");
    printf("codes: %s, %s; %s, %s; %s\n", co4_errname(CO4_TLS_BAD_KEY),
           co4_strerror(CO4_TLS_BAD_KEY), co4_errname(CO4_TLS_PROTOCOL),
           co4_strerror(CO4_TLS_PROTOCOL), co4_errname(CO4_TLS_BAD_KEY - 1));
    printf("no place: %s %s\n", co4_errname(co4_tls_client(NULL, NULL)),
           co4_errname(co4_tls_server(NULL, &good)));
    return 0;
}
