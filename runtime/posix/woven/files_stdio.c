/* files_stdio.c - reads, writes and streams at files of JavaScript that take time: pausable C.
 * posix/files.h says how they wait. Programs that open files link this. */
#if defined(__EMSCRIPTEN__) && !defined(CO4_PLAIN)
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/public.h"
#include "posix/files.h"
#include "posix/stream.h"

#include "co4/error.h"
#include "co4/io.h"
#include "co4/sync.h"

static void forget_call(const int *id)
{
    if (*id != 0)
        co4__file_forget(*id);
}

pausable int co4__file_settle(int id)
{
    co4_sem done = CO4_SEM_INIT(0);
    __attribute__((cleanup(forget_call))) int waits = id;
    co4__file_wait(id, &done);
    int err = co4_sem_acquire(&done);
    if (err != CO4_OK)
        return (int)co4__io_fails(err);
    waits = 0;
    return 0;
}

/* ---- descriptors ---- */

static pausable ssize_t read_late(int fd, void *to, size_t bytes)
{
    ssize_t n;
    CO4__SETTLED(n, read(fd, to, bytes));
    return n;
}

static pausable ssize_t write_late(int fd, const void *from, size_t bytes)
{
    ssize_t n;
    CO4__SETTLED(n, write(fd, from, bytes));
    return n;
}

static pausable ssize_t readv_late(int fd, const struct iovec *to, int count)
{
    ssize_t n;
    CO4__SETTLED(n, readv(fd, to, count));
    return n;
}

static pausable ssize_t writev_late(int fd, const struct iovec *from, int count)
{
    ssize_t n;
    CO4__SETTLED(n, writev(fd, from, count));
    return n;
}

/* ---- streams ---- */

/* What a trusted call wrote is written. Returns whether it is. */
static pausable bool written(int id, FILE *stream)
{
    if (id == 0)
        return true;
    if (co4__file_settle(id) == 0) {
        int err = co4__file_error(id);
        if (err == 0)
            return true;
        errno = err;
    }
    if (stream)
        __fseterr(stream);
    return false;
}

static pausable int flush_file(FILE *stream)
{
    co4__file_begin(0, 1);
    int n = fflush(stream), id = co4__file_end();
    return written(id, stream) ? n : EOF;
}

static pausable size_t put_file(FILE *stream, const char *bytes, size_t count)
{
    co4__file_begin(0, 1);
    size_t n = fwrite(bytes, 1, count, stream);
    int id = co4__file_end();
    return written(id, stream) ? n : 0;
}

static pausable int close_file(FILE *stream)
{
    co4__file_begin(0, 1);
    int n = fclose(stream), id = co4__file_end();
    return written(id, NULL) ? n : EOF;
}

static pausable int seek_file(FILE *stream, off_t at, int whence)
{
    int n;
    if (__fwriting(stream) && flush_file(stream) != 0)
        return -1;
    CO4__SETTLED(n, fseeko(stream, at, whence));
    return n;
}

/* An error that is none: the call has to wait. */
static void clear_error(FILE *stream, int failed_before)
{
    if (!failed_before)
        clearerr(stream);
}

static pausable bool fill_from_file(FILE *stream)
{
    int id = 0, failed = ferror(stream), was = errno;
    if (__fwriting(stream) && __fpending(stream) > 0 && flush_file(stream) != 0)
        return false;
    for (;;) {
        co4__file_begin(id, 0);
        bool has = co4__stream_fill(stream);
        id = co4__file_end();
        if (id == 0)
            return has;
        clear_error(stream, failed);
        if (co4__file_settle(id) < 0) {
            __fseterr(stream);
            return false;
        }
        errno = was;
    }
}

static pausable size_t take_from_file(FILE *stream, char *to, size_t bytes)
{
    int id = 0, failed = ferror(stream), was = errno;
    if (__fwriting(stream) && __fpending(stream) > 0 && flush_file(stream) != 0)
        return 0;
    for (size_t done = 0;;) {
        co4__file_begin(id, 0);
        size_t n = fread(to + done, 1, bytes - done, stream);
        id = co4__file_end();
        done += n;
        if (id == 0)
            return done;
        clear_error(stream, failed);
        if (n > 0) /* what the first answers were is read */
            co4__file_advance(id);
        if (co4__file_settle(id) < 0) {
            __fseterr(stream);
            return done;
        }
        errno = was;
    }
}

static pausable int scan_file(FILE *stream, const char *format, void *const to[])
{
    int n;
    CO4__SETTLED(n, co4__file_ahead(fileno(stream)));
    if (n < 0)
        return EOF;
    n = co4__stream_scan(stream, format, to);
    co4__file_ahead(-1);
    return n;
}

static const struct co4__file_hooks hooks = {
    .read = read_late,
    .write = write_late,
    .readv = readv_late,
    .writev = writev_late,
    .fill = fill_from_file,
    .take = take_from_file,
    .put = put_file,
    .flush = flush_file,
    .close = close_file,
    .seek = seek_file,
    .scan = scan_file,
};

void co4__file_use(void)
{
    if (co4__file_hooks)
        return;
    co4__file_hooks = &hooks;
    atexit(co4__file_exits);
}
#endif
