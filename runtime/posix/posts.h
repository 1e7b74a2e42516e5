/* posts.h - tasks that wait for a semaphore of the C library. */
#ifndef CO4_POSTS_H
#define CO4_POSTS_H

#include <semaphore.h>

/* The calling task is about to wait. Returns the number of a slot, or -1 when all are taken. The
 * caller tries the semaphore once more afterwards. */
int co4__posts_enter(const sem_t *sem);
void co4__posts_leave(int slot);
/* The descriptor of a slot: each notification is a token, which one read of 8 bytes takes. */
int co4__posts_descriptor(int slot);
/* The semaphore has been posted. May be called in a handler of signals. */
void co4__posts_notify(const sem_t *sem);

#endif
