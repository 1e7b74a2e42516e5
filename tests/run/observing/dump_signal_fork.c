/* dump_signal_fork.c - while dumps at a signal are switched off, and the last one is still being
 * written, the process may fork; the child has no such dumps, and may switch its own on.
 * needs: signals posix threads forks workers
 * modes: woven
 * expect: child: no error
 * expect: off: no error */
#include <co4.h>
#include <co4/sanitizer.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_bool writes, may_end, off;

static int slowly(void *data, const char *text, size_t bytes)
{
    (void)data, (void)text, (void)bytes;
    atomic_store(&writes, true);
    while (!atomic_load(&may_end))
        usleep(1000);
    return CO4_OK;
}

static void *switch_off(void *unused)
{
    atomic_store(&off, true);
    printf("off: %s", co4_strerror(co4_dump_on_signal(SIGUSR1, NULL, NULL)));
    return unused;
}

static int in_child(void)
{
    int err = CO4_OK;
#if !CO4_THREAD_SANITIZER /* which lets no child start threads */
    err = co4_dump_on_signal(SIGUSR1, slowly, NULL);
#endif
    if (err == CO4_OK)
        err = co4_dump_on_signal(SIGUSR1, NULL, NULL);
    printf("child: %s\n", co4_strerror(err));
    fflush(stdout);
    return err != CO4_OK;
}

static void until(atomic_bool *happens)
{
    while (!atomic_load(happens))
        usleep(1000);
}

int main(void)
{
    pthread_t other;
    int status = 1;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    if (!rt || co4_dump_on_signal(SIGUSR1, slowly, NULL) != CO4_OK)
        return 1;
    raise(SIGUSR1);
    until(&writes);
    pthread_create(&other, NULL, switch_off, NULL);
    until(&off);
    usleep(20000); /* it waits by now */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    waitpid(child, &status, 0);
    atomic_store(&may_end, true);
    pthread_join(other, NULL);
    printf("\n");
    return status != 0 || co4_runtime_destroy(rt) != CO4_OK;
}
