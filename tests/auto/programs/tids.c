/* tids.c - numbers of threads: code that knows its owner by them, as libraries have it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 12, ROUNDS = 5 };

/* ---- a recursive lock ---- */

static atomic_int owner, inside, wrong, handled;
static int depth;

static void lock(int me)
{
    int none = 0;
    if (atomic_load(&owner) == me) {
        depth++;
        return;
    }
    while (!atomic_compare_exchange_weak(&owner, &none, me)) {
        none = 0;
        usleep(100);
    }
    depth = 1;
}

static void unlock(void)
{
    if (--depth == 0)
        atomic_store(&owner, 0);
}

static void *locks(void *arg)
{
    pid_t first = gettid();
    for (int i = 0; i < ROUNDS; i++) {
        int me = (intptr_t)arg % 2 ? gettid() : (int)syscall(SYS_gettid);
        wrong += me != first;
        lock(me);
        lock(me);
        wrong += inside++ != 0;
        usleep(200);
        inside--;
        unlock();
        unlock();
    }
    return (void *)(intptr_t)first;
}

/* ---- calls that take a number ---- */

static void note(int signo)
{
    handled += signo == SIGUSR1;
}

static void *calls(void *arg)
{
    cpu_set_t all, some;
    struct sched_param parameter = { .sched_priority = 77 };
    pid_t me = gettid();
    usleep(100);
    int sent = tgkill(getpid(), me, SIGUSR1);
    long again = syscall(SYS_tgkill, getpid(), me, SIGUSR1);
    printf("sent %d %ld, handled %d\n", sent, again, handled);
    int one = sched_getaffinity(me, sizeof all, &all);
    int other = sched_getaffinity(0, sizeof some, &some);
    printf("affinity %d %d %d\n", one, other, CPU_EQUAL(&all, &some));
    printf("set %d\n", sched_setaffinity(me, sizeof all, &all));
    int policy = sched_getscheduler(me);
    one = sched_getparam(me, &parameter);
    printf("scheduler %d, %d %d\n", policy == sched_getscheduler(0), one, parameter.sched_priority);
    one = sched_setparam(me, &parameter);
    printf("set %d %d\n", one, sched_setscheduler(me, policy, &parameter));
    errno = 0;
    int priority = getpriority(PRIO_PROCESS, (id_t)me);
    one = setpriority(PRIO_PROCESS, (id_t)me, priority);
    printf("priority %d %d %d\n", errno, priority == getpriority(PRIO_PROCESS, 0), one);
    one = tgkill(getpid(), 0x3fffffff, 0);
    printf("nobody's %d %d\n", one, errno == ESRCH);
    return arg;
}

int main(void)
{
    pthread_t t[N];
    void *numbers[N];
    for (int round = 0; round < 2; round++) {
        int same = 0;
        for (intptr_t i = 0; i < N; i++)
            if (pthread_create(&t[i], NULL, locks, (void *)i) != 0)
                return 1;
        for (int i = 0; i < N; i++)
            pthread_join(t[i], &numbers[i]);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < i; k++)
                same += numbers[i] == numbers[k];
        printf("%d wrong, %d the same, main's %d\n", wrong, round == 0 ? same : 0,
               gettid() == getpid() && syscall(SYS_gettid) == getpid());
    }
    signal(SIGUSR1, note);
    pthread_create(&t[0], NULL, calls, NULL);
    pthread_join(t[0], NULL);
    printf("%ld\n", syscall(SYS_getpid) - getpid());
    return 0;
}
