/* stream_ends - streams over channels and other sources: the task at the other end learns that a
 * stream has been closed, and a stream whose task is cancelled goes on afterwards.
 * modes: woven forced
 * expect: received 1 2 3, producer: closed, and nothing is left to take after 4
 * expect: until it was closed: sum 15
 * expect: through two channels: 10 20 30 40, sender no error
 * expect: the receiver closed: closed, and nothing is left to take, stopped 1
 * expect: cancelled: the task was cancelled, then 7
 * expect: in a generator: not possible in this state
 * expect: given up: producer closed, and nothing is left to take
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

static int sent, code;

static pausable void produce(co4_mailbox *ch, int n)
{
    for (int i = 1; i <= n && (code = co4_mailbox_send(ch, &i)) == CO4_OK; i++)
        sent = i;
    if (code == CO4_OK)
        co4_mailbox_close(ch);
}

static pausable int times(void *arg, const void *value, void *out)
{
    co4_yield();
    *(int *)out = *(const int *)value * *(int *)arg;
    return CO4_OK;
}

static pausable int add(void *arg, const void *value)
{
    *(int *)arg += *(const int *)value;
    return CO4_OK;
}

static pausable void pump(co4_stream *s, co4_mailbox *to, int *err)
{
    *err = co4_stream_send(s, to);
    co4_mailbox_close(to);
}

static pausable void get_one(co4_stream *s, int *err, int *out)
{
    *err = co4_stream_next(s, out);
}

static pausable int in_generator(co4_stream *s)
{
    int err = co4_stream_next(s, NULL);
    co4_gen_yield(&err);
    return 0;
}

static void stopped(void *arg)
{
    ++*(int *)arg;
}

static pausable void all(void)
{
    co4_mailbox *ch = co4_mailbox_create(sizeof(int), 0);
    int v = 0, err = 1, ten = 10, stops = 0;
    co4_task *t = co4_task_create(produce(ch, 100));
    co4_runtime_schedule(NULL, t);
    co4_stream *s = co4_stream_of_mailbox(ch);
    printf("received");
    for (int i = 0; i < 3 && co4_stream_next(s, &v) == CO4_OK; i++)
        printf(" %d", v);
    co4_stream_destroy(s);
    co4_task_join(t);
    co4_task_release(t);
    printf(", producer: %s after %d\n", text(code), sent + 1);
    co4_mailbox_destroy(ch);

    ch = co4_mailbox_create(sizeof(int), 2);
    co4_spawn(produce(ch, 5));
    s = co4_stream_of_mailbox(ch);
    v = 0;
    co4_stream_each(s, add, &v);
    printf("until it was closed: sum %d\n", v);
    co4_stream_destroy(s);
    co4_mailbox_destroy(ch);

    ch = co4_mailbox_create(sizeof(int), 1);
    co4_mailbox *to = co4_mailbox_create(sizeof(int), 1);
    co4_spawn(produce(ch, 4));
    s = co4_stream_map(co4_stream_of_mailbox(ch), sizeof(int), times, &ten);
    co4_spawn(pump(s, to, &err));
    printf("through two channels:");
    while (co4_mailbox_receive(to, &v) == CO4_OK)
        printf(" %d", v);
    printf(", sender %s\n", text(err));
    co4_stream_destroy(s);
    co4_mailbox_destroy(ch);

    ch = co4_mailbox_create(sizeof(int), 3);
    for (v = 0; v < 3; v++)
        must(co4_mailbox_send_until(ch, &v, CO4_NOW));
    s = co4_stream_of_source(co4_mailbox_source(ch), stopped, &stops);
    err = co4_stream_send(s, to); /* it has been closed */
    printf("the receiver closed: %s, stopped %d\n", text(err), stops);
    co4_stream_destroy(s);
    co4_mailbox_destroy(ch);
    co4_mailbox_destroy(to);

    ch = co4_mailbox_create(sizeof(int), 1);
    s = co4_stream_of_mailbox(ch);
    t = co4_task_create(get_one(s, &err, &v));
    co4_runtime_schedule(NULL, t);
    co4_yield();
    co4_yield();
    co4_yield();
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    v = 7;
    co4_mailbox_send(ch, &v);
    v = 0;
    co4_stream_next(s, &v);
    printf("cancelled: %s, then %d\n", text(err), v);

    co4_gen *g = co4_generate(in_generator(s));
    co4_gen_next(g, &err);
    co4_gen_destroy(g);
    printf("in a generator: %s\n", text(err));

    t = co4_task_create(produce(ch, 5));
    co4_runtime_schedule(NULL, t);
    co4_stream_next(s, &v);
    co4_stream_destroy(co4_stream_take(s, 0)); /* takes it over, and closes it */
    co4_task_join(t);
    co4_task_release(t);
    printf("given up: producer %s\n", text(code));
    co4_mailbox_destroy(ch);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(all());
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
