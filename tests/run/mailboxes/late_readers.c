/* late_readers - a message comes to a subscriber where a receiver waits behind many selects that
 * another source has served. The thread that sends rests on its way to it; a receiver that comes
 * meanwhile does not get the message before it.
 * modes: woven
 * needs: threads workers
 * expect: 60 of 60 messages came to the receiver that waited */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SELECTS = 300, ROUNDS = 60 };

static co4_mailbox *other;
static co4_broadcast *news;
static co4_subscriber *reader;
static atomic_int come, over, late;

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void selects(void)
{
    int n, v;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &n),
                         CO4_CASE(co4_subscriber_source(reader), &v) };
    if (co4_select(cases, 2) != CO4_ENDED(0))
        abort();
}

/* The second message is for it when the first is not. */
static pausable void waits(void)
{
    int n;
    must(co4_subscriber_receive(reader, &n));
}

/* The worker comes to it when all others wait. */
static pausable void is_last(void)
{
    atomic_store(&come, 1);
}

static pausable void all_wait(void)
{
    for (int i = 0; i < SELECTS; i++)
        co4_spawn(selects());
    co4_spawn(waits());
    co4_spawn(is_last());
}

static void *comes_late(void *arg)
{
    int n;
    while (!atomic_load(&over))
        if (co4_subscriber_receive_until(reader, &n, CO4_NOW) == CO4_OK)
            atomic_store(&late, 1);
    return arg;
}

static void wait_a_little(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

/* Did the message come to the one that waited? */
static int one_round(void)
{
    int n = 1;
    pthread_t thread;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    other = co4_mailbox_create(sizeof(int), 1);
    news = co4_broadcast_create(sizeof(int));
    reader = co4_broadcast_subscribe(news, 4, CO4_BROADCAST_WAIT);
    atomic_store(&come, 0);
    atomic_store(&over, 0);
    atomic_store(&late, 0);
    must(co4_runtime_start(rt));
    if (!co4_runtime_spawn(rt, all_wait()))
        abort();
    while (!atomic_load(&come))
        ;
    must(-pthread_create(&thread, NULL, comes_late, NULL));
    must(co4_mailbox_close(other)); /* the selects are served */
    must(co4_block(co4_broadcast_send(news, &n)));
    wait_a_little();
    int was_late = atomic_load(&late);
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    if (was_late)
        must(co4_block(co4_broadcast_send(news, &n)));
    must(co4_runtime_join(rt));
    must(co4_runtime_destroy(rt));
    must(co4_subscriber_destroy(reader));
    must(co4_broadcast_destroy(news));
    must(co4_mailbox_destroy(other));
    return !was_late;
}

int main(void)
{
    int right = 0;
    co4_deadlock_detect(0);
    for (int i = 0; i < ROUNDS; i++)
        right += one_round();
    printf("%d of %d messages came to the receiver that waited\n", right, ROUNDS);
    return 0;
}
