/* write.c - writing: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

pausable ssize_t co4_write_until(int fd, const void *from, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    for (;;) {
        ssize_t n = co4__try_write(fd, (const char *)from + done, bytes - done);
        if (n >= 0) {
            done += (size_t)n;
            if (done >= bytes || n == 0)
                return (ssize_t)done;
        } else if (n == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        } else if (n == CO4__BLOCKS) {
            struct iovec rest = { (char *)(uintptr_t)from + done, bytes - done };
            struct co4__attempt_part part = co4__attempt_part();
            n = co4_blocking(co4__write_blocking(part, &rest, 1));
            if (n < 0)
                return done > 0 ? (ssize_t)done : co4__io_result(n);
            done += (size_t)n;
            if (done >= bytes || n == 0)
                return (ssize_t)done;
        } else {
            return done > 0 ? (ssize_t)done : n;
        }
    }
}

pausable ssize_t co4_write(int fd, const void *from, size_t bytes)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    ssize_t n = co4__try_write(fd, from, bytes);
    if (n == (ssize_t)bytes || n == -1)
        return n;
    if (n < 0)
        return co4_write_until(fd, from, bytes, CO4_NEVER);
    ssize_t rest = co4_write_until(fd, (const char *)from + n, bytes - (size_t)n, CO4_NEVER);
    return rest < 0 ? n : n + rest;
}
