/* store.h - the keys of kv: strings and lists, with times at which they end. Nothing waits. The
 * caller holds the lock of the store. */
#ifndef KV_STORE_H
#define KV_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const char *at;
    size_t size;
};

/* A list is a ring of strings. */
struct value {
    enum { STRING, LIST } type;
    char *bytes;
    size_t size;        /* of a string, in bytes; of a list, in elements */
    struct bytes *ring; /* of a list */
    size_t first, room;
};

struct item {
    struct item *next;
    uint64_t hash;
    int64_t ends; /* milliseconds since 1970; 0: never */
    struct value value;
    size_t size;
    char key[];
};

/* Called before a key is removed whose time has come. False: it stays. */
typedef bool store_expiry(struct bytes key);

void store_begin(store_expiry *expires); /* draws the seed of the hash */
/* NULL: there is no such key, or its time has come. */
struct item *store_find(struct bytes key);
/* Finds or makes it. A new one is an empty string. NULL: allocation failed. */
struct item *store_make(struct bytes key);
bool store_remove(struct bytes key);
void store_clear(void);
size_t store_count(void);
/* Removes some keys whose time has come, and goes on with a table that grows. Returns whether there
 * is soon more to do. */
bool store_sweep(void);

bool value_set(struct value *v, struct bytes to); /* false: allocation failed */
bool list_push(struct value *v, struct bytes what, bool in_front);
struct bytes list_at(const struct value *v, size_t i);
void list_pop(struct value *v, bool in_front);

int64_t store_now(void); /* milliseconds since 1970 */

#endif
