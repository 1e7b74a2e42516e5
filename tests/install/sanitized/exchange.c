/* exchange.c - tasks on two workers hand each other memory by mailboxes, a lock, a future and a
 * join: no race. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 300 };
static co4_mutex lock = CO4_MUTEX_INIT;
static long shared;

static pausable int produce(co4_mailbox *out)
{
    for (int i = 0; i < ROUNDS; i++) {
        int *p = malloc(sizeof *p);
        if (p == NULL)
            return CO4_ENOMEM;
        *p = i;
        if (co4_mailbox_send(out, &p) != CO4_OK)
            free(p);
    }
    return co4_mailbox_close(out);
}

static pausable int consume(co4_mailbox *in)
{
    int *p, sum = 0;
    while (co4_mailbox_receive(in, &p) == CO4_OK) {
        sum += *p;
        free(p);
        if (co4_mutex_lock(&lock) != CO4_OK)
            return CO4_ECANCELED;
        shared++;
        co4_yield();
        co4_mutex_unlock(&lock);
    }
    return sum;
}

static pausable int work(co4_mailbox *between, int *result)
{
    co4_future *sum = co4_async(consume(between));
    co4_task *producer = co4_task_create(produce(between));
    co4_runtime_schedule(NULL, producer);
    co4_task_join(producer);
    co4_task_release(producer);
    int err = co4_future_await(sum, result);
    co4_future_release(sum);
    return err;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_mailbox *between = co4_mailbox_create(sizeof(int *), 3);
    int result = 0;
    if (rt == NULL || between == NULL || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_task *t = co4_task_create(work(between, &result));
    co4_runtime_schedule(rt, t);
    co4_block(co4_task_join(t));
    co4_task_release(t);
    co4_runtime_join(rt);
    printf("%d, %ld\n", result, shared);
    co4_mailbox_destroy(between);
    return co4_runtime_destroy(rt);
}
