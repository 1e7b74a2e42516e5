/* waiters.c - no lock is held for long, however many wait that are passed by: selects that another
 * source has served, filters that refuse, receivers before senders. */
#include "hold.h"

static const int one = 1;

/* ---- selects that another source has served, and whose tasks have not gone on yet ---- */

static pausable void selects(co4_source *chosen, co4_source *other, co4_waitgroup *ended)
{
    co4_case cases[] = { CO4_CASE(chosen, NULL), CO4_CASE(other, NULL) };
    if (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, CO4_NEVER) != 0)
        abort();
    co4_waitgroup_done(ended);
}

static co4_mailbox *mb;
static co4_broadcast *news;
static co4_subscriber *reader;
static co4_sending *putting;
static co4_broadcasting *sending;

/* What the i-th of them waits for as well. */
typedef co4_source *source_of(long i);

static co4_source *message(long i)
{
    (void)i;
    return co4_mailbox_source(mb);
}

static co4_source *place(long i)
{
    return co4_mailbox_sending(&putting[i], mb, &one);
}

static co4_source *piece_of_news(long i)
{
    (void)i;
    return co4_subscriber_source(reader);
}

static co4_source *turn_to_send(long i)
{
    return co4_broadcast_sending(&sending[i], news, &one);
}

static pausable void all_select(long n, source_of *of, void (*then)(long n))
{
    co4_future *other = co4_future_create(0);
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    putting = some(n, sizeof *putting);
    sending = some(n, sizeof *sending);
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++)
        co4_spawn(selects(co4_future_source(other), of(i), &ended));
    co4_yield();
    must(co4_future_complete(other, NULL));
    look();
    then(n);
    co4_waitgroup_wait(&ended);
    co4_future_release(other);
    free(putting);
    free(sending);
}

/* With a mailbox of this capacity, 0 for a rendezvous; `full`: with a message in it. */
static void at_mailbox(long n, size_t capacity, bool full, source_of *of, void (*then)(long n))
{
    mb = co4_mailbox_create(sizeof one, capacity);
    if (full)
        must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    co4_run(all_select(n, of, then));
    must(co4_mailbox_destroy(mb));
}

static void is(int code, int expected)
{
    measure_hold();
    if (code != expected)
        abort();
}

static void puts_one(long n)
{
    (void)n;
    is(co4_mailbox_send_until(mb, &one, CO4_NOW), CO4_OK);
}

static void gets_one(long n)
{
    int m;
    (void)n;
    is(co4_mailbox_receive_until(mb, &m, CO4_NOW), CO4_OK);
}

static void closes(long n)
{
    (void)n;
    is(co4_mailbox_close(mb), CO4_OK);
}

static void puts_in_vain(long n)
{
    (void)n;
    is(co4_mailbox_send_until(mb, &one, CO4_NOW), CO4_EFULL);
}

static void gets_in_vain(long n)
{
    int m;
    (void)n;
    is(co4_mailbox_receive_until(mb, &m, CO4_NOW), CO4_EEMPTY);
}

static void selects_a_message(long n)
{
    int m;
    (void)n;
    is(co4_await_until(co4_mailbox_source(mb), &m, CO4_NOW), CO4_EEMPTY);
}

static void selects_a_place(long n)
{
    co4_sending p;
    (void)n;
    is(co4_await_until(co4_mailbox_sending(&p, mb, &one), NULL, CO4_NOW), CO4_EEMPTY);
}

static void put_past(long n)
{
    at_mailbox(n, 1, false, message, puts_one);
}

static void get_past(long n)
{
    at_mailbox(n, 1, true, place, gets_one);
}

static void close_past_receivers(long n)
{
    at_mailbox(n, 1, false, message, closes);
}

static void close_past_senders(long n)
{
    at_mailbox(n, 1, true, place, closes);
}

static void meet_receivers(long n)
{
    at_mailbox(n, 0, false, message, puts_in_vain);
}

static void meet_senders(long n)
{
    at_mailbox(n, 0, false, place, gets_in_vain);
}

static void select_past_receivers(long n)
{
    at_mailbox(n, 0, false, message, selects_a_place);
}

