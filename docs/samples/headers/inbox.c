/* inbox.c - the lead example of co4/inbox.h.
 * modes: woven forced
 * expect: 3 there is no room
 * expect: urgent 9, then 2 out of order, left 1 */
#include <co4.h>
#include <stdio.h>

static int is_two(void *arg, const void *msg)
{
    (void)arg;
    return *(const int *)msg == 2;
}

static pausable void work(co4_inbox *in)
{
    int first, two = 0;
    co4_inbox_receive(in, &first);
    co4_inbox_remove(in, is_two, NULL, &two);
    printf("urgent %d, then %d out of order, left %zu\n", first, two, co4_inbox_len(in));
}

int main(void)
{
    co4_inbox *in = co4_inbox_create(sizeof(int), 3);
    int sent = 0, msg = 1;
    sent += co4_inbox_send_until(in, &msg, CO4_NOW) == CO4_OK;
    msg = 2;
    sent += co4_inbox_send_until(in, &msg, CO4_NOW) == CO4_OK;
    sent += co4_inbox_send_urgent_until(in, &(int){ 9 }, CO4_NOW) == CO4_OK;
    co4_inbox_wait_at at;
    int err = co4_await_until(co4_inbox_sending(&at, in, &msg), NULL, CO4_NOW);
    if (err == CO4_EEMPTY)
        printf("%d there is no room\n", sent);
    co4_run(work(in));
    return co4_inbox_destroy(in);
}
