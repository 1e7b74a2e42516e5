/* thread_time.c - how much of a processor a thread uses. */
#define _GNU_SOURCE
#include "platform/thread.h"

#include <time.h>
#ifdef __linux__
#include <pthread.h>
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
#endif
