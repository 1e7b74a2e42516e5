/* assigned_operands - an operand is read before the rest of its expression assigns to it, as a
 * whole or in part.
 * modes: woven forced
 * flags: -Wno-sequence-point -Wno-unsequenced
 * expect: 25 19 30 */
#include <co4.h>
#include <stdio.h>

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

struct s {
    int x, y;
};

static pausable void operands(void)
{
    struct s s = { 2, 0 }, t = { 1, 3 };
    printf("%d ", s.x * 10 + next(s.x = 4));
    printf("%d ", (s.y = 1, t.x) * 10 + next(t.x = 8));
    printf("%d\n", t.y * 10 + (next((t = (struct s){ 5, 6 }).x) - t.y));
}

int main(void)
{
    co4_run(operands());
    return 0;
}
