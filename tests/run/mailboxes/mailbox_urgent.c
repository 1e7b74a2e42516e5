/* mailbox_urgent - urgent messages, many at once, waiting for a number, peek, remove, drain,
 * another capacity, subscribers.
 * modes: woven forced
 * expect: urgent: 101 102 103 1 2 3
 * expect: urgent ones wait before others: 1 101 102 2, while it was full there is no room the deadline has passed
 * expect: urgent to a receiver 104, to a rendezvous an argument is not acceptable, closed closed, and nothing is left to take
 * expect: urgent in a turned ring: 101 102 3 4 5 6
 * expect: many: 3 of 3 there, then 2 of 2 that came later; with senders 1 2 3 4; none there is no message
 * expect: a number: at 2 not, at 3 no error, left 3; deadline the deadline has passed; closed closed, and nothing is left to take; too many an argument is not acceptable
 * expect: peek: 1 1, there is no message, closed, and nothing is left to take
 * expect: remove: 4, 101, then there is no message; left 102 1 2 3 5
 * expect: removed for a filter: 7
 * expect: drain: 3 kept, sender in 4, small ring there is no room 1, thrown away 0
 * expect: capacity: still in use, lets in 2 senders, 4 of 5, again there is no room
 * expect: shrink: no error, 1 2
 * expect: told: message message+high message+high message+high space message+high space closed
 * expect: told not: nothing when handed over, nothing after
 * expect: told in a call: 3 messages in 3 calls, unsubscribed in the third
 * expect: in use: still in use, twice not possible in this state not possible in this state, then no error
 * expect: so many may: subscribe 64, wait 64; told 64, went on 64
 * expect: block: no error, no error 105, no error 1
 * expect: no memory: out of memory out of memory out of memory out of memory
 * expect: wrong: an argument is not acceptable an argument is not acceptable an argument is not acceptable an argument is not acceptable an argument is not acceptable
 * expect: in a generator: not possible in this state not possible in this state
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static const char *text(int code)
{
    return co4_strerror(code);
}

static co4_mailbox *box(int capacity)
{
    return co4_mailbox_create(sizeof(int), (size_t)capacity);
}

static void fill(co4_mailbox *mb, int from, int to)
{
    for (int i = from; i <= to; i++)
        must(co4_mailbox_send_until(mb, &i, CO4_NOW));
}

static void print_all(co4_mailbox *mb)
{
    int v;
    while (co4_mailbox_receive_until(mb, &v, CO4_NOW) == CO4_OK)
        printf(" %d", v);
}

static pausable void put(co4_mailbox *mb, int v)
{
    co4_mailbox_send(mb, &v);
}

static pausable void put_urgent(co4_mailbox *mb, int v)
{
    co4_mailbox_send_urgent(mb, &v);
}

static pausable void get(co4_mailbox *mb, int *out)
{
    co4_mailbox_receive(mb, out);
}

static pausable void wait_for(co4_mailbox *mb, int n, int *err)
{
    *err = co4_mailbox_wait(mb, (size_t)n);
}

static pausable void let_run(void)
{
    for (int i = 0; i < 10; i++)
        co4_yield();
}

static pausable void urgent(void)
{
    co4_mailbox *mb = box(9);
    int v, err, late;
    fill(mb, 1, 3);
    for (v = 101; v <= 103; v++)
        co4_mailbox_send_urgent(mb, &v);
    printf("urgent:");
    print_all(mb);
    co4_mailbox_destroy(mb);

    mb = box(1);
    fill(mb, 1, 1);
    co4_spawn(put(mb, 2));
    co4_spawn(put_urgent(mb, 101));
    co4_spawn(put_urgent(mb, 102));
    let_run();
    err = co4_mailbox_send_urgent_until(mb, &v, CO4_NOW);
    late = co4_mailbox_send_urgent_until(mb, &v, co4_now() + CO4_MS);
    printf("\nurgent ones wait before others:");
    print_all(mb);
    printf(", while it was full %s %s\n", text(err), text(late));

    co4_mailbox *meet = co4_mailbox_create(sizeof(int), 0);
    int got = 0;
    co4_spawn(get(mb, &got));
    let_run();
    v = 104;
    co4_mailbox_send_urgent(mb, &v);
    let_run();
    co4_mailbox_close(mb);
    err = co4_mailbox_send_urgent(meet, &v);
    printf("urgent to a receiver %d, to a rendezvous %s, closed %s\n", got, text(err),
           text(co4_mailbox_send_urgent(mb, &v)));
    co4_mailbox_destroy(mb);
    co4_mailbox_destroy(meet);

    mb = box(6);
    fill(mb, 1, 6);
    must(co4_mailbox_receive_until(mb, &v, CO4_NOW));
    must(co4_mailbox_receive_until(mb, &v, CO4_NOW));
    v = 101;
    co4_mailbox_send_urgent(mb, &v);
    v = 102;
    co4_mailbox_send_urgent(mb, &v);
    printf("urgent in a turned ring:");
    print_all(mb);
    puts("");
    co4_mailbox_destroy(mb);
}

static pausable void put_two_later(co4_mailbox *mb)
{
    let_run();
    fill(mb, 4, 5);
}

static pausable void many(void)
{
    co4_mailbox *mb = box(3);
    int out[9];
    size_t got, later = 0, more;
    fill(mb, 1, 3);
    co4_mailbox_receive_many(mb, out, 9, &got);
    co4_spawn(put_two_later(mb));
    while (later < 2 && co4_mailbox_receive_many(mb, out + later, 9, &more) == CO4_OK)
        later += more;
    printf("many: %zu of 3 there, then %zu of 2 that came later; with senders", got, later);
    fill(mb, 1, 3);
    co4_spawn(put(mb, 4));
    let_run();
    must(co4_mailbox_receive_many_until(mb, out, 9, &got, CO4_NOW));
    for (size_t i = 0; i < got; i++)
        printf(" %d", out[i]);
    printf("; none %s\n", text(co4_mailbox_receive_many_until(mb, out, 9, &got, CO4_NOW)));

    int err = 1, v, late, early, closed = 1;
    co4_spawn(wait_for(mb, 3, &err));
    let_run();
    fill(mb, 1, 2);
    let_run();
    early = err;
    fill(mb, 3, 3);
    let_run();
    printf("a number: at 2 %s, at 3 %s, left %zu", early == 1 ? "not" : "already", text(err),
           co4_mailbox_len(mb));
    co4_mailbox_receive(mb, &v);
    late = co4_mailbox_wait_until(mb, 3, co4_now() + CO4_MS);
    co4_spawn(wait_for(mb, 3, &closed));
    let_run();
    co4_mailbox_close(mb);
    let_run();
    printf("; deadline %s; closed %s; too many %s\n", text(late), text(closed),
           text(co4_mailbox_wait(mb, 4)));
    co4_mailbox_destroy(mb);
}

static int is(void *arg, const void *msg)
{
    return *(const int *)msg == *(int *)arg;
}

static pausable void get_seven(co4_mailbox *mb, int *out)
{
    int seven = 7;
    co4_filtering f;
    co4_await(co4_source_filter(&f, co4_mailbox_source(mb), is, &seven), out);
}

static pausable void inside(void)
{
    co4_mailbox *mb = box(9);
    int v = 0, w = 0, none;
    fill(mb, 1, 1);
    co4_mailbox_peek(mb, &v);
    co4_mailbox_receive(mb, &w);
    none = co4_mailbox_peek(mb, &v);
    fill(mb, 1, 5);
    for (int u = 101; u <= 102; u++)
        must(co4_mailbox_send_urgent_until(mb, &u, CO4_NOW));
    int four = 4, first = 101, lost = 99, got4 = 0, got101 = 0;
    co4_mailbox_remove(mb, is, &four, &got4);
    co4_mailbox_remove(mb, is, &first, &got101);
    int err = co4_mailbox_remove(mb, is, &lost, NULL);
    co4_mailbox *closed = box(1);
    co4_mailbox_close(closed);
    printf("peek: %d %d, %s, %s\n", v, w, text(none), text(co4_mailbox_peek(closed, &v)));
    co4_mailbox_destroy(closed);
    printf("remove: %d, %d, then %s; left", got4, got101, text(err));
    print_all(mb);

    int seven = 0, eight = 8;
    co4_spawn(get_seven(mb, &seven));
    let_run();
    fill(mb, 8, 8);
    fill(mb, 7, 7);
    co4_mailbox_remove(mb, is, &eight, NULL);
    let_run();
    printf("\nremoved for a filter: %d\n", seven);
    co4_mailbox_destroy(mb);
}

static pausable void sizes(void)
{
    co4_mailbox *mb = box(3);
    co4_ring ring;
    int memory[2], v = 0, err;
    fill(mb, 1, 3);
    co4_spawn(put(mb, 4));
    let_run();
    co4_ring_init(&ring, sizeof(int), 9);
    co4_mailbox_drain(mb, &ring);
    co4_mailbox_peek(mb, &v);
    printf("drain: %zu kept, sender in %d", co4_ring_len(&ring), v);
    co4_ring_fini(&ring);
    let_run();
    fill(mb, 5, 6);
    co4_ring_init_in(&ring, sizeof(int), memory, sizeof memory);
    err = co4_mailbox_drain(mb, &ring);
    printf(", small ring %s %d", text(err), co4_ring_len(&ring) == 0);
    co4_mailbox_drain(mb, NULL);
    printf(", thrown away %zu\n", co4_mailbox_len(mb));

    fill(mb, 1, 3);
    err = co4_mailbox_set_capacity(mb, 2);
    must(co4_mailbox_receive_until(mb, &v, CO4_NOW));
    co4_mailbox_set_capacity(mb, 2);
    co4_spawn(put(mb, 4));
    co4_spawn(put(mb, 5));
    let_run();
    co4_mailbox_set_capacity(mb, 5);
    printf("capacity: %s, lets in %zu senders, %zu of %zu", text(err), co4_mailbox_len(mb) - 2,
           co4_mailbox_len(mb), co4_mailbox_capacity(mb));
    let_run();
    co4_mailbox_set_capacity(mb, 4);
    printf(", again %s\n", text(co4_mailbox_send_until(mb, &v, CO4_NOW)));
    co4_mailbox_destroy(mb);

    mb = box(300);
    fill(mb, 1, 300);
    for (int i = 0; i < 290; i++)
        must(co4_mailbox_receive_until(mb, &v, CO4_NOW));
    fill(mb, 1, 2);
    for (int i = 0; i < 10; i++)
        must(co4_mailbox_receive_until(mb, &v, CO4_NOW));
    err = co4_mailbox_shrink(mb);
    printf("shrink: %s,", text(err));
    print_all(mb);
    puts("");
    co4_mailbox_destroy(mb);
}

static void print_events(void *arg, co4_mailbox *mb, int events)
{
    (void)mb;
    int *count = arg;
    ++*count;
    printf(" %s%s%s%s%s", events & CO4_MAILBOX_MESSAGE ? "message" : "",
           events == (CO4_MAILBOX_MESSAGE | CO4_MAILBOX_HIGH) ? "+" : "",
           events & CO4_MAILBOX_HIGH ? "high" : "", events & CO4_MAILBOX_SPACE ? "space" : "",
           events & CO4_MAILBOX_CLOSED ? "closed" : "");
}

struct chain {
    co4_mailbox_watch watch;
    int calls, messages;
};

/* Each call takes the messages that are there, and puts one more. */
static void go_on(void *arg, co4_mailbox *mb, int events)
{
    struct chain *c = arg;
    int v;
    c->calls++;
    if ((events & CO4_MAILBOX_MESSAGE) && co4_mailbox_receive_until(mb, &v, CO4_NOW) == CO4_OK)
        c->messages++;
    if (c->calls == 3)
        co4_mailbox_unsubscribe(mb, &c->watch);
    must(co4_mailbox_send_until(mb, &v, CO4_NOW));
}

