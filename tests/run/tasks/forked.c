/* forked - the child of a process whose threads are in the middle of everything: it has runs, pools
 * and runtimes of its own; those of the parent are refused; it does not write the parent's trace.
 * flags: -Wno-co4-blocking
 * needs: threads signals posix forks workers
 * modes: woven
 * expect: all children did all
 * expect: the parent went on
 * expect: one trace, of the parent */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/sanitizer.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int over, hold, resting;
static co4_runtime *parents, *by_hand;
static bool in_child;

/* A sanitizer's malloc may be locked in the child by a thread that it does not have: so the threads
 * come to rest outside of it before a fork. Otherwise they are in the middle of everything.
 * ThreadSanitizer gives a child no threads. */
#if CO4_THREAD_SANITIZER
enum { AT_WORK = 5, THREADS = 0, CHILDREN = 5 };
#elif CO4_ADDRESS_SANITIZER
enum { AT_WORK = 5, THREADS = 1, CHILDREN = 20 };

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0"; /* it would look for threads of the parent */
}
#else
enum { AT_WORK = 0, THREADS = 1, CHILDREN = 30 };
#endif

static void rest(atomic_int *before)
{
    if (!hold)
        return;
    resting++;
    while (hold)
        usleep(100);
    if (before)
        (*before)--;
    resting--;
}

/* The two tasks rest when both have come so far: neither holds up a worker that a task of the
 * other's waits for. */
static pausable void rest_together(void)
{
    static atomic_int here;
    if (!hold)
        return;
    here++;
    while (hold && here < 2)
        co4_sleep(CO4_MS / 10);
    rest(&here);
}

static pid_t fork_now(void)
{
    hold = AT_WORK > 0;
    while (resting < AT_WORK)
        usleep(100);
    pid_t pid = fork();
    hold = 0;
    while (pid != 0 && resting > 0)
        usleep(100);
    return pid;
}

static int into_nothing(void *data, const char *text, size_t n)
{
    (void)data;
    (void)text;
    (void)n;
    return CO4_OK;
}

static void *dumps(void *arg)
{
    for (; !over; rest(NULL))
        co4_dump(NULL, into_nothing, NULL);
    return arg;
}

static pausable void waits(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
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
    int got = THREADS || !in_child ? co4_blocking(blocks(7)) + co4_blocking(blocks(1)) : 8;
    co4_sleep(CO4_MS / 10);
    co4_mailbox_send(mb, &got);
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
        rest_together();
    }
}

static void *runs(void *arg)
{
    for (; !over; rest(NULL))
        co4_run(work());
    return arg;
}

static pausable void nothing(void) {}

static void stalled(void *data, const co4_stall *stall)
{
    (void)data;
    (void)stall;
}

/* A runtime without workers goes on in the child, but for its monitor, which is a thread. */
static bool drives_by_hand(void)
{
    return co4_runtime_spawn(by_hand, nothing()) && co4_runtime_run_once(by_hand) == 1 &&
           co4_runtime_tasks(by_hand) == 0 && co4_runtime_destroy(by_hand) == CO4_OK;
}

static int child(void)
{
    alarm(20);
    in_child = true;
    if (!drives_by_hand())
        return 9;
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
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = THREADS ? 2 : CO4_RUNTIME_EMBEDDED });
    if (co4_runtime_start(rt) != CO4_OK || !co4_runtime_spawn(rt, work()) || !co4_spawn(work()) ||
        co4_runtime_join(rt) != CO4_OK || co4_runtime_destroy(rt) != CO4_OK)
        return 6;
    if (co4_dump(NULL, into_nothing, NULL) != CO4_OK)
        return 7;
    if (THREADS && (co4_dump_on_signal(SIGUSR1, into_nothing, NULL) != CO4_OK ||
                    raise(SIGUSR1) != 0 || co4_dump_on_signal(SIGUSR1, NULL, NULL) != CO4_OK))
        return 8;
    exit(0); /* the parent's output at its exit is not written here */
}

int main(void)
{
    char path[] = "/tmp/co4-forked-XXXXXX";
    int done = 0;
    pthread_t dumping, running[2];
    close(mkstemp(path));
    unlink(path);
    setenv("CO4_TRACE", path, 1);
    parents = co4_runtime_create(&(co4_runtime_options){ .workers = 2, .report = into_nothing });
    co4_runtime_start(parents);
    setenv("CO4_TRACE", "/tmp/co4-another-place", 1); /* too late */
    by_hand = co4_runtime_create(&(co4_runtime_options){
        .workers = CO4_RUNTIME_EMBEDDED, .on_stall = stalled, .stall_ns = CO4_MS / 10 });
    co4_runtime_start(by_hand);
    co4_dump_on_signal(SIGUSR1, into_nothing, NULL);
    for (int i = 0; i < 2; i++) {
        co4_task *t = co4_task_create(busy());
        co4_task_pin(t, i);
        co4_runtime_schedule(parents, t);
        co4_task_release(t);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&running[i], NULL, runs, NULL);
    pthread_create(&dumping, NULL, dumps, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        usleep(500);
        fflush(stdout);
        if (i % 2) /* its monitor may be awake */
            co4_runtime_run_once(by_hand);
        pid_t pid = fork_now();
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
    puts(done == CHILDREN ? "all children did all" : "some children did not");
    over = 1;
    co4_runtime_join(parents);
    for (int i = 0; i < 2; i++)
        pthread_join(running[i], NULL);
    pthread_join(dumping, NULL);
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    co4_runtime_destroy(parents);
    co4_runtime_destroy(by_hand);
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