static void select_past_senders(long n)
{
    at_mailbox(n, 0, false, place, selects_a_message);
}

/* Each put finds an empty mailbox, at which they wait. */
static void puts_many(long n)
{
    int m;
    measure_begin();
    for (long i = 0; i < n; i++) {
        must(co4_mailbox_send_until(mb, &one, CO4_NOW));
        must(co4_mailbox_receive_until(mb, &m, CO4_NOW));
    }
    measure_end();
}

static void puts_past(long n)
{
    at_mailbox(n, 1, false, message, puts_many);
}

static void sends_one(long n)
{
    (void)n;
    is(co4_broadcast_send_until(news, &one, CO4_NOW), CO4_OK);
}

static void receives_one(long n)
{
    int m;
    (void)n;
    is(co4_subscriber_receive_until(reader, &m, CO4_NOW), CO4_OK);
}

static void closes_news(long n)
{
    (void)n;
    is(co4_broadcast_close(news), CO4_OK);
}

static void at_broadcast(long n, bool full, source_of *of, void (*then)(long n))
{
    news = co4_broadcast_create(sizeof one);
    reader = co4_broadcast_subscribe(news, 1, CO4_BROADCAST_WAIT);
    if (full)
        must(co4_broadcast_send_until(news, &one, CO4_NOW));
    co4_run(all_select(n, of, then));
    must(co4_subscriber_destroy(reader));
    must(co4_broadcast_destroy(news));
}

static void send_past(long n)
{
    at_broadcast(n, false, piece_of_news, sends_one);
}

static void receive_past(long n)
{
    at_broadcast(n, true, turn_to_send, receives_one);
}

static void close_past_readers(long n)
{
    at_broadcast(n, false, piece_of_news, closes_news);
}

static void close_past_writers(long n)
{
    at_broadcast(n, true, turn_to_send, closes_news);
}

/* ---- filters, and who waits beside them ---- */

static void (*meanwhile)(void);

static int refuses(void *arg, const void *value)
{
    void (*now)(void) = meanwhile;
    (void)arg, (void)value;
    meanwhile = NULL;
    if (now)
        now();
    return 0;
}

/* Until the mailbox is closed. */
static pausable void looks(void)
{
    co4_filtering f;
    int n, err = co4_await(co4_source_filter(&f, co4_mailbox_source(mb), refuses, NULL), &n);
    if (err != CO4_ECLOSED)
        abort();
}

static pausable void puts_blocked(void)
{
    int err = co4_mailbox_send(mb, &one);
    (void)err;
}

static pausable void gets_blocked(void)
{
    int n, err = co4_mailbox_receive(mb, &n);
    (void)err;
}

static pausable void let_all(void)
{
    for (int i = 0; i < 8; i++)
        co4_yield();
}

static pausable void end(void)
{
    int n;
    must(co4_mailbox_close(mb));
    while (co4_mailbox_receive_until(mb, &n, CO4_NOW) == CO4_OK)
        ;
    let_all();
    must(co4_mailbox_destroy(mb));
}

/* n refuse what a full mailbox has, and a sender waits behind them. */
static pausable void gets_past(long n)
{
    mb = co4_mailbox_create(sizeof one, 1);
    must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    for (long i = 0; i < n; i++)
        co4_spawn(looks());
    co4_yield();
    for (long i = 0; i < 2; i++)
        co4_spawn(puts_blocked());
    co4_yield();
    look();
    gets_one(n);
    co4_yield();
    gets_one(n);
    end();
}

static void refusing(long n)
{
    co4_run(gets_past(n));
}

/* n filters wait at a rendezvous for a sender. */
static pausable void puts_to_filters(long n)
{
    mb = co4_mailbox_create(sizeof one, 0);
    for (long i = 0; i < n; i++)
        co4_spawn(looks());
    co4_yield();
    look();
    puts_in_vain(n);
    let_all();
    end();
}

static void telling(long n)
{
    co4_run(puts_to_filters(n));
}

/* A filter has been told of a message, n receivers wait for what it leaves, and senders for a
 * place. */
