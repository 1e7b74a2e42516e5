/* actors.c - actors that are asked, with deadlines and answers that come late, from others, or not
 * at all; each end is reported, once; children that fail are started again. An answer is the answer
 * to the question, and nothing is written where no task waits any more. */
#include "soak.h"

enum { ACTORS = 3, ASKERS = 8, ASKS = 150, HELPERS = 2, CHILDREN = 4 };

struct question {
    unsigned asker, n;
    unsigned long long same;
    co4_reply reply;
};

static struct {
    unsigned long long seed;
    co4_actor *actor[ACTORS];
    co4_mailbox *late; /* struct later: questions that others answer */
    struct {
        atomic_uint answered, seen;
        atomic_bool gone; /* the asker waits no more */
    } of[ASKERS][ASKS];
    atomic_int asking, ends_due, starts, stops;
    atomic_ullong answers;
    co4_mailbox *ends, *full;
    co4_task *asker[ASKERS];
    atomic_uint ended[ASKERS], forgotten[ASKERS]; /* forgotten, or come afterwards */
} now;

struct later {
    unsigned actor;
    struct question q;
};

static unsigned long long sameness(const struct question *q)
{
    return (now.seed * 31 + q->asker) * 1000003ull + q->n;
}

static unsigned long long answer_to(const struct question *q)
{
    return sameness(q) * 2654435761u + 1;
}

static int answer(unsigned actor, const struct question *q)
{
    unsigned long long a = answer_to(q);
    bool gone = now.of[q->asker][q->n].gone;
    int err = co4_actor_reply(now.actor[actor], q->reply, &a);
    MUST(err == CO4_ECLOSED || (err == CO4_OK && !gone));
    if (err == CO4_OK)
        now.of[q->asker][q->n].answered++;
    MUST(co4_actor_reply(now.actor[actor], q->reply, &a) == CO4_ECLOSED);
    MUST(co4_actor_is_asked(now.actor[actor], q->reply) == 0);
    return err;
}

static pausable int serve(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    co4_actor *self = now.actor[me];
    struct question q;
    for (;;) {
        int err = lot(&l, 3) ? co4_actor_receive(self, &q)
                             : co4_actor_receive_until(self, &q, soon(&l, 200));
        if (err == CO4_ETIMEDOUT)
            continue;
        if (err != CO4_OK)
            return err == CO4_ECLOSED ? CO4_OK : err;
        MUST(q.asker < ASKERS && q.n < ASKS && q.same == sameness(&q));
        MUST(now.of[q.asker][q.n].seen++ == 0);
        struct later later = { me, q };
        switch (lot(&l, 8)) {
        case 0:
            if (co4_mailbox_send(now.late, &later) == CO4_OK)
                break;
            answer(me, &q);
            break;
        case 1:
            err = co4_actor_reply_error(self, q.reply, CO4_EBUSY);
            MUST(err == CO4_OK || err == CO4_ECLOSED);
            break;
        case 2:
            co4_sleep(lot(&l, 200) * CO4_US);
            answer(me, &q);
            break;
        case 3:
            if (q.reply.number != 0)
                MUST((co4_actor_reply)(self, q.reply, "x", 1) != CO4_OK);
            answer(me, &q);
            break;
        case 4:
            if (lot(&l, 30) == 0)
                return CO4_EFULL; /* all waiters are notified */
            answer(me, &q);
            break;
        default:
            answer(me, &q);
        }
    }
}

static pausable void helper(void)
{
    struct later later;
    while (co4_mailbox_receive(now.late, &later) == CO4_OK)
        answer(later.actor, &later.q);
}

static int ask_as_thread(co4_actor *to, struct question *q, unsigned long long *result,
                         int64_t deadline)
{
    return co4_block(co4_actor_ask_until(to, q, &q->reply, result, deadline));
}

