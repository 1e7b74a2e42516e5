/* combine.c - one of several things, of certain ones only, and not later than this.
 * modes: woven forced
 * expect: urgent 12
 * expect: nothing urgent in time
 * expect: left for others: 3
 * expect: 3 ticks */
#include <co4.h>
#include <stdio.h>

static int is_urgent(void *arg, const void *value)
{
    (void)arg;
    return *(const int *)value >= 10;
}

static pausable int next_urgent(co4_mailbox *in, co4_mailbox *other, int *job, int64_t deadline)
{
    co4_filtering f[2];
    co4_racing race;
    co4_timed timed;
    co4_racer racers[] = {
        { .source = co4_source_filter(&f[0], co4_mailbox_source(in), is_urgent, NULL) },
        { .source = co4_source_filter(&f[1], co4_mailbox_source(other), is_urgent, NULL) }
    };
    return co4_await(co4_source_until(&timed, co4_source_race(&race, racers, 2), deadline), job);
}

static pausable void tick(int times)
{
    co4_ticker ticker;
    uint64_t n, all = 0;
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, co4_now() + CO4_MS, CO4_MS);
    while (all < (uint64_t)times && co4_await(co4_ticker_source(&ticker), &n) == CO4_OK)
        all += n; /* more than 1 when it was late: none is lost, and they do not come in a bunch */
    co4_ticker_destroy(&ticker);
    printf("%d ticks\n", times);
}

static pausable void work(void)
{
    int job;
    co4_mailbox *in = co4_mailbox_create(sizeof job, 8), *other = co4_mailbox_create(sizeof job, 8);
    co4_mailbox_send(in, &(int){ 3 });
    co4_mailbox_send(other, &(int){ 12 });
    if (next_urgent(in, other, &job, CO4_NEVER) == CO4_OK)
        printf("urgent %d\n", job);
    if (next_urgent(in, other, &job, co4_now() + CO4_MS) == CO4_ETIMEDOUT)
        puts("nothing urgent in time");
    co4_mailbox_receive(in, &job);
    printf("left for others: %d\n", job);
    tick(3);
    co4_mailbox_destroy(in);
    co4_mailbox_destroy(other);
}

int main(void)
{
    co4_run(work());
    return 0;
}
