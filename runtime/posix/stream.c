/* stream.c - streams of the C library, for tasks.
 *
 * Purpose: a stream at a pipe, a socket or a terminal waits in the middle of the C library, which
 * cannot pause. So the calls in woven/stdio.c wait before it: to read when the buffer is empty, to
 * write when it is full. What is in the buffer, the C library handles.
 *
 * Invariants: no lock of a stream is held across a pause. A task that pauses in a call, or has
 * called flockfile(), has a hold in a table by the stream's address: other tasks' calls wait for it
 * (parked.c). Threads do not: their calls may come in between where the task pauses.
 *
 * The buffer is that of glibc, whose structure is part of its binary interface, and is only looked
 * at; with other C libraries every stream is PLAIN, and blocks the thread. Streams of wide
 * characters, of fopencookie() and fmemopen(), and those of files are PLAIN, too.
 *
 * Concurrency: the lock of `holds` guards them; their number is read without it. A call without a
 * hold looks there under the stream's own lock. Each function below that changes a buffer has
 * locked the stream. The child of a fork forgets the holds of threads that it does not have, as the
 * C library does with their locks.
 *
 * Rejected: fopencookie() (the program's FILE objects are not ours); O_NONBLOCK for the descriptor
 * (the C library loses bytes when a write would block, and other processes see it). */
#define _GNU_SOURCE
#include "posix/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/inside.h"
#include "platform/fork.h"
#include "platform/js.h"
#include "platform/locked_table.h"
#include "posix/parked.h"
#include "posix/self.h"
#include "sched/forked.h"

/* ---- holds ---- */

static struct co4__locked_table holds;

static struct co4__stream_hold *hold_of(struct co4__table_node *n)
{
    return (struct co4__stream_hold *)(void *)n;
}

/* Under the lock; or NULL. */
static struct co4__stream_hold *hold_find(const FILE *stream)
{
    return hold_of(co4__locked_find(&holds, stream));
}

static void forget_lost(struct co4__table_node *n)
{
    if (!co4__task_goes_on(hold_of(n)->task))
        co4__locked_remove(&holds, n);
}

static void holds_at_fork(enum co4__fork how)
{
    co4__locked_fork(&holds, 1, how, forget_lost);
}

static struct co4__fork_member member = { .handler = holds_at_fork };

bool co4__stream_is_taken(FILE *stream)
{
    if (CO4__LIKELY(atomic_load_explicit(&holds.used, memory_order_relaxed) == 0))
        return false;
    co4__lock_take(&holds.lock);
    const struct co4__stream_hold *h = hold_find(stream);
    bool taken = h && h->task != co4__posix_caller();
    co4__lock_give(&holds.lock);
    return taken;
}

bool co4__stream_hold(struct co4__stream_hold *hold, FILE *stream)
{
    co4__fork_join(&member);
    *hold = (struct co4__stream_hold){ .stream = stream, .task = co4__posix_caller(), .depth = 1 };
    co4__lock_take(&holds.lock);
    struct co4__stream_hold *h = hold_find(stream);
    bool ours = h && h->task == hold->task;
    if (!h) {
        hold->held = true;
        co4__locked_add(&holds, &hold->node, stream);
    }
    co4__locked_give(&holds);
    return !h || ours; /* under flockfile() it needs no hold of its own */
}

/* Removes it if that was its last depth. Returns whether it is gone. */
static bool hold_end(struct co4__stream_hold *hold)
{
    co4__lock_take(&holds.lock);
    bool last = --hold->depth == 0;
    if (last)
        co4__locked_remove(&holds, &hold->node);
    co4__lock_give(&holds.lock);
    return last;
}

void co4__stream_release(struct co4__stream_hold *hold)
{
    if (!hold->held)
        return;
    hold->held = false;
    hold_end(hold);
#ifndef __wasm__
    co4__parked_wake(hold->stream, false);
#endif
}

static struct co4__stream_hold *own_hold(FILE *stream)
{
    const co4_task *holder = co4__posix_caller();
    co4__lock_take(&holds.lock);
    struct co4__stream_hold *h = hold_find(stream);
    h = h && h->task == holder ? h : NULL;
    co4__lock_give(&holds.lock);
    return h;
}

bool co4__stream_lock(FILE *stream)
{
    struct co4__stream_hold *h = own_hold(stream);
    if (h) {
        h->depth++; /* only its task changes it */
        return true;
    }
    h = co4__alloc(sizeof *h);
    if (h && co4__stream_hold(h, stream))
        return true;
    co4__free(h);
    return false;
}

