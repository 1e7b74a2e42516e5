/* vector_elements.c - an element of a vector is stored where the vector is, whatever leads there.
 * expect: 5 42 9
 * expect: 1 24 3 5
 * expect: 42 | 1 2 77 4
 * expect: 0 0 3 0 | 13 20 7 9
 * expect: 8 8 | 21 -6
 * expect: 3 | 30 2 | 5 1 */
#include <co4.h>
#include <stdio.h>

typedef int four __attribute__((vector_size(16)));

struct box {
    four one;
    four all[2];
};

static four global;
static _Thread_local four of_thread;

static pausable int later(int x)
{
    co4_yield();
    return x;
}

static pausable void through_pointers(four *p, struct box *box, struct box boxes[2])
{
    int n = (*p)[3] = later(5);
    p[0][1] += later(7) * 3 + 1;
    global[later(0)] = 42;
    boxes[later(1)].one[later(2)] = later(9);
    printf("%d %d %d\n", n, global[0], boxes[1].one[2]);
    printf("%d %d %d %d\n", (*p)[0], (*p)[1], (*p)[2], (*p)[3]);

    box->one[2] = later(77);
    printf("%d | %d %d %d %d\n", global[later(0)], box->one[0], box->one[1], box->one[2],
           (*box).one[3]);
    box->all[later(1)][later(2)] = later(3);
    box->all[0][0] += later(13);
    box->all[later(0)][1] -= later(-20);
    box->all[0][1] += box->all[0][0] / later(13);
    (box->all[0])[later(2)] = (*box).all[later(0)][3] = later(7);
    box->all[later(0)][3] += 2;
    printf("%d %d %d %d | %d %d %d %d\n", box->all[1][0], box->all[1][1], box->all[1][2],
           box->all[1][3], box->all[0][0], box->all[0][1] - 1, box->all[0][2], box->all[0][3]);
}

/* The value of an expression whose operand is such an element. */
static pausable void counted(four *p)
{
    int before = (*p)[later(0)]++, after = ++p[later(0)][later(1)];
    printf("%d %d | ", before, after);
    (*p)[later(1)]--;
    p[0][2] = -(*p)[later(2)];
    (*p)[later(0)] += later(1);
    (*p)[later(0)] <<= later(1) != 0;
    printf("%d %d\n", (*p)[0] + (*p)[1] - 6, (*p)[2]);
}

/* Another task stores into the same vector during the pause. */
static pausable void other(four *p)
{
    (*p)[1] = later(2);
}

static pausable void shared(void)
{
    four local = { 30 };
    four *where = &local; /* the local itself has one address */
    co4_task *task = co4_spawn(other(where));
    local[2] = later(3);
    co4_task_join(task);
    co4_task_release(task);
    int pair = local[1];
    int index = 0;
    of_thread[later(1)] = later(1);
    local[index + 3] = later(5);
    printf("%d | %d %d | %d %d\n", local[2], local[0], pair, local[3], of_thread[1]);
}

static pausable int all(void)
{
    four vector = { 1, 2, 3, 4 };
    struct box box = { .one = vector }, boxes[2] = { box, box };
    through_pointers(&vector, &box, boxes);
    four numbers = { 8, 7, 6, 5 };
    counted(&numbers);
    shared();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
