/* server.c - three servers answer requests side by side; docs/server.svg is a trace of it.
 * modes: woven forced
 * expect: 1 squared is 1
 * expect: 2 squared is 4
 * expect: 3 squared is 9 */
#include <co4.h>
#include <stdio.h>

struct request {
    int number;
    co4_future *answer;
};

pausable void server(co4_mailbox *requests)
{
    struct request r;
    while (co4_mailbox_receive(requests, &r) == CO4_OK) { /* pauses until a request comes */
        int square = r.number * r.number;
        co4_sleep(10 * r.number * CO4_MS); /* as I/O would: pauses the task, not its thread */
        co4_future_complete(r.answer, &square);
    }
}

pausable void client(co4_mailbox *requests)
{
    struct request r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = (struct request){ i + 1, co4_future_create(sizeof(int)) };
        co4_spawn(server(requests)); /* a new task */
        co4_mailbox_send(requests, &r[i]);
    }
    for (int i = 0, square; i < 3; i++) {
        co4_future_await(r[i].answer, &square); /* pauses until the answer comes */
        printf("%d squared is %d\n", r[i].number, square);
        co4_future_release(r[i].answer);
    }
    co4_mailbox_close(requests); /* ends the servers */
}

int main(void)
{
    co4_mailbox *requests = co4_mailbox_create(sizeof(struct request), 3);
    co4_run(client(requests)); /* runs all tasks on this thread */
    return co4_mailbox_destroy(requests);
}
