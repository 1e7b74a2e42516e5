/* assign_to_changed - the right side changes, before it returns, values beside the target.
 * expect: 5 2 0 5 7 16 */
#include <co4.h>
#include <stdio.h>

static struct box {
    int x, y;
} box, *current = &box;
static int array[4];

static pausable int change(int n)
{
    co4_yield();
    box.y = n * 2;
    array[3] += n;
    return n;
}

static pausable void work(void)
{
    struct box *p = current;
    int i = 1;
    p->x = change(4);
    array[i] = change(5);
    array[i + 1] = i + change(6);
    current->x += change(1);
    printf("%d %d %d %d %d %d\n", box.x, box.y, array[0], array[1], array[2], array[3]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
