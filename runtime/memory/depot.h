/* depot.h - the free objects of each size that no thread's cache has, and the slabs that they are
 * in. For pool.c, trim.c and debuggers. */
#ifndef CO4_DEPOT_H
#define CO4_DEPOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "platform/lock.h"

#define CO4__GRAIN         8
#define CO4__LARGEST       1024
#define CO4__CLASSES       (CO4__LARGEST / CO4__GRAIN + 1)
#define CO4__CLASS_OF_KEPT 0  /* kept.h */
#define CO4__MAGAZINE      64 /* objects in a magazine, at most */

struct co4__object {
    struct co4__object *next;     /* in its magazine */
    struct co4__object *magazine; /* in the first object: the depot's next magazine */
};

struct co4__slab {
    struct co4__slab *next; /* the next older one; constant */
    char *first;            /* first object, aligned; constant */
    size_t bytes;           /* from `first`; constant */
    /* A trim sorts free objects by slab (trim.c). */
    struct co4__object *sorted;
    uint32_t nsorted, count; /* count: of all objects; constant */
    /* All objects are sorted; they are in no list. Walks pass over the slab. Written under the
     * depot's lock. */
    atomic_bool is_empty;
    size_t away; /* bytes that the system has taken back */
    /* The depot's list of slabs with sorted objects, or of empty slabs. */
    struct co4__slab *other, **link;
};

struct co4__depot {
    co4__lock lock;            /* guards all below */
    struct co4__object *full;  /* magazines of exactly co4__batch_of() objects */
    uint32_t nfull, least;     /* their number, and the least since trim.c has set it */
    struct co4__object *loose; /* single objects of threads that ended or have no cache */
    struct co4__slab *slabs;   /* newest first */
    char *fresh, *end;         /* the part of the newest slab that is not carved yet */
    struct co4__slab *sorted;  /* slabs with sorted objects, and others */
    struct co4__slab *empty;   /* slabs without a used object */
    char *again, *again_end;   /* the part of a slab that was empty and is not carved yet */
    size_t total, away;        /* bytes of all slabs, and those that the system has taken back */
};

extern CO4__OWN struct co4__depot co4__depot[CO4__CLASSES];

/* modules.c defines it: the size of an object of the class of kept.h. */
extern const size_t co4__kept_bytes;

static inline size_t co4__bytes_of(unsigned class)
{
    return class == CO4__CLASS_OF_KEPT ? co4__kept_bytes : (size_t) class * CO4__GRAIN;
}

static inline uint32_t co4__batch_of(unsigned class)
{
    size_t n = 8192 / co4__bytes_of(class);
    return n > CO4__MAGAZINE ? CO4__MAGAZINE : (uint32_t)n;
}

/* Returns a magazine, or a list of fewer objects; their number in *n. NULL: allocation failed. */
struct co4__object *co4__depot_take(unsigned class, uint32_t *n);
/* Takes a magazine. */
void co4__depot_give(unsigned class, struct co4__object *magazine);
/* Takes a list of objects, from `first` to `last`. */
void co4__depot_give_loose(unsigned class, struct co4__object *first, struct co4__object *last);

/* The time at which a trim has work to do (trim.c); CO4_NEVER: none is known. 0: from the next idle
 * moment on. */
extern _Atomic int64_t co4__trim_at;
extern atomic_bool co4__trim_busy; /* a thread trims */
/* Magazines of a class that are worth a trim. */
#define CO4__TRIM_FROM 64

#endif
