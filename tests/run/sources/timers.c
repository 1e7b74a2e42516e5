/* timers - moments and ticks as sources: by themselves, among others, started anew and stopped
 * during a wait, by tasks and by threads; ticks that no waiter took are counted, not bunched.
 * modes: woven forced
 * expect: not running: there is no message, CO4_NEVER
 * expect: came: no error, in time, still ready: no error
 * expect: among others: the timer, then the message 4
 * expect: put off: in time, brought forward: in time
 * expect: stopped: no error, then not possible in this state; the deadline has passed
 * expect: busy: still in use, cancelled: the task was cancelled, then no error
 * expect: ticks: each in time, missed ones are counted
 * expect: a tick for each: 6 in all
 * expect: stopped ticker: no error, there is no message
 * expect: arguments: 6 refused
 * expect: inside a generator: not possible in this state
 * expect: blocked: no error, in time; ticks: no error 1; the deadline has passed; inside a task: waiting here could never end */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static const char *in_time(int64_t from, int64_t ns)
{
    return co4_now() - from < ns ? "early" : "in time";
}

static pausable void start_later(co4_timer *timer, int64_t deadline)
{
    co4_sleep(CO4_MS);
    co4_timer_start(timer, deadline);
}

static pausable void put_later(co4_mailbox *mb, int n)
{
    co4_sleep(2 * CO4_MS);
    co4_mailbox_send(mb, &n);
}

static pausable void wait_for(co4_timer *timer)
{
    printf("cancelled: %s, ", co4_strerror(co4_await(co4_timer_source(timer), NULL)));
}

static pausable void count_ticks(co4_ticker *ticker, int *sum, int *counting)
{
    uint64_t n = 0;
    while (*sum < 6 && co4_await(co4_ticker_source(ticker), &n) == CO4_OK)
        *sum += (int)n;
    --*counting;
}

static pausable void one_shot(void)
{
    co4_timer timer;
    co4_timer_init(&timer);
    printf("not running: %s, %s\n",
           co4_strerror(co4_await_until(co4_timer_source(&timer), NULL, CO4_NOW)),
           co4_timer_deadline(&timer) == CO4_NEVER ? "CO4_NEVER" : "some time");

    int64_t from = co4_now();
    co4_timer_start(&timer, from + 2 * CO4_MS);
    int err = co4_await(co4_timer_source(&timer), NULL);
    printf("came: %s, %s, still ready: %s\n", co4_strerror(err), in_time(from, 2 * CO4_MS),
           co4_strerror(co4_await_until(co4_timer_source(&timer), NULL, CO4_NOW)));

    int message = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof message, 2);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &message),
                         CO4_CASE(co4_timer_source(&timer), NULL) };
    co4_timer_start(&timer, co4_now() + CO4_MS);
    int first = co4_select(cases, 2);
    co4_spawn(put_later(mb, 4));
    co4_timer_start(&timer, co4_now() + 60 * CO4_SEC);
    int second = co4_select(cases, 2);
    printf("among others: %s, then %s %d\n", first == 1 ? "the timer" : "?",
           second == 0 ? "the message" : "?", message);
    co4_mailbox_destroy(mb);

    from = co4_now();
    co4_timer_start(&timer, from + 200 * CO4_MS);
    co4_spawn(start_later(&timer, from + 220 * CO4_MS));
    co4_await(co4_timer_source(&timer), NULL);
    printf("put off: %s, ", in_time(from, 220 * CO4_MS));
    from = co4_now();
    co4_timer_start(&timer, from + 60 * CO4_SEC);
    co4_spawn(start_later(&timer, from + 4 * CO4_MS));
    co4_await(co4_timer_source(&timer), NULL);
    printf("brought forward: %s\n", in_time(from, 4 * CO4_MS));

    co4_timer_start(&timer, co4_now() + 60 * CO4_SEC);
    err = co4_timer_stop(&timer);
    printf("stopped: %s, then %s; ", co4_strerror(err), co4_strerror(co4_timer_stop(&timer)));
    printf("%s\n",
           co4_strerror(co4_await_until(co4_timer_source(&timer), NULL, co4_now() + CO4_MS)));

    co4_task *t = co4_task_create(wait_for(&timer));
    co4_runtime_schedule(NULL, t);
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    printf("busy: %s, ", co4_strerror(co4_timer_destroy(&timer)));
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("then %s\n", co4_strerror(co4_timer_destroy(&timer)));
}

