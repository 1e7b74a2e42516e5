/* news.c - broadcasts with fast and slow subscribers, that come and go: each gets all messages that
 * are sent while it is there, in one order for all, and knows how many it has lost. */
#include "soak.h"

enum { SENDERS = 5, READERS = 6, PASSERS = 3, EACH = 120, CASTS = 2 };
enum { ALL_OF_IT = SENDERS * EACH };

struct item {
    unsigned cast, sender, n; /* n from 1, of this sender in this broadcast */
    char text[20];
};

static struct {
    unsigned long long seed;
    co4_broadcast *cast[CASTS];
    co4_subscriber *of_reader[CASTS][READERS], *shared[CASTS];
    unsigned sent[CASTS][SENDERS];
    /* The messages of the first reader of each, which loses nothing; the others compare
     * afterwards. */
    struct {
        unsigned count, item[ALL_OF_IT];
        unsigned long long lost;
        bool left;
    } got[CASTS][READERS];
    struct {
        unsigned count, last[SENDERS];
    } of_pair[CASTS][2];
    atomic_int sending;
} now;

static void look_at(const struct item *it, unsigned cast)
{
    char text[sizeof it->text];
    snprintf(text, sizeof text, "%u of %u", it->n, it->sender);
    MUST(it->cast == cast && it->sender < SENDERS && it->n >= 1 && it->n <= EACH);
    MUST(strcmp(text, it->text) == 0);
}

static int send_as_thread(co4_broadcast *to, const struct item *it, int64_t deadline)
{
    return co4_block(co4_broadcast_send_until(to, it, deadline));
}

static pausable void sender(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < EACH; i++) {
        unsigned cast = lot(&l, CASTS);
        co4_broadcast *to = now.cast[cast];
        struct item it = { cast, me, now.sent[cast][me] + 1, "" };
        snprintf(it.text, sizeof it.text, "%u of %u", it.n, it.sender);
        int err;
        switch (lot(&l, 6)) {
        case 0:
            err = co4_broadcast_send_until(to, &it, soon(&l, 200));
            break;
        case 1:
            err = co4_broadcast_send_until(to, &it, CO4_NOW);
            break;
        case 2: {
            co4_broadcasting first, second;
            struct item elsewhere = it;
            elsewhere.cast = !cast;
            elsewhere.n = now.sent[!cast][me] + 1;
            snprintf(elsewhere.text, sizeof it.text, "%u of %u", elsewhere.n, me);
            co4_case cases[] = {
                CO4_CASE(co4_broadcast_sending(&first, to, &it), NULL),
                CO4_CASE(co4_broadcast_sending(&second, now.cast[!cast], &elsewhere), NULL),
            };
            int chosen = co4_select_until(cases, 2, (int)lot(&l, 2), soon(&l, 300));
            if (chosen <= CO4_ENDED(0))
                chosen = CO4_ENDED(chosen);
            err = chosen < 0 ? chosen : cases[chosen].code;
            if (chosen == 1)
                cast = !cast;
            break;
        }
        case 3:
            err = co4_blocking(send_as_thread(to, &it, soon(&l, 300)));
            break;
        default:
            err = co4_broadcast_send(to, &it);
        }
        if (err == CO4_OK)
            now.sent[cast][me]++;
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_EFULL || err == CO4_ECANCELED ||
             err == CO4_EDEADLK);
        if (err == CO4_ECANCELED)
            break;
        if (lot(&l, 30) == 0)
            co4_yield();
    }
    if (--now.sending == 0)
        for (unsigned i = 0; i < CASTS; i++)
            MUST(co4_broadcast_close(now.cast[i]) == CO4_OK);
}

static int receive_as_thread(co4_subscriber *from, struct item *it, int64_t deadline)
{
    return co4_block(co4_subscriber_receive_until(from, it, deadline));
}

static pausable int receive(struct lots *l, co4_subscriber *from, struct item *it)
{
    switch (lot(l, 6)) {
    case 0:
        return co4_subscriber_receive_until(from, it, soon(l, 300));
    case 1:
        return co4_subscriber_receive_until(from, it, CO4_NOW);
    case 2: {
        co4_timed timed;
        return co4_await(co4_source_until(&timed, co4_subscriber_source(from), soon(l, 300)), it);
    }
    case 3:
        return co4_blocking(receive_as_thread(from, it, soon(l, 300)));
    default:
        return co4_subscriber_receive(from, it);
    }
}

static bool goes_on(int err)
{
    MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_EEMPTY || err == CO4_ECLOSED ||
         err == CO4_ECANCELED || err == CO4_EDEADLK);
    return err != CO4_ECLOSED && err != CO4_ECANCELED;
}

static pausable void reader(unsigned me)
{
    struct lots l = lots_of(now.seed, 50 + me);
    unsigned cast = me % CASTS;
    co4_subscriber *from = now.of_reader[cast][me];
    for (int err = CO4_OK; goes_on(err);) {
        struct item it;
        err = receive(&l, from, &it);
        if (err == CO4_OK) {
            look_at(&it, cast);
            MUST(now.got[cast][me].count < ALL_OF_IT);
            now.got[cast][me].item[now.got[cast][me].count++] = it.sender * EACH + it.n - 1;
        } else if (err == CO4_ECANCELED) {
            now.got[cast][me].left = true;
        } else {
            co4_yield();
        }
        if (me > 1 && lot(&l, 30) == 0)
            co4_sleep(lot(&l, 150) * CO4_US);
    }
    now.got[cast][me].lost = co4_subscriber_dropped(from);
    MUST(co4_subscriber_destroy(from) == CO4_OK);
}

