/* typeof_names - in the operand of a typeof a word may be a tag, a member or a variable, whatever
 * a pinned variable of that name is called in woven code.
 * flags: -std=gnu11
 * expect: tags: 7 8 9 4
 * expect: members: 5 6
 * expect: compared: 1 0 */
#include <co4.h>
#include <stdio.h>

struct job {
    int number, job;
};
union both {
    int both;
    char c;
};
enum kind { ONE = 4 };

static pausable int passes(int n)
{
    co4_yield();
    return n;
}

static pausable void tags(void)
{
    struct job job = { .number = 7 };
    struct job *kept = &job; /* pins it */
    union both both = { .both = 8 };
    union both *also = &both;
    enum kind kind = ONE;
    enum kind *third = &kind;
    __typeof__((struct job){ .number = 1 }) a = { .number = passes(kept->number) };
    __typeof__(*(&(union both){ .both = 1 })) b = { .both = passes(also->both) };
    __typeof__(*(struct job *)&job) c = { .number = passes(9) };
    __typeof__((enum kind)kind) d = *third;
    printf("tags: %d %d %d %d\n", a.number, b.both, c.number, (int)d);
}

static pausable void members(void)
{
    struct job job = { 5, 6 }, *at = &job;
    __typeof__(at->job) one = passes(job.number);
    __typeof__(job.job) two = passes(at->job);
    printf("members: %d %d\n", one, two);
}

static pausable void compared(void)
{
    int small = 1, large = 2, *s = &small, *l = &large;
    __typeof__(large > small) more = large > passes(*s);
    __typeof__(large - small) less = *l - passes(2);
    printf("compared: %d %d\n", more, less);
}

int main(void)
{
    co4_run(tags());
    co4_run(members());
    co4_run(compared());
    return 0;
}
