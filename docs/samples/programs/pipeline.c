/* pipeline - numbers are squared, the odd ones kept; after five the consumer stops all stages.
 * modes: woven forced
 * expect: 1
 * expect: 9
 * expect: 25
 * expect: 49
 * expect: 81
 * expect: pipeline: CO4_OK
 * expect: stage 0: CO4_ECANCELED
 * expect: stage 1: CO4_ECANCELED
 * expect: stage 2: CO4_ECANCELED */
#include <co4.h>
#include <stdbool.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

struct pipeline {
    int_mailbox numbers, squares, odd;
    int ended[3]; /* how each stage has ended */
    bool enough;
};

/* An endless source. */
static pausable int count(struct pipeline *p)
{
    int err = CO4_OK;
    for (int i = 1; err == CO4_OK; i++)
        err = co4_typed_send(p->numbers, &i);
    co4_typed_close(p->numbers);
    return p->ended[0] = err;
}

static pausable int square(struct pipeline *p)
{
    int n, err;
    while ((err = co4_typed_receive(p->numbers, &n)) == CO4_OK) {
        int square = n * n;
        if ((err = co4_typed_send(p->squares, &square)) != CO4_OK)
            break;
    }
    co4_typed_close(p->squares);
    return p->ended[1] = err;
}

static pausable int keep_odd(struct pipeline *p)
{
    int n, err;
    while ((err = co4_typed_receive(p->squares, &n)) == CO4_OK) {
        if (n % 2 == 0)
            continue;
        if ((err = co4_typed_send(p->odd, &n)) != CO4_OK)
            break;
    }
    co4_typed_close(p->odd);
    return p->ended[2] = err;
}

/* The body of the scope: starts the stages, and stops them after five values. */
static pausable int sink(struct pipeline *p)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, count(p));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, square(p));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, keep_odd(p));
    if (err != CO4_OK)
        return err;

    int value;
    for (int i = 0; i < 5; i++) {
        if ((err = co4_typed_receive(p->odd, &value)) != CO4_OK)
            return err;
        printf("%d\n", value);
    }
    p->enough = true;
    return co4_scope_cancel(scope, 0);
}

static pausable int run_pipeline(struct pipeline *p)
{
    int err = co4_scope_run(0, sink(p)); /* returns when all stages have ended */
    return err == CO4_ECANCELED && p->enough ? CO4_OK : err;
}

int main(void)
{
    struct pipeline p = { .numbers = co4_typed_create(int_mailbox, 2),
                          .squares = co4_typed_create(int_mailbox, 2),
                          .odd = co4_typed_create(int_mailbox, 2) };
    if (!p.numbers.mailbox || !p.squares.mailbox || !p.odd.mailbox)
        return 1;
    int err = co4_run(run_pipeline(&p));
    printf("pipeline: %s\n", co4_errname(err));
    for (int i = 0; i < 3; i++)
        printf("stage %d: %s\n", i, co4_errname(p.ended[i]));
    co4_typed_destroy(p.numbers);
    co4_typed_destroy(p.squares);
    co4_typed_destroy(p.odd);
    return err != CO4_OK;
}
