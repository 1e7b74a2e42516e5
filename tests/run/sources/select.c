/* select - one case of several takes place, whether it was ready at once or had to be waited for;
 * the others have not.
 * modes: woven forced
 * expect: ready: 1, no error, 5
 * expect: waited: 0, no error, 6
 * expect: put chosen: 1, no error; then full: no room for get, try says there is no message
 * expect: put waited: 0, no error, box has 7 8
 * expect: closed: CO4_ENDED(1), closed, and nothing is left to take
 * expect: deadline: the deadline has passed
 * expect: nothing to wait for: an argument is not acceptable an argument is not acceptable an argument is not acceptable
 * expect: cancelled: the task was cancelled, the message is still there: 9
 * expect: await: no error 10, until the deadline has passed
 * expect: both took turns
 * expect: in order: 30 of the first
 * expect: left waiting: the mailbox is empty of waiters, no error 12 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void put_later(co4_mailbox *mb, int n)
{
    co4_sleep(CO4_MS);
    co4_mailbox_send(mb, &n);
}

static pausable void get_later(co4_mailbox *mb)
{
    int n;
    co4_sleep(CO4_MS);
    co4_mailbox_receive(mb, &n);
}

static pausable void either(co4_mailbox *a, co4_mailbox *b)
{
    int x = 0, y = 0;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(a), &x), CO4_CASE(co4_mailbox_source(b), &y) };
    int which = co4_select(cases, 2);
    printf("cancelled: %s", co4_strerror(which));
    cases[0].code = CO4_OK; /* the next one does not even begin */
    if (co4_select(cases, 2) != which || cases[0].code != CO4_EEMPTY || cases[1].code != CO4_EEMPTY)
        printf(", but a case has a code");
}

static pausable void work(void)
{
    int x = 0, y = 5;
    co4_mailbox *a = co4_mailbox_create(sizeof x, 2), *b = co4_mailbox_create(sizeof x, 2);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(a), &x), CO4_CASE(co4_mailbox_source(b), &y) };
    co4_mailbox_send(b, &(int){ 5 });
    int which = co4_select(cases, 2);
    printf("ready: %d, %s, %d\n", which, co4_strerror(cases[1].code), y);

    co4_spawn(put_later(a, 6));
    which = co4_select(cases, 2);
    printf("waited: %d, %s, %d\n", which, co4_strerror(cases[0].code), x);

    co4_sending putting;
    int seven = 7, eight = 8, nine = 9;
    co4_case get_or_put[] = { CO4_CASE(co4_mailbox_source(a), &x),
                              CO4_CASE(co4_mailbox_sending(&putting, b, &seven), NULL) };
    which = co4_select(get_or_put, 2);
    printf("put chosen: %d, %s; ", which, co4_strerror(get_or_put[1].code));
    co4_mailbox_send(b, &seven);
    co4_case put_only[] = { CO4_CASE(co4_mailbox_sending(&putting, b, &eight), NULL) };
    printf("then full: no room for get, try says %s\n",
           co4_strerror(co4_select_until(put_only, 1, 0, CO4_NOW)));

    co4_spawn(get_later(b));
    which = co4_select(put_only, 1);
    printf("put waited: %d, %s, box has", which, co4_strerror(put_only[0].code));
    while (co4_mailbox_receive_until(b, &y, CO4_NOW) == CO4_OK)
        printf(" %d", y);
    printf("\n");

    co4_mailbox_close(b);
    which = co4_select(cases, 2);
    printf("closed: CO4_ENDED(%d), %s\n", CO4_ENDED(which), co4_strerror(cases[1].code));
    printf("deadline: %s\n", co4_strerror(co4_select_until(cases, 1, 0, co4_now() + CO4_MS)));
    co4_case none = CO4_CASE(NULL, NULL);
    printf("nothing to wait for: %s %s %s\n", co4_strerror(co4_select(&none, 1)),
           co4_strerror(co4_select(cases, 0)), co4_strerror(co4_await(NULL, NULL)));
    co4_mailbox_destroy(b);
    b = co4_mailbox_create(sizeof x, 2);

    co4_task *t = co4_task_create(either(a, b));
    co4_runtime_schedule(NULL, t);
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    co4_task_cancel(t, 0);
    co4_mailbox_send(a, &nine);
    co4_task_join(t);
    co4_task_release(t);
    must(co4_mailbox_receive_until(a, &x, CO4_NOW));
    printf(", the message is still there: %d\n", x);

    co4_spawn(put_later(a, 10));
    int err = co4_await(co4_mailbox_source(a), &x);
    printf("await: %s %d, until %s\n", co4_strerror(err), x,
           co4_strerror(co4_await_until(co4_mailbox_source(a), &x, co4_now() + CO4_MS)));

    int chosen[2] = { 0, 0 };
    cases[1].source = co4_mailbox_source(b);
    for (int i = 0; i < 100; i++) {
        if (co4_mailbox_len(a) == 0)
            must(co4_mailbox_send_until(a, &i, CO4_NOW));
        if (co4_mailbox_len(b) == 0)
            must(co4_mailbox_send_until(b, &i, CO4_NOW));
        chosen[co4_select(cases, 2)]++;
    }
    if (chosen[0] >= 40 && chosen[1] >= 40)
        puts("both took turns");
    for (int i = chosen[0] = 0; i < 30; i++) {
        if (co4_mailbox_len(a) == 0)
            must(co4_mailbox_send_until(a, &i, CO4_NOW));
        chosen[0] += co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, CO4_NEVER) == 0;
    }
    printf("in order: %d of the first\n", chosen[0]);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

static pausable void leave_waiting(co4_mailbox *mb)
{
    co4_spawn(either(mb, mb));
    co4_yield();
    co4_yield();
}

int main(void)
{
    int n = 0;
    co4_run(work());
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_run(leave_waiting(mb));
    must(co4_mailbox_send_until(mb, &(int){ 12 }, CO4_NOW));
    int err = co4_mailbox_receive_until(mb, &n, CO4_NOW);
    printf("left waiting: the mailbox is %s, %s %d\n",
           co4_mailbox_destroy(mb) == CO4_OK ? "empty of waiters" : "in use", co4_strerror(err), n);
    return 0;
}
