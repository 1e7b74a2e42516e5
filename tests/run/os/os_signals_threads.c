/* os_signals_threads.c - signals as messages: workers, a thread that computes, forks.
 * needs: descriptors signals threads forks workers
 * modes: woven forced
 * expect: workers: 200 of 200
 * expect: while it computes: delivered
 * expect: fork: the child has its former handler, and subscribes anew; the parent got 10
 * expect: again: 12 */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/sanitizer.h>
#include <co4/signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int called;

static void former(int signo)
{
    (void)signo;
    called++;
}

pausable int next(co4_mailbox *mb)
{
    co4_signal s = { .signo = 0 };
    int err = co4_mailbox_receive_until(mb, &s, co4_now() + 20 * CO4_SEC);
    return err == CO4_OK ? s.signo : err;
}

static atomic_int got;

pausable void receiver(co4_mailbox *mb)
{
    for (int i = 0; i < 50; i++) {
        if (next(mb) != SIGUSR1)
            return;
        got++;
    }
}

static void with_workers(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_mailbox *mb[4];
    co4_runtime_start(rt);
    for (int i = 0; i < 4; i++) {
        if (co4_signals(&mb[i], SIGUSR1) != CO4_OK)
            exit(1);
        co4_runtime_spawn(rt, receiver(mb[i]));
    }
    for (int i = 1; i <= 50; i++) {
        kill(getpid(), SIGUSR1);
        while (got < 4 * i)
            usleep(50);
    }
    co4_runtime_join(rt);
    printf("workers: %d of 200\n", (int)got);
    for (int i = 0; i < 4; i++)
        while (co4_signals_destroy(mb[i]) == CO4_EBUSY)
            usleep(50);
    co4_runtime_destroy(rt);
}

pausable void compute(co4_mailbox *mb)
{
    kill(getpid(), SIGUSR1);
    while (co4_mailbox_len(mb) == 0) /* another thread delivers it */
        ;
    puts("while it computes: delivered");
}

static int child(co4_mailbox *inherited)
{
    struct sigaction a;
    sigaction(SIGUSR1, NULL, &a);
    if (a.sa_handler != former)
        return 1;
    raise(SIGUSR1);
    if (called != 1 || co4_mailbox_len(inherited) != 0)
        return 2;
#if !CO4_THREAD_SANITIZER /* which lets no child start threads */
    co4_signal s;
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR2) != CO4_OK)
        return 3;
    for (int i = 0; i < 100; i++) { /* the parent takes none of them */
        kill(getpid(), SIGUSR2);
        if (co4_block(co4_mailbox_receive_until(mb, &s, co4_now() + 10 * CO4_SEC)) != CO4_OK)
            return 4;
    }
    if (co4_signals_destroy(mb) != CO4_OK)
        return 5;
#endif
    if (co4_signals_destroy(inherited) != CO4_OK)
        return 6;
    return 0;
}

static void forks(void)
{
    co4_signal s;
    int status = -1;
    called = 0;
    signal(SIGUSR1, former);
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR1) != CO4_OK)
        exit(1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(mb));
    waitpid(pid, &status, 0);
    kill(getpid(), SIGUSR1);
    co4_block(co4_mailbox_receive(mb, &s));
    if (status == 0)
        printf("fork: the child has its former handler, and subscribes anew; the parent got %d\n",
               s.signo);
    else
        printf("fork: child %d\n", status >> 8);
    co4_signals_destroy(mb);
}

pausable void all_again(void)
{
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR2) != CO4_OK)
        exit(1);
    kill(getpid(), SIGUSR2);
    printf("again: %d\n", next(mb));
    co4_signals_destroy(mb);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* if it does not end, it has said where */
    with_workers();
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR1) != CO4_OK)
        exit(1);
    co4_run(compute(mb));
    co4_signals_destroy(mb);
    forks();
    co4_run(all_again());
    return 0;
}