bool co4__stream_unlock(FILE *stream)
{
    struct co4__stream_hold *h = co4__posix_caller() ? own_hold(stream) : NULL;
    if (!h)
        return false;
    if (hold_end(h)) {
        co4__free(h);
#ifndef __wasm__
        co4__parked_wake(stream, false);
#endif
    }
    return true;
}

/* ---- formats ---- */

int co4__stream_format(FILE *stream, const char *format, va_list more, char **text)
{
    char small[512];
    va_list again;
    *text = NULL;
    va_copy(again, more);
    int n = vsnprintf(small, sizeof small, format, again);
    va_end(again);
    if (n >= 0 && (size_t)n < sizeof small) {
        if (co4__stream_put(stream, small, (size_t)n))
            return n;
        *text = co4__heap_grow(NULL, (size_t)n + 1);
        if (!*text)
            return -1;
        memcpy(*text, small, (size_t)n + 1);
        return n;
    }
    return n < 0 ? -1 : vasprintf(text, format, more);
}

/* Passes over the flags and the width of a conversion, and reports those that take an argument. */
static const char *conversion(const char *at, bool *takes, bool *positional)
{
    const char *digits = at;
    while (*digits >= '0' && *digits <= '9')
        digits++;
    *positional |= digits > at && *digits == '$';
    *takes = true;
    for (; *at && strchr("*'mhlLjztqw0123456789", *at); at++)
        *takes &= *at != '*';
    *takes &= *at != '%' && *at != '\0';
    if (*at == '[') {
        at += at[1] == '^' ? 2 : 1;
        at += *at == ']';
        while (*at && *at != ']')
            at++;
    }
    return *at ? at + 1 : at;
}

bool co4__stream_scanned(const char *format, va_list more, void *to[CO4__SCANNED])
{
    size_t count = 0;
    bool positional = false;
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        bool takes;
        at = conversion(at + 1, &takes, &positional);
        count += takes;
    }
    if (count > CO4__SCANNED || positional)
        return false;
    for (size_t i = 0; i < CO4__SCANNED; i++)
        to[i] = i < count ? va_arg(more, void *) : NULL;
    return true;
}

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
int co4__stream_scan(FILE *stream, const char *format, void *const to[CO4__SCANNED])
{
    const char *call = co4__call_leave(); /* it may block */
    int n = fscanf(stream, format, to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7], to[8],
                   to[9], to[10], to[11], to[12], to[13], to[14], to[15]);
    co4__call_again(call);
    return n;
}

/* The look at the holds comes under the stream's lock: a task that has begun a hold, and used the
 * stream since, has had that lock before. */

int co4__stream_get(FILE *stream)
{
    flockfile(stream);
    bool there = co4__stream_has_input(stream) && !co4__stream_is_taken(stream);
    int c = there ? getc_unlocked(stream) : CO4__STREAM_NOT_NOW;
    funlockfile(stream);
    return c;
}

size_t co4__stream_take_all(FILE *stream, char *to, size_t most, int stop)
{
    flockfile(stream);
    bool all = co4__stream_reaches(stream, most, stop) && !co4__stream_is_taken(stream);
    size_t n = all ? co4__stream_take(stream, to, most, stop) : 0;
    funlockfile(stream);
    return n;
}

bool co4__stream_put(FILE *stream, const char *bytes, size_t count)
{
    flockfile(stream);
    struct co4__stream_plan plan = co4__stream_plan(stream, bytes, count);
    bool fits = plan.begin == 0 && !plan.flush && plan.direct == 0 && !co4__stream_is_taken(stream);
    if (fits) /* musl knows only then that the stream is not for writing */
        fits = fwrite_unlocked(bytes, 1, count, stream) == count;
    funlockfile(stream);
    return fits;
}

#ifdef __GLIBC__

/* Of `_flags`. */
enum {
    UNBUFFERED = 0x2,
    NO_WRITES = 0x8,
    LINKED = 0x80,
    IN_BACKUP = 0x100,
    LINES = 0x200,
    PUTTING = 0x800
};

enum co4__stream_kind co4__stream_kind(FILE *stream)
{
    struct stat s;
    int was = errno, fd = stream->_mode <= 0 ? fileno(stream) : -1;
    bool waits = fd >= 0 && fstat(fd, &s) == 0 &&
                 (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) || (S_ISCHR(s.st_mode) && isatty(fd)));
    errno = was;
    return waits ? CO4__STREAM_WAITS : CO4__STREAM_PLAIN;
}

