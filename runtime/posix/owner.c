/* owner.c - locks of the C library that tasks hold.
 *
 * Purpose: recursive and error-checking mutexes, and glibc's read-write locks, remember which
 * thread has locked them. Tasks of one thread would share such a lock, and a task that goes on at
 * another thread could not unlock it. So a task that has locked it replaces the number of the
 * thread by one of its own. Before an unlock it puts the number of the current thread there.
 *
 * Invariants: only the holder writes the owner. Others compare it with their own number: a thread
 * with its number of the system, which is below 2^22; a task with one above 2^30. That has 30 bits
 * of the task's address. The others, and the process, which may share the lock and have a task at
 * that address (as after a fork), stand in fields of the lock that glibc does not use. They are
 * written before the number, and read after it.
 *
 * The fields are those of glibc's public structures, which are part of its binary interface. Other
 * C libraries: recursive and error-checking mutexes stay with threads there.
 *
 * Rejected: a table of owners by address, or a list of locks for each owner (a search, and memory
 * that may be missing, with each lock); an owner behind the mutex (its size is the program's);
 * small numbers that tasks take and give back (two processes have the same, and a task may end
 * while the thread around it goes on holding its lock). */
#define _GNU_SOURCE /* gettid() and others */
#include "posix/owner.h"
#include "platform/tid.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "posix/self.h"

#ifdef __GLIBC__

enum { KIND = 3, ROBUST = 16, INHERITS = 32, PROTECTS = 64, SHARED = 1, MONOTONIC = 2 };

static int this_thread(void)
{
    return (int)co4__tid();
}

/* The number that glibc takes for that of a thread; and what tells tasks with that number apart. */
struct owner {
    int number; /* 0: not in a task */
    uint32_t rest;
};

#define FROM_TASK 0x40000000

static struct owner self(void)
{
    uint64_t at = (uint64_t)(uintptr_t)co4__posix_self() >> 4;
    if (at == 0)
        return (struct owner){ .number = 0 };
    return (struct owner){ .number = (int)(at % FROM_TASK | FROM_TASK),
                           .rest = (uint32_t)(at / FROM_TASK) };
}

/* Only robust mutexes are in a list. A list with one link is that of short addresses. */
#define LINK(number) ((struct __pthread_internal_list *)(uintptr_t)(number))

enum co4__mutex_kind co4__mutex_kind(const pthread_mutex_t *mutex)
{
    int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
    if (kind & (ROBUST | INHERITS | PROTECTS))
        return CO4__MUTEX_THREAD_S;
    kind &= KIND;
    return kind == PTHREAD_MUTEX_RECURSIVE_NP    ? CO4__MUTEX_COUNTS
           : kind == PTHREAD_MUTEX_ERRORCHECK_NP ? CO4__MUTEX_CHECKS
                                                 : CO4__MUTEX_OPEN;
}

bool co4__mutex_is_shared(const pthread_mutex_t *mutex)
{
    enum { SHARED_KIND = 128 };
    return (__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & SHARED_KIND) != 0;
}

bool co4__mutex_is_ours(const pthread_mutex_t *mutex)
{
    struct owner o = self();
    if (o.number == 0 || __atomic_load_n(&mutex->__data.__owner, __ATOMIC_ACQUIRE) != o.number)
        return false;
#if __PTHREAD_MUTEX_HAVE_PREV
    return __atomic_load_n(&mutex->__data.__list.__prev, __ATOMIC_RELAXED) == LINK(o.rest) &&
           __atomic_load_n(&mutex->__data.__list.__next, __ATOMIC_RELAXED) == LINK(getpid());
#else
    return true;
#endif
}

bool co4__mutex_refuses(const pthread_mutex_t *mutex)
{
    if (co4__mutex_kind(mutex) != CO4__MUTEX_CHECKS)
        return false;
    return co4__posix_self()
               ? co4__mutex_is_ours(mutex)
               : __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == this_thread();
}

void co4__mutex_give_to_task(pthread_mutex_t *mutex)
{
    struct owner o = self();
    if (o.number == 0)
        return;
#if __PTHREAD_MUTEX_HAVE_PREV
    __atomic_store_n(&mutex->__data.__list.__prev, LINK(o.rest), __ATOMIC_RELAXED);
    __atomic_store_n(&mutex->__data.__list.__next, LINK(getpid()), __ATOMIC_RELAXED);
#endif
    __atomic_store_n(&mutex->__data.__owner, o.number, __ATOMIC_RELEASE);
}

void co4__mutex_give_to_thread(pthread_mutex_t *mutex)
{
    __atomic_store_n(&mutex->__data.__owner, this_thread(), __ATOMIC_RELAXED);
}

