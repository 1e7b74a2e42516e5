/* comparison.c - the operations that docs/comparison.md compares, a function for each.
 * modes: woven forced
 * expect: 7 squared is 49
 * expect: the sum is 6
 * expect: timeout
 * expect: cancelled: CO4_ECANCELED
 * expect: 9 and 16
 * expect: counted to 2
 * expect: slow says 42
 * expect: 3 ticks */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

static pausable int square(int n)
{
    co4_sleep(CO4_MS);
    return n * n;
}

/* Start a task, and wait for its result. */
static pausable void start_and_wait(void)
{
    int result;
    co4_task *t = co4_spawn(square(7));
    co4_join(t, &result);
    printf("7 squared is %d\n", result);
}

/* Send to a channel, and close it. */
static pausable void produce(int_mailbox out, int n)
{
    for (int i = 1; i <= n; i++)
        co4_typed_send(out, &i);
    co4_typed_close(out);
}

/* Receive until the channel is closed. */
static pausable void consume(int_mailbox in)
{
    int value, sum = 0;
    co4_spawn(produce(in, 3));
    while (co4_typed_receive(in, &value) == CO4_OK)
        sum += value;
    printf("the sum is %d\n", sum);
}

/* Wait for the first of two channels, for 5 ms at most. */
static pausable void first_of_two(int_mailbox left, int_mailbox right)
{
    int value;
    co4_case cases[] = { CO4_CASE_OF(left, &value), CO4_CASE_OF(right, &value) };
    int chosen = co4_select_until(cases, 2, 0, co4_now() + 5 * CO4_MS);
    if (chosen >= 0)
        printf("%d from the %s\n", value, chosen == 0 ? "left" : "right");
    else if (chosen == CO4_ETIMEDOUT)
        puts("timeout");
    else
        puts("closed, or cancelled");
}

/* Cancel a task: the call in which it waits returns CO4_ECANCELED. */
static pausable void patient(int_mailbox in)
{
    int value, err = co4_typed_receive(in, &value);
    printf("cancelled: %s\n", co4_errname(err));
}

static pausable void cancel(int_mailbox in)
{
    co4_task *t = co4_spawn(patient(in));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
}

/* A scope: both children have ended when it returns; the first failure cancels the other. */
static pausable int store_square(int n, int *to)
{
    *to = square(n);
    return CO4_OK;
}

static pausable int children(int *result)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, store_square(3, &result[0]));
    return err == CO4_OK ? co4_scope_spawn(scope, store_square(4, &result[1])) : err;
}

static pausable void scope(void)
{
    int result[2] = { 0, 0 };
    if (co4_scope_run(0, children(result)) == CO4_OK)
        printf("%d and %d\n", result[0], result[1]);
}

/* A mutex pauses the task that waits for it, not its thread. */
static pausable void count(co4_mutex *lock, int *counter)
{
    if (co4_mutex_lock(lock) != CO4_OK)
        return;
    int before = *counter;
    co4_yield();
    *counter = before + 1;
    co4_mutex_unlock(lock);
}

/* A call that blocks is made on another thread. */
static int slow(void)
{
    return 42;
}

static pausable void block(void)
{
    printf("slow says %d\n", co4_blocking(slow()));
}

/* A periodic timer. */
static pausable void tick(uint64_t times)
{
    co4_ticker ticker;
    uint64_t ticks = 0, n;
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, co4_now() + CO4_MS, CO4_MS);
    while (ticks < times && co4_await(co4_ticker_source(&ticker), &n) == CO4_OK)
        ticks += n; /* more than 1 if the task comes late */
    co4_ticker_destroy(&ticker);
    printf("%d ticks\n", (int)times);
}

static pausable void all(int_mailbox a, int_mailbox b)
{
    co4_mutex lock = CO4_MUTEX_INIT;
    int counter = 0;
    start_and_wait();
    consume(a);
    first_of_two(b, b);
    cancel(b);
    scope();
    co4_future *other = co4_async(count(&lock, &counter));
    count(&lock, &counter);
    co4_future_await(other, NULL);
    co4_future_release(other);
    printf("counted to %d\n", counter);
    block();
    tick(3);
}

int main(void)
{
    int_mailbox a = co4_typed_create(int_mailbox, 1), b = co4_typed_create(int_mailbox, 1);
    co4_run(all(a, b));
    co4_typed_destroy(a);
    co4_typed_destroy(b);
    return 0;
}
