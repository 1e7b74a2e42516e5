/* notified_traffic - waiters that look, for a map or a filter, at a rendezvous, for a number of
 * messages, at a broadcast and at a subscriber. Their waits end by deadlines, by cancels, by other
 * cases and by a close, at any moment. Each message is got once. When all waits have ended nothing
 * counts as waiting any more: everything can be destroyed.
 *
 *     notified_traffic [SEED [ROUNDS]]
 *
 * modes: woven forced
 * needs: threads workers
 * expect: all that was put was got, and all destroyed */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_TASKS = 24, TURNS = 150, KINDS = 11 };

static co4_mailbox *meeting;
static co4_mailbox *store;
static co4_broadcast *cast;
static co4_subscriber *subscriber;

/* At the meeting, in the store, by the broadcast. */
enum { MET, STORED, CAST, PLACES };
static atomic_long put_count[PLACES], got_count[PLACES], put_sum[PLACES], got_sum[PLACES];
static unsigned lots;
static int seed, number;

static unsigned next_lot(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void complain(const char *what)
{
    fprintf(stderr, "seed %d, round %d: %s\n", seed, number, what);
    for (int i = 0; i < PLACES; i++)
        fprintf(stderr, "%d: %ld put, %ld got\n", i, (long)put_count[i], (long)got_count[i]);
    _Exit(1);
}

static void must(int code, const char *what)
{
    if (code == CO4_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, co4_strerror(code));
    complain(what);
}

static void has_put(int place, int v)
{
    atomic_fetch_add(&put_sum[place], v);
    atomic_fetch_add(&put_count[place], 1);
}

static void has_got(int place, int v)
{
    atomic_fetch_add(&got_sum[place], v);
    atomic_fetch_add(&got_count[place], 1);
}

/* ---- maps and filters ---- */

static int one_of_three(void *arg, const void *v)
{
    return *(const int *)v % 3 != *(const int *)arg;
}

static int same(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in;
    return CO4_OK;
}

static int fine(void *arg, const void *in, void *out)
{
    (void)arg;
    (void)in;
    (void)out;
    return CO4_OK;
}

/* ---- one wait, up to a deadline ---- */

static pausable int gets_filtered(co4_source *source, int place, int refused, int64_t deadline)
{
    int v, err;
    co4_filtering filtering;
    co4_timed timed;
    source = co4_source_filter(&filtering, source, one_of_three, &refused);
    err = co4_await(co4_source_until(&timed, source, deadline), &v);
    if (err == CO4_OK)
        has_got(place, v);
    return err;
}

static pausable int gets_mapped(co4_source *source, int place, int64_t deadline)
{
    int v, made, err;
    co4_mapping mapping;
    err = co4_await_until(co4_source_map(&mapping, source, sizeof made, &made, same, NULL), &v,
                          deadline);
    if (err == CO4_OK)
        has_got(place, v);
    return err;
}

static pausable int puts_mapped(co4_source *source, int place, int v, int64_t deadline)
{
    co4_mapping mapping;
    int err = co4_await_until(co4_source_map(&mapping, source, 0, NULL, fine, NULL), NULL,
                              deadline);
    if (err == CO4_OK)
        has_put(place, v);
    return err;
}

/* Of two that look one happens. */
static pausable int sends_or_gets(int v, int64_t deadline)
{
    int got, made;
    co4_broadcasting sending;
    co4_mapping sends, gets;
    co4_case cases[] = {
        CO4_CASE(
            co4_source_map(&sends, co4_broadcast_sending(&sending, cast, &v), 0, NULL, fine, NULL),
            NULL),
        CO4_CASE(co4_source_map(&gets, co4_mailbox_source(meeting), sizeof made, &made, same, NULL),
                 &got),
    };
    int i = co4_select_until(cases, 2, 0, deadline);
    if (i == 0)
        has_put(CAST, v);
    if (i == 1)
        has_got(MET, got);
    if (i <= CO4_ENDED(0))
        i = CO4_ENDED(i);
    return i < 0 ? i : cases[i].code;
}

static pausable int either_receives(int refused, int64_t deadline)
{
    int met, heard, which, err;
    co4_filtering filtering;
    co4_either either;
    co4_timed timed;
    co4_source *source = co4_source_either(
        &either, co4_mailbox_source(meeting), &met,
        co4_source_filter(&filtering, co4_subscriber_source(subscriber), one_of_three, &refused),
        &heard);
    err = co4_await(co4_source_until(&timed, source, deadline), &which);
    if (err == CO4_OK)
        has_got(which == 0 ? MET : CAST, which == 0 ? met : heard);
    return err;
}

static pausable int simply(int kind, int v, int64_t deadline)
{
    int got, err;
    switch (kind) {
    case 0:
        if ((err = co4_mailbox_send_until(meeting, &v, deadline)) == CO4_OK)
            has_put(MET, v);
        return err;
    case 1:
        if ((err = co4_mailbox_send_until(store, &v, deadline)) == CO4_OK)
            has_put(STORED, v);
        return err;
    case 2:
        if ((err = co4_mailbox_receive_until(store, &got, deadline)) == CO4_OK)
            has_got(STORED, got);
        return err;
    default:
        if ((err = co4_broadcast_send_until(cast, &v, deadline)) == CO4_OK)
            has_put(CAST, v);
        return err;
    }
}

static pausable int one_turn(int kind, int v, int64_t deadline)
{
    co4_sending putting;
    co4_broadcasting sending;
    switch (kind) {
    case 0:
        return gets_filtered(co4_mailbox_source(meeting), MET, v % 3, deadline);
    case 1:
        return gets_mapped(co4_mailbox_source(meeting), MET, deadline);
    case 2:
        return puts_mapped(co4_mailbox_sending(&putting, meeting, &v), MET, v, deadline);
    case 3:
        return puts_mapped(co4_broadcast_sending(&sending, cast, &v), CAST, v, deadline);
    case 4:
        return gets_filtered(co4_subscriber_source(subscriber), CAST, v % 3, deadline);
    case 5:
        return gets_mapped(co4_subscriber_source(subscriber), CAST, deadline);
    case 6:
        return sends_or_gets(v, deadline);
    case 7:
        return either_receives(v % 3, deadline);
    default:
        return simply(kind - 8, v, deadline);
    }
}

static pausable void turns(unsigned state)
{
    for (int i = 0; i < TURNS; i++) {
        int kind = (int)(next_lot(&state) % (KINDS + 1));
        int64_t wait = (int64_t)(next_lot(&state) % 8) * 20 * CO4_US;
        int err = one_turn(kind, (int)(state % 1000), co4_now() + wait);
        if (err == CO4_ECANCELED || err == CO4_ECLOSED)
            return;
        if (err != CO4_OK && err != CO4_ETIMEDOUT)
            must(err, "a wait");
    }
}

static void *blocks(void *arg)
{
    unsigned state = *(const unsigned *)arg;
    for (int i = 0; i < TURNS; i++) {
        int v, refused = i % 3;
        int64_t deadline = co4_now() + (int64_t)(next_lot(&state) % 8) * 20 * CO4_US;
        co4_filtering filtering;
        co4_source *source = state % 2 ? co4_mailbox_source(meeting)
                                       : co4_subscriber_source(subscriber);
        int err = co4_block(co4_await_until(
            co4_source_filter(&filtering, source, one_of_three, &refused), &v, deadline));
        if (err == CO4_OK)
            has_got(state % 2 ? MET : CAST, v);
    }
    return NULL;
}

/* ---- a round ---- */

static void begin(void)
{
    lots = (unsigned)(seed * 1000 + number);
    meeting = co4_mailbox_create(sizeof(int), 0);
    store = co4_mailbox_create(sizeof(int), 1 + next_lot(&lots) % 3);
    cast = co4_broadcast_create(sizeof(int));
    subscriber = co4_broadcast_subscribe(cast, 1 + next_lot(&lots) % 3, CO4_BROADCAST_WAIT);
    if (!meeting || !store || !cast || !subscriber)
        complain("no memory");
    for (int i = 0; i < PLACES; i++) {
        atomic_store(&put_count[i], 0);
        atomic_store(&got_count[i], 0);
        atomic_store(&put_sum[i], 0);
        atomic_store(&got_sum[i], 0);
    }
}

/* Receives the remaining messages; then destroys everything, at once. */
static void end(void)
{
    int v;
    must(co4_mailbox_close(meeting), "close");
    must(co4_mailbox_close(store), "close");
    must(co4_broadcast_close(cast), "close");
    while (co4_mailbox_receive_until(store, &v, CO4_NOW) == CO4_OK)
        has_got(STORED, v);
    while (co4_subscriber_receive_until(subscriber, &v, CO4_NOW) == CO4_OK)
        has_got(CAST, v);
    for (int i = 0; i < PLACES; i++)
        if (put_count[i] != got_count[i] || put_sum[i] != got_sum[i])
            complain("not all that was put was got");
    must(co4_subscriber_destroy(subscriber), "destroying a subscriber");
    must(co4_broadcast_destroy(cast), "destroying a broadcast");
    must(co4_mailbox_destroy(store), "destroying a mailbox");
    must(co4_mailbox_destroy(meeting), "destroying a channel");
}

static void round_of_traffic(void)
{
    co4_task *tasks[MOST_TASKS];
    pthread_t thread;
    begin();
    int count = 2 + (int)(next_lot(&lots) % (MOST_TASKS - 2));
    unsigned state = next_lot(&lots), cancels = state % 2, closes = state / 2 % 4 == 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 + count % 3 });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        complain("no runtime");
    for (int i = 0; i < count; i++) {
        tasks[i] = co4_task_create(turns(next_lot(&lots)));
        must(tasks[i] ? co4_runtime_schedule(rt, tasks[i]) : CO4_ENOMEM, "a task");
    }
    if (pthread_create(&thread, NULL, blocks, &state) != 0)
        complain("no thread");
    for (int i = 0; cancels && i < count; i++) {
        usleep(next_lot(&lots) % 100);
        co4_task_cancel(tasks[i], 0);
    }
    if (closes) {
        must(co4_mailbox_close(meeting), "close");
        must(co4_broadcast_close(cast), "close");
    }
    pthread_join(thread, NULL);
    must(co4_runtime_join(rt), "join");
    must(co4_runtime_destroy(rt), "destroying a runtime");
    for (int i = 0; i < count; i++)
        co4_task_release(tasks[i]);
    end();
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 40;
    seed = argc > 1 ? atoi(argv[1]) : 1;
    for (number = 0; number < rounds; number++)
        round_of_traffic();
    printf("all that was put was got, and all destroyed\n");
    return 0;
}
