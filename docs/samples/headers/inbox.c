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
    int sent = 0;
    for (int msg = 1; msg <= 4; msg++) {
        co4_inbox_wait_at at;
        co4_source *send = msg == 3 ? co4_inbox_sending_urgent(&at, in, &(int){ 9 })
                                    : co4_inbox_sending(&at, in, &msg);
        int err = co4_await_until(send, NULL, CO4_NOW);
        sent += err == CO4_OK;
        if (err == CO4_EEMPTY)
            printf("%d there is no room\n", sent);
    }
    co4_run(work(in));
    return co4_inbox_destroy(in);
}