static pausable void subscribers(void)
{
    co4_mailbox *mb = box(3);
    int count = 0, v, got;
    co4_mailbox_watch w = { .events = CO4_MAILBOX_MESSAGE | CO4_MAILBOX_SPACE | CO4_MAILBOX_CLOSED |
                                      CO4_MAILBOX_HIGH,
                            .high = 2,
                            .call = print_events,
                            .arg = &count };
    co4_mailbox_subscribe(mb, &w);
    printf("told:");
    fill(mb, 1, 2);
    co4_mailbox_receive(mb, &v);
    fill(mb, 3, 3);
    w.high = 3;
    fill(mb, 4, 4);
    co4_mailbox_receive(mb, &v);
    fill(mb, 5, 5);
    co4_mailbox_receive(mb, &v);
    co4_mailbox_close(mb);
    co4_mailbox_close(mb);
    puts("");
    int busy = co4_mailbox_destroy(mb), twice = co4_mailbox_subscribe(mb, &w);
    co4_mailbox_unsubscribe(mb, &w);
    int gone = co4_mailbox_unsubscribe(mb, &w), done = co4_mailbox_destroy(mb);

    mb = box(3);
    count = 0;
    co4_mailbox_subscribe(mb, &w);
    co4_spawn(get(mb, &got));
    let_run();
    fill(mb, 1, 1);
    let_run();
    printf("told not: %s when handed over", count ? "something" : "nothing");
    co4_mailbox_unsubscribe(mb, &w);
    fill(mb, 1, 1);
    printf(", %s after\n", count ? "something" : "nothing");
    co4_mailbox_destroy(mb);

    struct chain c = { .watch = { .events = CO4_MAILBOX_MESSAGE, .call = go_on, .arg = &c } };
    mb = box(3);
    co4_mailbox_subscribe(mb, &c.watch);
    fill(mb, 1, 1);
    printf("told in a call: %d messages in %d calls, unsubscribed in the third\n", c.messages,
           c.calls);
    co4_mailbox_destroy(mb);
    printf("in use: %s, twice %s %s, then %s\n", text(busy), text(twice), text(gone), text(done));
}

