/* Two readers of pipes, each in a task: plain C calls the library, and knows nothing of tasks. */
#include <co4.h>
#include <stdio.h>
#include <unistd.h>

int line_length(int fd);

static pausable void reader(int fd, int *length)
{
    *length = line_length(fd);
}

int main(void)
{
    int one[2], other[2], lengths[2] = { 0, 0 };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (rt == NULL || pipe(one) != 0 || pipe(other) != 0)
        return 1;
    co4_runtime_spawn(rt, reader(one[0], &lengths[0]));
    co4_runtime_spawn(rt, reader(other[0], &lengths[1]));
    co4_runtime_start(rt);
    if (write(other[1], "four\n", 5) != 5 || write(one[1], "seventh\n", 8) != 8)
        return 1;
    co4_runtime_join(rt);
    printf("%d %d\n", lengths[0], lengths[1]);
    return co4_runtime_destroy(rt);
}
