/* message_sizes - a message of another size than the mailbox's is refused by every function that
 * copies one, and nothing beside it is touched.
 * modes: woven forced
 * expect: mailbox: 16 refused
 * expect: broadcast: 12 refused
 * expect: future, stream: 11 refused
 * expect: sources: 12 refused
 * expect: actor: 10 refused
 * expect: neighbours untouched, nothing came
 * expect: of the right size, also by hand: 7 7 7
 * expect: a NULL throws a value away: no error */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int refused, accepted;

static void no(int code)
{
    if (code == CO4_EINVAL)
        refused++;
    else
        accepted++;
}

static int counted(void)
{
    int n = accepted ? -accepted : refused;
    refused = 0;
    return n;
}

struct around {
    int before;
    char c;
    char after[7];
};

static struct around small = { 1, 'c', "beside" };
static long long large = 7;

static pausable void at_mailbox(co4_mailbox *mb)
{
    co4_sending sending;
    size_t got;
    int64_t soon = co4_now() + 10 * CO4_SEC;
    no(co4_mailbox_send(mb, &small.c));
    no(co4_mailbox_send(mb, &large));
    no(co4_mailbox_send_until(mb, &small.c, CO4_NOW));
    no(co4_mailbox_send_until(mb, &large, soon));
    no(co4_await(co4_mailbox_sending(&sending, mb, &large), NULL));
    int n = 5;
    must(co4_mailbox_send(mb, &n));
    no(co4_mailbox_receive(mb, &small.c));
    no(co4_mailbox_receive(mb, &large));
    no(co4_mailbox_receive_until(mb, &small.c, CO4_NOW));
    no(co4_mailbox_receive_until(mb, &small.c, soon));
    no(co4_mailbox_receive_many(mb, &small.c, 1, &got));
    no(co4_mailbox_receive_many_until(mb, &small.c, 1, &got, CO4_NOW));
    void *untyped = &n;
    no(co4_mailbox_send(mb, untyped)); /* a void * says no size */
}

static void threads_at_mailbox(co4_mailbox *mb)
{
    no(co4_block(co4_mailbox_send(mb, &large)));
    no(co4_block(co4_mailbox_send_until(mb, &large, CO4_NEVER)));
    no(co4_block(co4_mailbox_receive(mb, &small.c)));
    no(co4_block(co4_mailbox_receive_until(mb, &small.c, CO4_NEVER)));
}

static pausable void at_broadcast(co4_broadcast *b, co4_subscriber *s)
{
    co4_broadcasting sending;
    int n = 5;
    no(co4_broadcast_send(b, &small.c));
    no(co4_broadcast_send_until(b, &large, CO4_NEVER));
    no(co4_broadcast_send_until(b, &large, CO4_NOW));
    no(co4_await(co4_broadcast_sending(&sending, b, &large), NULL));
    must(co4_broadcast_send(b, &n));
    no(co4_subscriber_receive(s, &small.c));
    no(co4_subscriber_receive_until(s, &large, CO4_NEVER));
    no(co4_subscriber_receive_until(s, &small.c, CO4_NOW));
}

static void threads_at_broadcast(co4_broadcast *b, co4_subscriber *s)
{
    no(co4_block(co4_broadcast_send(b, &small.c)));
    no(co4_block(co4_broadcast_send_until(b, &small.c, CO4_NEVER)));
    no(co4_block(co4_subscriber_receive(s, &small.c)));
    no(co4_block(co4_subscriber_receive_until(s, &large, CO4_NEVER)));
    no(co4_block(co4_await(co4_subscriber_source(s), &small.c)));
}

static pausable void numbers(void)
{
    int n = 5;
    co4_gen_yield(&n);
}

static pausable void at_future(co4_future *f)
{
    int n = 5;
    no(co4_future_complete(f, &small.c));
    no(co4_future_complete(f, &large));
    must(co4_future_complete(f, &n));
    no(co4_future_await(f, &small.c));
    no(co4_future_await_until(f, &large, CO4_NEVER));
    no(co4_future_await_until(f, &small.c, CO4_NOW));
    co4_stream *s = co4_stream_of_gen(co4_generate(numbers()), sizeof n);
    no(co4_stream_next(s, &small.c));
    no(co4_stream_next(s, &large));
    must(co4_stream_next(s, &n));
    co4_stream_destroy(s);
    co4_gen *g = co4_generate(numbers());
    no(co4_gen_next(g, &small.c));
    must(co4_gen_next(g, &n));
    no(co4_gen_send(g, &large));
    co4_gen_destroy(g);
}

static void threads_at_future(co4_future *f)
{
    no(co4_block(co4_future_await(f, &small.c)));
    no(co4_block(co4_future_await_until(f, &large, CO4_NEVER)));
}

