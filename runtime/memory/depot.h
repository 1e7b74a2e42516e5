/* depot.h - the layout of the pool's memory, for pool.c and for debuggers. */
#ifndef CO4_DEPOT_H
#define CO4_DEPOT_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "platform/lock.h"

#define CO4__GRAIN         8
#define CO4__LARGEST       1024
#define CO4__CLASSES       (CO4__LARGEST / CO4__GRAIN + 1)
#define CO4__CLASS_OF_KEPT 0 /* kept.h */

struct co4__object {
    struct co4__object *next;     /* in its magazine */
    struct co4__object *magazine; /* in the first object: the depot's next magazine */
};

struct co4__slab {
    struct co4__slab *next;
    char *first;  /* first object, aligned */
    size_t bytes; /* from `first` */
};

struct co4__depot {
    co4__lock lock;            /* guards all below */
    struct co4__object *full;  /* magazines of exactly `batch_of` objects */
    struct co4__object *loose; /* single objects of threads that ended or have no cache */
    struct co4__slab *slabs;   /* newest first */
    char *fresh, *end;         /* the part of the newest slab that is not carved yet */
    size_t total;              /* bytes of all slabs */
};

extern CO4__OWN struct co4__depot co4__depot[CO4__CLASSES];

#endif
