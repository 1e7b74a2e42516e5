/* inbox - urgent messages, waiting for a number, peek, remove, drain, another capacity, listeners
 * of the program's own.
 * modes: woven forced
 * expect: urgent: 101 102 103 1 2 3
 * expect: urgent ones wait before others: 1 101 102 2, while it was full there is no room the deadline has passed
 * expect: urgent to a receiver 104, closed closed, and nothing is left to take
 * expect: urgent in a turned ring: 101 102 3 4 5 6
 * expect: a number: at 2 not, at 3 no error, left 3; deadline the deadline has passed; closed closed, and nothing is left to take
 * expect: peek: 1 1, there is no message, closed, and nothing is left to take
 * expect: remove: 4, 101, then there is no message; left 102 1 2 3 5
 * expect: removed for a filter: 7
 * expect: drain: 3 kept, sender in 4, small ring there is no room 1, thrown away 0
 * expect: capacity: still in use, lets in 2 senders, 4 of 5, again there is no room
 * expect: told: 1 message, 2 messages, room, closed; in use still in use, then no error
 * expect: so many may: wait 64, went on 64
 * expect: block: no error, no error 105
 * expect: no memory: out of memory out of memory
 * expect: wrong: an argument is not acceptable an argument is not acceptable an argument is not acceptable an argument is not acceptable
 * expect: in a generator: not possible in this state
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

static co4_inbox *box(int capacity)
{
    return co4_inbox_create(sizeof(int), (size_t)capacity);
}

static int try_send(co4_inbox *mb, const int *v)
{
    co4_inbox_wait_at at;
    int err = co4_await_until(co4_inbox_sending(&at, mb, v), NULL, CO4_NOW);
    return err == CO4_EEMPTY ? CO4_EFULL : err;
}

static int try_receive(co4_inbox *mb, int *v)
{
    return co4_await_until(co4_inbox_source(mb), v, CO4_NOW);
}

static void fill(co4_inbox *mb, int from, int to)
{
    for (int i = from; i <= to; i++)
        must(try_send(mb, &i));
}

static void print_all(co4_inbox *mb)
{
    int v;
    while (try_receive(mb, &v) == CO4_OK)
        printf(" %d", v);
}

static pausable void put(co4_inbox *mb, int v)
{
    co4_inbox_send(mb, &v);
}

static pausable void put_urgent(co4_inbox *mb, int v)
{
    co4_inbox_send_urgent(mb, &v);
}

static pausable void get(co4_inbox *mb, int *out)
{
    co4_inbox_receive(mb, out);
}

static pausable void wait_for(co4_inbox *mb, int n, int *err)
{
    *err = co4_inbox_wait(mb, (size_t)n);
}

static pausable void let_run(void)
{
    for (int i = 0; i < 10; i++)
        co4_yield();
}

static pausable void urgent(void)
{
    co4_inbox *mb = box(9);
    int v, err, late;
    fill(mb, 1, 3);
    for (v = 101; v <= 103; v++)
        co4_inbox_send_urgent(mb, &v);
    printf("urgent:");
    print_all(mb);
    co4_inbox_destroy(mb);

    mb = box(1);
    fill(mb, 1, 1);
    co4_spawn(put(mb, 2));
    co4_spawn(put_urgent(mb, 101));
    co4_spawn(put_urgent(mb, 102));
    let_run();
    co4_inbox_wait_at at;
    err = co4_await_until(co4_inbox_sending_urgent(&at, mb, &v), NULL, CO4_NOW);
    err = err == CO4_EEMPTY ? CO4_EFULL : err;
    late = co4_inbox_send_urgent_until(mb, &v, co4_now() + CO4_MS);
    printf("\nurgent ones wait before others:");
    print_all(mb);
    printf(", while it was full %s %s\n", text(err), text(late));

    int got = 0;
    co4_spawn(get(mb, &got));
    let_run();
    v = 104;
    co4_inbox_send_urgent(mb, &v);
    let_run();
    co4_inbox_close(mb);
    printf("urgent to a receiver %d, closed %s\n", got, text(co4_inbox_send_urgent(mb, &v)));
    co4_inbox_destroy(mb);

    mb = box(6);
    fill(mb, 1, 6);
    must(try_receive(mb, &v));
    must(try_receive(mb, &v));
    v = 101;
    co4_inbox_send_urgent(mb, &v);
    v = 102;
    co4_inbox_send_urgent(mb, &v);
    printf("urgent in a turned ring:");
    print_all(mb);
    puts("");
    co4_inbox_destroy(mb);
}

static pausable void numbers(void)
{
    co4_inbox *mb = box(3);
    int err = 1, v, late, early, closed = 1;
    co4_spawn(wait_for(mb, 3, &err));
    let_run();
    fill(mb, 1, 2);
    let_run();
    early = err;
    fill(mb, 3, 3);
    let_run();
    printf("a number: at 2 %s, at 3 %s, left %zu", early == 1 ? "not" : "already", text(err),
           co4_inbox_len(mb));
    co4_inbox_receive(mb, &v);
    late = co4_inbox_wait_until(mb, 3, co4_now() + CO4_MS);
    co4_spawn(wait_for(mb, 3, &closed));
    let_run();
    co4_inbox_close(mb);
    let_run();
    printf("; deadline %s; closed %s\n", text(late), text(closed));
    co4_inbox_destroy(mb);
}

static int is(void *arg, const void *msg)
{
    return *(const int *)msg == *(int *)arg;
}

static pausable void get_seven(co4_inbox *mb, int *out)
{
    int seven = 7;
    co4_filtering f;
    co4_await(co4_source_filter(&f, co4_inbox_source(mb), is, &seven), out);
}

static pausable void inside(void)
{
    co4_inbox *mb = box(9);
    int v = 0, w = 0, none;
    fill(mb, 1, 1);
    co4_inbox_peek(mb, &v);
    co4_inbox_receive(mb, &w);
    none = co4_inbox_peek(mb, &v);
    fill(mb, 1, 5);
    for (int u = 101; u <= 102; u++)
        must(co4_inbox_send_urgent(mb, &u));
    int four = 4, first = 101, lost = 99, got4 = 0, got101 = 0;
    co4_inbox_remove(mb, is, &four, &got4);
    co4_inbox_remove(mb, is, &first, &got101);
    int err = co4_inbox_remove(mb, is, &lost, NULL);
    co4_inbox *closed = box(1);
    co4_inbox_close(closed);
    printf("peek: %d %d, %s, %s\n", v, w, text(none), text(co4_inbox_peek(closed, &v)));
    co4_inbox_destroy(closed);
    printf("remove: %d, %d, then %s; left", got4, got101, text(err));
    print_all(mb);

    int seven = 0, eight = 8;
    co4_spawn(get_seven(mb, &seven));
    let_run();
    fill(mb, 8, 8);
    fill(mb, 7, 7);
    co4_inbox_remove(mb, is, &eight, NULL);
    let_run();
    printf("\nremoved for a filter: %d\n", seven);
    co4_inbox_destroy(mb);
}

static pausable void sizes(void)
{
    co4_inbox *mb = box(3);
    co4_ring ring;
    int memory[2], v = 0, err;
    fill(mb, 1, 3);
    co4_spawn(put(mb, 4));
    let_run();
    co4_ring_init(&ring, sizeof(int), 9);
    co4_inbox_drain(mb, &ring);
    co4_inbox_peek(mb, &v);
    printf("drain: %zu kept, sender in %d", co4_ring_len(&ring), v);
    co4_ring_destroy(&ring);
    let_run();
    fill(mb, 5, 6);
    co4_ring_init_in(&ring, sizeof(int), memory, sizeof memory);
    err = co4_inbox_drain(mb, &ring);
    printf(", small ring %s %d", text(err), co4_ring_len(&ring) == 0);
    co4_inbox_drain(mb, NULL);
    printf(", thrown away %zu\n", co4_inbox_len(mb));

    fill(mb, 1, 3);
    err = co4_inbox_set_capacity(mb, 2);
    must(try_receive(mb, &v));
    co4_inbox_set_capacity(mb, 2);
    co4_spawn(put(mb, 4));
    co4_spawn(put(mb, 5));
    let_run();
    co4_inbox_set_capacity(mb, 5);
    printf("capacity: %s, lets in %zu senders, %zu of %zu", text(err), co4_inbox_len(mb) - 2,
           co4_inbox_len(mb), co4_inbox_capacity(mb));
    let_run();
    co4_inbox_set_capacity(mb, 4);
    printf(", again %s\n", text(try_send(mb, &v)));
    co4_inbox_destroy(mb);
}

/* A subscriber is a listener of the program's own. */
struct watch {
    co4_listener listener; /* first */
    co4_inbox_wait_at at;
    const char *news;
    int code;
};

