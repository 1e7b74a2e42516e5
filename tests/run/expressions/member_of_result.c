/* member_of_result - members of struct results, also nested, arrays in them, and through
 * pointers.
 * expect: 10 21 33 44 got 1 3 outer 7
 * expect: 77 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct inner {
    short x, y[3];
};
struct outer {
    int id;
    struct inner in;
    char name[6];
};

static struct outer one = { 1, { 2, { 3, 4, 5 } }, "outer" };

static pausable struct outer get(int id)
{
    struct outer o = { id, { id + 1, { id + 2, id + 3, id + 4 } }, "got" };
    co4_yield();
    return o;
}

static pausable struct outer *find(void)
{
    co4_yield();
    return &one;
}

static pausable void work(void)
{
    printf("%d ", get(10).id);
    printf("%d ", get(20).in.x);
    printf("%d ", get(30).in.y[1]);
    printf("%d ", get(40).in.y[wait_for(2)]);
    printf("%s ", get(1).name);
    printf("%d %d %s ", find()->id, find()->in.y[wait_for(0)], find()->name);
    printf("%d\n", (&find()->in)->x + (*find()).in.y[2]);
    find()->in.x = wait_for(77);
    find()->in.y[wait_for(1)]++;
    struct inner copy = find()->in;
    copy = wait_for(1) ? find()->in : copy;
    printf("%d %d\n", copy.x, copy.y[1]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
