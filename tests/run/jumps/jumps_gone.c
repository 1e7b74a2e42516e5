/* jumps_gone.c - jumps that cannot arrive end the program with a message: the activation has ended;
 * plain code jumps over one that was resumed; the setjmp is another task's.
 * needs: setjmp signals processes
 * modes: woven forced
 * expect: ended: aborted
 * expect: plain over a resumed one: aborted
 * expect: another task: aborted
 * expect: plain in a copy: 3
 * expect: ended, and once more by a handler of the abort: aborted */
#include <co4.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf top;

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int set(void)
{
    int code = setjmp(top);
    wait_for(1);
    return code;
}

static pausable int ended(void)
{
    if (set() == 0)
        longjmp(top, 1);
    return 0;
}

static int by_jump(const void *a, const void *b)
{
    if (a != b)
        longjmp(top, 1);
    return 0;
}

static pausable int sorts(void)
{
    int cells[2] = { 2, 1 };
    wait_for(1);
    qsort(cells, 2, sizeof *cells, by_jump);
    return 0;
}

static pausable int plain_over(void)
{
    if (setjmp(top) == 0)
        sorts();
    return 0;
}

static pausable void jumps(void)
{
    longjmp(top, 1);
}

static pausable int another(void)
{
    if (setjmp(top) != 0)
        return 0;
    co4_task *t = co4_spawn(jumps());
    return co4_join(t, NULL);
}

/* A copy of the buffer is not known. The C library's jump still works, for the activation is on the
 * stack as it was at the setjmp. */
static pausable int in_copy(void)
{
    jmp_buf copy;
    int code = setjmp(top);
    if (code == 0) {
        memcpy(&copy, &top, sizeof copy);
        longjmp(copy, 3);
    }
    wait_for(1);
    return code;
}

static void jumps_again(int number)
{
    signal(number, jumps_again);
    longjmp(top, 1);
}

static pausable int ended_by_handler(void)
{
    signal(SIGABRT, jumps_again);
    return ended();
}

static pausable int one(int which)
{
    return which == 0   ? ended()
           : which == 1 ? plain_over()
           : which == 2 ? another()
           : which == 3 ? in_copy()
                        : ended_by_handler();
}

int main(void)
{
    static const char *const names[] = { "ended", "plain over a resumed one", "another task",
                                         "plain in a copy",
                                         "ended, and once more by a handler of the abort" };
    for (int i = 0; i < 5; i++) {
        int status;
        printf("%s: ", names[i]);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            fclose(stderr);
            exit(co4_run(one(i)));
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == 6)
            printf("aborted\n");
        else
            printf("%d\n", WEXITSTATUS(status));
    }
    return 0;
}
