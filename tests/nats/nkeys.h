/* nkeys.h - keys and tokens of operators, accounts and users, as `nsc` writes them. */
#ifndef NKEYS_H
#define NKEYS_H

#include <stddef.h>

enum nkey_kind { NKEY_ACCOUNT = 0, NKEY_OPERATOR = 14, NKEY_USER = 20 };

struct nkey {
    unsigned char seed[32];
    char name[64];      /* the public key: O…, A…, U… */
    char seed_text[64]; /* SO…, SA…, SU… */
};

void nkey_make(struct nkey *k, enum nkey_kind kind);
/* A token about `sub`, with the members of "nats" as JSON, signed by `by`. `expires` in seconds
 * since 1970; 0: never. The caller frees it. */
char *nkey_token(const struct nkey *sub, const struct nkey *by, const char *nats, long expires);
/* Writes the file of a user. */
void nkey_credentials(const char *path, const char *token, const struct nkey *user);

#endif
