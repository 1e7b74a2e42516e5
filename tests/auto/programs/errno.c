/* errno.c - errno belongs to the task: across waits, on several workers. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

static int pipes[64][2], wrong;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int fails_with(int i)
{
    char c;
    switch (i % 4) {
    case 0:
        return read(-1, &c, 1) < 0 ? EBADF : 0;
    case 1:
        return write(pipes[i][1], NULL, 1) < 0 ? EFAULT : 0;
    case 2:
        return usleep(200) == 0 && chdir("/nowhere/at/all") < 0 ? ENOENT : 0;
    default:
        errno = 0;
        return strtol("99999999999999999999", NULL, 10) > 0 ? ERANGE : 0;
    }
}

/* A call that succeeds after a wait leaves errno, at another worker or not. */
static void wait_somewhere(int i, int how)
{
    char c;
    FILE *f;
    switch (how) {
    case 0:
        usleep(100);
        break;
    case 1:
        if (write(pipes[i ^ 1][1], "x", 1) != 1 || read(pipes[i][0], &c, 1) != 1)
            exit(9);
        break;
    case 2:
        pthread_mutex_lock(&mutex);
        usleep(50);
        pthread_mutex_unlock(&mutex);
        break;
    default:
        f = fdopen(dup(pipes[i][0]), "r");
        setvbuf(f, NULL, _IONBF, 0); /* the next byte is for the next round */
        if (write(pipes[i ^ 1][1], "x\n", 2) != 2)
            exit(9);
        int was = errno;
        if (getc(f) != 'x' || getc(f) != '\n')
            exit(8);
        if (errno != was)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
        fclose(f);
    }
}

static int errors(int i)
{
    for (int n = 0; n < 200; n++) {
        int want = fails_with(i);
        if (errno != want)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
        for (int how = 0; how < 3; how++) {
            wait_somewhere(i, how);
            if (errno != want)
                __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
        }
        if (n % 16 == 0) {
            wait_somewhere(i, 3);
            errno = want;
        }
        perror(errno == want ? "" : "wrong");
        errno = i;
        usleep(n % 5 == 0);
        if (errno != i)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

const struct job jobs[] = { { "errno", errors, 8, NULL }, { 0 } };

void begin_job(const struct job *job)
{
    if (!freopen("/dev/null", "w", stderr))
        exit(9);
    for (int i = 0; i < job->count; i++)
        if (pipe(pipes[i]) != 0)
            exit(9);
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, %d wrong\n", job->name, result, wrong);
}
