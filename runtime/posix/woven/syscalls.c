/* syscalls.c - syscall(), for programs of --auto=test: pausable C, and once more plain. A wait at a
 * word of memory pauses the task; posix/futex.c has the waiters. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "posix/decides.h"
#include "posix/futex.h"

#include "co4/posix.h"
#include "co4/sync.h"

#ifndef CO4_PLAIN
static pausable long wait_at_word(const long *arguments)
{
    int was = errno;
    __attribute__((cleanup(co4__futex_leave))) struct co4__futex f;
    int err = co4__futex_begin(&f, arguments);
    if (err != 0)
        return co4__errno_fails(err);
    do
        err = co4_sem_acquire_until(&f.woken, co4__futex_until(&f));
    while (err == CO4_ETIMEDOUT && f.again);
    if (err != CO4_OK && err != CO4_ETIMEDOUT)
        return co4__io_fails(err);
    errno = was;
    return err == CO4_OK ? 0 : co4__errno_fails(ETIMEDOUT);
}
#endif

CO4__INSIDE pausable long co4_posix_syscall(long number, ...)
{
    va_list more;
    long a[6];
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
#ifndef CO4_PLAIN
    if (number == SYS_futex && co4__posix_decides && co4__futex_waits(a))
        return wait_at_word(a);
#endif
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
