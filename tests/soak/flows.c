/* flows.c - generators, streams and cells: values that are made one by one and go through stages
 * and from hand to hand; the output is the expected one, or a beginning of it if a task was
 * cancelled. And futures that come out of collectors, each once. */
#include "soak.h"

enum { PIPES = 4, HANDS = 5, ROUNDS = 60, MOST = 200, OFFERS = 3, TAKERS = 3, FUTURES = 60 };

static struct {
    unsigned long long seed;
    co4_mailbox *pipe[PIPES];
    co4_mailbox *hand[HANDS];
    co4_mailbox *generators; /* co4_gen *, which several use in turn */
    co4_collector *collector;
    atomic_int offering, working;
    atomic_int given[OFFERS * FUTURES];
    atomic_bool added[OFFERS * FUTURES];
    atomic_ullong values;
} now;

static unsigned long long worth(unsigned k, unsigned n)
{
    return (k + 1) * 1000003ull * (n + 7);
}

/* The values of stream k: worth(k, 0 … n - 1). Its users send the generator how far it has to go at
 * once. */
static pausable unsigned numbers(unsigned k, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned long long v = worth(k, i);
        MUST(co4_yield() == CO4_ESTATE);
        if (co4_gen_yield(&v) != CO4_OK)
            break;
        MUST(v == worth(k, i) || v == ~worth(k, i));
    }
    return n;
}

/* ---- pipelines ---- */

static unsigned length(unsigned k)
{
    struct lots l = lots_of(now.seed, 300 + k);
    return lot(&l, MOST);
}

static pausable int halve(void *arg, const void *value, void *out)
{
    (void)arg;
    struct lots l = { *(const unsigned long long *)value | 1 };
    int err = lot(&l, 6) == 0 ? co4_sleep(lot(&l, 20) * CO4_US) : lot(&l, 4) ? CO4_OK : co4_yield();
    if (err == CO4_OK)
        *(unsigned long long *)out = *(const unsigned long long *)value / 2;
    return err;
}

static bool passes(unsigned long long half)
{
    return half % 3 != 0;
}

static pausable int keep(void *arg, const void *value)
{
    (void)arg;
    return passes(*(const unsigned long long *)value);
}

static pausable void upstream(unsigned k)
{
    co4_stream *s = co4_stream_of_gen(co4_generate(numbers(k, length(k))), sizeof(long long));
    s = co4_stream_map(s, sizeof(long long), halve, NULL);
    s = co4_stream_filter(s, keep, NULL);
    MUST(s != NULL);
    int err = co4_stream_send(s, now.pipe[k]);
    MUST(err == CO4_OK || err == CO4_ECLOSED || err == CO4_ECANCELED);
    co4_stream_destroy(s);
    co4_mailbox_close(now.pipe[k]);
}

struct position {
    unsigned k, i;
};

static pausable int use(void *arg, const void *value)
{
    struct position *at = arg;
    while (!passes(worth(at->k, at->i) / 2))
        at->i++;
    MUST(*(const unsigned long long *)value == worth(at->k, at->i++) / 2);
    now.values++;
    return at->i % 8 ? CO4_OK : co4_yield();
}

static pausable void downstream(unsigned k)
{
    struct lots l = lots_of(now.seed, 400 + k);
    struct position at = { k, 0 };
    co4_stream *s = co4_stream_of_mailbox(now.pipe[k]);
    if (lot(&l, 2))
        s = co4_stream_take(s, lot(&l, MOST));
    MUST(s != NULL);
    int err = co4_stream_each(s, use, &at);
    MUST(err == CO4_OK || err == CO4_ECANCELED);
    MUST(at.i <= length(k));
    co4_stream_destroy(s);
    co4_mailbox_close(now.pipe[k]); /* also where a cancelled task has not asked for anything */
}

/* ---- generators that go from task to task ---- */

struct walking {
    co4_gen *gen;
    unsigned k, i, n;
};

static pausable void walker(unsigned me)
{
    struct lots l = lots_of(now.seed, 500 + me);
    struct walking w;
    int err;
    while ((err = co4_mailbox_receive(now.generators, &w)) == CO4_OK) {
        bool over = false;
        for (unsigned turns = 1 + lot(&l, 6); turns > 0 && !over; turns--) {
            unsigned long long v;
            unsigned result;
            int more = co4_gen_has_more(w.gen);
            MUST(more == (w.i < w.n));
            over = co4_gen_next(w.gen, &v) == CO4_ECLOSED;
            if (over) {
                MUST(w.i == w.n && co4_gen_result(w.gen, &result) == CO4_OK && result == w.n);
                break;
            }
            MUST(v == worth(w.k, w.i));
            v = ~v;
            if (lot(&l, 3) == 0)
                MUST(co4_gen_send(w.gen, &v) == CO4_OK);
            w.i++;
            now.values++;
            if (lot(&l, 3) == 0)
                co4_yield();
        }
        if (over || co4_mailbox_send(now.generators, &w) != CO4_OK) {
            MUST(co4_gen_destroy(w.gen) == CO4_OK);
            if (--now.working == 0)
                co4_mailbox_close(now.generators);
        }
    }
    MUST(err == CO4_ECLOSED || err == CO4_ECANCELED);
}

/* ---- a ring of cells, around which a number goes ---- */

