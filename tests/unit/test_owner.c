/* test_owner.c - tasks own locks of the C library, each its own, wherever they are in memory. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>

#include "core/caller.h"
#include "posix/owner.h"
#include "posix/self.h"

#define GIB ((size_t)1 << 30)

/* Only the addresses of these tasks matter: there are none. */
static co4_task *task_at(uintptr_t at)
{
    return (co4_task *)at;
}

/* In place of posix/caller.c, which finds the step of a task. */
co4_task *co4__posix_self(void)
{
    return co4__local()->current;
}

co4_task *co4__posix_caller(void)
{
    return co4__local()->current;
}

static void far_apart(void **state)
{
    (void)state;
    const uintptr_t first = (uintptr_t)5 << 44 | 0x4560;
    co4_task *holder = task_at(first);
    pthread_mutexattr_t recursive;
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    assert_int_equal(pthread_mutexattr_init(&recursive), 0);
    assert_int_equal(pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE), 0);
    assert_int_equal(pthread_mutex_init(&mutex, &recursive), 0);
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(pthread_rwlock_wrlock(&rwlock), 0);
    co4__local()->current = holder;
    co4__mutex_give_to_task(&mutex);
    co4__rwlock_give_to_task(&rwlock);
    assert_true(co4__mutex_is_ours(&mutex));
    assert_true(co4__rwlock_is_ours(&rwlock));
    /* From 16 GiB on some bits of the addresses are the same. */
    for (size_t apart = 8 * GIB; apart <= 4096 * GIB; apart *= 2) {
        co4__local()->current = task_at(first - apart);
        assert_false(co4__mutex_is_ours(&mutex));
        assert_false(co4__rwlock_is_ours(&rwlock));
    }
    co4__local()->current = NULL;
    assert_false(co4__mutex_is_ours(&mutex));
    assert_false(co4__rwlock_is_ours(&rwlock));
    co4__local()->current = holder;
    co4__mutex_give_to_thread(&mutex);
    co4__rwlock_give_to_thread(&rwlock);
    assert_false(co4__mutex_is_ours(&mutex));
    assert_false(co4__rwlock_is_ours(&rwlock));
    co4__local()->current = NULL;
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    assert_int_equal(pthread_rwlock_unlock(&rwlock), 0);
    assert_int_equal(pthread_mutex_destroy(&mutex), 0);
    assert_int_equal(pthread_rwlock_destroy(&rwlock), 0);
}

int main(void)
{
#ifndef __GLIBC__
    return 0; /* threads own locks there: owner.c */
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
