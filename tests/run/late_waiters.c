/* late_waiters - a thread that makes a place, or brings a message, passes by many selects that
 * another source has served, and others have the lock meanwhile. None that comes then waits for
 * ever, and none that waited is forgotten.
 * modes: woven
 * needs: threads
 * expect: each round both got one, and the sender went on
 * expect: each round three got the three that were put
 * expect: a put by select at a channel that is closed meanwhile: 40 of 40 ended */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SELECTS = 200, ROUNDS = 60, CLOSED_ROUNDS = 40 };

static co4_mailbox *mb, *other;
static atomic_int got, over, closing;

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* Each is served by `other`, and goes on when all has been done. */
static pausable void selects(bool sends, co4_waitgroup *ended)
{
    int n = 7, m = 0;
    co4_putting putting;
    co4_source *source = sends ? co4_mailbox_putting(&putting, mb, &n) : co4_mailbox_source(mb);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &m), CO4_CASE(source, &n) };
    if (co4_select(cases, 2) != 0)
        abort();
    co4_waitgroup_done(ended);
}

static pausable void puts_one(co4_waitgroup *ended)
{
    int n = 2;
    must(co4_mailbox_put(mb, &n));
    co4_waitgroup_done(ended);
}

static void *gets_one(void *arg)
{
    int n;
    must(co4_mailbox_get_block(mb, &n));
    atomic_fetch_add(&got, 1);
    return arg;
}

/* So that the lock is always wanted. */
static void *wants_the_lock(void *arg)
{
    while (!atomic_load(&over))
        co4_mailbox_len(mb);
    return arg;
}

static pausable void takes(co4_waitgroup *ended)
{
    int n;
    must(co4_mailbox_get(mb, &n));
    co4_waitgroup_done(ended);
}

static void *puts_block(void *arg)
{
    int n = 3;
    must(co4_mailbox_put_block(mb, &n));
    return arg;
}

static pausable void select_all(bool sends, co4_waitgroup *ended)
{
    co4_waitgroup_add(ended, SELECTS);
    for (int i = 0; i < SELECTS; i++)
        co4_spawn(selects(sends, ended));
    co4_yield();
}

static void serve_all(void)
{
    for (int i = 0; i < SELECTS; i++)
        must(co4_mailbox_try_put(other, &i));
}

static void start(pthread_t *thread, void *(*f)(void *))
{
    must(-pthread_create(thread, NULL, f, NULL));
}

static void end(pthread_t thread)
{
    pthread_join(thread, NULL);
}

static pausable bool meet(void)
{
    int n = 1;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    pthread_t threads[3];
    mb = co4_mailbox_create(sizeof(int), 1);
    other = co4_mailbox_create(sizeof(int), SELECTS);
    must(co4_mailbox_try_put(mb, &n));
    select_all(true, &ended);
    co4_waitgroup_add(&ended, 1);
    co4_spawn(puts_one(&ended));
    co4_yield();
    serve_all();
    atomic_store(&got, 0);
    atomic_store(&over, 0);
    start(&threads[0], wants_the_lock);
    start(&threads[1], gets_one);
    start(&threads[2], gets_one);
    int64_t limit = co4_now() + 20 * CO4_SEC;
    while (atomic_load(&got) < 2 && co4_now() < limit)
        ;
    bool both = atomic_load(&got) == 2;
    if (!both)
        must(co4_mailbox_close(mb));
    atomic_store(&over, 1);
    co4_waitgroup_wait(&ended);
    for (int i = 0; i < 3; i++)
        end(threads[i]);
    must(co4_mailbox_destroy(mb));
    must(co4_mailbox_destroy(other));
    return both;
}

/* Of three that put, one passes by the selects, and two may wait for a place meanwhile. */
static pausable bool bring(void)
{
    int n = 1;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_putting putting;
    pthread_t threads[3];
    mb = co4_mailbox_create(sizeof(int), 1);
    other = co4_mailbox_create(sizeof(int), SELECTS);
    select_all(false, &ended);
    co4_waitgroup_add(&ended, 3);
    for (int i = 0; i < 3; i++)
        co4_spawn(takes(&ended));
    co4_yield();
    serve_all();
    atomic_store(&over, 0);
    start(&threads[0], wants_the_lock);
    start(&threads[1], puts_block);
    start(&threads[2], puts_block);
    must(co4_await(co4_mailbox_putting(&putting, mb, &n), NULL));
    bool all = co4_waitgroup_wait_until(&ended, co4_now() + 20 * CO4_SEC) == CO4_OK;
    atomic_store(&over, 1);
    if (!all)
        must(co4_mailbox_close(mb));
    for (int i = 0; i < 3; i++)
        end(threads[i]);
    if (!all)
        abort();
    must(co4_mailbox_destroy(mb));
    must(co4_mailbox_destroy(other));
    return all;
}

static void *closes(void *arg)
{
    while (!atomic_load(&closing))
        ;
    must(co4_mailbox_close(mb));
    return arg;
}

static pausable bool closed_round(void)
{
    int n = 1;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_putting putting;
    pthread_t threads[2];
    mb = co4_channel_create(sizeof(int), 0);
    other = co4_mailbox_create(sizeof(int), SELECTS);
    select_all(false, &ended);
    serve_all();
    atomic_store(&over, 0);
    atomic_store(&closing, 0);
    start(&threads[0], wants_the_lock);
    start(&threads[1], closes);
    atomic_store(&closing, 1);
    int err = co4_await_try(co4_mailbox_putting(&putting, mb, &n), NULL);
    atomic_store(&over, 1);
    co4_waitgroup_wait(&ended);
    for (int i = 0; i < 2; i++)
        end(threads[i]);
    must(co4_mailbox_destroy(mb));
    must(co4_mailbox_destroy(other));
    return err == CO4_EEMPTY || err == CO4_ECLOSED;
}

static pausable void rounds(void)
{
    int right = 0, three = 0, ended = 0;
    for (int i = 0; i < ROUNDS; i++)
        right += meet();
    for (int i = 0; i < ROUNDS; i++)
        three += bring();
    if (right == ROUNDS)
        printf("each round both got one, and the sender went on\n");
    else
        printf("%d of %d rounds were right\n", right, ROUNDS);
    if (three == ROUNDS)
        printf("each round three got the three that were put\n");
    for (int i = 0; i < CLOSED_ROUNDS; i++)
        ended += closed_round();
    printf("a put by select at a channel that is closed meanwhile: %d of %d ended\n", ended,
           CLOSED_ROUNDS);
}

int main(void)
{
    co4_deadlock_detect(0);
    co4_run(rounds());
    return 0;
}
