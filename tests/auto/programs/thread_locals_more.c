/* thread_locals_more.c - thread-locals of a unit in which nothing waits. */
#include "thread_locals.h"

#include <stdio.h>

__thread int outside = 11;
__thread int outsides[3] = { 1, 2, 3 };
_Thread_local struct both pair = { 5, "five" };
_Thread_local char wide[100] __attribute__((aligned(64))) = "wide";
static __thread volatile int caught;

int next_serial(void)
{
    static __thread int serial = 100;
    return ++serial;
}

const char *spelled(int n)
{
    static _Thread_local char text[16];
    snprintf(text, sizeof text, "<%d>", n);
    return text;
}

int *own_place(void)
{
    extern __thread int outside;
    return &outside;
}

void count_signal(int signo)
{
    (void)signo;
    caught++;
}

int signals(void)
{
    return caught;
}
