/* broadcast_many - more subscribers than get a message under one hold of the lock, some slow, some
 * lossy, some that come and go, and several senders, on four workers: each gets every message that
 * is sent while it is there, in one order for all.
 * modes: woven forced
 * expect: 600 messages: 100 have all in one order, 40 a part of it, 8 have lost some */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SENDERS = 3,
    EACH = 200,
    ALL = SENDERS * EACH,
    STEADY = 100,
    PASSING = 4,
    TIMES = 10,
    LOSSY = 8
};

static co4_broadcast *b;
static co4_subscriber *steady[STEADY], *lossy[LOSSY];
static int order[ALL], place[ALL]; /* as the first one has it; the position of each there */
static int got[STEADY][ALL], part[PASSING * TIMES][ALL], lost[LOSSY][ALL];
static int ngot[STEADY], npart[PASSING * TIMES], nlost[LOSSY];
static atomic_int senders = SENDERS;

static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void send(int self)
{
    for (int i = 0; i < EACH; i++) {
        int n = self * EACH + i, err = CO4_EFULL;
        if (i % 3 == 0)
            err = co4_broadcast_send_until(b, &n, CO4_NOW);
        while (err == CO4_EFULL || err == CO4_ETIMEDOUT)
            err = i % 2 ? co4_broadcast_send(b, &n)
                        : co4_broadcast_send_until(b, &n, co4_now() + 50 * CO4_US);
        must(err);
        if (i % 20 == 0)
            co4_sleep(20 * CO4_US);
    }
    if (atomic_fetch_sub(&senders, 1) == 1)
        co4_broadcast_close(b);
}

static pausable void receive(co4_subscriber *s, int *to, int *n, int slow)
{
    while (co4_subscriber_receive(s, to + *n) == CO4_OK)
        if (++*n % 50 == 0 && slow)
            co4_sleep(10 * CO4_US);
}

static pausable void pass(int self)
{
    for (int i = 0; i < TIMES; i++) {
        co4_subscriber *s = co4_broadcast_subscribe(b, 3, CO4_BROADCAST_WAIT);
        int k = self * TIMES + i;
        for (int j = 0; j < 3 + self && co4_subscriber_receive(s, &part[k][npart[k]]) == CO4_OK;
             j++)
            npart[k]++;
        must(co4_subscriber_destroy(s));
        co4_yield();
    }
}

/* Is each the one before it and one more, or at least behind it? */
static int follows(const int *list, int n, int without_gap)
{
    for (int i = 1; i < n; i++) {
        int step = place[list[i]] - place[list[i - 1]];
        if (without_gap ? step != 1 : step < 1)
            return 0;
    }
    return 1;
}

int main(void)
{
    int all = 0, parts = 0, some = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    b = co4_broadcast_create(sizeof(int));
    for (int i = 0; i < STEADY; i++) {
        steady[i] = co4_broadcast_subscribe(b, i % 7 == 0 ? 1 : 100, CO4_BROADCAST_WAIT);
        co4_runtime_spawn(rt, receive(steady[i], got[i], &ngot[i], i % 10 == 0));
    }
    for (int i = 0; i < LOSSY; i++) {
        lossy[i] = co4_broadcast_subscribe(b, 5, CO4_BROADCAST_DROP_OLDEST);
        co4_runtime_spawn(rt, receive(lossy[i], lost[i], &nlost[i], 1));
    }
    for (int i = 0; i < PASSING; i++)
        co4_runtime_spawn(rt, pass(i));
    for (int i = 0; i < SENDERS; i++)
        co4_runtime_spawn(rt, send(i));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    for (int i = 0; i < ngot[0]; i++) {
        order[i] = got[0][i];
        place[order[i]] = i;
    }
    for (int i = 0; i < STEADY; i++) {
        all += ngot[i] == ALL && follows(got[i], ngot[i], 1);
        must(co4_subscriber_destroy(steady[i]));
    }
    for (int i = 0; i < PASSING * TIMES; i++)
        parts += follows(part[i], npart[i], 1);
    for (int i = 0; i < LOSSY; i++) {
        some += follows(lost[i], nlost[i], 0) &&
                nlost[i] + (int)co4_subscriber_dropped(lossy[i]) == ALL;
        must(co4_subscriber_destroy(lossy[i]));
    }
    must(co4_broadcast_destroy(b));
    printf("%d messages: %d have all in one order, %d a part of it, %d have lost some\n", ALL, all,
           parts, some);
    co4_runtime_destroy(rt);
    return 0;
}
