/* looks - the functions of maps and filters run where the wait is, under no lock, and tasks that
 * look keep their turn.
 * modes: woven forced
 * expect: under no lock: get 1 of 1, put 1
 * expect: nor: future 1, task 1, timer 1, ticker 1, news 1, sending 1
 * expect: long values: 7 of 400 bytes, no memory: out of memory
 * expect: each its turn: looks 3, gets 6
 * expect: to put, each its turn: looks 3, puts 6
 * expect: refused: the next in line has 1 at once
 * expect: cancelled while told: the task was cancelled, the next in line has 2
 * expect: another case first: 0, the next in line has 3
 * expect: told, and busy: 1, then 0
 * expect: told that it may send, and busy: 1, then 0 0
 * expect: told again and again: the deadline has passed
 * expect: told, and cancelled, in a race: nobody won: -1
 * expect: destroyed by who looks: still in use still in use
 * expect: told, of the program's own: 1 without a value, then 4
 * expect: both look: sent 30, received 30
 * expect: several wait to be met: 3, left 2
 * expect: both look, in races: sent 15 and 15, received 15 and 15
 * expect: a race below: either 1, no error 40 */
#include <co4.h>
#include <co4/test.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void put(co4_mailbox *mb, int n)
{
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
}

static pausable void let_others(int times)
{
    while (times-- > 0)
        co4_yield();
}

/* ---- under no lock ---- */

/* Takes the lock of each that it is about. */
static co4_mailbox *looked_at;
static co4_broadcast *news;
static co4_subscriber *reader;
static co4_future *future;
static co4_timer timer;
static co4_ticker ticker;

static int take_locks(void *arg, const void *value)
{
    co4_mailbox_len(looked_at);
    co4_broadcast_subscribers(news);
    co4_subscriber_len(reader);
    int done = co4_future_await_until(future, NULL, CO4_NOW);
    co4_timer_deadline(&timer);
    co4_ticker_deadline(&ticker);
    (void)value, (void)done;
    ++*(int *)arg;
    return 1;
}

static int count(void *arg, const void *in, void *out)
{
    (void)out;
    take_locks(arg, in);
    return CO4_OK;
}

/* Through a filter and a map, as if at once and waited for: 1, if each time both were asked, and
 * gave the code. */
static pausable int looks_at(co4_source *source, pausable void (*later)(void))
{
    int asked = 0, before = 0;
    co4_filtering f;
    co4_mapping m;
    co4_source *s = co4_source_filter(&f, source, take_locks, &asked);
    s = co4_source_map(&m, s, 0, NULL, count, &asked);
    if (later)
        before = co4_await_until(s, NULL, CO4_NOW) == CO4_EEMPTY && asked == 0;
    else
        return co4_await(s, NULL) == CO4_OK && asked == 2;
    co4_task *t = co4_task_create(later());
    co4_runtime_schedule(NULL, t);
    int err = co4_await(s, NULL);
    co4_task_join(t);
    co4_task_release(t);
    return before && err == CO4_OK && asked == 2;
}

static pausable void put_one(void)
{
    let_others(3);
    put(looked_at, 1);
}

static pausable void get_one(void)
{
    int n;
    let_others(3);
    must(co4_mailbox_receive_until(looked_at, &n, CO4_NOW));
}

static pausable void complete(void)
{
    let_others(3);
    co4_future_complete(future, NULL);
}

static pausable void start_timer(void)
{
    let_others(3);
    co4_timer_start(&timer, co4_now());
}

static pausable void start_ticker(void)
{
    let_others(3);
    co4_ticker_start(&ticker, co4_now(), CO4_SEC);
}

static pausable void publish(void)
{
    let_others(3);
    must(co4_broadcast_send_until(news, &(int){ 1 }, CO4_NOW));
}

static pausable void receive(void)
{
    int n;
    let_others(3);
    must(co4_subscriber_receive_until(reader, &n, CO4_NOW));
}

static pausable void end_soon(void)
{
    let_others(3);
}

static pausable int wait_for_task(void)
{
    co4_task *t = co4_task_create(end_soon());
    co4_runtime_schedule(NULL, t);
    int ok = looks_at(co4_task_source(t), NULL);
    co4_task_release(t);
    return ok;
}