static pausable void hand_on(unsigned me)
{
    struct lots l = lots_of(now.seed, 600 + me);
    co4_mailbox *from = now.hand[me], *to = now.hand[(me + 1) % HANDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned n;
        int err;
        do
            err = lot(&l, 2) ? co4_mailbox_receive(from, &n)
                             : co4_mailbox_receive_until(from, &n, soon(&l, 200));
        while (err == CO4_ETIMEDOUT);
        MUST(err == CO4_OK && n == i * HANDS + me);
        n++;
        co4_sending putting;
        co4_case cases[] = { CO4_CASE(co4_mailbox_sending(&putting, to, &n), NULL) };
        if (lot(&l, 2))
            MUST(co4_mailbox_send(to, &n) == CO4_OK);
        else
            MUST(co4_select(cases, 1) == 0);
        now.values++;
    }
}

/* ---- a collector ---- */

static pausable int thought(unsigned number)
{
    struct lots l = lots_of(now.seed, 10000 + number);
    int err = lot(&l, 2) ? co4_yield() : co4_sleep(lot(&l, 100) * CO4_US);
    return err == CO4_OK ? (int)number : err;
}

static pausable void offer(unsigned me)
{
    struct lots l = lots_of(now.seed, 700 + me);
    for (unsigned i = 0; i < FUTURES; i++) {
        unsigned number = me * FUTURES + i;
        co4_future *f = lot(&l, 3) ? co4_async(thought(number)) : co4_future_create(sizeof(int));
        MUST(f != NULL);
        now.added[number] = true;
        MUST(co4_collector_add(now.collector, f) == CO4_OK);
        int value = (int)number;
        int err = co4_future_complete(f, &value);
        MUST(err == CO4_OK || err == CO4_ESTATE);
        co4_future_release(f);
        if (lot(&l, 8) == 0 && co4_yield() == CO4_ECANCELED)
            break;
    }
    if (--now.offering == 0)
        MUST(co4_collector_close(now.collector) == CO4_OK);
}

static pausable void take(unsigned me)
{
    struct lots l = lots_of(now.seed, 800 + me);
    for (;;) {
        co4_future *f = NULL;
        int value = -1, err;
        if (lot(&l, 3)) {
            err = co4_collector_next(now.collector, &f);
        } else {
            co4_timed timed;
            err = co4_await(
                co4_source_until(&timed, co4_collector_source(now.collector), soon(&l, 300)), &f);
        }
        MUST((err == CO4_OK) == (f != NULL));
        if (err == CO4_ECLOSED || err == CO4_ECANCELED)
            break;
        if (err != CO4_OK)
            continue;
        MUST(co4_future_await_until(f, &value, CO4_NOW) == CO4_OK && value >= 0 &&
             value < OFFERS * FUTURES);
        MUST(now.added[value] && now.given[value]++ == 0);
        co4_future_release(f);
        now.values++;
    }
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    memset(&now, 0, sizeof now);
    now.seed = seed;
    now.offering = OFFERS;
    now.working = HANDS;
    for (unsigned i = 0; i < PIPES; i++) {
        MUST((now.pipe[i] = co4_mailbox_create(sizeof(long long), lot(&l, 4))) != NULL);
        soak_start(rt, co4_task_create(upstream(i)), i ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
        soak_start(rt, co4_task_create(downstream(i)), i > 1 ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
    }
    MUST((now.generators = co4_mailbox_create(sizeof(struct walking), HANDS)) != NULL);
    for (unsigned i = 0; i < HANDS; i++) {
        struct walking w = { NULL, i, 0, lot(&l, MOST) };
        MUST((w.gen = co4_generate(numbers(i, w.n))) != NULL);
        MUST(co4_mailbox_send_until(now.generators, &w, CO4_NOW) == CO4_OK);
        MUST((now.hand[i] = co4_mailbox_create(sizeof(unsigned), 1)) != NULL);
    }
    MUST(co4_mailbox_send_until(now.hand[0], &(unsigned){ 0 }, CO4_NOW) == CO4_OK);
    for (unsigned i = 0; i < HANDS; i++) {
        soak_start(rt, co4_task_create(hand_on(i)), SOAK_TO_THE_END);
        soak_start(rt, co4_task_create(walker(i)), i ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
    }
    MUST((now.collector = co4_collector_create()) != NULL);
    for (unsigned i = 0; i < OFFERS; i++)
        soak_start(rt, co4_task_create(offer(i)), i ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
    for (unsigned i = 0; i < TAKERS; i++)
        soak_start(rt, co4_task_create(take(i)), i ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
}

static unsigned long long check(void)
{
    unsigned n;
    for (unsigned i = 0; i < PIPES; i++)
        MUST(co4_mailbox_destroy(now.pipe[i]) == CO4_OK);
    MUST(co4_mailbox_receive_until(now.hand[0], &n, CO4_NOW) == CO4_OK && n == HANDS * ROUNDS);
    for (unsigned i = 0; i < HANDS; i++)
        MUST(co4_mailbox_receive_until(now.hand[i], &n, CO4_NOW) == CO4_EEMPTY &&
             co4_mailbox_destroy(now.hand[i]) == CO4_OK);
    MUST(now.working == 0 && co4_mailbox_destroy(now.generators) == CO4_OK);
    for (unsigned i = 0; i < OFFERS * FUTURES; i++)
        MUST(now.given[i] == now.added[i]);
    MUST(co4_collector_pending(now.collector) == 0);
    MUST(co4_collector_destroy(now.collector) == CO4_OK);
    return now.values;
}

const struct work soak_flows = { "flows", "values", begin, check };
