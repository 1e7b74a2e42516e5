/* owner.h - locks of the C library that tasks hold. */
#ifndef CO4_OWNER_H
#define CO4_OWNER_H

#include <pthread.h>
#include <stdbool.h>

/* The owners that a mutex of the C library has. */
enum co4__mutex_kind {
    CO4__MUTEX_OPEN,    /* none is asked for: a normal one */
    CO4__MUTEX_COUNTS,  /* recursive */
    CO4__MUTEX_CHECKS,  /* error-checking */
    CO4__MUTEX_THREAD_S /* the system knows the thread: robust, or with a protocol for priorities */
};
enum co4__mutex_kind co4__mutex_kind(const pthread_mutex_t *mutex);

/* Returns whether the calling task owns a mutex that has an owner. */
bool co4__mutex_is_ours(const pthread_mutex_t *mutex);
/* Returns whether a mutex that could not be locked is an error-checking one of the caller, task or
 * thread. */
bool co4__mutex_refuses(const pthread_mutex_t *mutex);
/* Whether another process may have it. */
bool co4__mutex_is_shared(const pthread_mutex_t *mutex);
/* The calling thread has locked it: its owner is the task. Nothing outside tasks. */
void co4__mutex_give_to_task(pthread_mutex_t *mutex);
/* The owner is the calling thread from here on. */
void co4__mutex_give_to_thread(pthread_mutex_t *mutex);
/* Locks a recursive one that the task owns once more. Returns 0 or EAGAIN. */
int co4__mutex_again(pthread_mutex_t *mutex);
/* Returns how often it is locked. */
unsigned co4__mutex_depth(const pthread_mutex_t *mutex);

/* The calling thread has locked it for writing. / It is about to unlock it. */
void co4__rwlock_give_to_task(pthread_rwlock_t *lock);
void co4__rwlock_give_to_thread(pthread_rwlock_t *lock);
/* Another thread has locked it for writing, for the caller, task or thread. */
void co4__rwlock_take_over(pthread_rwlock_t *lock);
/* The calling thread has locked it for a task, which is about to take it: until then the thread may
 * wait for it for another task. */
void co4__rwlock_give_to_nobody(pthread_rwlock_t *lock);
bool co4__rwlock_prefers_writers(const pthread_rwlock_t *lock);
/* Returns whether the caller, task or thread, holds it for writing. */
bool co4__rwlock_is_ours(const pthread_rwlock_t *lock);

/* The clock of a condition's deadlines. */
clockid_t co4__cond_clock(const pthread_cond_t *cond);
/* Whether another process may signal it. */
bool co4__cond_is_shared(const pthread_cond_t *cond);

#endif
