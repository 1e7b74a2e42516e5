/* broadcast - every subscriber gets every message, in one order: slow ones that make the sender
 * wait or lose their oldest; the four forms, select on both ends, leaving, closing, cancelling,
 * running out of memory.
 * modes: woven forced
 * expect: to all: 1 2 3, 1 2 3
 * expect: slow: sent 2, waits, after a receive 3
 * expect: dropping: 4 5, lost 3
 * expect: leaving lets the sender go: 1, left 1
 * expect: try: there is no room, there is no message; until: the deadline has passed, the deadline has passed
 * expect: select: case 1, then case 0 with 6
 * expect: a filter waits behind another message: 4, at the end closed, and nothing is left to take
 * expect: cancelled: the task was cancelled, nothing sent 0
 * expect: no memory: out of memory, 0 and 0; later no error
 * expect: in use: still in use, still in use, then no error
 * expect: closed: left 8, then closed, and nothing is left to take; send closed, and nothing is left to take; waiting closed, and nothing is left to take
 * expect: in a generator: not possible in this state
 * expect: wrong: an argument is not acceptable, an argument is not acceptable, none none none
 * expect: block: no error 5, the deadline has passed, the deadline has passed
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static const char *text(int code)
{
    return co4_strerror(code);
}

static co4_subscriber *join_in(co4_broadcast *b, int capacity)
{
    return co4_broadcast_subscribe(b, (size_t)capacity, CO4_BROADCAST_WAIT);
}

static int sent, code;

static pausable void send_up_to(co4_broadcast *b, int n)
{
    for (int i = 1; i <= n; i++) {
        code = co4_broadcast_send(b, &i);
        if (code != CO4_OK)
            return;
        sent = i;
    }
}

static pausable void hear(co4_subscriber *s, int n, int *sum)
{
    for (int v; n > 0 && co4_subscriber_receive(s, &v) == CO4_OK; n--)
        *sum = *sum * 10 + v;
}

static pausable void hear_end(co4_subscriber *s, int *err)
{
    *err = co4_subscriber_receive(s, NULL);
}

static void print_all(co4_subscriber *s, const char *end)
{
    int v;
    while (co4_subscriber_receive_until(s, &v, CO4_NOW) == CO4_OK)
        printf(" %d", v);
    printf("%s", end);
}

static pausable void let_run(void)
{
    for (int i = 0; i < 10; i++)
        co4_yield();
}

static int is_even(void *arg, const void *value)
{
    (void)arg;
    return *(const int *)value % 2 == 0;
}

static pausable void hear_even(co4_subscriber *s, int *out, int *err)
{
    co4_filtering even;
    co4_source *source = co4_source_filter(&even, co4_subscriber_source(s), is_even, NULL);
    *err = co4_await(source, out);
    if (*err == CO4_OK)
        *err = co4_await(source, NULL);
}

static pausable void filters(void)
{
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = join_in(b, 9);
    int got = 0, err = 0, v = 1;
    co4_task *t = co4_task_create(hear_even(s, &got, &err));
    co4_runtime_schedule(NULL, t);
    for (; v <= 5; v += v == 1 ? 3 : 1) /* 1 4 5 */
        co4_broadcast_send(b, &v);
    let_run();
    co4_subscriber_receive(s, &v);
    let_run();
    co4_broadcast_close(b);
    co4_subscriber_receive(s, &v);
    co4_task_join(t);
    co4_task_release(t);
    printf("a filter waits behind another message: %d, at the end %s\n", got, text(err));
    co4_subscriber_destroy(s);
    co4_broadcast_destroy(b);
}

