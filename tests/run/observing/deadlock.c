/* deadlock.c - calls and threads that wait for what can never come, beside other threads that
 * sleep.
 * needs: threads deadlocks workers
 * modes: woven forced
 * expect: with workers: CO4_EDEADLK
 * expect: after blocking calls: CO4_EDEADLK
 * expect: in a process of any name: CO4_EDEADLK
 * expect: a thread that joins workers: CO4_EDEADLK, then CO4_OK
 * expect: threads that get: CO4_EDEADLK, CO4_EDEADLK
 * expect: a thread that awaits: CO4_EDEADLK
 * expect: a child: CO4_EDEADLK */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <co4.h>

static const char *name(int code)
{
    return co4_errname(code);
}

static pausable int gets(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static int nothing(void)
{
    return CO4_OK;
}

static pausable int after_blocking(co4_mailbox *mb)
{
    int err = co4_blocking(nothing());
    return err == CO4_OK ? gets(mb) : err;
}

/* The name looks like the line of the process's status that says how many threads there are. */
static void rename_process(void)
{
#ifdef __linux__
    prctl(PR_SET_NAME, "TThreads:99");
#endif
}

static void join_workers(co4_mailbox *mb)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    for (int i = 0; i < 10; i++)
        co4_runtime_spawn(rt, gets(mb));
    printf("with workers: %s\n", name(co4_run(gets(mb))));
    co4_run(after_blocking(mb)); /* the pool's thread idles meanwhile */
    printf("after blocking calls: %s\n", name(co4_run(gets(mb))));
    rename_process();
    printf("in a process of any name: %s\n", name(co4_run(gets(mb))));
    int stuck = co4_runtime_join(rt);
    int one = 1;
    for (int i = 0; i < 10; i++)
        co4_block(co4_mailbox_send(mb, &one));
    printf("a thread that joins workers: %s, then %s\n", name(stuck), name(co4_runtime_join(rt)));
    co4_runtime_destroy(rt);
}

static atomic_int ended;

static void *blocks(void *mb)
{
    int n;
    atomic_store(&ended, co4_block(co4_mailbox_receive(mb, &n)));
    return NULL;
}

static void threads_get(co4_mailbox *mb)
{
    pthread_t t;
    int n, code;
    pthread_create(&t, NULL, blocks, mb);
    do /* the one that is notified first, and once more, as long as the other is not */
        code = co4_block(co4_mailbox_receive(mb, &n));
    while (atomic_load(&ended) == 0);
    pthread_join(t, NULL);
    printf("threads that get: %s, %s\n", name(code), name(atomic_load(&ended)));
}

int main(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_future *f = co4_future_create(0);
    join_workers(mb);
    threads_get(mb);
    printf("a thread that awaits: %s\n", name(co4_block(co4_await(co4_future_source(f), NULL))));
    co4_blocking_stop();
    fflush(stdout);
    if (fork() == 0) {
        printf("a child: %s\n", name(co4_run(gets(mb))));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    co4_future_release(f);
    co4_mailbox_destroy(mb);
    return 0;
}
