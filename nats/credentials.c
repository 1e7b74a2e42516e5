/* credentials.c - a JWT and an Ed25519 seed, with which a user signs a server's nonce. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The part of a file between "-----BEGIN <name>-----" and the next line of dashes, without blanks.
 * Returns false if there is none. */
static bool part(const char *text, const char *name, char *to, size_t room)
{
    char begin[64];
    snprintf(begin, sizeof begin, "-----BEGIN %s-----", name);
    const char *at = strstr(text, begin), *end;
    if (!at)
        return false;
    at += strlen(begin);
    end = strstr(at, "---");
    size_t n = 0;
    for (; end && at < end && n + 1 < room; at++)
        if ((unsigned char)*at > ' ')
            to[n++] = *at;
    to[n] = '\0';
    return end && n > 0 && at == end;
}

/* Base 32 of RFC 4648, without padding. Returns the number of bytes; 0: it is none. */
static size_t from_base32(const char *text, unsigned char *to, size_t room)
{
    unsigned long bits = 0;
    int have = 0;
    size_t n = 0;
    for (; *text; text++) {
        int value = *text >= 'A' && *text <= 'Z'   ? *text - 'A'
                    : *text >= '2' && *text <= '7' ? *text - '2' + 26
                                                   : -1;
        if (value < 0)
            return 0;
        bits = (bits << 5 | (unsigned long)value) & 0xfff;
        have += 5;
        if (have >= 8) {
            have -= 8;
            if (n == room)
                return 0;
            to[n++] = (unsigned char)(bits >> have);
        }
    }
    return n;
}

/* CRC-16 with the polynomial 0x1021, as it stands behind a seed. */
static unsigned crc(const unsigned char *bytes, size_t count)
{
    unsigned crc = 0;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
    return crc;
}

/* A seed is two bytes of kinds, 32 bytes, and a checksum. */
enum { SEED = 36 };

static bool is_seed(const unsigned char *seed, size_t bytes)
{
    return bytes == SEED && (seed[0] & 0xf8) == 18 << 3 &&
           crc(seed, SEED - 2) == (seed[SEED - 2] | (unsigned)seed[SEED - 1] << 8);
}

/* The signature in base 64 for addresses, without padding. */
static char *sign(const unsigned char *seed, const char *nonce)
{
    unsigned char raw[64];
    size_t bytes = sizeof raw;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed + 2, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool signed_ = key && context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                   EVP_DigestSign(context, raw, &bytes, (const unsigned char *)nonce,
                                  strlen(nonce)) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    char *text = signed_ ? malloc(100) : NULL;
    if (!text)
        return NULL;
    int n = EVP_EncodeBlock((unsigned char *)text, raw, (int)bytes);
    while (n > 0 && text[n - 1] == '=')
        text[--n] = '\0';
    for (char *p = text; *p; p++)
        *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
    return text;
}

static char *read_file(const char *path, size_t most)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(most + 1) : NULL;
    if (text)
        text[fread(text, 1, most, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

int co4__nats_credentials(const char *file, const char *nonce, char **jwt, char **signature)
{
    enum { MOST = 65536 };
    char seed_text[80];
    unsigned char seed[SEED + 4];
    char *text = read_file(file, MOST);
    *jwt = text ? malloc(MOST) : NULL;
    *signature = NULL;
    bool good = *jwt && part(text, "NATS USER JWT", *jwt, MOST) &&
                part(text, "USER NKEY SEED", seed_text, sizeof seed_text) &&
                is_seed(seed, from_base32(seed_text, seed, sizeof seed));
    if (good)
        *signature = sign(seed, nonce);
    if (text)
        OPENSSL_cleanse(text, MOST);
    OPENSSL_cleanse(seed, sizeof seed);
    OPENSSL_cleanse(seed_text, sizeof seed_text);
    free(text);
    return *signature ? CO4_OK : CO4_NATS_EAUTH;
}
