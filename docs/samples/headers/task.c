/* task.c - the lead example of co4/task.h.
 * modes: woven forced
 * expect: a line
 * expect: no error, 6 */
#include <co4.h>
#include <stdio.h>

static pausable void log_it(const char *line)
{
    co4_yield();
    puts(line);
}

static pausable int add_up(const int *list)
{
    int sum = 0;
    for (; *list; list++) {
        sum += *list;
        co4_yield();
    }
    return sum;
}

static pausable void work(const char *line, const int *list)
{
    co4_spawn(log_it(line));
    co4_task *t = co4_spawn(add_up(list));
    co4_yield();
    int total, err = co4_join(t, &total);
    printf("%s, %d\n", co4_strerror(err), total);
}

int main(void)
{
    co4_run(work("a line", (const int[]){ 1, 2, 3, 0 }));
    return 0;
}
