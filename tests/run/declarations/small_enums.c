/* small_enums.c - enums of few values across suspension points, whose sizes bare ARM compilers
 * choose: alone, in structs, in arrays.
 * expect: 2 1 300 5 7 */
#include <co4.h>
#include <stdio.h>

enum tiny { NONE, ONE, TWO };
enum medium { LOW, HIGH = 300 };
struct both {
    enum tiny tiny;
    enum medium medium;
    char tail;
};

static pausable enum tiny next(enum tiny t)
{
    co4_yield();
    return t == NONE ? ONE : TWO;
}

static pausable int work(void)
{
    enum tiny first = next(NONE), all[3] = { first, next(first), NONE };
    struct both b = { next(NONE), HIGH, 5 }, *p = &b;
    enum tiny second = next(all[0]);
    co4_yield();
    printf("%d %d %d %d ", (int)second, (int)all[0], (int)p->medium, p->tail);
    return (int)p->tiny + (int)all[1] + (int)all[2] + (int)next(ONE) + (int)second;
}

int main(void)
{
    int sum = co4_run(work());
    printf("%d\n", sum);
    return 0;
}
