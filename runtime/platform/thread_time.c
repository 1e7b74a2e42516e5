/* thread_time.c - how much of a processor a thread uses. */
#define _GNU_SOURCE
#include "platform/thread.h"

#include <time.h>
#ifdef __linux__
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#endif

#include "base/public.h"

#if defined(__linux__) && !defined(CO4__NO_THREADS)
int co4__thread_clock(void)
{
    clockid_t clock;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock != 0 ? clock : -1;
}

int64_t co4__thread_used(int clock)
{
    struct timespec t;
    if (clock == -1 || clock_gettime(clock, &t) != 0)
        return -1;
    return (int64_t)t.tv_sec * CO4_SEC + t.tv_nsec;
}

/* Such a clock is the complement of the thread's number, and three bits that say what it counts. */
static int thread_of(int clock)
{
    return ~(clock >> 3);
}

bool co4__thread_is_ready(int clock)
{
    char path[64], line[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread_of(clock));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    /* Its name stands in brackets, and may have some of its own. It has 15 characters at most. */
    const char *name_ends = strrchr(line, ')');
    return name_ends && name_ends[1] == ' ' && name_ends[2] == 'R';
}
#else
int co4__thread_clock(void)
{
    return -1;
}

int64_t co4__thread_used(int clock)
{
    (void)clock;
    return -1;
}

bool co4__thread_is_ready(int clock)
{
    (void)clock;
    return false;
}
#endif