/* ---- reading ---- */

static bool has_bytes(const FILE *s)
{
    /* Bytes of ungetc() may be in front of those of the buffer. */
    return s->_IO_read_ptr < s->_IO_read_end ||
           ((s->_flags & IN_BACKUP) && s->_IO_save_base < s->_IO_save_end);
}

/* Without a lock: if a thread reads at the same time, either answer is right. */
bool co4__stream_has_input(FILE *stream)
{
    return has_bytes(stream) || feof_unlocked(stream) || !__freadable(stream);
}

bool co4__stream_is_writing(FILE *stream)
{
    return (stream->_flags & PUTTING) != 0;
}

size_t co4__stream_take(FILE *stream, char *to, size_t most, int stop)
{
    size_t n = 0;
    flockfile(stream);
    while (n < most && has_bytes(stream)) {
        size_t there = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
        if (there == 0) { /* behind bytes of ungetc() */
            int c = getc_unlocked(stream);
            to[n++] = (char)c;
            if (c == stop)
                break;
            continue;
        }
        size_t part = there < most - n ? there : most - n;
        const char *end = stop < 0 ? NULL : memchr(stream->_IO_read_ptr, stop, part);
        if (end)
            part = (size_t)(end - stream->_IO_read_ptr) + 1;
        n += fread_unlocked(to + n, 1, part, stream);
        if (end)
            break;
    }
    funlockfile(stream);
    return n;
}

bool co4__stream_reaches(FILE *stream, size_t most, int stop)
{
    size_t there = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
    return there >= most || (there > 0 && stop >= 0 && memchr(stream->_IO_read_ptr, stop, there));
}

bool co4__stream_fill(FILE *stream)
{
    flockfile(stream);
    bool has = has_bytes(stream);
    if (!has) {
        int c = getc_unlocked(stream);
        has = c != EOF && ungetc(c, stream) != EOF;
    }
    funlockfile(stream);
    return has;
}

bool co4__stream_shows_stdout(FILE *stream)
{
    bool by_lines = (stream->_flags & (LINES | UNBUFFERED)) ||
                    (!stream->_IO_buf_base && isatty(fileno(stream)));
    return by_lines && stream != stdout && __fpending(stdout) > 0 &&
           (stdout->_flags & (LINKED | NO_WRITES | LINES)) == (LINKED | LINES);
}

/* ---- writing ---- */

size_t co4__stream_take_output(FILE *stream, char **bytes)
{
    flockfile(stream);
    size_t n = __fpending(stream);
    *bytes = n > 0 ? co4__heap_grow(NULL, n) : NULL;
    if (*bytes) {
        memcpy(*bytes, stream->_IO_write_base, n);
        __fpurge(stream);
    }
    funlockfile(stream);
    return n;
}

struct co4__stream_plan co4__stream_plan(FILE *stream, const char *bytes, size_t count)
{
    struct co4__stream_plan plan = { 0, false, 0 };
    flockfile(stream);
    size_t size = (size_t)(stream->_IO_buf_end - stream->_IO_buf_base);
    size_t pending = __fpending(stream), room = size - (pending < size ? pending : size);
    const char *line = stream->_flags & LINES ? memrchr(bytes, '\n', count) : NULL;
    if (stream->_flags & UNBUFFERED) {
        plan.flush = pending > 0;
        plan.direct = count;
    } else if (!(stream->_flags & PUTTING)) {
        plan.begin = count < 512 ? count : 512;
    } else if (line) {
        plan.flush = true;
        plan.direct = (size_t)(line - bytes) + 1;
        plan.direct = count - plan.direct < size ? plan.direct : count;
    } else if (count >= room) {
        plan.flush = true;
        plan.direct = count < size ? 0 : count;
    }
    funlockfile(stream);
    return plan;
}

void co4__stream_failed(FILE *stream)
{
    flockfile(stream);
    stream->_flags |= _IO_ERR_SEEN;
    funlockfile(stream);
}

void co4__stream_ended(FILE *stream)
{
    flockfile(stream);
    stream->_flags |= _IO_EOF_SEEN;
    funlockfile(stream);
}

#elif defined(__wasm__) /* musl, by its <stdio_ext.h> */

