/* messages.c - producers and consumers at mailboxes and channels of all kinds, by all their calls,
 * alone and in combined sources, some of them cancelled: each message is received once, in the
 * order of its producer. */
#include "soak.h"

enum {
    PRODUCERS = 8,
    CONSUMERS = 6,
    STATIONS = 6, /* where any task receives */
    BELL = 6,     /* a station whose only consumer takes one at a time */
    HEAP =
        /* a station whose only consumer takes many at once */
    7,
    HALVES =
        /* A station with two consumers, each of which wants half of the messages, and waits without
         * an end. */
    8,
    ALL,
    RECEIVERS = CONSUMERS + PRODUCERS + 5,
    AFTERWARDS = RECEIVERS - 1,
    EACH = 500
};

struct message {
    unsigned char station, producer;
    unsigned n;              /* from 1, of this producer at this station */
    unsigned long long same; /* as the others say */
};

struct tally {
    unsigned count, last;
};

static struct {
    unsigned long long seed;
    co4_mailbox *station[ALL];
    struct tally sent[PRODUCERS][ALL];
    struct tally got[RECEIVERS][PRODUCERS][ALL];
    atomic_int producing;
} now;

static unsigned long long sameness(const struct message *m)
{
    return (m->station * 131ull + m->producer) * 1000003ull + m->n;
}

static void received(unsigned receiver, unsigned station, const struct message *m)
{
    MUST(m->station == station && m->producer < PRODUCERS && m->same == sameness(m));
    struct tally *t = &now.got[receiver][m->producer][station];
    MUST(m->n > t->last);
    t->last = m->n;
    t->count++;
}

/* ---- for combined sources ---- */

/* The other way round: to be seen in what came through it, once. */
static int turn_over(void *arg, const void *in, void *out)
{
    (void)arg;
    memcpy(out, in, sizeof(struct message));
    ((struct message *)out)->same = ~((const struct message *)in)->same;
    return CO4_OK;
}

static int of_half(void *half, const void *value)
{
    return ((const struct message *)value)->producer % 2 == *(unsigned *)half;
}

/* ---- on threads ---- */

static int put_blocking(unsigned station, const struct message *m, int64_t until)
{
    return co4_block(co4_mailbox_send_until(now.station[station], m, until));
}

static int get_blocking(unsigned station, struct message *m, int64_t until)
{
    return co4_block(co4_mailbox_receive_until(now.station[station], m, until));
}

/* ---- producers ---- */

/* What a select has received in place of putting. */
struct instead {
    unsigned station;
    bool got;
    struct message m;
};

/* Puts, or receives something elsewhere, which may be the very mailbox. */
static pausable int put_or_get(struct lots *l, unsigned station, const struct message *m,
                               struct instead *other)
{
    co4_sending putting;
    other->station = lot(l, STATIONS);
    co4_case cases[] = {
        CO4_CASE(co4_mailbox_sending(&putting, now.station[station], m), NULL),
        CO4_CASE(co4_mailbox_source(now.station[other->station]), &other->m),
    };
    int chosen = co4_select_until(cases, 1 + (int)lot(l, 2), 0, soon(l, 200));
    other->got = chosen == 1;
    if (chosen == 0 || chosen == CO4_ENDED(0))
        return cases[0].code;
    return chosen == 1 || chosen == CO4_ENDED(1) ? CO4_ETIMEDOUT : chosen;
}

static pausable int put(struct lots *l, unsigned station, const struct message *m,
                        struct instead *other)
{
    co4_mailbox *to = now.station[station];
    switch (lot(l, 16)) {
    case 0:
    case 1:
        return co4_mailbox_send_until(to, m, soon(l, 200));
    case 2:
    case 3:
        return co4_mailbox_send_until(to, m, CO4_NOW);
    case 4:
        return co4_blocking(put_blocking(station, m, soon(l, 200)));
    case 5: {
        co4_sending putting;
        co4_timed timed;
        co4_source *s = co4_mailbox_sending(&putting, to, m);
        return co4_await(co4_source_until(&timed, s, soon(l, 200)), NULL);
    }
    case 6:
    case 7:
    case 8:
        return put_or_get(l, station, m, other);
    default:
        return co4_mailbox_send(to, m);
    }
}

static pausable void producer(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < EACH; i++) {
        unsigned station = lot(&l, ALL);
        struct tally *t = &now.sent[me][station];
        struct message m = { (unsigned char)station, (unsigned char)me, t->last + 1, 0 };
        m.same = sameness(&m);
        struct instead other = { 0, false, { 0, 0, 0, 0 } };
        int err = put(&l, station, &m, &other);
        if (err == CO4_OK) {
            t->last++;
            t->count++;
        }
        if (other.got)
            received(CONSUMERS + me, other.station, &other.m);
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_EFULL || err == CO4_ECANCELED ||
             err == CO4_EDEADLK);
        if (err == CO4_ECANCELED)
            break;
        if (lot(&l, 40) == 0)
            co4_sleep(lot(&l, 100) * CO4_US);
    }
    if (--now.producing == 0)
        for (unsigned i = 0; i < ALL; i++)
            co4_mailbox_close(now.station[i]);
}

