/* loops_in_statement_expressions.c - a statement expression with a loop or a switch in it, which no
 * jump leaves, is where no expression can be taken apart: in an index of offsetof.
 * expect: 3 5 6 7 8 ended 1
 * expect: 6 */
#include <co4.h>
#include <stddef.h>
#include <stdio.h>

struct row {
    char head, cells[9];
};

static int ended;

static void end(int *n)
{
    ended += *n;
}

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void loops(int n)
{
    __attribute__((cleanup(end))) int guard = wait_for(1);
    printf("%d ", (int)offsetof(struct row, cells[({
                                    int i;
                                    for (i = 0; i < 9; i++) {
                                        if (i < n)
                                            continue;
                                        break;
                                    }
                                    i;
                                })]));
    printf("%d ", (int)offsetof(struct row, cells[({
                                    int i = 0;
                                    while (1)
                                        if (i++ > n)
                                            break;
                                    i;
                                })]));
    printf("%d ", (int)offsetof(struct row, cells[({
                                    int i = 0;
                                    do
                                        if (++i > n + 2)
                                            break;
                                    while (i < 9);
                                    i;
                                })]));
    printf("%d ", (int)offsetof(struct row, cells[({
                                    int i = 0;
                                    switch (n) {
                                    case 2:
                                        i = 6;
                                        break;
                                    }
                                    i;
                                })]));
    printf("%d ", (int)offsetof(struct row, cells[({
                                    int i = 0;
                                    do
                                        switch (i) {
                                        case 0:
                                            continue;
                                        default:
                                            break;
                                        }
                                    while (i++ < 6);
                                    i;
                                })]));
    guard = wait_for(guard);
}

/* One that is left by a jump is taken apart. */
static pausable int left(int n)
{
    __attribute__((cleanup(end))) int guard = wait_for(1);
    int sum = 0;
    for (int i = 0;; i++)
        sum += ({
            if (i > n)
                break;
            int k;
            for (k = 0; k < i;)
                k++;
            k;
        });
    return wait_for(sum) + 0 * guard;
}

int main(void)
{
    co4_run(loops(2));
    printf("ended %d\n", ended);
    printf("%d\n", co4_run(left(3)));
    return 0;
}
