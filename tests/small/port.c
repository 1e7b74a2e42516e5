/* port.c - what the small library asks a program for, on a system that has an operating system
 * after all. */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <co4/small.h>
#include <time.h>

void *co4_port_memory(size_t *bytes)
{
    static _Alignas(max_align_t) unsigned char memory[16 << 20];
    *bytes = sizeof memory;
    return memory;
}

int64_t co4_port_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * CO4_SEC + t.tv_nsec;
}

int co4_port_idle(int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return -1;
    int64_t left = deadline - co4_port_now();
    if (left > 100 * CO4_MS)
        left = 100 * CO4_MS;
    if (left > 0)
        nanosleep(&(struct timespec){ .tv_nsec = (long)left }, NULL);
    return 0;
}
