/* forked_idle.c - the child of a process whose only runtime has never had a task knows that the
 * runtime's threads are the parent's.
 * needs: threads posix forks workers
 * modes: woven
 * expect: child: CO4_ESTATE CO4_ESTATE
 * expect: parent: CO4_OK CO4_OK */
#include <co4.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    int status = 1;
    if (co4_runtime_start(rt) != CO4_OK)
        return 1;
    pid_t child = fork();
    if (child != 0)
        waitpid(child, &status, 0);
    int joined = co4_runtime_join(rt), destroyed = co4_runtime_destroy(rt);
    printf("%s: %s %s\n", child == 0 ? "child" : "parent", co4_errname(joined),
           co4_errname(destroyed));
    fflush(stdout);
    if (child == 0)
        _exit(0); /* a leak check may find a lock of its allocator held by the parent's thread */
    return status;
}
