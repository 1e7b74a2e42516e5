/* nkeys.c - keys and tokens of operators, accounts and users: Ed25519, base 32 and JWT. */
#define _GNU_SOURCE
#include "nkeys.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "nkeys: %s\n", what);
    exit(1);
}

/* Bytes, a checksum behind them, in base 32. */
static void to_text(unsigned char *bytes, size_t count, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned crc = 0, bits = 0, have = 0;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
    bytes[count++] = (unsigned char)crc;
    bytes[count++] = (unsigned char)(crc >> 8);
    for (size_t i = 0; i < count; i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 5; have -= 5)
            *to++ = digits[bits >> (have - 5) & 31];
    }
    if (have > 0)
        *to++ = digits[bits << (5 - have) & 31];
    *to = '\0';
}

static EVP_PKEY *key_of(const struct nkey *k)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, k->seed, 32);
    must(key != NULL, "no key");
    return key;
}

void nkey_make(struct nkey *k, enum nkey_kind kind)
{
    unsigned char bytes[40];
    size_t count = 32;
    must(RAND_bytes(k->seed, 32) == 1, "no random bytes");
    EVP_PKEY *key = key_of(k);
    bytes[0] = (unsigned char)(kind << 3);
    must(EVP_PKEY_get_raw_public_key(key, bytes + 1, &count) == 1, "no public key");
    to_text(bytes, 33, k->name);
    bytes[0] = (unsigned char)(18 << 3 | kind >> 2);
    bytes[1] = (unsigned char)((kind & 3) << 6);
    memcpy(bytes + 2, k->seed, 32);
    to_text(bytes, 34, k->seed_text);
    EVP_PKEY_free(key);
}

/* Base 64 for addresses, without padding. Returns the end. */
static char *to_base64(const void *bytes, size_t count, char *to)
{
    int n = EVP_EncodeBlock((unsigned char *)to, bytes, (int)count);
    while (n > 0 && to[n - 1] == '=')
        n--;
    to[n] = '\0';
    for (char *p = to; *p; p++)
        *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
    return to + n;
}

char *nkey_token(const struct nkey *sub, const struct nkey *by, const char *nats, long expires)
{
    static const char header[] = "{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}";
    char claims[4096], until[40] = "", *token = malloc(8192);
    unsigned char signature[64];
    size_t bytes = sizeof signature;
    must(token != NULL, "no memory");
    if (expires)
        snprintf(until, sizeof until, "\"exp\":%ld,", expires);
    int n = snprintf(claims, sizeof claims,
                     "{\"jti\":\"%.20s\",\"iat\":%ld,%s\"iss\":\"%s\",\"name\":\"%.4s\","
                     "\"sub\":\"%s\",\"nats\":{%s,\"version\":2}}",
                     sub->name, (long)time(NULL), until, by->name, sub->name, sub->name, nats);
    char *end = to_base64(header, sizeof header - 1, token);
    *end++ = '.';
    end = to_base64(claims, (size_t)n, end);
    EVP_PKEY *key = key_of(by);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    must(context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
             EVP_DigestSign(context, signature, &bytes, (unsigned char *)token,
                            (size_t)(end - token)) == 1,
         "no signature");
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    *end++ = '.';
    to_base64(signature, bytes, end);
    return token;
}

void nkey_credentials(const char *path, const char *token, const struct nkey *user)
{
    char temporary[300];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "w");
    must(file != NULL, temporary);
    fprintf(file,
            "-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n"
            "-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n",
            token, user->seed_text);
    must(fclose(file) == 0 && rename(temporary, path) == 0, path);
}
