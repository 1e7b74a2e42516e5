/* seldom.c - calls that are seldom made: each in the states in which it says something else.
 * modes: woven forced
 * expect: group: 0, cancelled for 7, still 7
 * expect: 200000 groups, each below the one before: 7
 * expect: name: 'a name of more than thirty-two ' of 31, none of 0
 * expect: mutex: CO4_OK CO4_EBUSY, then CO4_OK
 * expect: rwlock: read CO4_OK CO4_OK, write CO4_EBUSY; write CO4_OK, read CO4_EBUSY, in time CO4_ETIMEDOUT
 * expect: barrier: CO4_ETIMEDOUT, and can go: CO4_OK CO4_OK CO4_OK CO4_OK
 * expect: scope: 2 tasks, prepared CO4_OK, again CO4_ESTATE
 * expect: actor: nothing CO4_EEMPTY, in time CO4_ETIMEDOUT, then 5, 6, full CO4_ETIMEDOUT
 * expect: sizes: 4 0 0
 * expect: joined: CO4_ETIMEDOUT, then CO4_OK
 * expect: over a rendezvous: 42, CO4_ETIMEDOUT
 * expect: ring: 3 of them, then none
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable int sleep_for(int64_t ns)
{
    return co4_sleep(ns);
}

enum { DEEP = 200000 };

static co4_group *chain[DEEP];

static pausable void groups(void)
{
    co4_group *g = co4_group_create(NULL);
    int before = co4_group_cancelled(g);
    co4_group_cancel(g, 7);
    printf("group: %d, cancelled for %d,", before, co4_group_cancelled(g));
    co4_group_cancel(g, 8);
    printf(" still %d\n", co4_group_cancelled(g));
    co4_group_destroy(g);
    for (int i = 0; i < DEEP; i++)
        chain[i] = co4_group_create(i > 0 ? chain[i - 1] : NULL);
    co4_group_cancel(chain[0], 7);
    printf("%d groups, each below the one before: %d\n", DEEP,
           co4_group_cancelled(chain[DEEP - 1]));
    for (int i = DEEP - 1; i >= 0; i--)
        co4_group_destroy(chain[i]);
    char name[CO4_TASK_NAME_BYTES], none[4] = "?";
    size_t unnamed = co4_task_name(co4_self(), none, sizeof none);
    co4_task_set_name(co4_self(), "a name of more than thirty-two bytes");
    size_t length = co4_task_name(co4_self(), name, sizeof name);
    printf("name: '%s' of %zu, none%s of %zu\n", name, length, none, unnamed);
}

static pausable int lock_it(co4_mutex *m, int *code)
{
    *code = co4_mutex_lock_until(m, CO4_NOW);
    return CO4_OK;
}

static pausable int try_it(co4_rwlock *l, int *read, int *write, int *until)
{
    *read = co4_rwlock_read_until(l, CO4_NOW);
    if (*read == CO4_OK)
        co4_rwlock_unlock(l);
    *write = co4_rwlock_write_until(l, CO4_NOW);
    *until = *read == CO4_OK ? CO4_OK : co4_rwlock_read_until(l, co4_now() + CO4_MS);
    return CO4_OK;
}

static pausable int try_in_task(co4_rwlock *l, int *read, int *write, int *until)
{
    co4_future *f = co4_async(try_it(l, read, write, until));
    int err = co4_future_await(f, NULL);
    co4_future_release(f);
    return err;
}

static pausable void locks(void)
{
    co4_mutex mutex = CO4_MUTEX_INIT;
    int first = co4_mutex_lock_until(&mutex, CO4_NOW), other, read, write, until;
    co4_future *f = co4_async(lock_it(&mutex, &other));
    co4_future_await(f, NULL);
    co4_future_release(f);
    co4_mutex_unlock(&mutex);
    printf("mutex: %s %s, then %s\n", co4_errname(first), co4_errname(other),
           co4_errname(co4_mutex_lock_until(&mutex, CO4_NOW)));
    co4_mutex_unlock(&mutex);
    co4_rwlock lock = { { 0 } };
    first = co4_rwlock_read_until(&lock, CO4_NOW);
    try_in_task(&lock, &read, &write, &until);
    printf("rwlock: read %s %s, write %s;", co4_errname(first), co4_errname(read),
           co4_errname(write));
    co4_rwlock_unlock(&lock);
    first = co4_rwlock_write_until(&lock, CO4_NOW);
    try_in_task(&lock, &read, &write, &until);
    printf(" write %s, read %s, in time %s\n", co4_errname(first), co4_errname(read),
           co4_errname(until));
    co4_rwlock_unlock(&lock);
    co4_barrier barrier = CO4_BARRIER_INIT(2);
    int alone = co4_barrier_wait_until(&barrier, co4_now() + CO4_MS);
    co4_cond cond = CO4_COND_INIT;
    co4_sem sem = CO4_SEM_INIT(1);
    co4_waitgroup group = CO4_WAITGROUP_INIT;
    printf("barrier: %s, and can go: %s %s %s %s\n", co4_errname(alone),
           co4_errname(co4_barrier_destroy(&barrier)), co4_errname(co4_cond_destroy(&cond)),
           co4_errname(co4_sem_destroy(&sem)), co4_errname(co4_waitgroup_destroy(&group)));
}

static pausable int scope_body(void)
{
    co4_scope *scope = co4_scope_here();
    co4_task *t = co4_task_create(sleep_for(CO4_MS));
    co4_task_retain(t);
    int started = co4_scope_start(scope, t);
    co4_scope_spawn(scope, sleep_for(CO4_MS));
    printf("scope: %zu tasks, prepared %s,", co4_scope_tasks(scope), co4_errname(started));
    printf(" again %s\n", co4_errname(co4_scope_start(scope, t)));
    return CO4_OK;
}

static pausable int listen(co4_actor *self)
{
    int n = 0;
    printf("actor: nothing %s,", co4_errname(co4_actor_receive_until(self, &n, CO4_NOW)));
    printf(" in time %s,", co4_errname(co4_actor_receive_until(self, &n, co4_now() + CO4_MS)));
    co4_actor_receive(self, &n);
    printf(" then %d,", n);
    co4_await(co4_actor_source(self), &n);
    printf(" %d,", n);
    co4_sleep(5 * CO4_MS);
    return CO4_OK;
}

static pausable void actors(void)
{
    int messages[] = { 5, 6, 7, 8 };
    co4_actor *a = co4_actor_create(sizeof(int), 1, 0);
    co4_actor_spawn(a, listen(a));
    co4_sleep(3 * CO4_MS);
    for (int i = 0; i < 3; i++)
        co4_actor_send(a, &messages[i]);
    printf(" full %s\n", co4_errname(co4_actor_send_until(a, &messages[3], co4_now() + CO4_MS)));
    co4_actor_stop(a);
    co4_actor_join_until(a, CO4_NEVER);
    co4_actor_release(a);
    co4_mailbox *mb = co4_mailbox_create(4, 1);
    co4_timer timer;
    co4_timer_init(&timer);
    co4_future *f = co4_future_create(0);
    printf("sizes: %zu %zu %zu\n", co4_source_size(co4_mailbox_source(mb)),
           co4_source_size(co4_timer_source(&timer)), co4_source_size(co4_future_source(f)));
    co4_mailbox_destroy(mb);
    co4_timer_destroy(&timer);
    co4_future_release(f);
}

static pausable void in_tasks(void)
{
    groups();
    locks();
    co4_scope_run(0, scope_body());
    actors();
}

/* Threads on one side, a task on the other. */
static pausable int answer(co4_mailbox *questions, co4_mailbox *answers)
{
    int n;
    while (co4_mailbox_receive(questions, &n) == CO4_OK) {
        n *= 2;
        co4_mailbox_send(answers, &n);
    }
    return CO4_OK;
}

