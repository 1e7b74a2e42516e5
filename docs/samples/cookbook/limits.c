/* limits.c - the recipes of the cookbook about time and endings.
 * modes: woven forced
 * expect: too slow: CO4_ETIMEDOUT
 * expect: two steps in one limit: CO4_OK
 * expect: nothing is there: CO4_EEMPTY
 * expect: 3 ticks
 * expect: cancelled: CO4_ECANCELED
 * expect: cleaned up
 * expect: said goodbye
 * expect: saved: CO4_OK
 * expect: after 3 attempts: CO4_OK
 * expect: CO4_ETIMEDOUT is no error of errno, -ENOENT is: No such file or directory */
#include <co4.h>
#include <errno.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

static pausable int fetch(int64_t takes)
{
    return co4_sleep(takes); /* represents a request that is on its way */
}

/* How do I give any call a time limit? */

static pausable int fetch_in_time(void)
{
    return co4_timeout(20 * CO4_MS, fetch(3600 * CO4_SEC)); /* cancels it, and waits for its end */
}

/* How do I give several calls one limit together? */

static pausable int two_steps(int_mailbox in, int_mailbox out, int64_t deadline)
{
    int n;
    int code = co4_typed_receive_until(in, &n, deadline); /* a deadline is a moment: it stays */
    if (code == CO4_OK)
        code = co4_typed_send_until(out, &n, deadline);
    return code;
}

/* How do I try without waiting? */

static int look(int_mailbox in) /* a plain function, too, may try */
{
    int n;
    return co4_typed_receive_until(in, &n, CO4_NOW);
}

/* How do I do something every second? */

static pausable uint64_t every(int64_t period, uint64_t times)
{
    co4_ticker ticker;
    uint64_t ticks, all = 0;
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, co4_after(period), period);
    while (all < times && co4_await(co4_ticker_source(&ticker), &ticks) == CO4_OK)
        all += ticks; /* more than one after a delay: none is lost, and they do not drift */
    co4_ticker_destroy(&ticker);
    return all;
}

/* How do I stop a task? */

static pausable int watch(void)
{
    int code;
    while ((code = co4_sleep(CO4_MS)) == CO4_OK)
        ;        /* here it would look at something */
    return code; /* CO4_ECANCELED: a task ends because it looks at its codes */
}

static pausable int stop(co4_task *task)
{
    co4_task_cancel(task, 0);    /* a request */
    return co4_join(task, NULL); /* the end */
}

/* How do I clean up, however a function ends? */

static void clean_up(int *handle)
{
    puts(*handle == 7 ? "cleaned up" : "?");
}

static pausable int use(void)
{
    __attribute__((cleanup(clean_up))) int handle = 7;
    (void)handle;                     /* here it would use it */
    return co4_sleep(3600 * CO4_SEC); /* cancelled here, out of memory: the handler runs */
}

/* How do I say goodbye in a task that is cancelled? */

static pausable int guest(int_mailbox log)
{
    int code = co4_sleep(3600 * CO4_SEC), goodbye = 1;
    co4_shield_begin(); /* until the end of the shield, calls wait as if nothing had happened */
    co4_typed_send(log, &goodbye);
    co4_shield_end();
    return code;
}

/* How do I keep a step from being cancelled in its middle? */

static pausable int save(void)
{
    co4_shield_begin();
    int code = co4_sleep(CO4_MS); /* represents two writes which belong together */
    co4_shield_end();
    return code;
}

/* How do I try again, with growing delays? */

static const co4_retry patient = { .attempts = 5,
                                   .backoff = CO4_BACKOFF_EXPONENTIAL,
                                   .delay = CO4_MS,
                                   .most = CO4_SEC,
                                   .jitter = CO4_JITTER_FULL };

static pausable int ask_again(int *attempts)
{
    return co4_retry_run(&patient, (*attempts = co4_attempt) < 3 ? CO4_EBUSY : fetch(CO4_MS));
}

/* How do I print what went wrong? */

static void explain(int code)
{
    printf("%s is no error of errno, -ENOENT is: %s\n", co4_errname(code), co4_strerror(-ENOENT));
}

static pausable void all(void)
{
    int one = 1, goodbye = 0, attempts = 0;
    int_mailbox in = co4_typed_create(int_mailbox, 1), out = co4_typed_create(int_mailbox, 1);
    printf("too slow: %s\n", co4_errname(fetch_in_time()));
    co4_typed_send(in, &one);
    printf("two steps in one limit: %s\n",
           co4_errname(two_steps(in, out, co4_after(60 * CO4_SEC))));
    printf("nothing is there: %s\n", co4_errname(look(in)));
    printf("%d ticks\n", every(CO4_MS, 3) >= 3 ? 3 : 0);
    printf("cancelled: %s\n", co4_errname(stop(co4_spawn(watch()))));
    co4_task *user = co4_spawn(use());
    co4_yield(); /* it has to have begun */
    stop(user);
    co4_task *visitor = co4_spawn(guest(in));
    co4_yield();
    stop(visitor);
    if (co4_typed_receive(in, &goodbye) == CO4_OK && goodbye)
        puts("said goodbye");
    printf("saved: %s\n", co4_errname(save()));
    int code = ask_again(&attempts);
    printf("after %d attempts: %s\n", attempts, co4_errname(code));
    explain(CO4_ETIMEDOUT);
    co4_typed_destroy(in);
    co4_typed_destroy(out);
}

int main(void)
{
    co4_run(all());
    return 0;
}