static pausable void at_sources(co4_mailbox *mb, co4_mailbox *other)
{
    int n = 0;
    co4_sending sending;
    co4_source *messages = co4_mailbox_source(mb);
    no(co4_await(messages, &small.c));
    no(co4_await_until(messages, &large, CO4_NEVER));
    no(co4_await_until(messages, &small.c, CO4_NOW));
    co4_case one[] = { CO4_CASE(messages, &small.c) };
    no(co4_select(one, 1));
    no(co4_select_until(one, 1, 0, CO4_NEVER));
    no(co4_select_until(one, 1, 0, CO4_NOW));
    co4_case two[] = { CO4_CASE(co4_mailbox_source(other), &n), CO4_CASE(messages, &large) };
    no(co4_select(two, 2));
    co4_case by_hand[] = { { .source = messages, .out = &n } };
    no(co4_select(by_hand, 1));
    co4_case sends[] = { CO4_CASE(co4_mailbox_sending(&sending, other, &large), NULL) };
    no(co4_select(sends, 1));
    co4_case with_sends[] = { CO4_CASE(co4_mailbox_source(other), &n),
                              CO4_CASE(co4_mailbox_sending(&sending, other, &large), NULL) };
    no(co4_select(with_sends, 2));
}

static void threads_at_sources(co4_source *messages)
{
    no(co4_block(co4_await(messages, &small.c)));
    no(co4_block(co4_await_until(messages, &large, CO4_NEVER)));
}

struct question {
    int value;
    co4_reply reply;
};

static pausable int actor(co4_actor *self)
{
    struct question q;
    no(co4_actor_receive(self, &small.c));
    no(co4_actor_receive_until(self, &large, CO4_NEVER));
    no(co4_actor_receive_until(self, &small.c, CO4_NOW));
    must(co4_actor_receive(self, &q));
    no(co4_actor_reply(self, q.reply, &large));
    must(co4_actor_receive(self, &q));
    return co4_actor_reply(self, q.reply, &q.value);
}

/* In a task. */
static int send_large(co4_actor *a)
{
    return co4_block(co4_actor_send(a, &large)) == CO4_EDEADLK ? CO4_OK : CO4_EINVAL;
}

static pausable void at_actor(void)
{
    int n;
    struct question q = { .value = 7 };
    co4_actor *a = co4_actor_create(sizeof q, 1, 0);
    must(co4_actor_spawn(a, actor(a)));
    no(co4_actor_send(a, &small.c));
    no(co4_actor_send_until(a, &large, CO4_NEVER));
    no(co4_actor_send_until(a, &small.c, CO4_NOW));
    no(co4_actor_ask_until(a, &small, &q.reply, &n, CO4_NEVER));
    no(co4_actor_ask_until(a, &q, &q.reply, &n, CO4_NEVER)); /* the answer is large */
    must(co4_actor_ask_until(a, &q, &q.reply, &n, CO4_NEVER));
    no(send_large(a));
    must(co4_actor_join(a));
    co4_actor_release(a);
}

static pausable void right(co4_mailbox *mb)
{
    int n = 0, m = 7, k = 0;
    void *untyped = &k;
    must((co4_mailbox_send)(mb, &m, sizeof m));
    must(co4_mailbox_receive(mb, &n));
    must(co4_mailbox_send(mb, &(int){ 7 }));
    must((co4_mailbox_receive)(mb, untyped, sizeof k));
    must(co4_mailbox_send(mb, &m));
    co4_case one[] = { { .source = co4_mailbox_source(mb), .out = &m, .size = sizeof m } };
    must(co4_select(one, 1));
    printf("of the right size, also by hand: %d %d %d\n", n, k, m);
    must(co4_mailbox_send(mb, &m));
    printf("a NULL throws a value away: %s\n",
           co4_strerror(co4_await(co4_mailbox_source(mb), NULL)));
}

int main(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 3), *other = co4_mailbox_create(4, 1);
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = co4_broadcast_subscribe(b, 3, CO4_BROADCAST_WAIT);
    co4_future *f = co4_future_create(sizeof(int));
    int n;
    co4_run(at_mailbox(mb));
    threads_at_mailbox(mb);
    printf("mailbox: %d refused\n", counted());
    co4_run(at_broadcast(b, s));
    threads_at_broadcast(b, s);
    printf("broadcast: %d refused\n", counted());
    co4_run(at_future(f));
    threads_at_future(f);
    printf("future, stream: %d refused\n", counted());
    co4_run(at_sources(mb, other));
    threads_at_sources(co4_mailbox_source(mb));
    printf("sources: %d refused\n", counted());
    co4_run(at_actor());
    printf("actor: %d refused\n", counted());
    printf("neighbours %s, %s came\n",
           small.before == 1 && small.c == 'c' && small.after[0] == 'b' && large == 7
               ? "untouched"
               : "overwritten",
           co4_mailbox_len(mb) == 1 && co4_mailbox_len(other) == 0 ? "nothing" : "something");
    must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    co4_run(right(mb));
    co4_future_release(f);
    must(co4_subscriber_destroy(s));
    must(co4_broadcast_destroy(b));
    must(co4_mailbox_destroy(mb));
    return co4_mailbox_destroy(other);
}
