/* channels - rendezvous, buffered, unbounded; selects on both sides of a rendezvous, with exactly
 * one partner each.
 * modes: woven forced
 * expect: rendezvous: got 1 2 3, the sender was never ahead
 * expect: several wait: got 1 2 3, each sent one; gave 4 5 6
 * expect: nobody there: there is no room, there is no message
 * expect: select gets 7, select puts 8, no error no error
 * expect: both select: 0 0, passed 9
 * expect: not with itself: the deadline has passed
 * expect: closed: closed, and nothing is left to take, closed, and nothing is left to take
 * expect: unbounded: 1000
 * expect: wrong: NULL, rendezvous: made
 * expect: four workers: sent = received */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int sent, ahead;

static pausable void sends(co4_mailbox *ch, int from, int to)
{
    for (int i = from; i <= to; i++) {
        co4_mailbox_send(ch, &i);
        sent++;
    }
}

static pausable void recv_one(co4_mailbox *ch, int *out)
{
    co4_mailbox_receive(ch, out);
}

static pausable void select_send(co4_mailbox *ch, co4_mailbox *other, int value, int *which)
{
    int dummy;
    co4_sending sending;
    co4_case cases[] = { CO4_CASE(co4_mailbox_sending(&sending, ch, &value), NULL),
                         CO4_CASE(co4_mailbox_source(other), &dummy) };
    *which = co4_select(cases, 2);
}

static pausable void sends_one(co4_mailbox *ch, int n, int *done)
{
    *done += co4_mailbox_send(ch, &n) == CO4_OK;
}

static pausable void several(co4_mailbox *ch)
{
    int done = 0, got[3] = { 0, 0, 0 };
    for (int i = 1; i <= 3; i++)
        co4_spawn(sends_one(ch, i, &done));
    co4_yield();
    co4_yield();
    printf("several wait: got");
    for (int i = 1, n; i <= 3; i++) {
        n = -1;
        co4_mailbox_receive_until(ch, &n, co4_now() + 10 * CO4_SEC);
        printf(" %d", n);
        co4_yield();
        co4_yield();
        if (done != i)
            printf(" (%d sent)", done);
    }
    for (int i = 0; i < 3; i++)
        co4_spawn(recv_one(ch, &got[i]));
    co4_yield();
    co4_yield();
    for (int i = 4; i <= 6; i++)
        co4_mailbox_send_until(ch, &i, co4_now() + 10 * CO4_SEC);
    for (int i = 0; i < 6; i++)
        co4_yield();
    printf(", each sent one; gave %d %d %d\n", got[0], got[1], got[2]);
}

static pausable void work(void)
{
    int n = 0, which = -1;
    co4_mailbox *ch = co4_mailbox_create(sizeof n, 0), *other = co4_mailbox_create(sizeof n, 0);
    co4_spawn(sends(ch, 1, 3));
    printf("rendezvous: got");
    for (int i = 0; i < 3; i++) {
        co4_mailbox_receive(ch, &n);
        printf(" %d", n);
        ahead |= sent > n;
    }
    printf(", the sender was %s ahead\n", ahead ? "once" : "never");
    several(ch);
    printf("nobody there: %s, %s\n", co4_strerror(co4_mailbox_send_until(ch, &n, CO4_NOW)),
           co4_strerror(co4_mailbox_receive_until(ch, &n, CO4_NOW)));

    co4_sending sending;
    int eight = 8, got = 0;
    co4_case get[] = { CO4_CASE(co4_mailbox_source(other), NULL),
                       CO4_CASE(co4_mailbox_source(ch), &n) };
    co4_spawn(sends(ch, 7, 7));
    int a = co4_select(get, 2);
    co4_future *f = co4_async(recv_one(ch, &got));
    co4_case put[] = { CO4_CASE(co4_mailbox_sending(&sending, ch, &eight), NULL) };
    int b = co4_select(put, 1);
    co4_future_await(f, NULL);
    co4_future_release(f);
    printf("select gets %d, select puts %d, %s %s\n", a == 1 ? n : -1, b == 0 ? got : -1,
           co4_strerror(get[1].code), co4_strerror(put[0].code));

    f = co4_async(select_send(ch, other, 9, &which));
    co4_case both[] = { CO4_CASE(co4_mailbox_source(ch), &n),
                        CO4_CASE(co4_mailbox_sending(&sending, other, &eight), NULL) };
    co4_yield();
    co4_yield();
    a = co4_select_until(both, 2, 0, co4_now() + 10 * CO4_SEC);
    co4_future_await(f, NULL);
    co4_future_release(f);
    if (a == 1) /* the other pair met */
        printf("both select: %d %d, passed 9\n", which - 1, a - 1);
    else
        printf("both select: %d %d, passed %d\n", which, a, n);

    co4_case self[] = { CO4_CASE(co4_mailbox_source(ch), &n),
                        CO4_CASE(co4_mailbox_sending(&sending, ch, &eight), NULL) };
    printf("not with itself: %s\n", co4_strerror(co4_select_until(self, 2, 0, co4_now() + CO4_MS)));
    co4_mailbox_close(ch);
    printf("closed: %s, %s\n", co4_strerror(co4_mailbox_send(ch, &n)),
           co4_strerror(co4_mailbox_receive(ch, &n)));
    co4_mailbox_destroy(ch);
    co4_mailbox_destroy(other);

    ch = co4_mailbox_create(sizeof n, CO4_UNBOUNDED);
    for (n = 0; n < 1000; n++)
        must(co4_mailbox_send_until(ch, &n, CO4_NOW));
    printf("unbounded: %zu\n", co4_mailbox_len(ch));
    co4_mailbox_destroy(ch);
    printf("wrong: %s, ", co4_mailbox_create(0, 3) ? "made" : "NULL");
    ch = co4_mailbox_create(4, 0);
    printf("rendezvous: %s\n", ch ? "made" : "NULL");
    co4_mailbox_destroy(ch);
}

enum { TASKS = 8, EACH = 1500 };

static co4_mailbox *left, *right;
static atomic_long sum, count;

/* Each meets any other, from either side. */
static pausable void mingle(int self)
{
    for (int n = 1; n <= EACH; n++) {
        int got = 0;
        co4_sending sending;
        co4_mailbox *in = self % 2 ? left : right, *out = self % 2 ? right : left;
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &got),
                             CO4_CASE(co4_mailbox_sending(&sending, out, &n), NULL) };
        int which = co4_select_until(cases, 2, 0, co4_now() + (self + 1) * 100 * CO4_US);
        if (which == 0) {
            atomic_fetch_sub(&count, 1);
            atomic_fetch_sub(&sum, got);
        } else if (which == 1) {
            atomic_fetch_add(&count, 1);
            atomic_fetch_add(&sum, n);
        }
    }
}

int main(void)
{
    co4_run(work());
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    left = co4_mailbox_create(sizeof(int), 0);
    right = co4_mailbox_create(sizeof(int), 0);
    for (int i = 0; i < TASKS; i++)
        co4_runtime_spawn(rt, mingle(i));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("four workers: sent %s received\n",
           atomic_load(&sum) == 0 && atomic_load(&count) == 0 ? "=" : "!=");
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(left);
    co4_mailbox_destroy(right);
    return 0;
}