/* ---- consumers ---- */

/* Those of the stations that a consumer has not yet found closed. */
struct open {
    unsigned n, places[STATIONS];
};

static pausable int get_selecting(struct lots *l, const struct open *open, unsigned *which,
                                  struct message *m)
{
    co4_case cases[STATIONS];
    for (unsigned i = 0; i < open->n; i++)
        cases[i] = (co4_case)CO4_CASE(co4_mailbox_source(now.station[open->places[i]]), m);
    int chosen = co4_select_until(cases, (int)open->n, (int)lot(l, 2), soon(l, 300));
    if (chosen <= CO4_ENDED(0))
        chosen = CO4_ENDED(chosen);
    if (chosen < 0)
        return chosen;
    *which = open->places[chosen];
    return cases[chosen].code;
}

static pausable int get_racing(struct lots *l, const struct open *open, unsigned *which,
                               struct message *m)
{
    co4_racing racing;
    co4_racer racers[STATIONS];
    unsigned half = lot(l, 2), first = lot(l, open->n);
    co4_filtering filtering;
    for (unsigned i = 0; i < open->n; i++)
        racers[i].source = co4_mailbox_source(now.station[open->places[i]]);
    racers[first].source = co4_source_filter(&filtering, racers[first].source, of_half, &half);
    int err = co4_await_until(co4_source_race(&racing, racers, (int)open->n), m, soon(l, 300));
    int winner = co4_source_race_winner(&racing);
    MUST((winner >= 0) == (err == CO4_OK || err == CO4_ECLOSED));
    if (winner >= 0)
        *which = open->places[winner];
    return err;
}

/* Two kinds at once, each with a stage or two, one of them perhaps at the same mailbox as the
 * other. */
static pausable int get_combined(struct lots *l, const struct open *open, unsigned *which,
                                 struct message *m)
{
    unsigned a = open->places[lot(l, open->n)], b = open->places[lot(l, open->n)];
    unsigned half = lot(l, 2);
    struct message turned, buffer, other;
    int side = -1;
    co4_racing racing;
    co4_racer racers[] = { { .source = co4_mailbox_source(now.station[a]) },
                           { .source = co4_mailbox_source(now.station[b]) } };
    co4_mapping mapping;
    co4_filtering filtering;
    co4_either either;
    co4_timed timed;
    co4_source *s = lot(l, 2) ? racers[0].source : co4_source_race(&racing, racers, 2);
    bool raced = s != racers[0].source;
    s = co4_source_map(&mapping, s, sizeof turned, &buffer, turn_over, NULL);
    if (lot(l, 2))
        s = co4_source_filter(&filtering, s, of_half, &half);
    s = co4_source_either(&either, s, &turned, co4_mailbox_source(now.station[b]), &other);
    s = co4_source_until(&timed, s, soon(l, 300));
    int err;
    if (lot(l, 2)) {
        co4_case cases[] = { CO4_CASE(s, &side), CO4_CASE(NULL, NULL) };
        int chosen = co4_select(cases, 2);
        MUST(chosen <= 0);
        err = chosen == CO4_ENDED(0) ? cases[0].code : chosen;
    } else {
        err = co4_await(s, &side);
    }
    if (err == CO4_OK || err == CO4_ECLOSED) {
        MUST(side == 0 || side == 1);
        *which = side == 1 || (raced && co4_source_race_winner(&racing) == 1) ? b : a;
    }
    if (err == CO4_OK && side == 0) {
        *m = turned;
        m->same = ~m->same;
    } else if (err == CO4_OK) {
        *m = other;
    }
    return err;
}

/* All that is there; *m is none of it. */
static int drain(unsigned me, unsigned station)
{
    struct message m;
    for (size_t n = co4_mailbox_len(now.station[station]); n > 0; n--)
        if (co4_mailbox_receive_until(now.station[station], &m, CO4_NOW) == CO4_OK)
            received(me, station, &m);
    return CO4_EEMPTY;
}

