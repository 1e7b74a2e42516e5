/* sendfile.c - sending files: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

#ifdef __linux__

pausable ssize_t co4_sendfile_until(int out, int in, off_t *offset, size_t bytes, int64_t deadline)
{
    size_t done = 0, near = 0; /* bytes that are known to be in memory */
    off_t at;
    while (done < bytes) {
        size_t part = bytes - done < 262144 ? bytes - done : 262144; /* others get their turn */
        int err = CO4__BEGIN();
        ssize_t n = 0;
        if (near == 0 && err == CO4_OK && co4__file_is_far(in, offset, part, &at) > 0)
            co4_blocking(co4__file_fetch(in, at, part));
        near = near == 0 ? part : near;
        part = part < near ? part : near;
        while (err == CO4_OK && (n = co4__try_sendfile(out, in, offset, part)) == CO4__WOULD_WAIT)
            err = co4__attempt_wait(CO4__WRITING, deadline);
        if (err != CO4_OK)
            return done > 0 ? (ssize_t)done : co4__io_fails(err);
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        if (n == 0)
            break; /* the end of the file */
        done += (size_t)n;
        near -= (size_t)n < near ? (size_t)n : near;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_sendfile(int out, int in, off_t *offset, size_t bytes)
{
    return co4_sendfile_until(out, in, offset, bytes, CO4_NEVER);
}

#endif