static pausable void under_no_lock(void)
{
    int n = 5;
    co4_sending putting;
    co4_broadcasting sending;
    looked_at = co4_mailbox_create(sizeof n, 2);
    news = co4_broadcast_create(sizeof n);
    reader = co4_broadcast_subscribe(news, 1, CO4_BROADCAST_WAIT);
    future = co4_future_create(0);
    co4_timer_init(&timer);
    co4_ticker_init(&ticker);
    put(looked_at, 1);
    int first = looks_at(co4_mailbox_source(looked_at), NULL);
    printf("under no lock: get %d of %d", looks_at(co4_mailbox_source(looked_at), put_one), first);
    put(looked_at, 2);
    put(looked_at, 3);
    printf(", put %d", looks_at(co4_mailbox_sending(&putting, looked_at, &n), get_one));
    printf("\nnor");
    printf(": future %d", looks_at(co4_future_source(future), complete));
    printf(", task %d", wait_for_task());
    printf(", timer %d", looks_at(co4_timer_source(&timer), start_timer));
    printf(", ticker %d", looks_at(co4_ticker_source(&ticker), start_ticker));
    printf(", news %d", looks_at(co4_subscriber_source(reader), publish));
    must(co4_broadcast_send_until(news, &n, CO4_NOW));
    printf(", sending %d\n", looks_at(co4_broadcast_sending(&sending, news, &n), receive));
    co4_ticker_stop(&ticker);
    co4_future_release(future);
    co4_subscriber_destroy(reader);
    co4_broadcast_destroy(news);
    co4_mailbox_destroy(looked_at);
}

/* ---- copies of values ---- */

struct large {
    int n;
    char rest[396];
};

static int is_seven(void *arg, const void *value)
{
    (void)arg;
    return ((const struct large *)value)->n == 7;
}

static pausable void large_values(void)
{
    static struct large message;
    co4_filtering f;
    co4_mailbox *mb = co4_mailbox_create(sizeof message, 1);
    co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_seven, NULL);
    message.n = 7;
    must(co4_mailbox_send_until(mb, &message, CO4_NOW));
    message.n = 0;
    must(co4_await(s, &message));
    printf("long values: %d of %zu bytes", message.n, co4_source_size(s));
    must(co4_mailbox_send_until(mb, &message, CO4_NOW));
    co4_test_fail_alloc(1);
    int err = co4_await_until(s, &message, CO4_NOW);
    co4_test_fail_alloc(0);
    printf(", no memory: %s\n", co4_strerror(err));
    co4_mailbox_destroy(mb);
}

/* ---- turns ---- */

static int same(void *arg, const void *in, void *out)
{
    (void)arg;
    if (in)
        memcpy(out, in, sizeof(int));
    return CO4_OK;
}

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static int none(void *arg, const void *value)
{
    (void)value;
    (void)arg;
    return 0;
}

static pausable void get_mapped(co4_mailbox *mb, int *got)
{
    int n, buffer;
    co4_mapping m;
    co4_source *s = co4_source_map(&m, co4_mailbox_source(mb), sizeof n, &buffer, same, NULL);
    while (co4_await(s, &n) == CO4_OK)
        ++*got;
}

static pausable void get_plain(co4_mailbox *mb, int *got)
{
    int n;
    while (co4_mailbox_receive(mb, &n) == CO4_OK)
        ++*got;
}

static pausable void put_mapped(co4_mailbox *mb, int *sent)
{
    int n = 1;
    co4_mapping m;
    co4_sending p;
    co4_source *s = co4_source_map(&m, co4_mailbox_sending(&p, mb, &n), 0, NULL, same, NULL);
    while (co4_await(s, NULL) == CO4_OK)
        ++*sent;
}

static pausable void put_plain(co4_mailbox *mb, int *sent)
{
    int n = 2;
    while (co4_mailbox_send(mb, &n) == CO4_OK)
        ++*sent;
}

/* One that looks and two that do not wait for messages that come one at a time. */
static pausable void turns(void)
{
    int looks = 0, gets = 0, n;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    co4_spawn(get_mapped(mb, &looks));
    co4_spawn(get_plain(mb, &gets));
    co4_spawn(get_plain(mb, &gets));
    let_others(20);
    for (int i = 0; i < 9; i++) {
        put(mb, i);
        let_others(20);
    }
    printf("each its turn: looks %d, gets %d\n", looks, gets);
    co4_mailbox_close(mb);
    let_others(20);
    co4_mailbox_destroy(mb);

    mb = co4_mailbox_create(sizeof n, 1);
    put(mb, 0);
    looks = gets = 0;
    co4_spawn(put_mapped(mb, &looks));
    co4_spawn(put_plain(mb, &gets));
    co4_spawn(put_plain(mb, &gets));
    let_others(20);
    for (int i = 0; i < 9; i++) {
        must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
        let_others(20);
    }
    printf("to put, each its turn: looks %d, puts %d\n", looks, gets);
    co4_mailbox_close(mb);
    let_others(20);
    co4_mailbox_destroy(mb);
}

