/* null_objects.c - what calls of locks and their kin say when they are given none.
 * expect: invalid: 25 of 25
 * expect: nothing to destroy: 6 of 6
 * expect: outside a task: 2 of 2 */
#include <co4.h>
#include <stdio.h>

static int all, right;

static void is(int err, int wanted)
{
    all++;
    right += err == wanted;
}

static void deferred(void *arg)
{
    (void)arg;
}

static pausable int body(void *arg)
{
    return arg != NULL;
}

static pausable int calls(void)
{
    co4_mutex mutex = CO4_MUTEX_INIT;
    co4_cond cond = CO4_COND_INIT;
    is(co4_mutex_lock(NULL), CO4_EINVAL);
    is(co4_mutex_lock_until(NULL, CO4_NOW), CO4_EINVAL);
    is(co4_mutex_unlock(NULL), CO4_EINVAL);
    is(co4_cond_wait(NULL, NULL), CO4_EINVAL);
    is(co4_cond_wait(&cond, NULL), CO4_EINVAL);
    is(co4_cond_wait(NULL, &mutex), CO4_EINVAL);
    is(co4_sem_acquire(NULL), CO4_EINVAL);
    is(co4_sem_acquire_until(NULL, CO4_NOW), CO4_EINVAL);
    is(co4_rwlock_read(NULL), CO4_EINVAL);
    is(co4_rwlock_write(NULL), CO4_EINVAL);
    is(co4_rwlock_read_until(NULL, CO4_NOW), CO4_EINVAL);
    is(co4_rwlock_write_until(NULL, CO4_NOW), CO4_EINVAL);
    is(co4_rwlock_unlock(NULL), CO4_EINVAL);
    is(co4_sem_release(NULL), CO4_EINVAL);
    is(co4_cond_signal(NULL), CO4_EINVAL);
    is(co4_cond_broadcast(NULL), CO4_EINVAL);
    is(co4_waitgroup_add(NULL, 1), CO4_EINVAL);
    is(co4_barrier_wait(NULL), CO4_EINVAL);
    is(co4_waitgroup_wait(NULL), CO4_EINVAL);
    is(co4_once_run(NULL, body(NULL)), CO4_EINVAL);
    is(co4_undefer(deferred, NULL), CO4_ESTATE); /* nothing is deferred */
    is(co4_defer(NULL, NULL), CO4_EINVAL);
    is(co4_group_cancel(NULL, 0), CO4_EINVAL);
    is(co4_group_cancel(NULL, CO4_ECANCELED), CO4_EINVAL);
    is(co4_undefer(NULL, NULL), CO4_ESTATE);
    return 0;
}

int main(void)
{
    co4_run(calls());
    printf("invalid: %d of %d\n", right, all);
    all = right = 0;
    is(co4_mutex_destroy(NULL), CO4_OK);
    is(co4_cond_destroy(NULL), CO4_OK);
    is(co4_sem_destroy(NULL), CO4_OK);
    is(co4_rwlock_destroy(NULL), CO4_OK);
    is(co4_barrier_destroy(NULL), CO4_OK);
    is(co4_waitgroup_destroy(NULL), CO4_OK);
    printf("nothing to destroy: %d of %d\n", right, all);
    all = right = 0;
    is(co4_defer(deferred, NULL), CO4_ESTATE);
    is(co4_undefer(deferred, NULL), CO4_ESTATE);
    printf("outside a task: %d of %d\n", right, all);
    return 0;
}
