/* mailbox_urgent_races - urgent and ordinary senders, receivers of one, of many and by removal,
 * waiters for a number, another capacity and subscribers that come and go, all on one mailbox and
 * four workers: nothing is lost or doubled.
 * modes: woven forced
 * expect: 12000 sent, 12000 got once; told, and never twice at once */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SENDERS = 4, EACH = 3000 };

struct msg {
    int from, n;
};

static co4_mailbox *mb;
static atomic_int got[SENDERS][EACH], told, inside, overlap, watching, senders = SENDERS;
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
            err = co4_mailbox_send(mb, &m);
        else if (i % 3 == 0)
            while ((err = co4_mailbox_send_urgent_until(mb, &m, co4_now() + 20 * CO4_US)) ==
                   CO4_ETIMEDOUT)
                ;
        else
            err = co4_mailbox_send_urgent(mb, &m);
        if (err != CO4_OK)
            printf("put: %s\n", co4_strerror(err));
    }
    if (atomic_fetch_sub(&senders, 1) == 1)
        co4_mailbox_close(mb);
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
            err = co4_mailbox_receive(mb, m);
            break;
        case 1:
            err = co4_mailbox_receive_many(mb, m, 5, &n);
            break;
        case 2:
            err = co4_mailbox_wait_until(mb, 2, co4_now() + 50 * CO4_US);
            if (err != CO4_ECLOSED)
                err = co4_mailbox_receive_many_until(mb, m, 3, &n, CO4_NOW);
            break;
        default:
            err = co4_mailbox_remove(mb, odd, NULL, m);
            if (err != CO4_OK)
                co4_yield();
        }
        for (size_t i = 0; err == CO4_OK && i < n; i++)
            take(&m[i]);
    }
}

static void call(void *arg, co4_mailbox *box, int events)
{
    (void)arg;
    (void)box;
    (void)events;
    if (atomic_fetch_add(&inside, 1) != 0)
        atomic_store(&overlap, 1);
    atomic_fetch_add(&told, 1);
    atomic_fetch_sub(&inside, 1);
}

static pausable void look_on(void)
{
    for (int i = 0; atomic_load(&senders) > 0; i++) {
        co4_mailbox_watch w = { .events = CO4_MAILBOX_MESSAGE | CO4_MAILBOX_SPACE |
                                          CO4_MAILBOX_HIGH | CO4_MAILBOX_CLOSED,
                                .high = 3,
                                .call = call };
        struct msg m;
        co4_mailbox_subscribe(mb, &w);
        atomic_store(&watching, 1);
        do
            co4_sleep(20 * CO4_US);
        while (atomic_load(&told) ==
               0); /* at the latest of the end, for this one stays till then */
        co4_mailbox_peek(mb, &m);
        co4_mailbox_unsubscribe(mb, &w);
        co4_mailbox_set_capacity(mb, 3 + (size_t)i % 5);
        co4_mailbox_shrink(mb);
    }
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    mb = co4_mailbox_create(sizeof(struct msg), 4);
    for (int i = 0; i < SENDERS; i++)
        co4_runtime_spawn(rt, send(i));
    for (int i = 0; i < 4; i++)
        co4_runtime_spawn(rt, receive(i));
    co4_runtime_spawn(rt, look_on());
    co4_runtime_spawn(rt, look_on());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    int once = 0;
    for (int i = 0; i < SENDERS; i++)
        for (int n = 0; n < EACH; n++)
            once += atomic_load(&got[i][n]) == 1;
    printf("%d sent, %d got once; %s, and %s\n", SENDERS * EACH, once,
           atomic_load(&told) ? "told" : "not told",
           atomic_load(&overlap) ? "twice at once" : "never twice at once");
    co4_mailbox_destroy(mb);
    co4_runtime_destroy(rt);
    return 0;
}