/* From one of the stations that are open; *which says where. */
static pausable int get(struct lots *l, unsigned me, const struct open *open, unsigned *which,
                        struct message *m)
{
    *which = open->places[lot(l, open->n)];
    co4_mailbox *from = now.station[*which];
    switch (lot(l, 24)) {
    case 0:
    case 1:
        return co4_mailbox_receive_until(from, m, CO4_NOW);
    case 2:
    case 3:
    case 4:
        return get_selecting(l, open, which, m);
    case 5:
    case 6:
        return get_racing(l, open, which, m);
    case 7:
    case 8:
    case 9:
        return get_combined(l, open, which, m);
    case 10:
        return co4_mailbox_reserve(from, lot(l, 20)) == CO4_OK ? CO4_EEMPTY : CO4_EDEADLK;
    case 11: {
        struct message some[5];
        size_t n;
        int err = co4_mailbox_receive_many_until(from, some, 1 + lot(l, 5), &n, CO4_NOW);
        MUST((err == CO4_OK) == (n > 0) && n <= 5);
        for (size_t i = 0; i < n; i++)
            received(me, *which, &some[i]);
        return err == CO4_OK ? CO4_EEMPTY : err;
    }
    case 12:
        return lot(l, 4) ? CO4_EEMPTY : drain(me, *which);
    case 13:
    case 14:
    case 15:
        return co4_blocking(get_blocking(*which, m, soon(l, 300)));
    default: /* no wait without an end: the others may be empty for good while this one fills */
        return co4_mailbox_receive_until(from, m, soon(l, 300));
    }
}

static pausable void consumer(unsigned me)
{
    struct lots l = lots_of(now.seed, 100 + me);
    struct open open = { STATIONS, { 0, 1, 2, 3, 4, 5 } };
    unsigned which;
    int err = CO4_OK;
    while (open.n > 0 && err != CO4_ECANCELED) {
        struct message m;
        err = get(&l, me, &open, &which, &m);
        if (err == CO4_OK) {
            received(me, which, &m);
        } else if (err == CO4_ECLOSED) {
            for (unsigned i = 0; i < open.n; i++)
                if (open.places[i] == which)
                    open.places[i--] = open.places[--open.n];
        } else if (err != CO4_ECANCELED) {
            MUST(err == CO4_ETIMEDOUT || err == CO4_EEMPTY || err == CO4_EDEADLK);
            err = co4_yield();
        }
    }
}

/* ---- two with stations of their own ---- */

static pausable void single(void)
{
    struct message m;
    while (co4_mailbox_receive(now.station[BELL], &m) == CO4_OK)
        received(CONSUMERS + PRODUCERS, BELL, &m);
}

static pausable void gatherer(void)
{
    struct lots l = lots_of(now.seed, 55);
    co4_mailbox *from = now.station[HEAP];
    for (int err = CO4_OK; err == CO4_OK;) {
        struct message some[7];
        size_t n = 1 + lot(&l, 7), got = 0;
        err = co4_mailbox_receive_many(from, some, n, &got);
        MUST((err == CO4_OK && got > 0 && got <= n) || (err == CO4_ECLOSED && got == 0));
        for (size_t i = 0; i < got; i++)
            received(CONSUMERS + PRODUCERS + 1, HEAP, &some[i]);
    }
}

/* The next message may be the other's: it is offered anew each time it changes. */
static pausable void halver(unsigned half)
{
    struct message m;
    co4_filtering filtering;
    co4_source *s = co4_source_filter(&filtering, co4_mailbox_source(now.station[HALVES]), of_half,
                                      &half);
    int err;
    while ((err = co4_await(s, &m)) == CO4_OK) {
        MUST(m.producer % 2 == half);
        received(CONSUMERS + PRODUCERS + 2 + half, HALVES, &m);
    }
    MUST(err == CO4_ECLOSED);
}

/* ---- a round ---- */

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    now = (__typeof__(now)){ .seed = seed, .producing = PRODUCERS };
    const size_t capacity[ALL] = { 0, 1, 2, 1 + lot(&l, 20), 300, CO4_UNBOUNDED, 5, 8, 3 };
    for (unsigned i = 0; i < ALL; i++)
        MUST((now.station[i] = co4_mailbox_create(sizeof(struct message), capacity[i])) != NULL);
    for (unsigned i = 0; i < PRODUCERS; i++)
        soak_start(rt, co4_task_create(producer(i)), SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < CONSUMERS; i++) /* two stay to the end */
        soak_start(rt, co4_task_create(consumer(i)), i < 2 ? SOAK_TO_THE_END : SOAK_MAY_CANCEL);
    soak_start(rt, co4_task_create(single()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(gatherer()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < 2; i++)
        soak_start(rt, co4_task_create(halver(i)), SOAK_TO_THE_END);
}

static unsigned long long check(void)
{
    unsigned long long all = 0;
    for (unsigned i = 0; i < ALL; i++) {
        struct message m;
        while (co4_mailbox_receive_until(now.station[i], &m, CO4_NOW) == CO4_OK)
            received(AFTERWARDS, i, &m);
        MUST(co4_mailbox_destroy(now.station[i]) == CO4_OK);
        for (unsigned p = 0; p < PRODUCERS; p++) {
            unsigned got = 0;
            for (unsigned c = 0; c < RECEIVERS; c++)
                got += now.got[c][p][i].count;
            MUST(got == now.sent[p][i].count);
            all += got;
        }
    }
    return all;
}

const struct work soak_messages = { "messages", "messages", begin, check };
