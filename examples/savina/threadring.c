/* threadring.c - a token goes round a ring of tasks; the holder at the end says so.
 *
 *     threadring [TASKS [HOPS]]      503 and 1000000 when absent */
#include "savina.h"

static atomic_long last = -1;

static pausable int member(long me, co4_mailbox *in, co4_mailbox *out)
{
    for (long hops; co4_mailbox_receive(in, &hops) == CO4_OK;) {
        if (hops == 0)
            last = me;
        hops--;
        TRY(co4_mailbox_send(out, &hops)); /* below zero it sends all home: each gets one more */
        if (hops < 0)
            return CO4_OK;
    }
    return CO4_ECANCELED;
}

static pausable int ring(co4_mailbox **boxes)
{
    long n = 0;
    while (boxes[n])
        n++;
    for (long i = 0; i < n; i++)
        TRY(co4_scope_spawn(co4_scope_here(), member(i, boxes[i], boxes[(i + 1) % n])));
    return CO4_OK;
}

static pausable int all(co4_mailbox **boxes)
{
    return co4_scope_run(0, ring(boxes));
}

int main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 503, 1, 1000000);
    long hops = argument(argc, argv, 2, 1000000, 0, 100000000), rest;
    co4_mailbox **boxes = made(calloc((size_t)n + 1, sizeof *boxes));
    for (long i = 0; i < n; i++)
        boxes[i] = made(co4_mailbox_create(sizeof(long), 2));
    must(co4_mailbox_send_until(boxes[0], &hops, CO4_NOW), "put");
    ON_ALL_PROCESSORS(all(boxes));
    for (long i = 0; i < n; i++) {
        while (co4_mailbox_receive_until(boxes[i], &rest, CO4_NOW) == CO4_OK)
            ; /* messages that came after their owner had left */
        co4_mailbox_destroy(boxes[i]);
    }
    free(boxes);
    printf("after %ld hops task %ld has it\n", hops, last);
    return last != hops % n;
}
