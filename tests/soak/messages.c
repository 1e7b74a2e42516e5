/* messages.c - producers and consumers at mailboxes and channels of all kinds, by all their calls, some of them cancelled: each message is
 * received once, in the order of its producer. */
#include "soak.h"

enum { PRODUCERS = 8, CONSUMERS = 6, STATIONS = 6, EACH = 600 };

struct message {
    unsigned short station, producer;
    unsigned n;              /* from 1, of this producer at this station */
    unsigned long long same; /* as the three others say */
};

struct tally {
    unsigned count, last;
};

static struct {
    unsigned long long seed;
    co4_mailbox *station[STATIONS];
    struct tally sent[PRODUCERS][STATIONS];
    struct tally got[CONSUMERS + 1][PRODUCERS][STATIONS];
    atomic_int producing;
} now;

static unsigned long long sameness(const struct message *m)
{
    return (m->station * 131ull + m->producer) * 1000003ull + m->n;
}

static void received(unsigned consumer, unsigned station, const struct message *m)
{
    MUST(m->station == station && m->producer < PRODUCERS && m->same == sameness(m));
    struct tally *t = &now.got[consumer][m->producer][station];
    MUST(m->n > t->last);
    t->last = m->n;
    t->count++;
}

/* ---- producers ---- */

static pausable int put(struct lots *l, unsigned station, const struct message *m)
{
    co4_mailbox *to = now.station[station];
    switch (lot(l, 5)) {
    case 0:
        return co4_mailbox_put_until(to, m, co4_now() + lot(l, 200) * CO4_US);
    case 1:
        return co4_mailbox_try_put(to, m);
    case 2: {
        co4_putting putting;
        co4_case cases[] = { CO4_CASE(co4_mailbox_putting(&putting, to, m), NULL) };
        int chosen = co4_select_until(cases, 1, 0, co4_now() + lot(l, 200) * CO4_US);
        return chosen == 0 ? cases[0].code : chosen;
    }
    default:
        return co4_mailbox_put(to, m);
    }
}

static pausable void producer(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < EACH; i++) {
        unsigned station = lot(&l, STATIONS);
        struct tally *t = &now.sent[me][station];
        struct message m = { (unsigned short)station, (unsigned short)me, t->last + 1, 0 };
        m.same = sameness(&m);
        int err = put(&l, station, &m);
        if (err == CO4_OK) {
            t->last++;
            t->count++;
        }
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_EFULL || err == CO4_ECANCELED);
        if (err == CO4_ECANCELED)
            break;
        if (lot(&l, 40) == 0)
            co4_sleep(lot(&l, 100) * CO4_US);
    }
    if (--now.producing == 0)
        for (unsigned i = 0; i < STATIONS; i++)
            co4_mailbox_close(now.station[i]);
}

/* ---- consumers ---- */

/* From one of the stations that are open; *which says where. */
static pausable int get(struct lots *l, const bool *open, unsigned *which, struct message *m)
{
    unsigned n = 0, places[STATIONS];
    for (unsigned i = 0; i < STATIONS; i++)
        if (open[i])
            places[n++] = i;
    *which = places[lot(l, n)];
    co4_mailbox *from = now.station[*which];
    switch (lot(l, 6)) {
    case 0:
        return co4_mailbox_try_get(from, m);
    case 1:
    case 2: {
        co4_case cases[STATIONS];
        for (unsigned i = 0; i < n; i++)
            cases[i] = (co4_case)CO4_CASE(co4_mailbox_source(now.station[places[i]]), m);
        int chosen = co4_select_until(cases, (int)n, (int)lot(l, 2),
                                      co4_now() + (1 + lot(l, 300)) * CO4_US);
        if (chosen < 0)
            return chosen;
        *which = places[chosen];
        return cases[chosen].code;
    }
    default: /* no wait without an end: the others may be empty for good while this one fills */
        return co4_mailbox_get_until(from, m, co4_now() + (1 + lot(l, 300)) * CO4_US);
    }
}

static pausable void consumer(unsigned me)
{
    struct lots l = lots_of(now.seed, 100 + me);
    bool open[STATIONS];
    unsigned left = STATIONS, which;
    for (unsigned i = 0; i < STATIONS; i++)
        open[i] = true;
    while (left > 0) {
        struct message m;
        int err = get(&l, open, &which, &m);
        if (err == CO4_OK) {
            received(me, which, &m);
        } else if (err == CO4_ECLOSED) {
            open[which] = false;
            left--;
        } else if (err == CO4_ECANCELED) {
            return;
        } else {
            MUST(err == CO4_ETIMEDOUT || err == CO4_EEMPTY);
            co4_yield();
        }
    }
}

/* ---- a round ---- */

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    now = (__typeof__(now)){ .seed = seed, .producing = PRODUCERS };
    const size_t capacity[STATIONS] = { 0, 1, 2, 1 + lot(&l, 20), 300, CO4_UNBOUNDED };
    for (unsigned i = 0; i < STATIONS; i++)
        MUST((now.station[i] = co4_channel_create(sizeof(struct message), capacity[i])) != NULL);
    for (unsigned i = 0; i < PRODUCERS + CONSUMERS; i++) {
        co4_task *t = i < PRODUCERS ? co4_task_create(producer(i))
                                    : co4_task_create(consumer(i - PRODUCERS));
        MUST(t != NULL);
        if (i != PRODUCERS && i != PRODUCERS + 1) /* two consumers stay to the end */
            soak_may_cancel(t);
        MUST(co4_runtime_schedule(rt, t) == CO4_OK);
        co4_task_release(t);
    }
}

static unsigned long long check(void)
{
    unsigned long long all = 0;
    for (unsigned i = 0; i < STATIONS; i++) {
        struct message m;
        while (co4_mailbox_try_get(now.station[i], &m) == CO4_OK)
            received(CONSUMERS, i, &m);
        MUST(co4_mailbox_destroy(now.station[i]) == CO4_OK);
        for (unsigned p = 0; p < PRODUCERS; p++) {
            unsigned got = 0;
            for (unsigned c = 0; c <= CONSUMERS; c++)
                got += now.got[c][p][i].count;
            MUST(got == now.sent[p][i].count);
            all += got;
        }
    }
    return all;
}

const struct work soak_messages = { "messages", begin, check };