/* ---- what others get after a notified one ---- */

static pausable void await_filtered(co4_mailbox *mb, int (*wanted)(void *, const void *),
                                    int64_t deadline, int *code)
{
    int n;
    co4_filtering f;
    co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), wanted, NULL);
    *code = co4_await_until(s, &n, deadline);
}

static pausable void select_one(co4_mailbox *first, co4_mailbox *mb, int *chosen)
{
    int n, m;
    co4_filtering f;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(first), &m),
                         CO4_CASE(co4_source_filter(&f, co4_mailbox_source(mb), any, NULL), &n) };
    *chosen = co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, CO4_NEVER);
}

static pausable void get_into(co4_mailbox *mb, int *into)
{
    must(co4_mailbox_receive(mb, into));
}

static pausable co4_task *start(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    let_others(20);
    return t;
}

static pausable void end_of(co4_task *t)
{
    co4_task_join(t);
    co4_task_release(t);
}

static pausable void passed_on(void)
{
    int n = 0, chosen = -1, code = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 4), *other = co4_mailbox_create(sizeof n, 4);

    co4_task *t = start(co4_task_create(await_filtered(mb, none, CO4_NEVER, &code)));
    co4_spawn(get_into(mb, &n));
    let_others(20);
    put(mb, 1);
    let_others(20);
    printf("refused: the next in line has %d at once\n", n);
    co4_task_cancel(t, 0);
    end_of(t);

    t = start(co4_task_create(await_filtered(mb, any, CO4_NEVER, &code)));
    co4_spawn(get_into(mb, &n));
    let_others(20);
    put(mb, 2);
    co4_task_cancel(t, 0);
    let_others(20);
    end_of(t);
    printf("cancelled while told: %s, the next in line has %d\n", co4_strerror(code), n);

    t = start(co4_task_create(select_one(other, mb, &chosen)));
    co4_spawn(get_into(mb, &n));
    let_others(20);
    put(mb, 3);
    put(other, 9);
    let_others(20);
    end_of(t);
    printf("another case first: %d, the next in line has %d\n", chosen, n);

    t = start(co4_task_create(await_filtered(mb, any, CO4_NEVER, &code)));
    put(mb, 4);
    int busy = co4_mailbox_destroy(mb) == CO4_EBUSY;
    end_of(t);
    printf("told, and busy: %d, then %d\n", busy, co4_mailbox_destroy(mb) == CO4_EBUSY);
    co4_mailbox_destroy(other);
}

static pausable void send_filtered(co4_broadcast *b, int *code)
{
    int n = 5;
    co4_broadcasting sending;
    co4_filtering f;
    *code = co4_await(co4_source_filter(&f, co4_broadcast_sending(&sending, b, &n), any, NULL),
                      NULL);
}

/* The sender still waits, though nothing holds it up any more. */
static pausable void told_to_send(void)
{
    int n = 1, code = -1;
    co4_broadcast *b = co4_broadcast_create(sizeof n);
    co4_subscriber *s = co4_broadcast_subscribe(b, 1, CO4_BROADCAST_WAIT);
    must(co4_broadcast_send_until(b, &n, CO4_NOW));
    co4_task *t = start(co4_task_create(send_filtered(b, &code)));
    let_others(20);
    must(co4_subscriber_destroy(s));
    int busy = co4_broadcast_destroy(b) == CO4_EBUSY;
    end_of(t);
    printf("told that it may send, and busy: %d, then %d", busy, code);
    printf(" %d\n", co4_broadcast_destroy(b));
}

static pausable void told_again(void)
{
    int n, code = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    co4_task *t = start(co4_task_create(await_filtered(mb, none, co4_now() + CO4_MS, &code)));
    while (code == 1) {
        put(mb, 1);
        must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
        co4_yield();
    }
    printf("told again and again: %s\n", co4_strerror(code));
    end_of(t);
    co4_mailbox_destroy(mb);
}

