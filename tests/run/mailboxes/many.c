/* many - several messages at once.
 * modes: woven forced
 * expect: 3 of 3 there, then 2 of 2 that came later; with senders 1 2 3 4; none there is no message
 * expect: into no room an argument is not acceptable, in a generator not possible in this state */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void fill(co4_mailbox *mb, int from, int to)
{
    for (int i = from; i <= to; i++)
        must(co4_mailbox_send_until(mb, &i, CO4_NOW));
}

static pausable void put(co4_mailbox *mb, int v)
{
    co4_mailbox_send(mb, &v);
}

static pausable void let_run(void)
{
    for (int i = 0; i < 10; i++)
        co4_yield();
}

static pausable void put_two_later(co4_mailbox *mb)
{
    let_run();
    fill(mb, 4, 5);
}

static pausable void many(co4_mailbox *mb)
{
    int out[9];
    size_t got, later = 0, more;
    fill(mb, 1, 3);
    co4_mailbox_receive_many(mb, out, 9, &got);
    co4_spawn(put_two_later(mb));
    while (later < 2 && co4_mailbox_receive_many(mb, out + later, 9, &more) == CO4_OK)
        later += more;
    printf("%zu of 3 there, then %zu of 2 that came later; with senders", got, later);
    fill(mb, 1, 3);
    co4_spawn(put(mb, 4));
    let_run();
    must(co4_mailbox_receive_many_until(mb, out, 9, &got, CO4_NOW));
    for (size_t i = 0; i < got; i++)
        printf(" %d", out[i]);
    printf("; none %s\n", co4_strerror(co4_mailbox_receive_many_until(mb, out, 9, &got, CO4_NOW)));
}

static pausable int in_generator(co4_mailbox *mb)
{
    int v = 1;
    size_t got;
    int err = co4_mailbox_receive_many(mb, &v, 1, &got);
    co4_gen_yield(&err);
    return 0;
}

int main(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 3);
    int v, err = CO4_OK;
    size_t got;
    co4_run(many(mb));
    printf("into no room %s",
           co4_strerror(co4_mailbox_receive_many_until(mb, &v, 0, &got, CO4_NOW)));
    co4_gen *g = co4_generate(in_generator(mb));
    co4_gen_next(g, &err);
    co4_gen_destroy(g);
    printf(", in a generator %s\n", co4_strerror(err));
    must(co4_mailbox_destroy(mb));
    return 0;
}