static void count_call(void *arg, co4_mailbox *mb, int events)
{
    (void)mb;
    (void)events;
    ++*(int *)arg;
}

static pausable void count_wait(co4_mailbox *mb, int *waited, int *refused)
{
    int err = co4_mailbox_wait(mb, 1);
    *waited += err == CO4_OK;
    *refused += err == CO4_EFULL;
}

/* Two more than there may be, and another in the place of one that has left. */
static pausable void limits(void)
{
    enum { TRIED = CO4_MAILBOX_WATCHES + 2 };
    static co4_mailbox_watch watches[TRIED];
    int subscribed = 0, told = 0, waited = 0, refused = 0;
    co4_mailbox *mb = box(1);
    for (int i = 0; i < TRIED; i++) {
        watches[i] = (co4_mailbox_watch){ .events = CO4_MAILBOX_MESSAGE,
                                          .call = count_call,
                                          .arg = &told };
        int err = co4_mailbox_subscribe(mb, &watches[i]);
        subscribed += err == CO4_OK;
        if (err != CO4_OK && err != CO4_EFULL)
            abort();
    }
    must(co4_mailbox_unsubscribe(mb, &watches[7]));
    must(co4_mailbox_subscribe(mb, &watches[TRIED - 1]));
    for (int i = 0; i < TRIED; i++)
        co4_spawn(count_wait(mb, &waited, &refused));
    let_run();
    fill(mb, 1, 1);
    let_run();
    printf("so many may: subscribe %d, wait %d; told %d, went on %d\n", subscribed, TRIED - refused,
           told, waited);
    for (int i = 0; i < TRIED; i++)
        co4_mailbox_unsubscribe(mb, &watches[i]);
    must(co4_mailbox_destroy(mb));
}

