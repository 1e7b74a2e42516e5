/* select_looks.c - a select that finds a case ready takes it, and adds no listener anywhere; it is
 * an operation all the same.
 * modes: woven forced
 * expect: a message: 1000 taken, looked at the other, added 0
 * expect: a place: CO4_OK, added 0
 * expect: closed: CO4_ECLOSED, added 0
 * expect: thrown away: CO4_OK, 1 left, added 0
 * expect: nothing ready: 0, added 1, dropped 1
 * expect: the second has another size: CO4_EINVAL, and the message is still there
 * expect: the other task had its turn */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* A source that has nothing until it is told otherwise. */
static struct never {
    co4_source source;
    int polls, adds, drops;
    co4_listener *waits;
} never;

static int never_poll(co4_source *source, co4_listener *listener)
{
    (void)source, (void)listener;
    never.polls++;
    return 0;
}

static int never_add(co4_source *source, co4_listener *listener)
{
    (void)source;
    never.adds++;
    never.waits = listener;
    return 0;
}

static void never_drop(co4_source *source, co4_listener *listener)
{
    (void)source, (void)listener;
    never.drops++;
}

static const co4_source_ops never_ops = { never_poll, never_add, never_drop, NULL };

static pausable void end_the_wait(void)
{
    while (!never.waits)
        co4_yield();
    if (co4_listener_offer(never.waits, CO4_OK, NULL))
        never.waits->ops->wake(never.waits);
}

static int over;

static pausable void set_over(void)
{
    over = 1;
}

static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void work(void)
{
    int x = 0, y = 7, taken = 0;
    char small = 0;
    co4_sending sending;
    co4_mailbox *mb = co4_mailbox_create(sizeof x, 2);
    co4_case cases[] = { CO4_CASE(&never.source, NULL), CO4_CASE(co4_mailbox_source(mb), &x) };

    for (int i = 0; i < 1000; i++) {
        must(co4_mailbox_send_until(mb, &i, CO4_NOW));
        taken += co4_select(cases, 2) == 1 && x == i && cases[1].code == CO4_OK;
    }
    printf("a message: %d taken, %s the other, added %d\n", taken,
           never.polls > 0 && never.polls < 1000 ? "looked at" : "did not always look at",
           never.adds);

    cases[1] = (co4_case)CO4_CASE(co4_mailbox_sending(&sending, mb, &y), NULL);
    printf("a place: %s", co4_select(cases, 2) == 1 ? co4_errname(cases[1].code) : "none");
    printf(", added %d\n", never.adds);

    must(co4_mailbox_receive_until(mb, &x, CO4_NOW));
    co4_mailbox_close(mb);
    cases[1] = (co4_case)CO4_CASE(co4_mailbox_source(mb), &x);
    printf("closed: %s",
           co4_select(cases, 2) == CO4_ENDED(1) ? co4_errname(cases[1].code) : "none");
    printf(", added %d\n", never.adds);
    co4_mailbox_destroy(mb);

    mb = co4_mailbox_create(sizeof x, 2);
    must(co4_mailbox_send_until(mb, &y, CO4_NOW));
    must(co4_mailbox_send_until(mb, &y, CO4_NOW));
    cases[1] = (co4_case)CO4_CASE(co4_mailbox_source(mb), NULL);
    printf("thrown away: %s", co4_select(cases, 2) == 1 ? co4_errname(cases[1].code) : "none");
    printf(", %zu left, added %d\n", co4_mailbox_len(mb), never.adds);

    must(co4_mailbox_receive_until(mb, &x, CO4_NOW));
    co4_spawn(end_the_wait());
    printf("nothing ready: %d", co4_select(cases, 2));
    printf(", added %d, dropped %d\n", never.adds, never.drops);

    must(co4_mailbox_send_until(mb, &y, CO4_NOW));
    co4_case sizes[] = { CO4_CASE(co4_mailbox_source(mb), &x),
                         CO4_CASE(co4_mailbox_source(mb), &small) };
    printf("the second has another size: %s",
           co4_errname(co4_select_until(sizes, 2, CO4_SELECT_IN_ORDER, CO4_NEVER)));
    printf(", and the message is %s\n", co4_mailbox_len(mb) == 1 ? "still there" : "gone");

    co4_spawn(set_over());
    while (!over) {
        must(co4_select(sizes, 1));
        must(co4_mailbox_send_until(mb, &y, CO4_NOW));
    }
    puts("the other task had its turn");
    must(co4_mailbox_receive_until(mb, &x, CO4_NOW));
    co4_mailbox_destroy(mb);
}

int main(void)
{
    never.source.ops = &never_ops;
    co4_run(work());
    return 0;
}
