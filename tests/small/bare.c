/* bare.c - what the small library asks a program for, on a board by a C library: nobody sleeps, the
 * clock is put forward. */
#include <co4.h>
#include <co4/small.h>
#include <stddef.h>
#include <time.h>

static int64_t slept;

void *co4_port_memory(size_t *bytes)
{
    static _Alignas(max_align_t) unsigned char memory[8 << 20];
    *bytes = sizeof memory;
    return memory;
}

int64_t co4_port_now(void)
{
    return slept + (int64_t)clock() * (CO4_SEC / CLOCKS_PER_SEC);
}

int co4_port_idle(int64_t deadline)
{
    int64_t now = co4_port_now();
    if (deadline == CO4_NEVER)
        return -1;
    if (deadline > now)
        slept += deadline - now;
    return 0;
}