static pausable int in_generator(co4_mailbox *mb)
{
    int v = 1, err = co4_mailbox_send_urgent(mb, &v);
    co4_gen_yield(&err);
    size_t got;
    err = co4_mailbox_receive_many(mb, &v, 1, &got);
    co4_gen_yield(&err);
    return 0;
}

static void outside(void)
{
    co4_mailbox *mb = box(3);
    int v = 105, w = 0, first, second;
    size_t got;
    int put = co4_block(co4_mailbox_send_urgent(mb, &v));
    int wait = co4_block(co4_mailbox_wait_until(mb, 1, CO4_NEVER));
    co4_block(co4_mailbox_receive(mb, &w));
    fill(mb, 1, 1);
    printf("block: %s, %s %d", text(put), text(wait), w);
    second = co4_mailbox_receive_many_until(mb, &w, 1, &got, CO4_NOW);
    printf(", %s %d\n", text(second), w);

    co4_mailbox *fresh = box(300);
    co4_mailbox_watch watch = { .events = CO4_MAILBOX_SPACE, .call = go_on };
    fill(fresh, 1, 100);
    co4_test_fail_alloc(-1);
    first = co4_mailbox_send_urgent_until(fresh, &v, CO4_NOW);
    second = co4_block(co4_mailbox_wait_until(fresh, 200, 0));
    int third = co4_mailbox_subscribe(fresh, &watch), fourth = co4_mailbox_shrink(fresh);
    co4_test_fail_alloc(0);
    printf("no memory: %s %s %s %s\n", text(first), text(second), text(third), text(fourth));
    co4_mailbox_destroy(fresh);
    printf("wrong: %s %s %s %s %s\n", text(co4_mailbox_send_urgent_until(NULL, &v, CO4_NOW)),
           text(co4_mailbox_receive_many_until(mb, &w, 0, &got, CO4_NOW)),
           text(co4_mailbox_remove(mb, NULL, 0, NULL)), text(co4_mailbox_set_capacity(mb, 0)),
           text(co4_mailbox_subscribe(mb, NULL)));

    co4_gen *g = co4_generate(in_generator(mb));
    co4_gen_next(g, &first);
    co4_gen_next(g, &second);
    co4_gen_destroy(g);
    printf("in a generator: %s %s\n", text(first), text(second));
    co4_mailbox_destroy(mb);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(urgent());
    co4_run(many());
    co4_run(inside());
    co4_run(sizes());
    co4_run(subscribers());
    co4_run(limits());
    outside();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
