/* or_block.c - a pausable_or_block function of the program: in tasks, in plain code, with CO4_NOW.
 * expect: plain now: there is no message
 * expect: task now: there is no message
 * expect: task 1 ms: the deadline has passed
 * expect: plain block: no error 7
 * expect: plain block 1 ms: the deadline has passed */
#include <co4.h>
#include <stdio.h>
struct queue {
    co4_mailbox *mb;
};
pausable_or_block int queue_take(struct queue *q, int *out, int64_t deadline);
pausable_or_block int queue_take(struct queue *q, int *out, int64_t deadline)
{
    return co4_mailbox_receive_until(q->mb, out, deadline);
}
static pausable int task(struct queue *q)
{
    int n = 0, err = queue_take(q, &n, CO4_NOW);
    printf("task now: %s\n", co4_strerror(err));
    err = queue_take(q, &n, co4_after(CO4_MS));
    printf("task 1 ms: %s\n", co4_strerror(err));
    return CO4_OK;
}
int main(void)
{
    struct queue q = { co4_mailbox_create(sizeof(int), 3) };
    int n = 7;
    printf("plain now: %s\n", co4_strerror(queue_take(&q, &n, CO4_NOW)));
    co4_run(task(&q));
    if (co4_mailbox_send_until(q.mb, &n, CO4_NOW))
        return 1;
    printf("plain block: %s %d\n", co4_strerror(co4_block(queue_take(&q, &n, CO4_NEVER))), n);
    printf("plain block 1 ms: %s\n",
           co4_strerror(co4_block(queue_take(&q, &n, co4_after(CO4_MS)))));
    co4_mailbox_destroy(q.mb);
    return 0;
}
