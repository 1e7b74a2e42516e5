/* lost.h - descriptors that were closed without co4_close() while tasks wait: see lost.c. */
#ifndef CO4_LOST_H
#define CO4_LOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "io/descriptor.h"
#include "io/reactor.h"

/* The record forgets the file that has this generation: its waits end with EBADF. `was_closed`: a
 * plain close() has caused that, and a message says so if a task waited. */
void co4__descriptor_replace(struct co4__descriptor *d, uint32_t generation, bool was_closed);

int64_t co4__lost_look_now(struct co4__reactor *r, int64_t now, int64_t deadline);

/* Called by the owner before it sleeps. Looks for lost descriptors, if no event has come for a
 * while. Returns how long it may sleep: at most until the next look. */
static inline int64_t co4__lost_look(struct co4__reactor *r, int64_t now, int64_t deadline)
{
    if (CO4__LIKELY(r->quiet.look_at > now))
        return r->quiet.look_at < deadline ? r->quiet.look_at : deadline;
    return co4__lost_look_now(r, now, deadline);
}

#endif