static void gets_and_puts(void)
{
    look();
    gets_one(0);
    is(co4_mailbox_send_until(mb, &one, CO4_NOW), CO4_EFULL);
    gets_one(0);
}

static pausable void both_wait(long n, long senders, void (*then)(void))
{
    mb = co4_mailbox_create(sizeof one, 1);
    meanwhile = then;
    co4_spawn(looks());
    co4_yield();
    for (long i = 0; i < n; i++)
        co4_spawn(gets_blocked());
    co4_yield();
    for (long i = 0; i < senders; i++)
        co4_spawn(puts_blocked());
    must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    let_all();
    measure_hold();
    end();
}

static void beside_receivers(long n)
{
    co4_run(both_wait(n, 4, gets_and_puts));
}

/* When the filter has refused, each gets the message of another. */
static void all_meet(long n)
{
    co4_run(both_wait(n, n, look));
}

/* ---- one after the other comes to a rendezvous, and waits ---- */

static pausable void awaits_a_message(void)
{
    int n, err = co4_await(co4_mailbox_source(mb), &n);
    (void)err;
}

static pausable void awaits_a_place(void)
{
    co4_sending p;
    int err = co4_await(co4_mailbox_sending(&p, mb, &one), NULL);
    (void)err;
}

/* How they wait. */
enum { GET, PUT, AWAIT_MESSAGE, AWAIT_PLACE };

static pausable void waits(int how)
{
    switch (how) {
    case GET:
        gets_blocked();
        break;
    case PUT:
        puts_blocked();
        break;
    case AWAIT_MESSAGE:
        awaits_a_message();
        break;
    default:
        awaits_a_place();
    }
}

static pausable void many_come(long n, int how)
{
    mb = co4_mailbox_create(sizeof one, 0);
    measure_begin();
    for (long i = 0; i < n; i++)
        co4_spawn(waits(how));
    co4_yield();
    measure_end();
    end();
}

static void receivers_come(long n)
{
    co4_run(many_come(n, GET));
}

static void senders_come(long n)
{
    co4_run(many_come(n, PUT));
}

static void selects_to_get_come(long n)
{
    co4_run(many_come(n, AWAIT_MESSAGE));
}

static void selects_to_put_come(long n)
{
    co4_run(many_come(n, AWAIT_PLACE));
}

int main(void)
{
    int failed = 0;
    co4_deadlock_detect(0);
    failed += grows("a put past selects", put_past, 2000, CONSTANT);
    failed += grows("a get past selects", get_past, 2000, CONSTANT);
    failed += grows("a close past receiving selects", close_past_receivers, 2000, CONSTANT);
    failed += grows("a close past sending selects", close_past_senders, 2000, CONSTANT);
    failed += grows("a put at a rendezvous past selects", meet_receivers, 2000, CONSTANT);
    failed += grows("a get at a rendezvous past selects", meet_senders, 2000, CONSTANT);
    failed += grows("a select to put past selects", select_past_receivers, 2000, CONSTANT);
    failed += grows("a select to get past selects", select_past_senders, 2000, CONSTANT);
    failed += grows("puts past selects, in all", puts_past, 1000, LINEAR);
    failed += grows("news past selects", send_past, 2000, CONSTANT);
    failed += grows("a reader past selects to send", receive_past, 2000, CONSTANT);
    failed += grows("a close past readers", close_past_readers, 2000, CONSTANT);
    failed += grows("a close past senders of news", close_past_writers, 2000, CONSTANT);
    failed += grows("a get past filters that refuse", refusing, 1000, CONSTANT);
    failed += grows("filters at a rendezvous are told", telling, 2000, CONSTANT);
    failed += grows("a get and a put beside receivers", beside_receivers, 2000, CONSTANT);
    failed += grows("receivers and senders meet", all_meet, 2000, CONSTANT);
    failed += grows("receivers come to a rendezvous", receivers_come, 1000, LINEAR);
    failed += grows("senders come to a rendezvous", senders_come, 1000, LINEAR);
    failed += grows("selects to get come to a rendezvous", selects_to_get_come, 1000, LINEAR);
    failed += grows("selects to put come to a rendezvous", selects_to_put_come, 1000, LINEAR);
    return failed > 0;
}
