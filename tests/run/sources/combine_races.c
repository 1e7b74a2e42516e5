/* combine_races - tasks of several workers, and a thread that blocks, take from one mailbox through
 * filters, maps, races and timeouts, each only what it wants; others meet in rendezvous channels
 * through races of both ends: nothing is lost or doubled.
 * modes: woven forced
 * expect: every message went once to one that wanted it
 * expect: as many sent as received */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { KINDS = 4, EACH = 400, PRODUCERS = 3, ROUNDS = 300 };

static co4_mailbox *mb, *never;
static atomic_long sum, count, wrong;
static atomic_int producing = PRODUCERS;

static int is_kind(void *arg, const void *value)
{
    return *(const int *)value % KINDS == *(int *)arg;
}

static int twice(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in * 2;
    return CO4_OK;
}

static void took(int n, int kind)
{
    atomic_fetch_add(&count, 1);
    atomic_fetch_add(&sum, n);
    if (n % KINDS != kind)
        atomic_fetch_add(&wrong, 1);
}

static pausable void consumer(int kind, int timeout)
{
    for (int err = CO4_OK; err != CO4_ECLOSED;) {
        int n = 0, buffer;
        co4_filtering f;
        co4_mapping m;
        co4_racing r;
        co4_timed t;
        co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_kind, &kind);
        s = co4_source_map(&m, s, sizeof n, &buffer, twice, NULL);
        co4_racer racers[] = { { .source = s }, { .source = co4_mailbox_source(never) } };
        s = co4_source_race(&r, racers, 2);
        err = co4_await(co4_source_until(&t, s, timeout ? co4_now() + 100 * CO4_US : CO4_NEVER),
                        &n);
        if (err == CO4_OK)
            took(n / 2, kind);
    }
}

static pausable void producer(int self)
{
    for (int i = 0; i < EACH; i++) {
        int n = i * PRODUCERS + self;
        co4_mailbox_send(mb, &n);
    }
    if (atomic_fetch_sub(&producing, 1) == 1)
        co4_mailbox_close(mb);
}

static void filters(co4_runtime *rt)
{
    mb = co4_mailbox_create(sizeof(int), 8);
    never = co4_mailbox_create(sizeof(int), 8);
    for (int i = 0; i < KINDS; i++) {
        co4_runtime_spawn(rt, consumer(i, 0));
        co4_runtime_spawn(rt, consumer(i, 1));
    }
    for (int i = 0; i < PRODUCERS; i++)
        co4_runtime_spawn(rt, producer(i));
    for (int err = CO4_OK, kind = 1, n; err != CO4_ECLOSED;) {
        co4_filtering f;
        co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_kind, &kind);
        err = co4_block(co4_await_until(s, &n, co4_now() + CO4_MS));
        if (err == CO4_OK)
            took(n, kind);
    }
    co4_runtime_join(rt);
    long all = EACH * PRODUCERS;
    if (count == all && sum == all * (all - 1) / 2 && wrong == 0)
        puts("every message went once to one that wanted it");
    else
        printf("%ld of %ld messages, sum %ld, %ld wrong\n", (long)count, all, (long)sum,
               (long)wrong);
    co4_mailbox_destroy(mb);
    co4_mailbox_destroy(never);
}

static atomic_long sent, received;

static pausable void meet(co4_mailbox *a, co4_mailbox *b)
{
    for (int i = 0; i < ROUNDS; i++) {
        int n = 0, message = i;
        co4_sending p[2];
        co4_racing r;
        co4_timed t;
        co4_racer racers[] = { { .source = co4_mailbox_source(a) },
                               { .source = co4_mailbox_sending(&p[0], b, &message) },
                               { .source = co4_mailbox_sending(&p[1], a, &message) },
                               { .source = co4_mailbox_source(b) } };
        co4_source *s = co4_source_race(&r, racers, 4);
        if (co4_await(co4_source_until(&t, s, co4_now() + 200 * CO4_US), &n) != CO4_OK)
            continue;
        int w = co4_source_race_winner(&r);
        atomic_fetch_add(w == 0 || w == 3 ? &received : &sent, 1);
    }
}

static void rendezvous(co4_runtime *rt)
{
    co4_mailbox *a = co4_mailbox_create(sizeof(int), 0), *b = co4_mailbox_create(sizeof(int), 0);
    for (int i = 0; i < 6; i++)
        co4_runtime_spawn(rt, meet(i % 2 ? a : b, i % 2 ? b : a));
    co4_runtime_join(rt);
    if (sent == received)
        puts("as many sent as received");
    else
        printf("%ld sent, %ld received\n", (long)sent, (long)received);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    filters(rt);
    rendezvous(rt);
    return co4_runtime_destroy(rt) != CO4_OK;
}
