/* timer.c - the lead example of co4/timer.h.
 * modes: woven forced
 * expect: the timer */
#include <co4.h>
#include <stdio.h>

static pausable void work(co4_mailbox *in)
{
    int message;
    co4_timer timer;
    co4_timer_init(&timer);
    co4_timer_start(&timer, co4_now() + 5 * CO4_MS);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
                         CO4_CASE(co4_timer_source(&timer), NULL) };
    switch (co4_select(cases, 2)) {
    case 0:
        printf("message %d\n", message);
        break;
    case 1:
        puts("the timer");
        break;
    default: /* the mailbox is closed, or the task was cancelled */
        puts("neither");
    }
    co4_timer_destroy(&timer);
}

int main(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 1);
    co4_run(work(in));
    return co4_mailbox_destroy(in);
}
