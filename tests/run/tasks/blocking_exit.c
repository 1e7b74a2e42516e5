/* blocking_exit.c - the program ends right after a thread that waited for calls has been given one:
 * its end does not wait for that call.
 * modes: woven forced
 * needs: threads workers
 * expect: 20 programs have ended */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int quick(void)
{
    return 0;
}

static int lasts(void)
{
    while (pause() != 0)
        ;
    return 0;
}

static pausable void calls(void)
{
    co4_blocking(lasts());
}

static pausable int ends(void)
{
    co4_blocking(quick());
    co4_sleep(5 * CO4_MS); /* its thread is idle now */
    co4_spawn(calls());
    co4_yield(); /* the call has been given to it */
    exit(0);
    return 1;
}

int main(void)
{
    int ended = 0;
    for (int i = 0; i < 20; i++) {
        int status;
        fflush(stdout);
        if (fork() == 0) {
            alarm(20);
            exit(co4_run(ends()));
        }
        wait(&status);
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    printf("%d programs have ended\n", ended);
    return 0;
}