static pausable int ask(struct lots *l, unsigned actor, struct question *q,
                        unsigned long long *result)
{
    co4_actor *to = now.actor[actor];
    switch (lot(l, 6)) {
    case 0:
        return co4_blocking(ask_as_thread(to, q, result, soon(l, 400)));
    case 1: {
        co4_future *f;
        int err = co4_actor_request(to, q, &q->reply, sizeof *result, &f);
        MUST((err == CO4_OK) == (f != NULL));
        if (err != CO4_OK)
            return err;
        err = co4_future_await_until(f, result, soon(l, 400));
        if (err == CO4_ETIMEDOUT)
            co4_future_cancel(f, 0); /* then no task can answer any more, either */
        co4_future_release(f);
        return err;
    }
    case 2:
        return co4_actor_ask_until(to, q, &q->reply, result, soon(l, 200));
    default:
        return co4_actor_ask_until(to, q, &q->reply, result, co4_now() + CO4_SEC);
    }
}

static pausable void asker(unsigned me)
{
    struct lots l = lots_of(now.seed, 50 + me);
    int err = CO4_OK;
    for (unsigned i = 0; i < ASKS && err != CO4_ECANCELED; i++) {
        struct question q = { me, i, 0, { 0 } };
        unsigned long long result = 0;
        q.same = sameness(&q);
        if (lot(&l, 10) == 0) {
            err = co4_actor_send(now.actor[lot(&l, ACTORS)], &q);
            MUST(err == CO4_OK || err == CO4_ECLOSED || err == CO4_ECANCELED);
            continue;
        }
        err = ask(&l, lot(&l, ACTORS), &q, &result);
        if (err == CO4_OK) {
            MUST(result == answer_to(&q) && now.of[me][i].seen == 1);
            now.answers++;
        } else {
            MUST(err == CO4_ETIMEDOUT || err == CO4_ECLOSED || err == CO4_EBUSY ||
                 err == CO4_EFULL || err == CO4_ECANCELED || err == CO4_EDEADLK ||
                 err == CO4_EINVAL); /* the answer had another size */
            MUST(result == 0);
            now.of[me][i].gone = err != CO4_ECANCELED;
        }
    }
    if (--now.asking == 0) {
        for (unsigned i = 0; i < ACTORS; i++)
            co4_actor_stop(now.actor[i]);
        co4_mailbox_close(now.late);
    }
}

/* Learns of each end, once; of those that are asked for twice, twice. */
static pausable void listener(void)
{
    struct lots l = lots_of(now.seed, 90);
    while (now.ends_due > 0) {
        co4_exit e;
        int err = co4_mailbox_receive_until(now.ends, &e, soon(&l, 2000));
        if (err == CO4_ETIMEDOUT)
            continue;
        MUST(err == CO4_OK);
        unsigned i = (unsigned)(size_t)e.tag;
        MUST(i < ASKERS && e.task == now.asker[i] && e.error == CO4_OK && e.name[0] == 'a');
        now.ended[i]++;
        now.ends_due--;
    }
}

/* ---- children ---- */

static pausable int child(unsigned me, int turn)
{
    struct lots l = lots_of(now.seed, 200 + me * 100 + (unsigned)turn);
    int err = lot(&l, 2) ? co4_yield() : co4_sleep(lot(&l, 300) * CO4_US);
    now.stops++;
    return err == CO4_OK && lot(&l, 3) == 0 ? CO4_EBUSY : err;
}

static int start_child(co4_child *c, void *arg)
{
    unsigned me = (unsigned)(size_t)arg;
    int turn = ++now.starts;
    int err = co4_child_spawn(c, child(me, turn));
    MUST(err == CO4_OK);
    return err;
}

static pausable void supervisor(void)
{
    struct lots l = lots_of(now.seed, 95);
    co4_child_spec specs[CHILDREN];
    for (unsigned i = 0; i < CHILDREN; i++)
        specs[i] = (co4_child_spec){ .start = start_child,
                                     .arg = (void *)(size_t)i,
                                     .restart = lot(&l, 2) ? CO4_TRANSIENT : CO4_TEMPORARY };
    for (unsigned i = 0; i < 4; i++) {
        co4_supervision how = { .strategy = (int)lot(&l, 3),
                                .restarts = (int)lot(&l, 6),
                                .within = CO4_SEC };
        int err = co4_supervise(&how, specs, CHILDREN);
        MUST(err == CO4_OK || err == CO4_EBUSY || err == CO4_ECANCELED);
    }
}

/* ---- a round ---- */

