/* burn.c - tasks that spend processor time in known functions behind known calls, for co4prof.
 *
 *   burn chain|deep|names|direct|several|forever|killed|status|signals|fork|nested|sleep
 *
 * Work is counted, not timed, so the shares of functions are the same on a busy machine. */
#define _GNU_SOURCE /* NSIG, sigset_t */
#include <co4.h>
#include <co4/runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN __attribute__((noinline))
enum { MUCH = 250000000, LITTLE = MUCH / 5 };
static volatile unsigned long sink;

OWN static void burn_much(long n)
{
    for (long i = 0; i < n; i++)
        sink += (unsigned long)i;
}

OWN static void burn_little(long n)
{
    for (long i = 0; i < n; i++)
        sink ^= (unsigned long)i;
}

OWN static void burn_outside(long n)
{
    for (long i = 0; i < n; i++)
        sink -= (unsigned long)i;
}

static pausable int leaf(void)
{
    co4_yield(); /* the callers wait from here on */
    burn_much(MUCH / 2);
    co4_yield();
    burn_much(MUCH / 2);
    return 0;
}

static pausable int middle(void)
{
    int code = leaf(); /* line: middle */
    burn_little(LITTLE);
    return code;
}

static pausable int outer(void)
{
    return middle(); /* line: outer */
}

static pausable int deep(int n)
{
    if (n > 0)
        return deep(n - 1) + 1; /* line: deep */
    co4_yield();
    burn_much(MUCH);
    return 0;
}

static pausable int clerk(int number)
{
    char name[32];
    snprintf(name, sizeof name, "clerk <%d> & \"co\"", number);
    co4_task_set_name(co4_self(), name);
    return outer(); /* line: clerk */
}

static pausable int clerks(void)
{
    co4_scope_spawn(co4_scope_here(), clerk(1));
    co4_scope_spawn(co4_scope_here(), clerk(2));
    return 0;
}

static pausable int direct(void)
{
    burn_much(MUCH);
    co4_yield();
    return 0;
}

static pausable int forever(void)
{
    while (co4_yield() == CO4_OK) {
        burn_much(MUCH / 2);
        puts("burnt");
        fflush(stdout);
    }
    return 0;
}

static pausable int several(void)
{
    for (int i = 0; i < 3; i++)
        co4_scope_spawn(co4_scope_here(), outer());
    co4_blocking(burn_outside(LITTLE * 2));
    return 0;
}

static void *other_thread(void *arg)
{
    burn_outside(LITTLE * 2);
    return arg;
}

static int run_several(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, other_thread, NULL) != 0)
        return 1;
    int code = co4_run_workers(3, co4_scope_run(0, several()));
    pthread_join(thread, NULL);
    return code;
}

/* A plain function of a task runs others. */
OWN static int run_inside(void)
{
    return co4_run(outer());
}

static pausable int around(void)
{
    co4_yield();
    int code = run_inside();
    burn_little(LITTLE * 2);
    return code;
}

static pausable int nested(void)
{
    return around(); /* line: nested */
}

static pausable int nap(void)
{
    return co4_sleep(1500 * CO4_MS); /* line: nap */
}

static pausable int sleeper(void)
{
    return nap(); /* line: sleeper */
}

static pausable int sleepers(co4_mailbox *in)
{
    int n;
    co4_scope_spawn(co4_scope_here(), sleeper());
    return co4_mailbox_receive_until(in, &n, co4_after(1500 * CO4_MS)) == CO4_ETIMEDOUT ? 0 : 1;
}

static int run_sleepers(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 1);
    int code = co4_run(co4_scope_run(0, sleepers(in)));
    co4_mailbox_destroy(in);
    return code;
}

/* Blocks all signals and gives all their defaults, as programs do before they execute others. */
static int run_without_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return co4_run(outer());
}

static int run_fork(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        burn_outside(MUCH);
        _exit(7);
    }
    int code = co4_run(outer());
    waitpid(child, &status, 0);
    return code || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (is(what, "chain"))
        return co4_run(outer());
    if (is(what, "deep"))
        return co4_run(deep(12)) - 12;
    if (is(what, "names"))
        return co4_run(co4_scope_run(0, clerks()));
    if (is(what, "direct"))
        return co4_run(direct());
    if (is(what, "several"))
        return run_several();
    if (is(what, "forever"))
        return co4_run(forever());
    if (is(what, "killed"))
        return co4_run(outer()) || raise(SIGKILL);
    if (is(what, "status"))
        return co4_run(outer()) + 3;
    if (is(what, "signals"))
        return run_without_signals();
    if (is(what, "fork"))
        return run_fork();
    if (is(what, "nested"))
        return co4_run(nested());
    return is(what, "sleep") ? run_sleepers() : 2;
}
