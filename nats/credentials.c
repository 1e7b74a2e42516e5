/* credentials.c - a seed of Ed25519, with which a user signs a server's nonce, and who the user is:
 * a JWT, or the public key alone. */
#include <errno.h>
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
    return n > 0 && at == end;
}

/* Decodes base 32 of RFC 4648, without padding. Returns the number of bytes; 0: the text is too
 * long or is not base 32. */
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

/* A seed is two bytes of kinds, 32 bytes, and a checksum. The kinds are the letters S and U, of 5
 * bits each. */
enum { SEED = 36, OF_SEED = 18, OF_USER = 20 };

static bool is_seed(const unsigned char *seed, size_t bytes)
{
    return bytes == SEED && seed[0] == (OF_SEED << 3 | OF_USER >> 2) &&
           seed[1] == (OF_USER << 6 & 0xff) &&
           crc(seed, SEED - 2) == (seed[SEED - 2] | (unsigned)seed[SEED - 1] << 8);
}

/* Encodes base 32. SEED - 1 bytes make whole digits, so there is no padding. */
static void to_base32(const unsigned char *bytes, size_t count, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned bits = 0;
    int have = 0;
    for (size_t i = 0; i < count; i++) {
        bits = (bits << 8 | bytes[i]) & 0xfff;
        for (have += 8; have >= 5; have -= 5)
            *to++ = digits[bits >> (have - 5) & 31];
    }
    *to = '\0';
}

/* Returns the name of a user: a byte for "user", the public key, and a checksum, in base 32. */
static char *name_of(EVP_PKEY *key)
{
    unsigned char raw[SEED - 1] = { OF_USER << 3 };
    size_t bytes = 32;
    char *name = EVP_PKEY_get_raw_public_key(key, raw + 1, &bytes) == 1 ? malloc(64) : NULL;
    if (!name)
        return NULL;
    unsigned check = crc(raw, sizeof raw - 2);
    raw[sizeof raw - 2] = (unsigned char)check;
    raw[sizeof raw - 1] = (unsigned char)(check >> 8);
    to_base32(raw, sizeof raw, name);
    return name;
}

/* Returns the signature in base 64 for URLs, without padding. */
static char *sign(EVP_PKEY *key, const char *nonce)
{
    unsigned char raw[64];
    size_t bytes = sizeof raw;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool signed_ = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                   EVP_DigestSign(context, raw, &bytes, (const unsigned char *)nonce,
                                  strlen(nonce)) == 1;
    EVP_MD_CTX_free(context);
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

static char *read_file(const char *path, size_t most, int *code)
{
    FILE *file = fopen(path, "re");
    /* That no file can be opened now says nothing of the user. */
    bool lacks_means = errno == ENOMEM || errno == EMFILE || errno == ENFILE;
    *code = file || lacks_means ? CO4_ENOMEM : CO4_NATS_ECREDENTIALS;
    char *text = file ? malloc(most + 1) : NULL;
    if (text)
        text[fread(text, 1, most, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Finds the seed between its lines, or takes the whole file for one. Such a file has no JWT. */
static bool find_seed(const char *text, char *to, size_t room)
{
    if (part(text, "USER NKEY SEED", to, room))
        return true;
    size_t n = strcspn(text, " \r\n\t");
    if (n == 0 || n >= room || text[n + strspn(text + n, " \r\n\t")] != '\0')
        return false;
    memcpy(to, text, n);
    to[n] = '\0';
    return true;
}

int co4__nats_credentials(const char *file, const char *nonce, struct co4__nats_user *user)
{
    enum { MOST = 65536 };
    char seed_text[80] = "";
    unsigned char seed[SEED + 4] = { 0 };
    int code;
    char *text = read_file(file, MOST, &code);
    *user = (struct co4__nats_user){ .jwt = text ? malloc(MOST) : NULL };
    bool has_memory = user->jwt != NULL;
    if (has_memory && !part(text, "NATS USER JWT", user->jwt, MOST)) {
        free(user->jwt);
        user->jwt = NULL;
    }
    bool good = has_memory && find_seed(text, seed_text, sizeof seed_text) &&
                is_seed(seed, from_base32(seed_text, seed, sizeof seed));
    if (has_memory && !good)
        code = CO4_NATS_ECREDENTIALS;
    EVP_PKEY *key = good ? EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed + 2, 32)
                         : NULL;
    if (key) {
        user->signature = sign(key, nonce);
        user->nkey = user->jwt ? NULL : name_of(key);
    }
    EVP_PKEY_free(key);
    if (text)
        OPENSSL_cleanse(text, MOST);
    OPENSSL_cleanse(seed, sizeof seed);
    OPENSSL_cleanse(seed_text, sizeof seed_text);
    free(text);
    return user->signature && (user->jwt || user->nkey) ? CO4_OK : good ? CO4_ENOMEM : code;
}

void co4__nats_user_free(struct co4__nats_user *user)
{
    free(user->jwt);
    free(user->nkey);
    free(user->signature);
}
