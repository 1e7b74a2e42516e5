/* inbox_wakes - a removal lets a waiting sender in. The sender has to go on, also while the
 * function of another thread's removal runs, or waits for it.
 * modes: woven
 * needs: threads workers
 * expect: each sender went on while the function ran */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MANY = 20000, ROUNDS = 30 };

static co4_inbox *mb;
static atomic_int sent, going, late;

static void doze(int us)
{
    nanosleep(&(struct timespec){ .tv_nsec = us * 1000L }, NULL);
}

static void *sends(void *arg)
{
    int n = -1;
    co4_inbox_wait_at at;
    if (co4_block(co4_await(co4_inbox_sending(&at, mb, &n), NULL)) != CO4_OK)
        abort();
    atomic_store(&sent, 1);
    return arg;
}

static int is_last(void *arg, const void *msg)
{
    (void)arg;
    return *(const int *)msg == MANY - 1;
}

/* Up to a second for the sender, if there is a place, or its message is in already. */
static int waits(void *arg, const void *msg)
{
    int n = *(const int *)msg;
    if (n != 0 || (*(int *)arg)++)
        return 1;
    for (int i = 0; i < 10000 && !atomic_load(&sent); i++)
        doze(100);
    if (!atomic_load(&sent))
        late++;
    return 1;
}

static int gap_seen(void)
{
    return atomic_load(&going);
}

static int is_last_and_tells(void *arg, const void *msg)
{
    int it = is_last(arg, msg);
    if (it)
        atomic_store(&going, 1);
    return it;
}

static void *removes_telling(void *arg)
{
    int out;
    if (co4_inbox_remove(mb, is_last_and_tells, NULL, &out) != CO4_OK)
        abort();
    return arg;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t sender, remover;
        int out, calls = 0;
        co4_inbox_wait_at at;
        atomic_store(&sent, 0);
        atomic_store(&going, 0);
        mb = co4_inbox_create(sizeof(int), MANY);
        for (int i = 0; i < MANY; i++)
            if (co4_await_until(co4_inbox_sending(&at, mb, &i), NULL, CO4_NOW) != CO4_OK)
                abort();
        if (pthread_create(&sender, NULL, sends, NULL) != 0)
            abort();
        doze(20000); /* it waits */
        if (pthread_create(&remover, NULL, removes_telling, NULL) != 0)
            abort();
        while (!gap_seen())
            ;
        if (co4_inbox_remove(mb, waits, &calls, &out) != CO4_OK)
            abort();
        pthread_join(remover, NULL);
        pthread_join(sender, NULL);
        co4_inbox_destroy(mb);
    }
    if (late)
        printf("%d senders of %d had been let in, and slept on while the function ran\n", (int)late,
               ROUNDS);
    else
        puts("each sender went on while the function ran");
    return 0;
}
