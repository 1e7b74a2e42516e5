/* joined_tasks - tasks that are prepared, scheduled and joined.
 * expect: a stopped 0
 * expect: bbb stopped 0
 * expect: ccccc stopped 0 */
#include <co4.h>
#include <stdio.h>

static pausable void fill(char *text, char c, int count)
{
    for (int i = 0; i < count; i++) {
        text[i] = c;
        co4_yield();
    }
    text[count] = '\0';
}

static pausable void work(void)
{
    char texts[3][8];
    co4_task *tasks[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = co4_task_create(fill(texts[i], (char)('a' + i), 2 * i + 1));
        co4_runtime_schedule(NULL, tasks[i]);
    }
    for (int i = 0; i < 3; i++) {
        int error = co4_task_join(tasks[i]);
        printf("%s %s %d\n", texts[i], co4_task_state_name(co4_task_state_of(tasks[i])), error);
        co4_task_release(tasks[i]);
    }
}

int main(void)
{
    co4_run(work());
    return 0;
}
