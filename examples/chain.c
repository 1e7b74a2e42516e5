/* chain.c - a message goes through a long chain of tasks, each of which waits for the one before
 * it.
 *
 *     chain [TASKS [MESSAGES]]      10000 and 10 when absent
 *
 * (Kilim's example: as many tasks as one likes, for they cost no thread.) */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int link(co4_mailbox *in, co4_mailbox *out)
{
    for (long n; co4_mailbox_receive(in, &n) == CO4_OK;) {
        n++;
        int err = co4_mailbox_send(out, &n);
        if (err != CO4_OK)
            return err;
    }
    return co4_mailbox_close(out);
}

struct chain {
    long tasks, messages, sum;
    co4_mailbox **boxes; /* tasks + 1 */
};

static pausable int live(struct chain *c)
{
    for (long i = 0; i < c->tasks; i++) {
        int err = co4_scope_spawn(co4_scope_here(), link(c->boxes[i], c->boxes[i + 1]));
        if (err != CO4_OK)
            return err; /* cancels those that have been started */
    }
    for (long i = 0, n; i < c->messages; i++) {
        n = i;
        int err = co4_mailbox_send(c->boxes[0], &n);
        if (err == CO4_OK)
            err = co4_mailbox_receive(c->boxes[c->tasks], &n);
        if (err != CO4_OK)
            return err; /* a link has failed: cancelled */
        c->sum += n;
    }
    return co4_mailbox_close(c->boxes[0]); /* and so on to the end */
}

int main(int argc, char **argv)
{
    struct chain c = { argc > 1 ? atol(argv[1]) : 10000, argc > 2 ? atol(argv[2]) : 10, 0, NULL };
    if (c.tasks < 1 || c.messages < 1) {
        fprintf(stderr, "usage: chain [TASKS [MESSAGES]]\n");
        return 2;
    }
    int err = CO4_OK;
    c.boxes = calloc((size_t)c.tasks + 1, sizeof *c.boxes);
    for (long i = 0; c.boxes && i <= c.tasks; i++)
        if (!(c.boxes[i] = co4_mailbox_create(sizeof(long), 1)))
            err = CO4_ENOMEM;
    if (!c.boxes)
        err = CO4_ENOMEM;
    if (err == CO4_OK)
        err = co4_run(co4_scope_run(0, live(&c)));
    if (err == CO4_OK)
        err = co4_run_error();
    for (long i = 0; c.boxes && i <= c.tasks; i++)
        co4_mailbox_destroy(c.boxes[i]);
    free(c.boxes);
    if (err != CO4_OK) {
        fprintf(stderr, "chain: %s\n", co4_strerror(err));
        return 1;
    }
    printf("%ld messages through %ld tasks: %ld\n", c.messages, c.tasks, c.sum);
    return c.sum != c.messages * c.tasks + c.messages * (c.messages - 1) / 2;
}
