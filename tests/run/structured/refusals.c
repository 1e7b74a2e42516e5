/* refusals - a listener that refuses a message waits aside, and is asked again about the next one;
 * waiters behind it have their turn.
 * modes: woven forced
 * expect: a message: refused 8 times or fewer: yes, wanted 11 by 1
 * expect: another: refused 6 times or fewer: yes
 * expect: a place: refused 8 times or fewer: yes, again after one came: yes
 * expect: news: refused 8 times or fewer: yes, wanted 11 by 1
 * expect: to send: refused 8 times or fewer: yes, again after a place came: yes
 * expect: the first, the last and those between leave: 5 of 5 in time, then 1 wanted
 * expect: closed: 3 of 3
 * expect: full, and some refuse: 100 in order, each refused: yes */
#include <co4.h>
#include <co4/test.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void put(co4_mailbox *mb, int n)
{
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
}

static int take(co4_mailbox *mb)
{
    int n = -1;
    must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    return n;
}

static const char *yes(bool is)
{
    return is ? "yes" : "no";
}

static pausable void settle(void)
{
    for (int i = 0; i < 40; i++)
        co4_yield();
}

static int refused;

static int is(void *arg, const void *value)
{
    bool wanted = *(const int *)arg == *(const int *)value;
    refused += !wanted;
    return wanted;
}

static int never(void *arg, const void *value)
{
    (void)arg, (void)value;
    refused++;
    return 0;
}

struct wish {
    int number, by, got, code;
};

/* A filter that wants one number. */
static pausable void wants(co4_source *of, struct wish *w)
{
    co4_filtering f;
    w->got = -1;
    w->code = co4_await(co4_source_filter(&f, of, is, &w->number), &w->got);
}

/* A filter that wants nothing. */
static pausable void wants_nothing(co4_source *of)
{
    co4_filtering f;
    int n, err = co4_await(co4_source_filter(&f, of, never, NULL), &n);
    (void)err;
}

static void granted(const char *what, const struct wish *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i].got >= 0)
            printf("%s %d by %d", what, w[i].got, w[i].by);
}

#define WISHES 4

static void wish(struct wish w[WISHES])
{
    for (int i = 0; i < WISHES; i++)
        w[i] = (struct wish){ .number = 10 + i, .by = i, .got = -1 };
}

/* Those that still wait end with the mailbox. */
static pausable void close_and_destroy(co4_mailbox *mb)
{
    int n;
    must(co4_mailbox_close(mb));
    while (co4_mailbox_receive_until(mb, &n, CO4_NOW) == CO4_OK)
        ;
    settle();
    must(co4_mailbox_destroy(mb));
}

/* ---- asked once about each ---- */

static pausable void messages(void)
{
    struct wish w[WISHES];
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 4);
    wish(w);
    put(mb, 5);
    refused = 0;
    for (int i = 0; i < WISHES; i++)
        co4_spawn(wants(co4_mailbox_source(mb), &w[i]));
    settle();
    printf("a message: refused 8 times or fewer: %s, ", yes(refused <= 8));
    put(mb, 11);
    if (take(mb) != 5)
        abort();
    settle();
    granted("wanted", w, WISHES);
    printf("\n");

    refused = 0;
    put(mb, 7);
    settle();
    printf("another: refused 6 times or fewer: %s\n", yes(refused <= 6));
    if (take(mb) != 7)
        abort();
    close_and_destroy(mb);
}

/* With no message but those that are put: the first one makes the mailbox full. */
static pausable void places(const char *what)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_sending putting[WISHES];
    int n = 7;
    refused = 0;
    for (int i = 0; i < WISHES; i++)
        co4_spawn(wants_nothing(co4_mailbox_sending(&putting[i], mb, &n)));
    settle();
    put(mb, 1);
    settle();
    int before = refused;
    printf("%s: refused 8 times or fewer: %s, ", what, yes(refused <= 8));
    if (take(mb) != 1)
        abort();
    settle();
    printf("again after one came: %s\n", yes(refused > before && refused <= before + 8));
    close_and_destroy(mb);
}

static pausable void close_news(co4_broadcast *b, co4_subscriber *s)
{
    int n;
    if (co4_broadcast_destroy(b) != CO4_EBUSY)
        abort();
    must(co4_broadcast_close(b));
    while (co4_subscriber_receive_until(s, &n, CO4_NOW) == CO4_OK)
        ;
    settle();
    must(co4_subscriber_destroy(s));
    must(co4_broadcast_destroy(b));
}

