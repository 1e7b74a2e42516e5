/* soak.h - random work for the whole runtime, round after round; each kind of work checks its
 * results.
 *
 * A round has a seed, from which all its random choices come; the timing of threads is not part of
 * it. */
#ifndef SOAK_H
#define SOAK_H

#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers as if by chance (xorshift64*, Vigna 2016). */
struct lots {
    unsigned long long state;
};

static inline struct lots lots_of(unsigned long long seed, unsigned long long whose)
{
    struct lots l = { (seed * 0x9e3779b97f4a7c15u) ^ ((whose + 1) * 0xbf58476d1ce4e5b9u) };
    if (l.state == 0)
        l.state = 1;
    return l;
}

static inline unsigned lot(struct lots *l, unsigned below)
{
    l->state ^= l->state >> 12;
    l->state ^= l->state << 25;
    l->state ^= l->state >> 27;
    return (unsigned)((l->state * 0x2545f4914f6cdd1du) >> 33) % below;
}

/* A moment within so many microseconds; now and then one that has passed. */
static inline int64_t soon(struct lots *l, unsigned us)
{
    return co4_now() + ((int64_t)lot(l, us + us / 16) - us / 16) * CO4_US;
}

/* Something must hold: says so, with the seed, and ends the program. */
void soak_must(bool holds, const char *what, const char *where, int line);
#define MUST(condition) soak_must((condition), #condition, __FILE__, __LINE__)

/* Schedules the task, whose share it takes over; now and then it is pinned. Of those that may be
 * cancelled the round cancels some, and keeps a share until it is over. */
enum { SOAK_TO_THE_END, SOAK_MAY_CANCEL };
void soak_start(co4_runtime *rt, co4_task *task, int may_cancel);

/* A kind of work: `begin` starts tasks on the runtime, `check` is called when all have ended. */
struct work {
    const char *name, *unit;
    void (*begin)(co4_runtime *rt, unsigned long long seed);
    unsigned long long (*check)(void); /* what there was of it */
};

extern const struct work soak_messages, soak_locks, soak_trees, soak_news, soak_flows, soak_actors,
    soak_times, soak_sockets, soak_outside;
void soak_sockets_prepare(void);
void soak_outside_prepare(void);
void soak_outside_end(void);

#endif