int main(void)
{
    long long live = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(in_tasks());
    co4_test_end(NULL);

    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    co4_mailbox *questions = co4_mailbox_create(sizeof(int), 0),
                *answers = co4_mailbox_create(sizeof(int), 0);
    co4_task *t = co4_task_create(answer(questions, answers));
    co4_runtime_schedule(rt, t);
    int early = co4_block(co4_task_join_until(t, co4_now() + 2 * CO4_MS)), n = 21;
    co4_block(co4_mailbox_send(questions, &n));
    co4_block(co4_mailbox_receive(answers, &n));
    int late = co4_block(co4_mailbox_receive_until(answers, &early, co4_now() + 2 * CO4_MS));
    co4_mailbox_close(questions);
    printf("joined: %s, then %s\n", co4_errname(early),
           co4_errname(co4_block(co4_task_join_until(t, CO4_NEVER))));
    printf("over a rendezvous: %d, %s\n", n, co4_errname(late));
    co4_task_release(t);
    co4_mailbox_destroy(questions);
    co4_mailbox_destroy(answers);
    co4_runtime_destroy(rt);

    co4_ring ring;
    co4_ring_init(&ring, sizeof n, 3);
    must(co4_ring_reserve(&ring, 3));
    for (n = 0; n < 3; n++)
        must(co4_ring_push(&ring, &n));
    printf("ring: %zu of them,", co4_ring_len(&ring));
    co4_ring_clear(&ring);
    printf(" then %s\n", co4_ring_len(&ring) == 0 ? "none" : "some");
    co4_ring_destroy(&ring);
    if (co4_test_pool_live() == live && co4_test_alloc_live() == blocks)
        printf("nothing is left\n");
    return 0;
}
