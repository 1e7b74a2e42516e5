/* inbox_races - urgent and ordinary senders, receivers, also by removal, waiters
 * for a number, another capacity and listeners of the program's own that come and go, all on one
 * inbox and four workers: nothing is lost or doubled.
 * modes: woven forced
 * expect: 12000 sent, 12000 got once; told */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SENDERS = 4, EACH = 3000 };

struct msg {
    int from, n;
};

static co4_inbox *mb;
static atomic_int got[SENDERS][EACH], told, watching, senders = SENDERS;
static atomic_long count;

static void take(const struct msg *m)
{
    atomic_fetch_add(&got[m->from][m->n], 1);
    atomic_fetch_add(&count, 1);
}

static pausable void send(int self)
{
    while (atomic_load(&watching) == 0)
        co4_yield();
    for (int i = 0; i < EACH; i++) {
        struct msg m = { self, i };
        int err = CO4_OK;
        if (self % 2 == 0)
            err = co4_inbox_send(mb, &m);
        else if (i % 3 == 0)
            while ((err = co4_inbox_send_urgent_until(mb, &m, co4_now() + 20 * CO4_US)) ==
                   CO4_ETIMEDOUT)
                ;
        else
            err = co4_inbox_send_urgent(mb, &m);
        if (err != CO4_OK)
            printf("put: %s\n", co4_strerror(err));
    }
    if (atomic_fetch_sub(&senders, 1) == 1)
        co4_inbox_close(mb);
}

static int odd(void *arg, const void *msg)
{
    (void)arg;
    return ((const struct msg *)msg)->n % 2;
}

static pausable void receive(int manner)
{
    struct msg m[5];
    size_t n = 1;
    for (int err = CO4_OK; err != CO4_ECLOSED;) {
        n = 1;
        switch (manner) {
        case 0:
            err = co4_inbox_receive(mb, m);
            break;
        case 1:
            err = co4_inbox_receive_until(mb, m, co4_now() + 50 * CO4_US);
            break;
        case 2:
            err = co4_inbox_wait_until(mb, 2, co4_now() + 50 * CO4_US);
            if (err != CO4_ECLOSED)
                err = co4_await_until(co4_inbox_source(mb), m, CO4_NOW);
            break;
        default:
            err = co4_inbox_remove(mb, odd, NULL, m);
            if (err != CO4_OK)
                co4_yield();
        }
        for (size_t i = 0; err == CO4_OK && i < n; i++)
            take(&m[i]);
    }
}

/* A subscriber: a listener of the program's own, which is added again after each call. */
struct watch {
    co4_listener listener; /* first */
    co4_inbox_wait_at at;
    atomic_int calls;
};

static int acquire(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void complete(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
}

static void release(co4_listener *l)
{
    (void)l;
}

static void is_told(co4_listener *l)
{
    struct watch *w = (struct watch *)(void *)l;
    atomic_fetch_add(&told, 1);
    atomic_fetch_add(&w->calls, 1);
}

static const void *owner(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops watch_ops = { acquire, complete, release, is_told, owner, NULL };

static pausable void look_on(int rooms)
{
    struct watch w = { .listener = { .ops = &watch_ops } };
    co4_source *s = rooms ? co4_inbox_having_room(&w.at, mb, 1) : co4_inbox_holding(&w.at, mb, 1);
    for (int i = 0; atomic_load(&senders) > 0; i++) {
        struct msg m;
        int before = atomic_load(&w.calls), added = s->ops->add(s, &w.listener);
        if (added < 0)
            printf("add: %s\n", co4_strerror(added));
        atomic_store(&watching, 1);
        do
            co4_sleep(20 * CO4_US);
        while (atomic_load(&w.calls) == before); /* at the latest of the close */
        co4_inbox_peek(mb, &m);
        co4_inbox_set_capacity(mb, 3 + (size_t)i % 5);
    }
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    mb = co4_inbox_create(sizeof(struct msg), 4);
    for (int i = 0; i < SENDERS; i++)
        co4_runtime_spawn(rt, send(i));
    for (int i = 0; i < 4; i++)
        co4_runtime_spawn(rt, receive(i));
    co4_runtime_spawn(rt, look_on(0));
    co4_runtime_spawn(rt, look_on(1));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    int once = 0;
    for (int i = 0; i < SENDERS; i++)
        for (int n = 0; n < EACH; n++)
            once += atomic_load(&got[i][n]) == 1;
    printf("%d sent, %d got once; %s\n", SENDERS * EACH, once,
           atomic_load(&told) ? "told" : "not told");
    co4_inbox_destroy(mb);
    co4_runtime_destroy(rt);
    return 0;
}