static int acquire(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void complete(co4_listener *l, int code, const void *value)
{
    (void)value;
    ((struct watch *)(void *)l)->code = code;
}

static void release(co4_listener *l)
{
    (void)l;
}

static void is_told(co4_listener *l)
{
    struct watch *w = (struct watch *)(void *)l;
    printf(" %s", w->code == CO4_OK ? w->news : "closed");
}

static const void *owner(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops watch_ops = { acquire, complete, release, is_told, owner, NULL };

static void add(co4_source *source, struct watch *w, const char *news)
{
    w->listener.ops = &watch_ops;
    w->news = news;
    source->ops->add(source, &w->listener);
}

static pausable void subscribers(void)
{
    co4_inbox *mb = box(3);
    struct watch w = { .news = NULL };
    int v;
    printf("told:");
    add(co4_inbox_holding(&w.at, mb, 1), &w, "1 message,");
    fill(mb, 1, 1);
    add(co4_inbox_holding(&w.at, mb, 2), &w, "2 messages,");
    fill(mb, 2, 3);
    add(co4_inbox_having_room(&w.at, mb, 1), &w, "room,");
    co4_inbox_receive(mb, &v);
    co4_source *s = co4_inbox_having_room(&w.at, mb, 3);
    add(s, &w, "none");
    int busy = co4_inbox_destroy(mb);
    co4_inbox_close(mb);
    s->ops->drop(s, &w.listener);
    printf("; in use %s, then %s\n", text(busy), text(co4_inbox_destroy(mb)));
}

static pausable void count_wait(co4_inbox *mb, int *waited, int *refused)
{
    int err = co4_inbox_wait(mb, 1);
    *waited += err == CO4_OK;
    *refused += err == CO4_EFULL;
}

/* Two more than there may be. */
static pausable void limits(void)
{
    enum { TRIED = CO4_INBOX_WAITS + 2 };
    int waited = 0, refused = 0;
    co4_inbox *mb = box(1);
    for (int i = 0; i < TRIED; i++)
        co4_spawn(count_wait(mb, &waited, &refused));
    let_run();
    fill(mb, 1, 1);
    let_run();
    printf("so many may: wait %d, went on %d\n", TRIED - refused, waited);
    must(co4_inbox_destroy(mb));
}

static pausable int in_generator(co4_inbox *mb)
{
    int v = 1, err = co4_inbox_send_urgent(mb, &v);
    co4_gen_yield(&err);
    return 0;
}

static void outside(void)
{
    co4_inbox *mb = box(3);
    co4_inbox_wait_at at;
    int v = 105, w = 0, first, second;
    int put = co4_block(co4_await(co4_inbox_sending_urgent(&at, mb, &v), NULL));
    int wait = co4_block(co4_await(co4_inbox_holding(&at, mb, 1), NULL));
    co4_block(co4_await(co4_inbox_source(mb), &w));
    printf("block: %s, %s %d\n", text(put), text(wait), w);

    co4_inbox *fresh = box(300);
    fill(fresh, 1, 4);
    co4_test_fail_alloc(-1);
    first = try_send(fresh, &v);
    second = co4_await_until(co4_inbox_sending_urgent(&at, fresh, &v), NULL, CO4_NOW);
    co4_test_fail_alloc(0);
    printf("no memory: %s %s\n", text(first), text(second));
    co4_inbox_destroy(fresh);
    printf("wrong: %s %s %s %s\n",
           text(co4_block(co4_await(co4_inbox_sending(&at, NULL, &v), NULL))),
           text(co4_inbox_remove(mb, NULL, 0, NULL)), text(co4_inbox_set_capacity(mb, 0)),
           text(co4_inbox_peek(mb, NULL)));

    co4_gen *g = co4_generate(in_generator(mb));
    co4_gen_next(g, &first);
    co4_gen_destroy(g);
    printf("in a generator: %s\n", text(first));
    co4_inbox_destroy(mb);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(urgent());
    co4_run(numbers());
    co4_run(inside());
    co4_run(sizes());
    co4_run(subscribers());
    co4_run(limits());
    outside();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