/* Two that share a subscription: between them they get everything once. */
static pausable void one_of_two(unsigned cast, unsigned me)
{
    struct lots l = lots_of(now.seed, 80 + cast * 2 + me);
    for (int err = CO4_OK; goes_on(err);) {
        struct item it;
        err = receive(&l, now.shared[cast], &it);
        if (err == CO4_OK) {
            look_at(&it, cast);
            MUST(it.n > now.of_pair[cast][me].last[it.sender]);
            now.of_pair[cast][me].last[it.sender] = it.n;
            now.of_pair[cast][me].count++;
        } else {
            co4_yield();
        }
    }
}

/* Subscribes for a while, again and again: there is no gap in the messages of any sender. */
static pausable void passer(unsigned me)
{
    struct lots l = lots_of(now.seed, 60 + me);
    for (int err = CO4_OK; goes_on(err);) {
        unsigned cast = lot(&l, CASTS), last[SENDERS] = { 0 };
        co4_subscriber *mine = co4_broadcast_subscribe(now.cast[cast], 1 + lot(&l, 4),
                                                       CO4_BROADCAST_WAIT);
        MUST(mine != NULL);
        for (unsigned i = lot(&l, 12); i > 0 && goes_on(err); i--) {
            struct item it;
            err = co4_subscriber_receive_until(mine, &it, soon(&l, 300));
            if (err != CO4_OK)
                continue;
            look_at(&it, cast);
            MUST(last[it.sender] == 0 || it.n == last[it.sender] + 1);
            last[it.sender] = it.n;
        }
        MUST(co4_subscriber_destroy(mine) == CO4_OK);
        co4_yield();
    }
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    memset(&now, 0, sizeof now);
    now.seed = seed;
    now.sending = SENDERS;
    for (unsigned i = 0; i < CASTS; i++) {
        MUST((now.cast[i] = co4_broadcast_create(sizeof(struct item))) != NULL);
        MUST((now.shared[i] = co4_broadcast_subscribe(now.cast[i], 1 + lot(&l, 9),
                                                      CO4_BROADCAST_WAIT)) != NULL);
    }
    for (unsigned i = 0; i < READERS; i++)
        MUST((now.of_reader[i % CASTS][i] = co4_broadcast_subscribe(
                  now.cast[i % CASTS], 1 + lot(&l, 20),
                  i < 4 ? CO4_BROADCAST_WAIT : CO4_BROADCAST_DROP_OLDEST)) != NULL);
    for (unsigned i = 0; i < SENDERS; i++)
        soak_start(rt, co4_task_create(sender(i)), SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < READERS; i++)
        soak_start(rt, co4_task_create(reader(i)), i < 2 ? SOAK_TO_THE_END : SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < CASTS * 2; i++)
        soak_start(rt, co4_task_create(one_of_two(i / 2, i % 2)), SOAK_TO_THE_END);
    for (unsigned i = 0; i < PASSERS; i++)
        soak_start(rt, co4_task_create(passer(i)), SOAK_MAY_CANCEL);
}

/* The messages of reader `who` are a row of those of the first one, from its beginning; without
 * gaps when it loses nothing. */
static void compare(unsigned cast, unsigned who)
{
    unsigned n = now.got[cast][cast].count, at = 0;
    const unsigned *all = now.got[cast][cast].item;
    bool waits = who < 4;
    for (unsigned i = 0; i < now.got[cast][who].count; i++, at++) {
        while (!waits && at < n && all[at] != now.got[cast][who].item[i])
            at++;
        MUST(at < n && all[at] == now.got[cast][who].item[i]);
    }
    if (waits)
        MUST(now.got[cast][who].lost == 0);
    if (!now.got[cast][who].left)
        MUST(now.got[cast][who].count + now.got[cast][who].lost == n);
}

static unsigned long long check(void)
{
    unsigned long long all = 0;
    for (unsigned i = 0; i < CASTS; i++) {
        unsigned sent = 0;
        for (unsigned s = 0; s < SENDERS; s++)
            sent += now.sent[i][s];
        MUST(now.got[i][i].count == sent);
        MUST(now.of_pair[i][0].count + now.of_pair[i][1].count == sent);
        unsigned last[SENDERS] = { 0 };
        for (unsigned k = 0; k < sent; k++) {
            unsigned item = now.got[i][i].item[k];
            MUST(item % EACH == last[item / EACH]);
            last[item / EACH]++;
        }
        for (unsigned who = i; who < READERS; who += CASTS)
            compare(i, who);
        MUST(co4_broadcast_destroy(now.cast[i]) == CO4_EBUSY);
        MUST(co4_subscriber_destroy(now.shared[i]) == CO4_OK);
        MUST(co4_broadcast_destroy(now.cast[i]) == CO4_OK);
        all += sent;
    }
    return all;
}

const struct work soak_news = { "news", "news", begin, check };
