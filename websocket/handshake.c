/* handshake.c - keys and names of a handshake. */
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "websocket.h"

#include "co4/error.h"

enum { NONCE = 16, KEY = 24 }; /* bytes, and base64 of them */

static const co4_error_text all[] = {
    { CO4_WEBSOCKET_EHANDSHAKE, "CO4_WEBSOCKET_EHANDSHAKE",
      "the other side does not speak WebSocket here" },
};

static void add_codes(void)
{
    static co4_error_texts texts = { all, sizeof all / sizeof *all, { NULL } };
    co4_error_add(&texts);
}

int co4__websocket_code(int code)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_codes);
    return code;
}

bool co4__websocket_make_key(char key[CO4__WEBSOCKET_PROOF])
{
    unsigned char nonce[NONCE];
    if (RAND_bytes(nonce, sizeof nonce) != 1)
        return false;
    EVP_EncodeBlock((unsigned char *)key, nonce, sizeof nonce);
    return true;
}

void co4__websocket_prove(const char *key, char proof[CO4__WEBSOCKET_PROOF])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* of RFC 6455 */
    unsigned char text[KEY + sizeof guid], hash[SHA_DIGEST_LENGTH];
    memcpy(text, key, KEY);
    memcpy(text + KEY, guid, sizeof guid);
    SHA1(text, KEY + sizeof guid - 1, hash);
    EVP_EncodeBlock((unsigned char *)proof, hash, sizeof hash);
}

bool co4__websocket_is_key(const char *key)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return strspn(key, base64) == KEY - 2 && strcmp(key + KEY - 2, "==") == 0;
}

const char *co4__websocket_choose(const char *const *names, const char *list)
{
    for (; names && *names; names++) {
        size_t size = strlen(*names);
        for (const char *at = list; *at;) {
            at += strspn(at, " \t,");
            size_t here = strcspn(at, " \t,");
            if (here == size && memcmp(at, *names, size) == 0)
                return *names;
            at += here;
        }
    }
    return NULL;
}

char *co4__websocket_list(const char *const *names, const char *before)
{
    size_t bytes = strlen(before) + 1;
    for (const char *const *n = names; *n; n++)
        bytes += strlen(*n) + 2;
    char *list = malloc(bytes), *at = list;
    if (!list)
        return NULL;
    at = stpcpy(at, before);
    for (const char *const *n = names; *n; n++)
        at = stpcpy(stpcpy(at, n == names ? "" : ", "), *n);
    return list;
}
