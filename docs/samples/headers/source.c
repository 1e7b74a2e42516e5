/* source.c - the lead example of co4/source.h.
 * modes: woven forced
 * expect: message 7
 * expect: done
 * expect: too late
 * expect: no message: closed, and nothing is left to take */
#include <co4.h>
#include <stdio.h>

static pausable void wait_once(co4_mailbox *in, co4_future *done)
{
    int message;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
                         CO4_CASE(co4_future_source(done), NULL) };
    switch (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, co4_now() + CO4_SEC)) {
    case 0:
        printf("message %d\n", message);
        break;
    case CO4_ENDED(0):
        printf("no message: %s\n", co4_strerror(cases[0].code));
        break;
    case 1:
        puts("done");
        break;
    case CO4_ETIMEDOUT:
        puts("too late");
        break;
    default: /* the future has failed, or the task was cancelled */
        puts("neither");
    }
}

int main(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 1);
    co4_future *done = co4_future_create(0), *never = co4_future_create(0);
    int message = 7;
    if (co4_mailbox_send_until(in, &message, CO4_NOW) != CO4_OK)
        return 1;
    co4_run(wait_once(in, done));
    co4_future_complete(done, NULL);
    co4_run(wait_once(in, done));
    co4_run(wait_once(in, never));
    co4_mailbox_close(in);
    co4_run(wait_once(in, never));
    co4_future_release(done);
    co4_future_release(never);
    return co4_mailbox_destroy(in);
}
