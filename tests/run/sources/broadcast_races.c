/* broadcast_races - senders, receivers and such that come and go, on four workers: every message
 * reaches each subscriber once, in one order; the losses of a dropping subscriber are counted.
 * modes: woven forced
 * expect: 6000 messages each, in one order; got and dropped make 6000; guests heard each sender in order */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SENDERS = 3, EACH = 2000 };

struct note {
    int from, n;
};

struct heard {
    co4_subscriber *s;
    int count, disorder;
    unsigned hash;
};

static co4_broadcast *b;
static atomic_int senders = SENDERS, disorder;

static pausable void send_all(int self)
{
    for (int i = 1; i <= EACH; i++) {
        struct note note = { self, i };
        if (self == 0 && i % 3 == 0) { /* some by select, with a deadline that often passes */
            co4_broadcasting sending;
            co4_case one = CO4_CASE(co4_broadcast_sending(&sending, b, &note), NULL);
            while (co4_select_until(&one, 1, 0, co4_now() + 20 * CO4_US) == CO4_ETIMEDOUT)
                ;
        } else {
            co4_broadcast_send(b, &note);
        }
    }
    if (atomic_fetch_sub(&senders, 1) == 1)
        co4_broadcast_close(b);
}

static pausable void hear(struct heard *h)
{
    struct note note;
    int last[SENDERS] = { 0 };
    while (co4_subscriber_receive(h->s, &note) == CO4_OK) {
        h->disorder += note.n <= last[note.from];
        last[note.from] = note.n;
        h->count++;
        h->hash = h->hash * 31 + (unsigned)(note.from * EACH + note.n);
    }
}

static pausable void come_and_go(void)
{
    while (atomic_load(&senders) > 0) {
        co4_subscriber *s = co4_broadcast_subscribe(b, 2, CO4_BROADCAST_WAIT);
        int last[SENDERS] = { 0 };
        for (int i = 0; i < 5; i++) {
            struct note note;
            if (co4_subscriber_receive_until(s, &note, co4_now() + CO4_MS) != CO4_OK)
                continue;
            if (last[note.from] && note.n != last[note.from] + 1)
                atomic_fetch_add(&disorder, 1);
            last[note.from] = note.n;
        }
        while (co4_subscriber_destroy(s) == CO4_EBUSY)
            co4_yield();
        co4_yield();
    }
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    struct heard h[3] = { { 0 } };
    b = co4_broadcast_create(sizeof(struct note));
    for (int i = 0; i < 3; i++) {
        h[i].s = co4_broadcast_subscribe(b, i == 0 ? 1 : 3,
                                         i < 2 ? CO4_BROADCAST_WAIT : CO4_BROADCAST_DROP_OLDEST);
        co4_runtime_spawn(rt, hear(&h[i]));
    }
    for (int i = 0; i < SENDERS; i++)
        co4_runtime_spawn(rt, send_all(i));
    co4_runtime_spawn(rt, come_and_go());
    co4_runtime_spawn(rt, come_and_go());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("%d messages each, %s; got and dropped make %d; guests %s\n",
           h[0].count == h[1].count ? h[0].count : -1,
           h[0].hash == h[1].hash && !(h[0].disorder | h[1].disorder | h[2].disorder)
               ? "in one order"
               : "in disorder",
           h[2].count + (int)co4_subscriber_dropped(h[2].s),
           atomic_load(&disorder) == 0 ? "heard each sender in order" : "missed some");
    for (int i = 0; i < 3; i++)
        co4_subscriber_destroy(h[i].s);
    co4_broadcast_destroy(b);
    co4_runtime_destroy(rt);
    return 0;
}
