/* timers_taken.c - the timers of a worker whose step does not end are fired all the same: sleeps,
 * deadlines of reads and mailboxes, timers and tickers in selects. What they wake runs elsewhere.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: sleeps: 20 of 20
 * expect: deadlines of reads: 4 of 4
 * expect: deadlines of mailboxes: 4 of 4
 * expect: timers: 4 of 4
 * expect: ticks: 12 of 12
 * expect: again: 20 of 20
 * expect: all of it during the step */
#include <co4.h>
#include <co4/io.h>
#include <co4/timer.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SLEEPS, READS, RECEIVES, TIMERS, TICKS, KINDS };

static const char *const names[] = { "sleeps", "deadlines of reads", "deadlines of mailboxes",
                                     "timers", "ticks" };
static const int wanted[] = { 20, 4, 4, 4, 12 };
static atomic_int begun, done[KINDS], again, timely;
static co4_task *tasks[64];

static int are_done(void)
{
    int all = 1;
    for (int i = 0; i < KINDS; i++)
        all = all && done[i] == wanted[i];
    return all;
}

/* The task waits on worker 0, but may go on elsewhere. What it waits for comes long after the step
 * has begun, also on a busy machine. */
static void begin(int i)
{
    begun += co4_worker_here() == 0;
    co4_task_pin(tasks[i], -1);
}

static pausable void sleeper(int i)
{
    begin(i);
    co4_sleep((100 + i % 3) * CO4_MS);
    done[SLEEPS]++;
    co4_sleep(CO4_MS); /* at a worker that does not compute */
    again++;
}

static pausable void reader(int i)
{
    int fds[2];
    char c;
    begin(i);
    co4_pipe(fds);
    if (co4_read_until(fds[0], &c, 1, co4_now() + 110 * CO4_MS) < 0 && errno == ETIMEDOUT)
        done[READS]++;
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void receiver(int i)
{
    int m;
    co4_mailbox *mb = co4_mailbox_create(sizeof m, 1);
    begin(i);
    if (co4_mailbox_receive_until(mb, &m, co4_now() + 110 * CO4_MS) == CO4_ETIMEDOUT)
        done[RECEIVES]++;
    co4_mailbox_destroy(mb);
}

static pausable void timed(int i)
{
    co4_timer timer;
    begin(i);
    co4_timer_init(&timer);
    co4_timer_start(&timer, co4_now() + 110 * CO4_MS);
    if (co4_await(co4_timer_source(&timer), NULL) == CO4_OK)
        done[TIMERS]++;
    co4_timer_destroy(&timer);
}

static pausable void ticked(int i)
{
    co4_ticker ticker;
    uint64_t ticks;
    begin(i);
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, co4_now() + 100 * CO4_MS, 2 * CO4_MS);
    for (int n = 0; n < 3; n++)
        if (co4_await(co4_ticker_source(&ticker), &ticks) == CO4_OK)
            done[TICKS]++;
    co4_ticker_destroy(&ticker);
}

/* A step that does not end before all others have. */
static pausable void computes(void)
{
    int64_t limit = co4_now() + 20 * CO4_SEC;
    while (!timely && co4_now() < limit)
        timely = are_done() && again == wanted[SLEEPS];
}

static void schedule(co4_runtime *rt, co4_task *t)
{
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .rescue_after = CO4_MS });
    int n = 0;
    for (int i = 0; i < 20; i++, n++)
        tasks[n] = co4_task_create(sleeper(n));
    for (int i = 0; i < 4; i++) {
        tasks[n] = co4_task_create(reader(n)), n++;
        tasks[n] = co4_task_create(receiver(n)), n++;
        tasks[n] = co4_task_create(timed(n)), n++;
        tasks[n] = co4_task_create(ticked(n)), n++;
    }
    co4_runtime_start(rt);
    for (int i = 0; i < n; i++)
        schedule(rt, tasks[i]);
    while (begun < n)
        ;
    co4_task *t = co4_task_create(computes());
    schedule(rt, t);
    co4_task_release(t);
    co4_runtime_join(rt);
    for (int i = 0; i < KINDS; i++)
        printf("%s: %d of %d\n", names[i], done[i], wanted[i]);
    printf("again: %d of %d\n", again, wanted[SLEEPS]);
    puts(timely ? "all of it during the step" : "the step has ended first");
    for (int i = 0; i < n; i++)
        co4_task_release(tasks[i]);
    return co4_runtime_destroy(rt);
}