static pausable void await_race(co4_mailbox *mb, int *winner)
{
    int n;
    co4_filtering f;
    co4_racing race;
    co4_racer racer = { .source = co4_source_filter(&f, co4_mailbox_source(mb), any, NULL) };
    co4_await(co4_source_race(&race, &racer, 1), &n);
    *winner = co4_source_race_winner(&race);
}

static pausable void told_in_a_race(void)
{
    int winner = 7;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = start(co4_task_create(await_race(mb, &winner)));
    put(mb, 1);
    co4_task_cancel(t, 0);
    end_of(t);
    printf("told, and cancelled, in a race: nobody won: %d\n", winner);
    co4_mailbox_destroy(mb);
}

static int destroys(void *arg, const void *value)
{
    (void)value;
    *(int *)arg = co4_broadcast_destroy(news);
    return 1;
}

static pausable void destroyed_by_looks(void)
{
    int n = 1, code = 0;
    co4_filtering f;
    co4_broadcasting sending;
    news = co4_broadcast_create(sizeof n);
    reader = co4_broadcast_subscribe(news, 1, CO4_BROADCAST_WAIT);
    co4_source *s = co4_broadcast_sending(&sending, news, &n);
    must(co4_await(co4_source_filter(&f, s, destroys, &code), NULL));
    printf("destroyed by who looks: %s", co4_strerror(code));
    must(co4_await(co4_source_filter(&f, co4_subscriber_source(reader), destroys, &code), &n));
    printf(" %s\n", co4_strerror(code));
    co4_subscriber_destroy(reader);
    co4_broadcast_destroy(news);
}

/* A listener of the program's own, which keeps what it is given. */
struct own {
    co4_listener listener; /* first */
    int code, value, woken;
    bool over, valued;
};

static int own_acquire(co4_listener *l, int code, const void *value)
{
    (void)code, (void)value;
    return !((struct own *)l)->over;
}

static void own_complete(co4_listener *l, int code, const void *value)
{
    struct own *own = (struct own *)l;
    own->over = true;
    own->code = code;
    own->valued = value != NULL;
    if (value)
        own->value = *(const int *)value;
}

static void own_release(co4_listener *l)
{
    (void)l;
}

static void own_wake(co4_listener *l)
{
    ((struct own *)l)->woken++;
}

static const void *own_owner(const co4_listener *l)
{
    return l;
}

static pausable void own_listener(void)
{
    static const co4_listener_ops ops = { own_acquire, own_complete, own_release,
                                          own_wake,    own_owner,    NULL };
    struct own own = { .listener = { .ops = &ops } };
    co4_filtering f;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), any, NULL);
    if (s->ops->add(s, &own.listener) != 0)
        abort();
    put(mb, 4);
    printf("told, of the program's own: %d %s a value", own.code == CO4_LOOK && own.woken == 1,
           own.valued ? "with" : "without");
    s->ops->drop(s, &own.listener);
    own.over = false;
    if (s->ops->poll(s, &own.listener) != 1 || own.code != CO4_OK || own.woken != 2)
        abort();
    printf(", then %d\n", own.value);
    co4_mailbox_destroy(mb);
}

/* ---- rendezvous ---- */

enum { EACH = 15 };

static pausable void send_looking(co4_mailbox *ch, int *sent)
{
    for (int i = 0; i < EACH; i++) {
        co4_mapping m;
        co4_filtering f;
        co4_sending p;
        co4_source *s = co4_source_filter(&f, co4_mailbox_sending(&p, ch, &i), any, NULL);
        must(co4_await(co4_source_map(&m, s, 0, NULL, same, NULL), NULL));
        ++*sent;
    }
}

static pausable void receive_looking(co4_mailbox *ch, int *received)
{
    for (int i = 0; i < EACH; i++) {
        int n, buffer;
        co4_mapping m;
        co4_filtering f;
        co4_source *s = co4_source_filter(&f, co4_mailbox_source(ch), any, NULL);
        must(co4_await(co4_source_map(&m, s, sizeof n, &buffer, same, NULL), &n));
        ++*received;
    }
}

static int is_three(void *arg, const void *value)
{
    (void)arg;
    return *(const int *)value == 3;
}

static pausable void put_number(co4_mailbox *ch, int n)
{
    must(co4_mailbox_send(ch, &n));
}

