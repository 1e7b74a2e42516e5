/* vfork.c - calls that return twice, into a frame that a pause has given up in between. */
#include <co4.h>
#include <unistd.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int launch(int n);
__attribute__((returns_twice)) int fork_of_ours(void);

pausable int launch(int n)
{
    if (vfork() == 0) /* error: 'vfork' returns twice into a C stack frame that the pauses of 'launch' release */ /* hint: plain function */
        _exit(n);
    return wait_for(n); /* note: it may pause here */
}

pausable int others(int n);

pausable int others(int n)
{
    if (fork_of_ours() == 0) /* error: 'fork_of_ours' returns twice */
        return 0;
    return wait_for(n);
}

/* nothing waits behind it */
pausable int last(int n);

pausable int last(int n)
{
    n = wait_for(n);
    pid_t pid = vfork();
    if (pid == 0)
        _exit(n);
    return pid > 0 ? n : -1;
}

int main(void)
{
    return co4_run(launch(1)) + co4_run(others(1)) + co4_run(last(1));
}
