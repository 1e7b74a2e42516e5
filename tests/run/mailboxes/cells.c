/* cells - a place for one message, in the four forms of put and get, as a source, and closed.
 * modes: woven forced
 * expect: pausing: 1 2 3, never two at once
 * expect: try: no error, there is no room, no error 7, there is no message
 * expect: until: the deadline has passed, the deadline has passed
 * expect: select: 9
 * expect: block: no error 5, the deadline has passed, the deadline has passed
 * expect: closed: what is left 4, then closed, and nothing is left to take
 * expect: not inside a generator: not possible in this state */
#include <co4.h>
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

static int crowded;

static pausable void producer(co4_mailbox *cell)
{
    for (int i = 1; i <= 3; i++) {
        co4_mailbox_send(cell, &i);
        if (co4_mailbox_len(cell) > 1)
            crowded = 1;
    }
}

static pausable int in_generator(co4_mailbox *cell)
{
    int v, err = co4_mailbox_receive(cell, &v);
    co4_gen_yield(&err);
    return 0;
}

static pausable void all(co4_mailbox *cell)
{
    int v;
    co4_spawn(producer(cell));
    printf("pausing:");
    for (int i = 0; i < 3; i++) {
        co4_mailbox_receive(cell, &v);
        printf(" %d%s", v, i < 2 ? "" : ", ");
    }
    puts(crowded ? "two at once" : "never two at once");

    v = 7;
    int put = co4_mailbox_send_until(cell, &v, CO4_NOW),
        full = co4_mailbox_send_until(cell, &v, CO4_NOW);
    int late = co4_mailbox_send_until(cell, &v, co4_now() + CO4_MS);
    v = 0;
    int got = co4_mailbox_receive_until(cell, &v, CO4_NOW),
        empty = co4_mailbox_receive_until(cell, &v, CO4_NOW);
    printf("try: %s, %s, %s %d, %s\n", text(put), text(full), text(got), v, text(empty));
    printf("until: %s, %s\n", text(late),
           text(co4_mailbox_receive_until(cell, &v, co4_now() + CO4_MS)));

    int nine = 9;
    co4_sending putting;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(cell), &v),
                         CO4_CASE(co4_mailbox_sending(&putting, cell, &nine), NULL) };
    co4_select(cases, 2); /* it is empty: only the put can be */
    co4_select(cases, 1);
    printf("select: %d\n", v);
}

int main(void)
{
    int v = 5, err;
    co4_mailbox *cell = co4_mailbox_create(sizeof v, 1);
    co4_run(all(cell));

    co4_block(co4_mailbox_send(cell, &v));
    err = co4_block(co4_mailbox_send_until(cell, &v, co4_now() + CO4_MS));
    v = 0;
    int got = co4_block(co4_mailbox_receive(cell, &v));
    printf("block: %s %d, %s, %s\n", text(got), v, text(err),
           text(co4_block(co4_mailbox_receive_until(cell, &v, co4_now() + CO4_MS))));

    v = 4;
    must(co4_mailbox_send_until(cell, &v, CO4_NOW));
    co4_mailbox_close(cell);
    v = 0;
    co4_block(co4_mailbox_receive(cell, &v));
    printf("closed: what is left %d, then %s\n", v, text(co4_block(co4_mailbox_receive(cell, &v))));

    co4_gen *g = co4_generate(in_generator(cell));
    co4_gen_next(g, &err);
    printf("not inside a generator: %s\n", text(err));
    co4_gen_destroy(g);
    return co4_mailbox_destroy(cell) != CO4_OK;
}
