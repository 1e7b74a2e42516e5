/* certificates.c - writes the certificates and keys of the tests: certificates FOLDER.
 * They are new each time, so none expires in the tree. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY (24L * 3600)

struct issuer {
    X509 *certificate;
    EVP_PKEY *key;
};

static const char *folder;

static void must(int done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "certificates: %s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static FILE *opened(const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, "w");
    must(file != NULL, path);
    return file;
}

static void extend(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    must(extension && X509_add_ext(certificate, extension, -1), value);
    X509_EXTENSION_free(extension);
}

/* Signs with the issuer's key; without an issuer, with its own. `names` NULL: an authority. */
static struct issuer make(const char *name, const char *names, long from, long to,
                          const struct issuer *by)
{
    static long serial = 1;
    struct issuer made = { X509_new(), EVP_EC_gen("P-256") };
    X509 *x = made.certificate;
    must(x && made.key, name);
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
    X509_gmtime_adj(X509_getm_notBefore(x), from);
    X509_gmtime_adj(X509_getm_notAfter(x), to);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(by ? by->certificate : x));
    X509_set_pubkey(x, made.key);
    extend(x, by ? by->certificate : x, NID_basic_constraints,
           names ? "critical,CA:FALSE" : "critical,CA:TRUE");
    if (names)
        extend(x, x, NID_subject_alt_name, names);
    must(X509_sign(x, by ? by->key : made.key, EVP_sha256()), name);

    FILE *file = opened(name, "pem");
    must(PEM_write_X509(file, x) && fclose(file) == 0, name);
    file = opened(name, "key");
    must(PEM_write_PrivateKey(file, made.key, NULL, NULL, 0, NULL, NULL) && fclose(file) == 0,
         name);
    return made;
}

/* The list of an issuer: `revoked` or none. It is valid up to `to`. */
static void list(const char *name, const struct issuer *by, const struct issuer *revoked, long to)
{
    X509_CRL *crl = X509_CRL_new();
    ASN1_TIME *from = X509_gmtime_adj(NULL, -2 * DAY), *until = X509_gmtime_adj(NULL, to);
    must(crl && from && until && X509_CRL_set_version(crl, X509_CRL_VERSION_2) &&
             X509_CRL_set_issuer_name(crl, X509_get_subject_name(by->certificate)) &&
             X509_CRL_set1_lastUpdate(crl, from) && X509_CRL_set1_nextUpdate(crl, until),
         name);
    if (revoked) {
        X509_REVOKED *entry = X509_REVOKED_new();
        must(
            entry &&
                X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(revoked->certificate)) &&
                X509_REVOKED_set_revocationDate(entry, from) && X509_CRL_add0_revoked(crl, entry),
            name);
    }
    must(X509_CRL_sign(crl, by->key, EVP_sha256()), name);
    FILE *file = opened(name, "crl");
    must(PEM_write_X509_CRL(file, crl) && fclose(file) == 0, name);
    ASN1_TIME_free(from);
    ASN1_TIME_free(until);
    X509_CRL_free(crl);
}

static void drop(struct issuer i)
{
    X509_free(i.certificate);
    EVP_PKEY_free(i.key);
}

int main(int argc, char **argv)
{
    must(argc == 2, "certificates FOLDER");
    folder = argv[1];
    const char *here = "DNS:localhost,DNS:*.wild.example,IP:127.0.0.1,IP:::1";
    struct issuer authority = make("authority", NULL, -DAY, 3 * DAY, NULL);
    struct issuer stranger = make("stranger", NULL, -DAY, 3 * DAY, NULL);
    struct issuer server = make("server", here, -DAY, 3 * DAY, &authority);
    drop(make("expired", here, -3 * DAY, -DAY, &authority));
    drop(make("future", here, DAY, 3 * DAY, &authority));
    drop(make("other", "DNS:other.example", -DAY, 3 * DAY, &authority));
    drop(make("unknown", here, -DAY, 3 * DAY, &stranger));
    drop(make("self", here, -DAY, 3 * DAY, NULL));
    drop(make("client", "DNS:client.example", -DAY, 3 * DAY, &authority));
    struct issuer revoked = make("revoked", here, -DAY, 3 * DAY, &authority);
    list("authority", &authority, &revoked, 3 * DAY);
    list("stale", &authority, NULL, -DAY);
    list("stranger", &stranger, NULL, 3 * DAY);
    drop(revoked);
    FILE *file = opened("locked", "key");
    must(PEM_write_PrivateKey(file, server.key, EVP_aes_128_cbc(), (unsigned char *)"secret", 6,
                              NULL, NULL) &&
             fclose(file) == 0,
         "locked");
    file = opened("rubbish", "pem");
    must(fputs("no certificate\n", file) >= 0 && fclose(file) == 0, "rubbish");
    drop(server);
    drop(stranger);
    drop(authority);
    return 0;
}