enum co4__stream_kind co4__stream_kind(FILE *stream)
{
    struct stat s;
    int was = errno, fd = fileno(stream);
#ifdef __EMSCRIPTEN__
    if (co4__js_takes_time(fd))
        return CO4__STREAM_PLAIN;
#endif
    bool known = fd >= 0 && fstat(fd, &s) == 0;
    bool waits = known ? !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)
                       : fd >= 0 && fcntl(fd, F_GETFL) >= 0; /* a pipe of Emscripten */
    errno = was;
    return waits ? CO4__STREAM_WAITS : CO4__STREAM_PLAIN;
}

bool co4__stream_has_input(FILE *stream)
{
    return __freadahead(stream) > 0 || feof(stream) || !__freadable(stream);
}

bool co4__stream_is_writing(FILE *stream)
{
    return __fwriting(stream) != 0;
}

size_t co4__stream_take(FILE *stream, char *to, size_t most, int stop)
{
    size_t there = __freadahead(stream), size = 0, n = there < most ? there : most;
    const char *buffer = __freadptr(stream, &size);
    const char *end = stop >= 0 && buffer ? memchr(buffer, stop, n) : NULL;
    return fread(to, 1, end ? (size_t)(end - buffer) + 1 : n, stream);
}

bool co4__stream_reaches(FILE *stream, size_t most, int stop)
{
    size_t there = 0;
    const char *buffer = __freadptr(stream, &there);
    return there >= most || (there > 0 && stop >= 0 && memchr(buffer, stop, there));
}

bool co4__stream_fill(FILE *stream)
{
    if (__freadahead(stream) > 0)
        return true;
    int c = getc(stream);
    return c != EOF && ungetc(c, stream) != EOF;
}

/* As with glibc: a prompt without an end of line is seen before the answer is read. */
bool co4__stream_shows_stdout(FILE *stream)
{
    return stream != stdout && __fpending(stdout) > 0 && __flbf(stdout) &&
           (__flbf(stream) || __fbufsize(stream) == 0 || isatty(fileno(stream)));
}

size_t co4__stream_take_output(FILE *stream, char **bytes)
{
    *bytes = NULL; /* musl does not show them */
    return __fpending(stream);
}

struct co4__stream_plan co4__stream_plan(FILE *stream, const char *bytes, size_t count)
{
    struct co4__stream_plan plan = { 0, false, 0 };
    size_t size = __fbufsize(stream), pending = __fpending(stream);
    const char *line = __flbf(stream) ? memrchr(bytes, '\n', count) : NULL;
    if (size == 0) {
        plan.flush = pending > 0;
        plan.direct = count;
    } else if (line) {
        plan.flush = pending > 0;
        plan.direct = (size_t)(line - bytes) + 1;
    } else if (count >= size - (pending < size ? pending : size)) {
        plan.flush = pending > 0;
        plan.direct = count < size ? 0 : count;
    }
    return plan;
}

void co4__stream_failed(FILE *stream)
{
    __fseterr(stream);
}

void co4__stream_ended(FILE *stream)
{
    (void)stream; /* of terminals that end by a time, which the kernel knows */
}

#else

enum co4__stream_kind co4__stream_kind(FILE *stream)
{
    (void)stream;
    return CO4__STREAM_PLAIN;
}

bool co4__stream_has_input(FILE *stream)
{
    (void)stream;
    return true;
}

size_t co4__stream_take(FILE *stream, char *to, size_t most, int stop)
{
    (void)stop;
    return fread(to, 1, most, stream);
}

bool co4__stream_reaches(FILE *stream, size_t most, int stop)
{
    (void)stream;
    (void)most;
    (void)stop;
    return false;
}

bool co4__stream_fill(FILE *stream)
{
    int c = getc(stream);
    return c != EOF && ungetc(c, stream) != EOF;
}

bool co4__stream_shows_stdout(FILE *stream)
{
    (void)stream;
    return false;
}

bool co4__stream_is_writing(FILE *stream)
{
    return __fwriting(stream) != 0;
}

size_t co4__stream_take_output(FILE *stream, char **bytes)
{
    *bytes = NULL;
    return __fpending(stream);
}

struct co4__stream_plan co4__stream_plan(FILE *stream, const char *bytes, size_t count)
{
    (void)stream;
    (void)bytes;
    return (struct co4__stream_plan){ 0, false, count };
}

void co4__stream_failed(FILE *stream)
{
    (void)stream;
}

void co4__stream_ended(FILE *stream)
{
    (void)stream;
}

#endif
