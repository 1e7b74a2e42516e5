/* objects.h - simulated descriptors that are no sockets: what they have in common (objects.c). */
#ifndef CO4_SIMULATION_OBJECTS_H
#define CO4_SIMULATION_OBJECTS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "io/descriptor.h"

struct co4__object;

/* As the functions of io/ops.h. read, write: NULL where they fail with EINVAL. */
struct co4__object_kind {
    ssize_t (*read)(struct co4__object *o, void *to, size_t bytes);
    ssize_t (*write)(struct co4__object *o, const void *from, size_t bytes);
    short (*poll)(const struct co4__object *o);
    /* NULL: its events come by co4__object_tell(). */
    int (*watch)(struct co4__object *o, struct co4__descriptor *d, uint32_t generation);
    void (*end)(struct co4__object *o); /* its last descriptor is closed: frees it */
};

/* The first member of an object. */
struct co4__object {
    const struct co4__object_kind *kind;
    unsigned names; /* its descriptors */
};

/* Gives it a descriptor: this placeholder, or -1 with `errno`. Returns it; -1: then the caller
 * frees the object. */
CO4__OWN int co4__object_open(struct co4__object *o, int placeholder);
/* NULL: this is none, or not of this kind. NULL as a kind: any. */
CO4__OWN struct co4__object *co4__object_at(int fd, const struct co4__object_kind *kind);
/* Reports events to its descriptors. */
CO4__OWN void co4__object_tell(const struct co4__object *o, unsigned what);

#endif
