/* posts.h - tasks that wait for a semaphore of the C library. */
#ifndef CO4_POSTS_H
#define CO4_POSTS_H

#include <semaphore.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "base/public.h"

/* A waiter. It is in the frame of the call that waits. */
struct co4__posted {
    struct co4__posted *next, *prev;
    co4_task *task; /* for the child of a fork */
    int slot;       /* -1: all are taken */
};

/* The calling task is about to wait. The caller tries the semaphore once more afterwards. */
void co4__posts_enter(struct co4__posted *p, const sem_t *sem);
void co4__posts_leave(struct co4__posted *p);
/* The descriptor of its slot: each notification is a token, which one read of 8 bytes takes; -1:
 * there is none, and the waiter looks from time to time. */
int co4__posts_descriptor(const struct co4__posted *p);
/* Another process may have posted: looks at all that are waited for. Returns whether any is. */
CO4__IF_LINKED bool co4__posts_look(void);
/* The semaphore has been posted. May be called in a handler of signals. */
void co4__posts_notify(const sem_t *sem);

#endif
