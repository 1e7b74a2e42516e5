/* select - requests until the order to stop, or the last one, with a sign of life in between.
 * modes: woven forced
 * expect: request 1
 * expect: request 2
 * expect: idle
 * expect: stopped
 * expect: no more requests */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

static pausable void serve(int_mailbox requests, co4_future *idle, co4_future *stop)
{
    for (;;) {
        int request;
        co4_case cases[] = { CO4_CASE_OF(requests, &request),
                             CO4_CASE(co4_future_source(stop), NULL) };
        switch (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, co4_now() + 5 * CO4_MS)) {
        case 0:
            printf("request %d\n", request);
            break;
        case CO4_ENDED(0): /* the mailbox is closed, and empty */
            puts("no more requests");
            return;
        case 1:
            puts("stopped");
            return;
        case CO4_ETIMEDOUT:
            if (co4_future_complete(idle, NULL) == CO4_OK) /* the first time */
                puts("idle");
            break;
        default: /* stop has failed, or this task was cancelled */
            return;
        }
    }
}

static pausable void work(void)
{
    int_mailbox requests = co4_typed_create(int_mailbox, CO4_MAILBOX_CAPACITY);
    co4_future *idle = co4_future_create(0), *stop = co4_future_create(0);
    co4_future *server = co4_async(serve(requests, idle, stop));
    for (int i = 1; i <= 2; i++)
        co4_typed_send(requests, &i);
    co4_future_await(idle, NULL);
    co4_future_complete(stop, NULL);
    co4_future_await(server, NULL);
    co4_future_release(server);
    co4_future_release(stop);

    stop = co4_future_create(0); /* another server, without a stop */
    co4_typed_close(requests);
    serve(requests, idle, stop);
    co4_future_release(idle);
    co4_future_release(stop);
    co4_typed_destroy(requests);
}

int main(void)
{
    co4_run(work());
    return 0;
}
