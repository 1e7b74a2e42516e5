/* server.c - a server answers three requests side by side; docs/server.svg is a trace of it.
 * modes: woven forced
 * expect: 1 squared is 1
 * expect: 2 squared is 4
 * expect: 3 squared is 9 */
#include <co4.h>
#include <stdio.h>

pausable void server(co4_mailbox *requests)
{
    int n;
    if (co4_mailbox_receive(requests, &n) != CO4_OK) /* pauses until a request comes */
        return;
    co4_spawn(server(requests)); /* the next request has a task of its own */
    co4_sleep(10 * n * CO4_MS);  /* as I/O would: pauses the task, not its thread */
    printf("%d squared is %d\n", n, n * n);
}

int main(void)
{
    co4_mailbox *requests = co4_mailbox_create(sizeof(int), 3);
    for (int n = 3; n > 0; n--)
        co4_mailbox_send_block(requests, &n); /* any thread may send */
    co4_mailbox_close(requests);
    co4_run(server(requests)); /* runs all tasks on this thread */
    return co4_mailbox_destroy(requests);
}
