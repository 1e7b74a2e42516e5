/* last_message - the thread that has got the last message, or has seen that there is none any more,
 * destroys the mailbox, while another is still in the middle of its put, or of its get. The address
 * sanitizer and memcheck report it if that one uses it once more.
 * modes: woven
 * needs: threads workers
 * expect: put by a select, got by a thread that destroys the channel: 400 rounds
 * expect: got by a thread, seen to be empty and destroyed by another: 400 rounds */
#include <co4.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SELECTS = 100, ROUNDS = 400, MOST = 300 };

static co4_mailbox *mb, *other;
static atomic_int selects_may_go, ready;

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void start(pthread_t *thread, void *(*f)(void *))
{
    must(-pthread_create(thread, NULL, f, NULL));
}

/* A thread that polls lets others run, on few processors: not at once, for it races with them. */
static void let_others(int polls)
{
    if (polls % 256 == 255)
        sched_yield();
}

static void wait_for(atomic_int *what)
{
    for (int i = 0; !atomic_load(what); i++)
        let_others(i);
}

/* ---- a put by select, which passes by selects that `other` has served ---- */

static pausable void selects(void)
{
    int n, m;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &n),
                         CO4_CASE(co4_mailbox_source(mb), &m) };
    if (co4_select(cases, 2) != 0)
        abort();
}

static pausable void all_select(void)
{
    for (int i = 0; i < SELECTS; i++)
        co4_spawn(selects());
    co4_yield();
    for (int i = 0; i < SELECTS; i++)
        must(co4_mailbox_send_until(other, &i, CO4_NOW));
    atomic_store(&ready, 1);
    wait_for(&selects_may_go);
}

static void *runs_selects(void *arg)
{
    co4_run(all_select());
    return arg;
}

static void *gets_and_destroys(void *arg)
{
    int n;
    wait_for(&ready);
    for (int i = 0; co4_mailbox_receive_until(mb, &n, CO4_NOW) != CO4_OK; i++)
        let_others(i);
    atomic_store(&selects_may_go, 1);
    for (int i = 0; co4_mailbox_destroy(mb) == CO4_EBUSY; i++) /* until the selects have left */
        let_others(i);
    return arg;
}

static void put_round(void)
{
    int n = 1;
    co4_sending putting;
    pthread_t threads[2];
    mb = co4_mailbox_create(sizeof(int), 4);
    other = co4_mailbox_create(sizeof(int), SELECTS);
    atomic_store(&ready, 0);
    atomic_store(&selects_may_go, 0);
    start(&threads[0], runs_selects);
    start(&threads[1], gets_and_destroys);
    wait_for(&ready);
    must(co4_await_until(co4_mailbox_sending(&putting, mb, &n), NULL, CO4_NOW));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    must(co4_mailbox_destroy(other));
}

/* ---- a get behind which memory is given back ---- */

static void *gets_all(void *arg)
{
    const int *many = arg;
    wait_for(&ready);
    for (int i = 0, n; i < *many; i++)
        must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    return arg;
}

/* Its memory has grown, perhaps so lately that some messages have not moved yet. */
static void get_round(int many)
{
    pthread_t thread;
    mb = co4_mailbox_create(sizeof(int), 1000);
    for (int i = 0; i < many; i++)
        must(co4_mailbox_send_until(mb, &i, CO4_NOW));
    atomic_store(&ready, 0);
    must(-pthread_create(&thread, NULL, gets_all, &many));
    atomic_store(&ready, 1);
    for (int i = 0; co4_mailbox_len(mb) > 0; i++)
        let_others(i);
    must(co4_mailbox_destroy(mb));
    pthread_join(thread, NULL);
}

int main(void)
{
    co4_deadlock_detect(0);
    for (int i = 0; i < ROUNDS; i++)
        put_round();
    printf("put by a select, got by a thread that destroys the channel: %d rounds\n", ROUNDS);
    for (int i = 0; i < ROUNDS; i++)
        get_round(1 + i % MOST);
    printf("got by a thread, seen to be empty and destroyed by another: %d rounds\n", ROUNDS);
    return 0;
}
