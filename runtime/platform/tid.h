/* tid.h - the number that Linux has for a thread. */
#ifndef CO4_TID_H
#define CO4_TID_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* For posix/tid.c, which has the calls of syscall() in programs of --auto. */
#define CO4__THE_SYSTEM_S 0x634f34

static inline pid_t co4__tid(void)
{
    return (pid_t)syscall(SYS_gettid, CO4__THE_SYSTEM_S);
}

#endif