static pausable void both_look(void)
{
    int sent = 0, received = 0, n = 0;
    co4_mailbox *ch = co4_mailbox_create(sizeof n, 0);
    co4_task *t[4];
    for (int i = 0; i < 4; i++) {
        t[i] = i % 2 ? co4_task_create(send_looking(ch, &sent))
                     : co4_task_create(receive_looking(ch, &received));
        co4_runtime_schedule(NULL, t[i]);
    }
    for (int i = 0; i < 4; i++)
        end_of(t[i]);
    printf("both look: sent %d, received %d\n", sent, received);

    co4_filtering f;
    for (int i = 2; i <= 4; i++)
        co4_spawn(put_number(ch, i));
    let_others(20);
    must(co4_await(co4_source_filter(&f, co4_mailbox_source(ch), is_three, NULL), &n));
    printf("several wait to be met: %d", n);
    int left = 0;
    while (co4_mailbox_receive_until(ch, &n, CO4_NOW) == CO4_OK)
        left++;
    printf(", left %d\n", left);
    let_others(20);
    co4_mailbox_destroy(ch);
}

static int ten_times_and_one(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in * 10 + 1;
    return CO4_OK;
}

/* To a listener at either of two channels. */
static pausable void send_either(co4_mailbox *const ch[2], int *sent)
{
    for (int i = 0; i < 2 * EACH; i++) {
        int which, buffer;
        co4_mapping mapping;
        co4_either either;
        co4_sending p[2];
        co4_source *s = co4_source_either(&either, co4_mailbox_sending(&p[0], ch[0], &(int){ 0 }),
                                          NULL, co4_mailbox_sending(&p[1], ch[1], &(int){ 1 }),
                                          NULL);
        s = co4_source_map(&mapping, s, sizeof which, &buffer, ten_times_and_one, NULL);
        must(co4_await_until(s, &which, co4_now() + 100 * CO4_SEC));
        sent[which / 10] += which % 10;
    }
}

/* From the one and the other by turns, from a race of one, too. */
static pausable void receive_by_turns(co4_mailbox *const ch[2], int *received)
{
    for (int i = 0; i < 2 * EACH; i++) {
        int n;
        co4_filtering f;
        co4_racing race;
        co4_racer racer = { .source = co4_mailbox_source(ch[i % 2]) };
        co4_source *s = co4_source_race(&race, &racer, 1);
        must(co4_await(co4_source_filter(&f, s, any, NULL), &n));
        received[n]++;
    }
}

static pausable void both_look_in_races(void)
{
    int sent[2] = { 0, 0 }, received[2] = { 0, 0 };
    co4_mailbox *ch[2] = { co4_mailbox_create(sizeof(int), 0), co4_mailbox_create(sizeof(int), 0) };
    co4_task *t = start(co4_task_create(receive_by_turns(ch, received)));
    send_either(ch, sent);
    end_of(t);
    printf("both look, in races: sent %d and %d, received %d and %d\n", sent[0], sent[1],
           received[0], received[1]);
    for (int i = 0; i < 2; i++)
        co4_mailbox_destroy(ch[i]);
}

static int ten_times(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in * 10;
    return CO4_OK;
}

/* The index of an either, mapped, with filters below. */
static pausable void race_below(void)
{
    int n = 0, m = 0, which = 0, buffer;
    co4_filtering f;
    co4_mapping mapping;
    co4_either either;
    co4_mailbox *a = co4_mailbox_create(sizeof n, 2), *b = co4_mailbox_create(sizeof n, 2);
    co4_source *s = co4_source_either(&either,
                                      co4_source_filter(&f, co4_mailbox_source(a), is_three, NULL),
                                      &n, co4_mailbox_source(b), &m);
    s = co4_source_map(&mapping, s, sizeof which, &buffer, ten_times, NULL);
    put(a, 2);
    co4_spawn(put_number(b, 4));
    int err = co4_await(s, &which);
    printf("a race below: either %d, %s %d\n", which / 10, co4_strerror(err), m * which);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

int main(void)
{
    co4_test_begin(NULL);
    co4_run(under_no_lock());
    co4_run(large_values());
    co4_run(turns());
    co4_run(passed_on());
    co4_run(told_to_send());
    co4_test_end(NULL);
    co4_run(told_again());
    co4_run(told_in_a_race());
    co4_run(destroyed_by_looks());
    co4_run(own_listener());
    co4_run(both_look());
    co4_run(both_look_in_races());
    co4_run(race_below());
    return 0;
}
