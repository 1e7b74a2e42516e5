/* spawner.c - a child that borrows its parent's stack: what calls vfork with more to come is left
 * plain, what calls it last is not.
 * plain: launch */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int next(int n)
{
    return n + 1;
}

static int launch(int code)
{
    int status = next(1);
    pid_t pid = vfork();
    if (pid == 0)
        _exit(code);
    waitpid(pid, &status, 0);
    return next(WEXITSTATUS(status));
}

static pid_t begin(int code)
{
    code = next(code);
    pid_t pid = vfork();
    if (pid == 0)
        _exit(code);
    return pid;
}

int main(void)
{
    int status = 0;
    printf("%d\n", launch(4));
    waitpid(begin(6), &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
