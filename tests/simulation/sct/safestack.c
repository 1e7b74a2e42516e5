/* safestack.c - a stack of numbers of places without a lock, after Vyukov; three threads take a
 * place, use it, and put it back.
 *
 * The mistake is rare: a thread that takes marks the place's link, and others take and put back
 * places meanwhile, so that the link is of another time. It takes at least five preemptions in the
 * right places. The right form has a lock. */
#include <sched.h>
#include <stdatomic.h>

#include "sct.h"

enum { PLACES = 3, NOTHING = -1, TURNS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count = PLACES, top, links[PLACES], users[PLACES];

static int pop_once(void)
{
    int mine = atomic_load(&top), link = atomic_exchange(&links[mine], NOTHING);
    if (link == NOTHING)
        return NOTHING;
    int seen = mine;
    if (atomic_compare_exchange_strong(&top, &seen, link)) {
        atomic_fetch_sub(&count, 1);
        return mine;
    }
    atomic_exchange(&links[mine], link);
    return NOTHING;
}

static int pop(void)
{
    while (atomic_load(&count) > 1) {
        int place = pop_once();
        if (place != NOTHING)
            return place;
        sched_yield();
    }
    return NOTHING;
}

static void push(int place)
{
    int below = atomic_load(&top);
    do
        atomic_store(&links[place], below);
    while (!atomic_compare_exchange_strong(&top, &below, place));
    atomic_fetch_add(&count, 1);
}

static int locked_pop(void)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    int place = pop();
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return place;
}

static void locked_push(int place)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    push(place);
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        int place = locked_pop();
        while (place == NOTHING) {
            sched_yield();
            place = locked_pop();
        }
        assert(atomic_fetch_add(&users[place], 1) == 0);
        atomic_fetch_sub(&users[place], 1);
        locked_push(place);
    }
    return arg;
}

int main(void)
{
    for (int i = 0; i < PLACES; i++)
        atomic_store(&links[i], i + 1 < PLACES ? i + 1 : NOTHING);
    together(3, use);
    return 0;
}
