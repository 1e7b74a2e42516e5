/* awkward_names - locals, parameters and members named like parts of woven code.
 * expect: 148 6 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct frame {
    int head, point, result;
};

static pausable int frame(int head, int point)
{
    int result = wait_for(head), f = 1, t1 = 2, fiber = 3, caller = 4, func = 5;
    struct frame body = { head, point, result };
    int resumed = wait_for(point), self = 6, save = 7, leaf = 8, last = 9, pausing = 10;
    struct frame *at = &body;
    int *bytes = &result, values[2] = { 1, 2 }, reserved = 11;
    wait_for(0);
    result += at->head + at->point + at->result + *bytes + values[1];
    return result + f + t1 + fiber + caller + func + resumed + self + save + leaf + last + pausing +
           reserved;
}

static pausable int resume(int state)
{
    int resume = wait_for(state);
    co4_yield();
    return resume;
}

static pausable void work(void)
{
    int work = resume(1), memcpy = 2, _0 = 3;
    wait_for(0);
    printf("%d %d\n", frame(10, 20), work + memcpy + _0);
}

int main(void)
{
    co4_run(work());
    return 0;
}
