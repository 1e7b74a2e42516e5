/* tasks.c - three tasks that take turns; the last one then sleeps. */
#include <co4.h>
#include <stdio.h>

static int total;

pausable void count(int who, const char *name)
{
    char letters[4] = "ab\n";
    double sum = 0;
    for (int i = 1; i <= 3; i++) {
        sum += 0.5;
        co4_yield();
        sum = sum + 0.5 * (letters[0] != 'a');
    }
    if (who == 2)
        co4_sleep(100 * CO4_MS);
    total += (int)(2 * sum) * (name[0] == 't' && letters[1] == 'b');
}

pausable int all(void)
{
    co4_scope *scope = co4_scope_here();
    for (int i = 0; i < 3; i++)
        co4_scope_spawn(scope, count(i, "task"));
    return 0;
}

pausable_or_plain int main(void)
{
    co4_scope_run(0, all());
    printf("the sum is %d\n", total);
    return 3;
}