/* Actors are started where a spawn would be. */
static pausable void opener(void)
{
    struct lots l = lots_of(now.seed, 96);
    for (unsigned i = 0; i < ACTORS; i++) {
        MUST(co4_actor_spawn(now.actor[i], serve(i)) == CO4_OK);
        int err = co4_actor_spawn(now.actor[i], serve(i));
        MUST(err == CO4_ESTATE ||
             err == CO4_ECLOSED); /* it may have failed meanwhile, and is closed */
        co4_yield();
    }
    co4_sleep(lot(&l, 20000) * CO4_US);
    if (lot(&l, 2)) {
        int err = co4_actor_cancel(now.actor[lot(&l, ACTORS)], -5);
        MUST(err == CO4_OK || err == CO4_ESTATE); /* it may have failed before */
    }
    for (unsigned i = 0; i < ACTORS; i++) {
        int err = co4_actor_join(now.actor[i]);
        MUST(err == CO4_OK || err == CO4_EFULL || err == CO4_ECANCELED);
        MUST(co4_actor_send_until(now.actor[i], &(struct question){ .n = 0 }, CO4_NOW) ==
             CO4_ECLOSED);
    }
}

/* Takes notices back, as long as there are any. */
static pausable void forgetter(void)
{
    struct lots l = lots_of(now.seed, 97);
    for (unsigned i = 0; i < ASKERS / 2; i++) {
        unsigned who = lot(&l, ASKERS);
        int err = co4_task_forget_exit(now.asker[who], now.full);
        MUST(err == CO4_OK || err == CO4_ESTATE);
        if (err == CO4_OK)
            MUST(now.forgotten[who]++ == 0);
        co4_sleep(lot(&l, 3000) * CO4_US);
    }
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    memset(&now, 0, sizeof now);
    now.seed = seed;
    now.asking = ASKERS;
    MUST((now.late = co4_mailbox_create(sizeof(struct later), 20)) != NULL);
    MUST((now.ends = co4_mailbox_create(sizeof(co4_exit), 2)) != NULL);
    MUST((now.full = co4_mailbox_create(sizeof(co4_exit), 1)) != NULL);
    for (unsigned i = 0; i < ACTORS; i++)
        MUST((now.actor[i] = co4_actor_create(sizeof(struct question), 1 + lot(&l, 6), 0)) != NULL);
    for (unsigned i = 0; i < ASKERS; i++) {
        co4_task *t = co4_task_create(asker(i));
        void *tag = (void *)(size_t)i;
        MUST(t != NULL);
        now.asker[i] = co4_task_retain(t);
        MUST(co4_task_set_name(t, "asker") == CO4_OK);
        for (unsigned k = 0; k <= i % 2; k++, now.ends_due++)
            MUST(co4_task_notify_exit(t, now.ends, tag) == CO4_OK);
        MUST(co4_task_notify_exit(t, now.full, tag) == CO4_OK);
    }
    soak_start(rt, co4_task_create(opener()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < ASKERS; i++)
        soak_start(rt, now.asker[i], SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < HELPERS; i++)
        soak_start(rt, co4_task_create(helper()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(listener()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(forgetter()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(supervisor()), SOAK_MAY_CANCEL);
}

static unsigned long long check(void)
{
    co4_exit e;
    MUST(co4_mailbox_destroy(now.ends) == CO4_OK);
    while (co4_mailbox_receive_until(now.full, &e, CO4_NOW) == CO4_OK)
        MUST(now.forgotten[(size_t)e.tag]++ == 0);
    MUST(co4_mailbox_destroy(now.full) == CO4_OK);
    for (unsigned i = 0; i < ASKERS; i++) {
        MUST(now.ended[i] == 1 + i % 2);
        MUST(now.forgotten[i] == 1);
        co4_task_release(now.asker[i]);
    }
    for (unsigned i = 0; i < ASKERS; i++)
        for (unsigned n = 0; n < ASKS; n++)
            MUST(now.of[i][n].answered <= 1 && now.of[i][n].seen <= 1);
    MUST(now.starts == now.stops);
    for (unsigned i = 0; i < ACTORS; i++)
        co4_actor_release(now.actor[i]);
    MUST(co4_mailbox_destroy(now.late) == CO4_OK);
    return now.answers;
}

const struct work soak_actors = { "actors", "answers", begin, check };
