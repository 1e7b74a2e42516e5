/* source.c - the lead example of co4/source.h.
 * modes: woven forced
 * expect: message 7
 * expect: done
 * expect: too late */
#include <co4.h>
#include <stdio.h>

static pausable void wait_once(co4_mailbox *in, co4_future *done)
{
    int message;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
                         CO4_CASE(co4_future_source(done), NULL) };
    switch (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, co4_now() + CO4_SEC)) {
    case 0: /* when cases[0].code is CO4_OK */
        printf("message %d\n", message);
        break;
    case 1:
        puts("done");
        break;
    case CO4_ETIMEDOUT:
        puts("too late");
        break;
    }
}

int main(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 1);
    co4_future *done = co4_future_create(0), *never = co4_future_create(0);
    int message = 7;
    if (co4_mailbox_try_send(in, &message) != CO4_OK)
        return 1;
    co4_run(wait_once(in, done));
    co4_future_complete(done, NULL);
    co4_run(wait_once(in, done));
    co4_run(wait_once(in, never));
    co4_future_release(done);
    co4_future_release(never);
    return co4_mailbox_destroy(in);
}
