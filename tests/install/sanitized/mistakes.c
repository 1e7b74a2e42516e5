/* mistakes.c - one mistake in the use of memory, by number. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static int *kept;

static pausable int remember(int n)
{
    int local = n;
    kept = &local;
    co4_yield();
    return local;
}

static pausable int count(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&i);
    return n;
}

static pausable int lost(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int value;
    int err = co4_mailbox_receive(mb, &value); /* for ever */
    co4_mailbox_destroy(mb);
    return err;
}

static pausable int leave_future(void)
{
    co4_future *f = co4_async(remember(2));
    return f == NULL; /* not released */
}

int main(int argc, char **argv)
{
    int value = 1, mistake = argc > 1 ? atoi(argv[1]) : 0;
    switch (mistake) {
    case 1: { /* a mailbox is used after its end */
        co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
        co4_mailbox_destroy(mb);
        return co4_mailbox_send_until(mb, &value, CO4_NOW);
    }
    case 2: /* a local is used after its function's end */
        printf("%d\n", co4_run(remember(3)));
        return *kept == 4;
    case 3: { /* a generator is lost */
        co4_gen *g = co4_generate(count(3));
        co4_gen_next(g, &value);
        return value;
    }
    case 4: /* a future is lost */
        return co4_run(leave_future());
    case 5: { /* a task that never ran is lost */
        co4_task *t = co4_task_create(lost());
        return t == NULL;
    }
    default:
        return co4_run(remember(0));
    }
}
