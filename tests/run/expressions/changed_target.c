/* changed_target - the right side changes, before it returns, the index or the pointer of its own
 * target, and operands that are before it. co4 has evaluated these by then; C leaves it open.
 * modes: woven forced
 * expect: 5 0 | 6 0 | 0 9
 * expect: 0 7 8 | 3 4
 * expect: 11 3 | 1 20 2 | 12 */
#include <co4.h>
#include <stdio.h>

struct box {
    int x;
    struct box *next;
};

static int index_of;
static struct box boxes[2], *current = boxes;

static pausable int advance(int value)
{
    co4_yield();
    index_of++;
    current = &boxes[1];
    return value;
}

static pausable int bump(int *what, int value)
{
    co4_yield();
    ++*what;
    return value;
}

static pausable int move(struct box **what, int value)
{
    co4_yield();
    *what = (*what)->next;
    return value;
}

static int seen[3];

static int keep(int a, int b, int c)
{
    seen[0] = a, seen[1] = b, seen[2] = c;
    return a + b;
}

static pausable void work(void)
{
    int global[2] = { 0 }, local[2] = { 0 }, i = 0;
    global[index_of] = advance(5);
    boxes[0].x = 0;
    current = boxes;
    current->x = advance(6);
    local[i] += bump(&i, 0);
    local[i] = bump(&i, 9);
    printf("%d %d | %d %d | %d %d\n", global[0], global[1], boxes[0].x, boxes[1].x, local[0],
           local[1]);

    struct box third = { 0, NULL }, second = { 0, &third }, first = { 0, &second }, *p = &first;
    p = p->next;
    p->x = move(&p, 7);
    p->x = bump(&i, 8);
    int many[3] = { 0 }, *q = many;
    *q++ = bump(&i, 3);
    *q = bump(&i, 4);
    printf("%d %d %d | %d %d\n", first.x, second.x, third.x, many[0], many[1]);

    int x = 1;
    int sum = x + bump(&x, 10);
    printf("%d ", sum);
    printf("%d | ", x + 1);
    x = 1;
    int kept = keep(x++, bump(&x, 20), 2) - 9;
    printf("%d %d %d | %d\n", seen[0], seen[1], seen[2], kept);
}

int main(void)
{
    co4_run(work());
    return 0;
}
