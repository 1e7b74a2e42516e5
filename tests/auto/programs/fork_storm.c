/* fork_storm.c - threads fork in turns, while others hold a lock, wait, begin, print and take
 * memory. Each child begins threads, and forks once more; others are begun by vfork(),
 * posix_spawnp(), system() and popen(). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 8, SPAWNS = 3, IN_CHILD = 4 };

extern char **environ;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int stop;
static int fds[2];
static __thread int mine = 3;

/* ---- what the others do ---- */

static void *holds(void *arg)
{
    while (!stop) {
        pthread_mutex_lock(&m);
        usleep(50);
        pthread_mutex_unlock(&m);
        sched_yield();
    }
    return arg;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    while (!stop)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reads(void *arg)
{
    char byte;
    return (char *)arg + (read(fds[0], &byte, 1) != 1);
}

static void *adds_one(void *arg)
{
    mine++;
    usleep(10);
    return (char *)arg + (mine - 3);
}

static void *begins(void *arg)
{
    intptr_t bad = 0;
    while (!stop) {
        pthread_t id;
        void *one = NULL;
        bad += pthread_create(&id, NULL, adds_one, NULL) != 0 || pthread_join(id, &one) != 0;
        bad += (intptr_t)one != 1;
    }
    return (char *)arg + bad;
}

static void *prints(void *arg)
{
    FILE *f = fopen("/dev/null", "w");
    while (!stop) {
        fprintf(f, "%p\n", arg);
        free(malloc(1000));
        usleep(1);
    }
    fclose(f);
    return arg;
}

/* ---- children ---- */

/* Returns how many threads there were, here and in its child. */
static int begin_in_child(int depth)
{
    pthread_t ids[IN_CHILD];
    int sum = 0, status;
    mine = 3;
    for (int i = 0; i < IN_CHILD; i++)
        if (pthread_create(&ids[i], NULL, adds_one, NULL) != 0)
            return 50;
    for (int i = 0; i < IN_CHILD; i++) {
        void *one;
        if (pthread_join(ids[i], &one) != 0)
            return 51;
        sum += (int)(intptr_t)one;
    }
    pid_t child = depth > 0 ? fork() : -1;
    if (child == 0)
        _exit(begin_in_child(depth - 1));
    if (child > 0)
        sum += waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 52;
    return sum;
}

static void *forks(void *arg)
{
    intptr_t bad = 0;
    mine = 10;
    for (int i = 0; i < FORKS; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(mine == 10 ? begin_in_child(1) : 60);
        bad += waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
               WEXITSTATUS(status) != 2 * IN_CHILD;
    }
    return (char *)arg + bad;
}

static void *spawns(void *arg)
{
    static char *const three[] = { "sh", "-c", "exit 3", NULL };
    intptr_t bad = 0;
    for (int i = 0; i < SPAWNS; i++) {
        char line[10] = "";
        int status;
        pid_t child;
        bad += posix_spawnp(&child, "sh", NULL, NULL, three, environ) != 0 ||
               waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3;
        child = vfork();
        if (child == 0) {
            execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
            _exit(99);
        }
        bad += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4;
        bad += WEXITSTATUS(system("exit 5")) != 5;
        FILE *f = popen("echo hello", "r");
        bad += fgets(line, sizeof line, f) == NULL || strcmp(line, "hello\n") != 0;
        bad += pclose(f) != 0;
    }
    return (char *)arg + bad;
}

int main(void)
{
    static void *(*const all[])(void *) = { forks, forks,  forks,  spawns, spawns,
                                            holds, holds,  waits,  waits,  reads,
                                            reads, begins, begins, prints, prints };
    enum { ALL = sizeof all / sizeof *all, UNTIL_STOP = 10 };
    pthread_t ids[ALL];
    if (pipe(fds) != 0)
        return 1;
    for (int i = ALL - 1; i >= 0; i--)
        pthread_create(&ids[i], NULL, all[i], NULL);
    for (int i = 0; i < ALL; i++) {
        void *bad = NULL;
        if (i == ALL - UNTIL_STOP) {
            stop = write(fds[1], "ab", 2) == 2;
            pthread_mutex_lock(&m);
            pthread_cond_broadcast(&c);
            pthread_mutex_unlock(&m);
        }
        pthread_join(ids[i], &bad);
        printf("%d: bad %d\n", i, (int)(intptr_t)bad);
        fflush(stdout);
    }
    return 0;
}