int co4__mutex_again(pthread_mutex_t *mutex)
{
    if (mutex->__data.__count == UINT_MAX)
        return EAGAIN;
    mutex->__data.__count++;
    return 0;
}

unsigned co4__mutex_depth(const pthread_mutex_t *mutex)
{
    return mutex->__data.__count;
}

/* A reader finds no writer there, and glibc writes it only for a writer. */
void co4__rwlock_give_to_task(pthread_rwlock_t *lock)
{
    struct owner o = self();
    if (o.number == 0)
        return;
    __atomic_store_n(&lock->__data.__pad3, o.rest, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->__data.__pad4, (unsigned)getpid(), __ATOMIC_RELAXED);
    __atomic_store_n(&lock->__data.__cur_writer, o.number, __ATOMIC_RELEASE);
}

void co4__rwlock_take_over(pthread_rwlock_t *lock)
{
    __atomic_store_n(&lock->__data.__cur_writer, this_thread(), __ATOMIC_RELAXED);
    co4__rwlock_give_to_task(lock);
}

void co4__rwlock_give_to_nobody(pthread_rwlock_t *lock)
{
    __atomic_store_n(&lock->__data.__cur_writer, 0, __ATOMIC_RELAXED);
}

bool co4__rwlock_prefers_writers(const pthread_rwlock_t *lock)
{
    return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

bool co4__rwlock_is_ours(const pthread_rwlock_t *lock)
{
    struct owner o = self();
    if (o.number == 0)
        return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == this_thread();
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_ACQUIRE) == o.number &&
           __atomic_load_n(&lock->__data.__pad3, __ATOMIC_RELAXED) == o.rest &&
           __atomic_load_n(&lock->__data.__pad4, __ATOMIC_RELAXED) == (unsigned)getpid();
}

void co4__rwlock_give_to_thread(pthread_rwlock_t *lock)
{
    if (__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) >= FROM_TASK)
        __atomic_store_n(&lock->__data.__cur_writer, this_thread(), __ATOMIC_RELAXED);
}

clockid_t co4__cond_clock(const pthread_cond_t *cond)
{
    return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & MONOTONIC ? CLOCK_MONOTONIC
                                                                                : CLOCK_REALTIME;
}

bool co4__cond_is_shared(const pthread_cond_t *cond)
{
    return (__atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & SHARED) != 0;
}

#else

/* musl's: its type is the first of the ints. */
enum co4__mutex_kind co4__mutex_kind(const pthread_mutex_t *mutex)
{
    int kind = *(const int *)(const void *)mutex;
    return kind == 0 ? CO4__MUTEX_OPEN : CO4__MUTEX_THREAD_S;
}

bool co4__mutex_is_shared(const pthread_mutex_t *mutex)
{
    return (*(const int *)(const void *)mutex & 128) != 0;
}

bool co4__mutex_is_ours(const pthread_mutex_t *mutex)
{
    (void)mutex;
    return false;
}

bool co4__mutex_refuses(const pthread_mutex_t *mutex)
{
    (void)mutex;
    return false;
}

void co4__mutex_give_to_task(pthread_mutex_t *mutex)
{
    (void)mutex;
}

void co4__mutex_give_to_thread(pthread_mutex_t *mutex)
{
    (void)mutex;
}

int co4__mutex_again(pthread_mutex_t *mutex)
{
    return pthread_mutex_lock(mutex);
}

unsigned co4__mutex_depth(const pthread_mutex_t *mutex)
{
    (void)mutex;
    return 1;
}

void co4__rwlock_give_to_task(pthread_rwlock_t *lock)
{
    (void)lock;
}

void co4__rwlock_take_over(pthread_rwlock_t *lock)
{
    (void)lock;
}

void co4__rwlock_give_to_nobody(pthread_rwlock_t *lock)
{
    (void)lock;
}

bool co4__rwlock_prefers_writers(const pthread_rwlock_t *lock)
{
    (void)lock;
    return false;
}

bool co4__rwlock_is_ours(const pthread_rwlock_t *lock)
{
    (void)lock;
    return false;
}

void co4__rwlock_give_to_thread(pthread_rwlock_t *lock)
{
    (void)lock;
}

/* musl has it in the fifth int. */
clockid_t co4__cond_clock(const pthread_cond_t *cond)
{
    return ((const int *)(const void *)cond)[4];
}

/* The first of the pointers: -1. */
bool co4__cond_is_shared(const pthread_cond_t *cond)
{
    return *(void *const *)(const void *)cond != NULL;
}

#endif
