/* refusal_races - on several workers: filters that refuse, at both ends of a mailbox and of a
 * broadcast, beside plain calls, selects that another source serves, urgent messages, deadlines and
 * cancellation. No message is lost or doubled, and no task waits for ever.
 * modes: woven forced
 * needs: threads
 * expect: capacity 0: the same
 * expect: capacity 1: the same
 * expect: capacity 3: the same
 * expect: news: the same */
#include <co4.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define KINDS    4
#define SENDERS  6
#define MESSAGES 240 /* of each sender */

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static co4_mailbox *mb, *ticks;
static _Atomic long sent, got;
static atomic_uint asked;

static void count(_Atomic long *where, int n)
{
    atomic_fetch_add(where, n * 10000L + 1);
}

/* ---- receivers, until the mailbox is closed ---- */

static int is_of_kind(void *arg, const void *value)
{
    return *(const int *)value % KINDS == *(const int *)arg;
}

/* Refuses, now and then, what it would take another time; so it needs a deadline. */
static int fickle(void *arg, const void *value)
{
    (void)arg, (void)value;
    return atomic_fetch_add(&asked, 1) % 3 != 0;
}

static pausable void get_filtered(co4_source *of, int kind)
{
    int n, err;
    do {
        co4_filtering f;
        err = co4_await_until(co4_source_filter(&f, of, is_of_kind, &kind), &n,
                              co4_now() + CO4_MS / 2);
        if (err == CO4_OK)
            count(&got, n);
    } while (err == CO4_OK || err == CO4_ETIMEDOUT);
}

static pausable void get_plain(void)
{
    int n;
    while (co4_mailbox_receive(mb, &n) == CO4_OK)
        count(&got, n);
}

/* Another source serves it as often as this one. */
static pausable void get_selecting(void)
{
    int n, m;
    for (;;) {
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &n),
                             CO4_CASE(co4_mailbox_source(ticks), &m) };
        int chosen = co4_select(cases, 2);
        if (chosen == 0)
            count(&got, n);
        else if (chosen <= CO4_ENDED(0))
            return;
    }
}

/* ---- senders ---- */

static pausable int put_somehow(int n)
{
    co4_sending putting;
    co4_filtering f;
    co4_timed timed;
    co4_source *place = co4_mailbox_sending(&putting, mb, &n);
    switch (n % 5) {
    case 0:
        return co4_await_until(co4_source_filter(&f, place, fickle, NULL), NULL,
                               co4_now() + CO4_MS / 5);
    case 1:
        return co4_await(co4_source_until(&timed, place, co4_now() + CO4_MS / 5), NULL);
    case 2:
    case 3:
        return co4_mailbox_send_until(mb, &n, co4_now() + CO4_MS / 5);
    default:
        return co4_mailbox_send(mb, &n);
    }
}

static pausable void puts_all(int first, co4_waitgroup *ended)
{
    for (int i = 0; i < MESSAGES; i++) {
        int n = first + i * SENDERS, err = put_somehow(n), tick = 1;
        if (err == CO4_OK)
            count(&sent, n);
        else if (err != CO4_ETIMEDOUT)
            abort();
        err = co4_mailbox_send_until(ticks, &tick, CO4_NOW);
    }
    co4_waitgroup_done(ended);
}

static pausable void get_until_cancelled(int kind)
{
    int n, err;
    do {
        co4_filtering f;
        err = co4_await(co4_source_filter(&f, co4_mailbox_source(mb), is_of_kind, &kind), &n);
        if (err == CO4_OK)
            count(&got, n);
    } while (err == CO4_OK);
}

static pausable void at_mailbox(size_t capacity)
{
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_task *cancelled[KINDS];
    mb = co4_mailbox_create(sizeof(int), capacity);
    ticks = co4_mailbox_create(sizeof(int), 2);
    atomic_store(&sent, 0);
    atomic_store(&got, 0);
    co4_waitgroup_add(&ended, SENDERS);
    for (int k = 0; k < KINDS; k++) {
        cancelled[k] = co4_task_create(get_until_cancelled(k));
        must(co4_runtime_schedule(NULL, cancelled[k]));
        co4_spawn(get_filtered(co4_mailbox_source(mb), k));
    }
    co4_spawn(get_plain());
    co4_spawn(get_selecting());
    for (int i = 0; i < SENDERS; i++)
        co4_spawn(puts_all(1 + i, &ended));
    for (int k = 0; k < KINDS; k++) {
        co4_sleep(CO4_MS);
        must(co4_task_cancel(cancelled[k], 0));
    }
    co4_waitgroup_wait(&ended);
    must(co4_mailbox_close(mb));
    must(co4_mailbox_close(ticks));
    for (int k = 0; k < KINDS; k++) {
        must(co4_task_join(cancelled[k]));
        co4_task_release(cancelled[k]);
    }
}

/* ---- the same with news; one task sends, and each reader gets all ---- */

static co4_broadcast *news;

static pausable void read_plain(co4_subscriber *s)
{
    int n;
    while (co4_subscriber_receive(s, &n) == CO4_OK)
        count(&got, n);
}

static pausable void send_fickle(int first, co4_waitgroup *ended)
{
    for (int i = 0; i < MESSAGES; i++) {
        int n = first + i;
        co4_broadcasting sending;
        co4_filtering f;
        co4_source *s = co4_broadcast_sending(&sending, news, &n);
        int err = co4_await_until(i % 2 ? co4_source_filter(&f, s, fickle, NULL) : s, NULL,
                                  co4_now() + CO4_MS / 5);
        if (err == CO4_OK)
            count(&sent, n);
        else if (err != CO4_ETIMEDOUT)
            abort();
    }
    co4_waitgroup_done(ended);
}

static pausable void at_broadcast(co4_subscriber *readers[2])
{
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    atomic_store(&sent, 0);
    atomic_store(&got, 0);
    co4_waitgroup_add(&ended, SENDERS);
    for (int r = 0; r < 2; r++) {
        readers[r] = co4_broadcast_subscribe(news, 1 + (size_t)r, CO4_BROADCAST_WAIT);
        for (int k = 0; k < KINDS; k++)
            co4_spawn(get_filtered(co4_subscriber_source(readers[r]), k));
        co4_spawn(read_plain(readers[r]));
    }
    for (int i = 0; i < SENDERS; i++)
        co4_spawn(send_fickle(1 + i * MESSAGES, &ended));
    co4_waitgroup_wait(&ended);
    must(co4_broadcast_close(news));
}

static const char *same(long a, long b)
{
    return a == b ? "the same" : "not the same";
}

int main(void)
{
    static const size_t capacities[] = { 0, 1, 3 };
    co4_subscriber *readers[2];
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    must(co4_runtime_start(rt));
    for (int i = 0; i < 3; i++) {
        co4_runtime_spawn(rt, at_mailbox(capacities[i]));
        must(co4_runtime_join(rt));
        printf("capacity %zu: %s\n", capacities[i], same(sent, got));
        must(co4_mailbox_destroy(mb));
        must(co4_mailbox_destroy(ticks));
    }
    news = co4_broadcast_create(sizeof(int));
    co4_runtime_spawn(rt, at_broadcast(readers));
    must(co4_runtime_join(rt));
    printf("news: %s\n", same(2 * sent, got));
    for (int r = 0; r < 2; r++)
        must(co4_subscriber_destroy(readers[r]));
    must(co4_broadcast_destroy(news));
    must(co4_runtime_destroy(rt));
    return 0;
}