static pausable void news(void)
{
    struct wish w[WISHES];
    int n = 5;
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = co4_broadcast_subscribe(b, 2, CO4_BROADCAST_WAIT);
    wish(w);
    must(co4_broadcast_send_until(b, &n, CO4_NOW));
    refused = 0;
    for (int i = 0; i < WISHES; i++)
        co4_spawn(wants(co4_subscriber_source(s), &w[i]));
    settle();
    n = 11;
    must(co4_broadcast_send_until(b, &n, CO4_NOW));
    settle();
    printf("news: refused 8 times or fewer: %s, ", yes(refused <= 8));
    must(co4_subscriber_receive_until(s, &n, CO4_NOW));
    settle();
    granted("wanted", w, WISHES);
    printf("\n");
    if (co4_subscriber_destroy(s) != CO4_EBUSY)
        abort();
    close_news(b, s);
}

static pausable void to_send(void)
{
    int n = 1;
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = co4_broadcast_subscribe(b, 2, CO4_BROADCAST_WAIT);
    co4_broadcasting sending[WISHES];
    refused = 0;
    for (int i = 0; i < WISHES; i++)
        co4_spawn(wants_nothing(co4_broadcast_sending(&sending[i], b, &n)));
    settle();
    must(co4_broadcast_send_until(b, &n, CO4_NOW));
    must(co4_broadcast_send_until(b, &n, CO4_NOW)); /* it is full */
    settle();
    int before = refused;
    printf("to send: refused 8 times or fewer: %s, ", yes(refused <= 8));
    must(co4_subscriber_receive_until(s, &n, CO4_NOW));
    settle();
    printf("again after a place came: %s\n", yes(refused > before && refused <= before + 8));
    close_news(b, s);
}

/* ---- a waiter that is set aside leaves ---- */

static pausable void wants_in_time(co4_mailbox *mb, int number, int64_t deadline, int *late)
{
    co4_filtering f;
    int n;
    int err = co4_await_until(co4_source_filter(&f, co4_mailbox_source(mb), is, &number), &n,
                              deadline);
    *late += err == CO4_ETIMEDOUT;
}

/* In an order of their own, so that any of them is the first, the last, or between. */
static pausable void leave(void)
{
    static const int order[] = { 3, 1, 5, 2, 4 };
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    struct wish w = { .number = 8 };
    int late = 0;
    put(mb, 5);
    for (int i = 0; i < 5; i++)
        co4_spawn(wants_in_time(mb, 6, co4_now() + order[i] * CO4_MS, &late));
    co4_spawn(wants(co4_mailbox_source(mb), &w));
    co4_sleep(10 * CO4_MS);
    put(mb, 8);
    if (take(mb) != 5)
        abort();
    settle();
    printf("the first, the last and those between leave: %d of 5 in time, then %d wanted\n", late,
           w.got == 8);
    must(co4_mailbox_destroy(mb));
}

static pausable void ends(void)
{
    struct wish w[3] = { { .number = 6 }, { .number = 6 }, { .number = 6 } };
    int closed = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    put(mb, 5);
    for (int i = 0; i < 3; i++)
        co4_spawn(wants(co4_mailbox_source(mb), &w[i]));
    settle();
    if (co4_mailbox_destroy(mb) != CO4_EBUSY)
        abort();
    close_and_destroy(mb);
    for (int i = 0; i < 3; i++)
        closed += w[i].code == CO4_ECLOSED;
    printf("closed: %d of 3\n", closed);
}

/* ---- senders wait as well ---- */

static pausable void puts_one(co4_mailbox *mb, int n, int *done, int *in_order)
{
    if (co4_mailbox_send(mb, &n) == CO4_OK)
        *in_order += n == ++*done;
}

static pausable void full(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int done = 0, in_order = 0, got_in_order = 0;
    put(mb, 0);
    for (int i = 0; i < 2; i++)
        co4_spawn(wants_nothing(co4_mailbox_source(mb)));
    settle();
    for (int i = 1; i <= 100; i++)
        co4_spawn(puts_one(mb, i, &done, &in_order));
    settle();
    refused = 0;
    for (int i = 0; i <= 100; i++) {
        got_in_order += take(mb) == i;
        settle();
    }
    if (got_in_order != 101)
        abort();
    printf("full, and some refuse: %d in order, each refused: %s\n", in_order, yes(refused >= 200));
    close_and_destroy(mb);
}

int main(void)
{
    co4_test_begin(NULL);
    co4_run(messages());
    co4_run(places("a place"));
    co4_run(news());
    co4_run(to_send());
    co4_run(leave());
    co4_run(ends());
    co4_run(full());
    co4_test_end(NULL);
    return 0;
}