static pausable void ticking(void)
{
    co4_ticker ticker;
    uint64_t n = 0;
    co4_ticker_init(&ticker);
    int64_t first = co4_now() + 2 * CO4_MS, period = 2 * CO4_MS;
    co4_ticker_start(&ticker, first, period);
    long long given = 0, bunched = 0, missed = 0;
    for (int i = 0; i < 20; i++) {
        if (i == 10)
            co4_sleep(5 * period);
        int err = co4_await(co4_ticker_source(&ticker), &n);
        int64_t now = co4_now();
        given += (long long)n;
        bunched += err != CO4_OK || n < 1 || given > (now - first) / period + 1;
        missed += i == 10 && n >= 5;
    }
    bool drifts = co4_ticker_deadline(&ticker) != first + given * period;
    printf("ticks: %s%s, missed ones are %s\n", bunched ? "too early" : "each in time",
           drifts ? ", drifting" : "", missed ? "counted" : "lost");

    int sum = 0, counting = 3;
    co4_ticker_start(&ticker, co4_now(), CO4_MS);
    for (int i = 0; i < 3; i++)
        co4_spawn(count_ticks(&ticker, &sum, &counting));
    while (counting > 0)
        co4_sleep(CO4_MS);
    printf("a tick for each: %d in all\n", sum >= 6 ? 6 : sum);
    int err = co4_ticker_stop(&ticker);
    printf("stopped ticker: %s, ", co4_strerror(err));
    printf("%s\n", co4_strerror(co4_await_until(co4_ticker_source(&ticker), &n, CO4_NOW)));
    co4_ticker_destroy(&ticker);
}

static void arguments(void)
{
    co4_timer timer;
    co4_ticker ticker;
    co4_timer_init(&timer);
    co4_ticker_init(&ticker);
    printf("arguments: %d refused\n",
           (co4_timer_init(NULL) == CO4_EINVAL) + (co4_timer_start(NULL, 1) == CO4_EINVAL) +
               (co4_timer_start(&timer, CO4_NEVER) == CO4_EINVAL) +
               (co4_timer_stop(NULL) == CO4_EINVAL) +
               (co4_ticker_start(&ticker, 0, 0) == CO4_EINVAL) +
               (co4_ticker_start(NULL, 0, 1) == CO4_EINVAL && !co4_timer_source(NULL) &&
                !co4_ticker_source(NULL) && co4_timer_destroy(NULL) == CO4_OK));
}

static pausable void generator(co4_timer *timer)
{
    int err = co4_await(co4_timer_source(timer), NULL);
    co4_gen_yield(&err);
}

static void by_thread(void)
{
    co4_timer timer;
    co4_ticker ticker;
    uint64_t n = 0;
    int err = 0;
    co4_timer_init(&timer);
    co4_gen *g = co4_generate(generator(&timer));
    co4_gen_next(g, &err);
    co4_gen_destroy(g);
    printf("inside a generator: %s\n", co4_strerror(err));

    int64_t from = co4_now();
    co4_timer_start(&timer, from + 2 * CO4_MS);
    err = co4_block(co4_await(co4_timer_source(&timer), NULL));
    printf("blocked: %s, %s; ", co4_strerror(err), in_time(from, 2 * CO4_MS));
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, co4_now() + CO4_MS, 60 * CO4_SEC);
    err = co4_block(co4_await(co4_ticker_source(&ticker), &n));
    printf("ticks: %s %d; ", co4_strerror(err), (int)n);
    err = co4_block(co4_await_until(co4_ticker_source(&ticker), &n, co4_now() + CO4_MS));
    printf("%s; ", co4_strerror(err));
    co4_ticker_destroy(&ticker);
    co4_timer_destroy(&timer);
}

static int block(co4_timer *timer)
{
    return co4_block(co4_await(co4_timer_source(timer), NULL));
}

static pausable void blocks(void)
{
    co4_timer timer;
    co4_timer_init(&timer);
    printf("inside a task: %s\n", co4_strerror(block(&timer)));
}

int main(void)
{
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(one_shot());
    co4_test_end(NULL);
    co4_run(ticking());
    arguments();
    by_thread();
    co4_run(blocks());
    return 0;
}