static pausable void all(co4_broadcast *b)
{
    co4_subscriber *one = join_in(b, 3), *two = join_in(b, 3);
    int v, err;
    co4_spawn(send_up_to(b, 3));
    let_run();
    printf("to all:");
    print_all(one, ",");
    print_all(two, "\n");
    co4_subscriber_destroy(two);
    co4_subscriber_destroy(one);

    one = join_in(b, 2);
    two = join_in(b, 9);
    sent = 0;
    co4_spawn(send_up_to(b, 3));
    let_run();
    printf("slow: sent %d, waits", sent);
    co4_subscriber_receive(one, &v);
    let_run();
    printf(", after a receive %d\n", sent);
    co4_subscriber_destroy(one);
    co4_subscriber_destroy(two);

    one = co4_broadcast_subscribe(b, 2, CO4_BROADCAST_DROP_OLDEST);
    co4_spawn(send_up_to(b, 5));
    let_run();
    printf("dropping:");
    print_all(one, ",");
    printf(" lost %llu\n", co4_subscriber_dropped(one));
    co4_subscriber_destroy(one);

    one = join_in(b, 1);
    two = join_in(b, 2);
    v = 0;
    co4_broadcast_send(b, &v);
    sent = 0;
    co4_spawn(send_up_to(b, 1));
    let_run();
    co4_subscriber_destroy(one);
    let_run();
    printf("leaving lets the sender go: %d, left %zu\n", sent, co4_broadcast_subscribers(b));

    err = co4_broadcast_send_until(b, &v, CO4_NOW);
    int late = co4_broadcast_send_until(b, &v, co4_now() + CO4_MS);
    while (co4_subscriber_receive_until(two, &v, CO4_NOW) == CO4_OK)
        ;
    printf("try: %s, %s; until: %s, %s\n", text(err),
           text(co4_subscriber_receive_until(two, &v, CO4_NOW)), text(late),
           text(co4_subscriber_receive_until(two, &v, co4_now() + CO4_MS)));

    int six = 6;
    co4_broadcasting sending;
    co4_case cases[] = { CO4_CASE(co4_subscriber_source(two), &v),
                         CO4_CASE(co4_broadcast_sending(&sending, b, &six), NULL) };
    int first = co4_select(cases, 2), second = co4_select(cases, 1);
    printf("select: case %d, then case %d with %d\n", first, second, v);

    filters();

    co4_broadcast_send(b, &v);
    co4_broadcast_send(b, &v);
    sent = 0;
    co4_task *t = co4_task_create(send_up_to(b, 1));
    co4_runtime_schedule(NULL, t);
    let_run();
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("cancelled: %s, nothing sent %d\n", text(code), sent);
    co4_subscriber_destroy(two);

    one = join_in(b, 4);
    two = join_in(b, 4);
    co4_test_fail_alloc(2); /* the first is for one queue, the next for the other */
    err = co4_broadcast_send_until(b, &v, CO4_NOW);
    co4_test_fail_alloc(0);
    printf("no memory: %s, %zu and %zu; later %s\n", text(err), co4_subscriber_len(one),
           co4_subscriber_len(two), text(co4_broadcast_send(b, &v)));
    co4_subscriber_destroy(one);
    co4_subscriber_destroy(two);
}

static pausable void closing(co4_broadcast *b)
{
    co4_subscriber *one = join_in(b, 1), *two = join_in(b, 1);
    int v = 8, ended = 0, sum = 0;
    co4_task *t = co4_task_create(hear(two, 2, &sum));
    co4_runtime_schedule(NULL, t);
    let_run();
    int busy = co4_subscriber_destroy(two);
    printf("in use: %s, %s", text(busy), text(co4_broadcast_destroy(b)));
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf(", then %s\n", text(co4_subscriber_destroy(two)));

    two = join_in(b, 9);
    co4_broadcast_send(b, &v);
    co4_subscriber_receive(two, NULL);
    co4_spawn(send_up_to(b, 1));
    t = co4_task_create(hear_end(two, &ended));
    co4_runtime_schedule(NULL, t);
    let_run();
    co4_broadcast_close(b);
    co4_task_join(t);
    co4_task_release(t);
    v = 0;
    co4_subscriber_receive(one, &v);
    printf("closed: left %d, then %s; send %s; waiting %s\n", v,
           text(co4_subscriber_receive(one, &v)), text(code), text(ended));
    co4_subscriber_destroy(one);
    co4_subscriber_destroy(two);
}

static pausable int in_generator(co4_subscriber *s)
{
    int err = co4_subscriber_receive(s, NULL);
    co4_gen_yield(&err);
    return 0;
}

static void on_threads(void)
{
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = join_in(b, 1);
    int v = 5, err, full, empty;
    co4_gen *g = co4_generate(in_generator(s));
    co4_gen_next(g, &err);
    co4_gen_destroy(g);
    printf("in a generator: %s\n", text(err));
    printf("wrong: %s, %s, %s %s %s\n", text(co4_broadcast_send_until(b, NULL, CO4_NOW)),
           text(co4_subscriber_receive_until(NULL, &v, CO4_NOW)),
           co4_broadcast_create(0) ? "one" : "none",
           co4_broadcast_subscribe(b, 0, 0) ? "one" : "none",
           co4_broadcast_subscribe(b, 1, 7) ? "one" : "none");
    co4_block(co4_broadcast_send(b, &v));
    full = co4_block(co4_broadcast_send_until(b, &v, co4_now() + CO4_MS));
    v = 0;
    err = co4_block(co4_subscriber_receive(s, &v));
    empty = co4_block(co4_subscriber_receive_until(s, &v, co4_now() + CO4_MS));
    printf("block: %s %d, %s, %s\n", text(err), v, text(full), text(empty));
    co4_subscriber_destroy(s);
    co4_broadcast_destroy(b);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_run(all(b));
    co4_run(closing(b));
    co4_broadcast_destroy(b);
    on_threads();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
