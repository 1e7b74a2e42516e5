/* mailbox_moves_races - a mailbox grows while messages come and go, on four workers: none is lost
 * or doubled, and no receiver sees those of a sender out of order.
 * modes: woven forced
 * expect: 12000 sent, 12000 got once, 0 out of order */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SENDERS = 4, EACH = 3000, BURST = 500 };

struct msg {
    int from, n, more[3];
};

static co4_mailbox *ch;
static atomic_int got[SENDERS][EACH], disorder, senders = SENDERS;

static void take(const struct msg *m)
{
    atomic_fetch_add(&got[m->from][m->n], 1);
}

static pausable void send(int self)
{
    for (int i = 0; i < EACH; i++) {
        struct msg m = { self, i, { i, i, i } };
        int err = co4_mailbox_send(ch, &m);
        if (err != CO4_OK)
            printf("put: %s\n", co4_strerror(err));
        if (i % BURST == 0)
            co4_yield();
    }
    if (atomic_fetch_sub(&senders, 1) == 1)
        co4_mailbox_close(ch);
}

static pausable void receive(int at_once)
{
    struct msg m[50];
    int last[SENDERS] = { -1, -1, -1, -1 };
    size_t n;
    while (co4_mailbox_receive_many(ch, m, (size_t)at_once, &n) == CO4_OK) {
        for (size_t i = 0; i < n; i++) {
            take(&m[i]);
            if (m[i].n <= last[m[i].from] || m[i].more[2] != m[i].n)
                atomic_fetch_add(&disorder, 1);
            last[m[i].from] = m[i].n;
        }
        co4_yield();
    }
}

static pausable void resize(void)
{
    for (size_t i = 0; atomic_load(&senders) > 0; i++) {
        if (co4_mailbox_reserve(ch, i % 7 * 100) != CO4_OK)
            puts("no memory");
        co4_sleep(20 * CO4_US);
    }
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    ch = co4_mailbox_create(sizeof(struct msg), CO4_UNBOUNDED);
    for (int i = 0; i < SENDERS; i++)
        co4_runtime_spawn(rt, send(i));
    co4_runtime_spawn(rt, receive(1));
    co4_runtime_spawn(rt, receive(50));
    co4_runtime_spawn(rt, resize());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    int once = 0;
    for (int i = 0; i < SENDERS; i++)
        for (int n = 0; n < EACH; n++)
            once += atomic_load(&got[i][n]) == 1;
    printf("%d sent, %d got once, %d out of order\n", SENDERS * EACH, once, atomic_load(&disorder));
    co4_mailbox_destroy(ch);
    co4_runtime_destroy(rt);
    return 0;
}
