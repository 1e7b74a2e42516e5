/* store.c - a hash table that grows a bucket at each call, so that no call takes long. */
#define _GNU_SOURCE
#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { SWEEP = 1024 }; /* buckets of a store_sweep() */

struct table {
    struct item **buckets;
    size_t size; /* a power of two; 0: there is none */
    size_t count;
};

/* While the table grows, buckets below `moved` of `from` are in `to`, and empty. */
static struct table to, from;
static size_t moved, swept;
static uint64_t seed[2];
static store_expiry *may_expire;

int64_t store_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

void store_begin(store_expiry *expires)
{
    may_expire = expires;
    if (getrandom(seed, sizeof seed, 0) != sizeof seed)
        seed[0] = (uint64_t)store_now();
    seed[1] |= 1;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Keyed by a secret: a client cannot choose keys of one bucket. */
static uint64_t hash_of(struct bytes key)
{
    uint64_t h = seed[0] ^ key.size, word;
    const char *p = key.at;
    size_t n = key.size;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = mix(h ^ word, seed[1]);
    }
    word = 0;
    memcpy(&word, p, n);
    return mix(mix(h ^ word, seed[1]), UINT64_C(0x9E3779B97F4A7C15) ^ seed[0]);
}

/* ---- values ---- */

static void value_free(struct value *v)
{
    for (size_t i = 0; v->type == LIST && i < v->size; i++)
        free((char *)(uintptr_t)list_at(v, i).at);
    free(v->ring);
    free(v->bytes);
    *v = (struct value){ .type = STRING };
}

bool value_set(struct value *v, struct bytes what)
{
    char *copy = malloc(what.size + 1);
    if (!copy)
        return false;
    memcpy(copy, what.at, what.size);
    value_free(v);
    *v = (struct value){ .type = STRING, .bytes = copy, .size = what.size };
    return true;
}

struct bytes list_at(const struct value *v, size_t i)
{
    return v->ring[(v->first + i) & (v->room - 1)];
}

bool list_push(struct value *v, struct bytes what, bool in_front)
{
    if (v->size == v->room) {
        size_t room = v->room ? 2 * v->room : 4;
        struct bytes *ring = malloc(room * sizeof *ring);
        if (!ring)
            return false;
        for (size_t i = 0; i < v->size; i++)
            ring[i] = list_at(v, i);
        free(v->ring);
        v->ring = ring;
        v->room = room;
        v->first = 0;
    }
    char *copy = malloc(what.size + 1);
    if (!copy)
        return false;
    memcpy(copy, what.at, what.size);
    if (in_front)
        v->first = (v->first + v->room - 1) & (v->room - 1);
    v->ring[(v->first + (in_front ? 0 : v->size)) & (v->room - 1)] = (struct bytes){ copy,
                                                                                     what.size };
    v->size++;
    return true;
}

void list_pop(struct value *v, bool in_front)
{
    free((char *)(uintptr_t)list_at(v, in_front ? 0 : v->size - 1).at);
    if (in_front)
        v->first = (v->first + 1) & (v->room - 1);
    v->size--;
}

/* ---- the table ---- */

static void item_free(struct item *e)
{
    value_free(&e->value);
    free(e);
}

static struct item **bucket_of(uint64_t hash)
{
    size_t old = from.size ? hash & (from.size - 1) : 0;
    return from.size && old >= moved ? &from.buckets[old] : &to.buckets[hash & (to.size - 1)];
}

static void move_bucket(void)
{
    if (!from.size)
        return;
    for (struct item *e; (e = from.buckets[moved]) != NULL;) {
        struct item **b = &to.buckets[e->hash & (to.size - 1)];
        from.buckets[moved] = e->next;
        e->next = *b;
        *b = e;
        to.count++;
        from.count--;
    }
    if (++moved == from.size) {
        free(from.buckets);
        from = (struct table){ 0 };
    }
}

static bool grow(void)
{
    if (from.size || (to.size && to.count < to.size))
        return true;
    size_t size = to.size ? 2 * to.size : 1024;
    struct item **buckets = calloc(size, sizeof *buckets);
    if (!buckets)
        return to.size != 0;
    if (to.size)
        from = to;
    to = (struct table){ buckets, size, 0 };
    moved = 0;
    return true;
}

static struct item **place_of(struct bytes key, uint64_t hash)
{
    struct item **p = bucket_of(hash);
    while (*p && !((*p)->hash == hash && (*p)->size == key.size &&
                   memcmp((*p)->key, key.at, key.size) == 0))
        p = &(*p)->next;
    return p;
}

static void take_out(struct item **p)
{
    struct item *e = *p;
    size_t old = from.size ? e->hash & (from.size - 1) : 0;
    if (from.size && old >= moved)
        from.count--;
    else
        to.count--;
    *p = e->next;
    item_free(e);
}

static bool has_expired(const struct item *e, int64_t now)
{
    return e->ends && e->ends <= now && may_expire((struct bytes){ e->key, e->size });
}

struct item *store_find(struct bytes key)
{
    if (!to.size)
        return NULL;
    move_bucket();
    struct item **p = place_of(key, hash_of(key));
    if (*p && (*p)->ends && has_expired(*p, store_now()))
        take_out(p);
    else if (*p)
        return *p;
    return NULL;
}

struct item *store_make(struct bytes key)
{
    struct item *e = store_find(key);
    if (e)
        return e;
    if (!grow() || !(e = calloc(1, sizeof *e + key.size)))
        return NULL;
    e->hash = hash_of(key);
    e->size = key.size;
    memcpy(e->key, key.at, key.size);
    struct item **b = bucket_of(e->hash);
    e->next = *b;
    *b = e;
    if (from.size && (e->hash & (from.size - 1)) >= moved)
        from.count++;
    else
        to.count++;
    return e;
}

bool store_remove(struct bytes key)
{
    if (!store_find(key))
        return false;
    take_out(place_of(key, hash_of(key)));
    return true;
}

static void clear(struct table *t)
{
    for (size_t i = 0; i < t->size; i++)
        while (t->buckets[i]) {
            struct item *e = t->buckets[i];
            t->buckets[i] = e->next;
            item_free(e);
        }
    free(t->buckets);
    *t = (struct table){ 0 };
}

void store_clear(void)
{
    clear(&from);
    clear(&to);
}

size_t store_count(void)
{
    return to.count + from.count;
}

bool store_sweep(void)
{
    int64_t now = store_now();
    int found = 0;
    for (int i = 0; i < SWEEP && to.size; i++, swept++) {
        move_bucket();
        struct item **p = &to.buckets[swept & (to.size - 1)];
        while (*p)
            if (has_expired(*p, now)) {
                take_out(p);
                found++;
            } else {
                p = &(*p)->next;
            }
    }
    return found > SWEEP / 8 || from.size;
}
