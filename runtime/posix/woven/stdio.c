/* stdio.c - streams for programs without marks: pausable C, and once more plain.
 *
 * A call that needs what the buffer does not have, or has no room for, waits for the descriptor
 * first, and then lets the C library do its part. stream.c has what is between the two. While a
 * call waits, other tasks' calls at that stream wait for its end. A wait that fails, also by a
 * cancellation, is an error of the stream.
 *
 * The C library reads after the wait. If another process or a plain function has taken the bytes in
 * between, it blocks the thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/inside.h"
#include "io/attempt.h"
#include "io/socket.h"
#include "io/terminal.h"
#include "posix/blocks.h"
#include "posix/files.h"
#include "posix/interrupts.h"
#include "posix/mode.h"
#include "posix/parked.h"
#include "posix/point.h"
#include "posix/stream.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/posix.h"
#ifdef __EMSCRIPTEN__
#include "co4/posix_js.h"
#endif
#include "co4/posix_stdio.h"
#include "co4/time.h"

#ifndef CO4_PLAIN

/* ---- holds ---- */

/* Waits until no other task holds the stream, and until a hold may have ended. */
static pausable void wait_for_hold(FILE *stream)
{
#ifdef __wasm__
    (void)stream; /* it has no parked.c, which is of locks of threads */
    co4_sleep(CO4_MS);
#else
    __attribute__((cleanup(co4__parked_leave))) struct co4__parked p;
    co4__parked_add(&p, stream, true);
    if (co4__stream_is_taken(stream))
        co4__parked_wait(&p, co4_now() + 1000 * CO4_MS);
#endif
}

static pausable void take_hold(struct co4__stream_hold *hold, FILE *stream)
{
    while (!co4__stream_hold(hold, stream))
        wait_for_hold(stream);
}

/* The rest of the function has the stream for its task. */
#define HOLD(stream)                                                                               \
    __attribute__((cleanup(co4__stream_release))) struct co4__stream_hold hold;                    \
    take_hold(&hold, (stream))

static void free_text(char **text)
{
    int was = errno;
    co4__heap_free(*text);
    errno = was;
}

/* ---- under a hold ---- */

/* What the C library does by itself, as files never wait; those of JavaScript may. */
#ifdef __EMSCRIPTEN__
static pausable int plain_flush(FILE *stream)
{
    return co4__file_hooks ? co4__file_hooks->flush(stream) : fflush(stream);
}

static pausable size_t plain_write(FILE *stream, const char *bytes, size_t count)
{
    return co4__file_hooks ? co4__file_hooks->put(stream, bytes, count)
                           : fwrite(bytes, 1, count, stream);
}

static pausable bool plain_fill(FILE *stream)
{
    return co4__file_hooks && !co4__stream_has_input(stream) ? co4__file_hooks->fill(stream)
                                                             : co4__stream_fill(stream);
}

/* Large reads, past the buffer, which is empty. */
static pausable size_t plain_take(FILE *stream, char *to, size_t bytes)
{
    bool direct = co4__file_hooks && bytes >= BUFSIZ && !co4__stream_has_input(stream) &&
                  co4__js_takes_time(fileno(stream));
    return direct ? co4__file_hooks->take(stream, to, bytes) : 0;
}

static pausable int plain_close(FILE *stream)
{
    return co4__file_hooks ? co4__file_hooks->close(stream) : fclose(stream);
}

static pausable int plain_flush_all(void)
{
    return co4__file_hooks ? co4__file_hooks->flush(NULL) : co4__fflush_all();
}
#else
#define plain_flush(stream)               fflush(stream)
#define plain_write(stream, bytes, count) fwrite((bytes), 1, (count), (stream))
#define plain_fill(stream)                co4__stream_fill(stream)
#define plain_take(stream, to, bytes)     ((size_t)0)
#define plain_close(stream)               fclose(stream)
#define plain_flush_all()                 co4__fflush_all()
#endif

/* Writes all of it. Returns how much of it has been written before an error. */
static pausable size_t write_all(FILE *stream, const char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t n = co4_posix_write(fileno(stream), bytes + done, count - done);
        if (n < 0) {
            co4__stream_failed(stream);
            return done;
        }
        done += (size_t)n;
    }
    return done;
}

/* Returns 0 or EOF. */
static pausable int flush(FILE *stream)
{
    __attribute__((cleanup(free_text))) char *bytes;
    size_t n = co4__stream_take_output(stream, &bytes);
#ifdef __wasm__ /* a descriptor that is ready takes more than the buffer of musl has */
    struct pollfd ready = { .fd = fileno(stream), .events = POLLOUT };
    if (n > 0 && co4__poll_now(&ready, 1) == 0 && co4__fd_wait(ready.fd, POLLOUT, CO4_NEVER) < 0)
        return EOF;
#endif
    if (n > 0 && !bytes)
        return fflush(stream);
    return write_all(stream, bytes, n) == n ? 0 : EOF;
}

/* A prompt appears before the program waits for its answer. */
static pausable void flush_stdout(void)
{
    HOLD(stdout);
    if (co4__stream_kind(stdout) == CO4__STREAM_WAITS)
        flush(stdout);
    else
        plain_flush(stdout);
}

/* Waits until the buffer has a byte. False: the end, or an error. */
static pausable bool need(FILE *stream)
{
    int64_t deadline;
    int was = errno;
    if (!co4__stream_has_input(stream))
        co4__posix_point();
    if (!co4__stream_has_input(stream) && co4__stream_kind(stream) == CO4__STREAM_WAITS) {
        if (co4__stream_is_writing(stream) && flush(stream) != 0)
            return false;
        if (co4__stream_shows_stdout(stream))
            flush_stdout();
        int64_t limit = co4__terminal_limit(fileno(stream));
        if (limit > 0 && co4__posix_waits(fileno(stream), CO4__READING, &deadline) &&
            co4__posix_fd_wait(fileno(stream), POLLIN, limit < deadline ? limit : deadline) < 0) {
            if (errno == ETIMEDOUT && limit != CO4_NEVER) {
                errno = was;
                co4__stream_ended(stream);
                return false;
            }
            errno = errno == ETIMEDOUT ? EAGAIN : errno;
            co4__stream_failed(stream);
            return false;
        }
        errno = was;
    }
    return plain_fill(stream);
}

/* Returns how many bytes the stream has accepted. */
static pausable size_t put_slowly(FILE *stream, const char *bytes, size_t count)
{
    int was = errno;
    HOLD(stream);
    co4__posix_point(); /* as the write that the C library may make */
    if (co4__stream_kind(stream) != CO4__STREAM_WAITS || !__fwritable(stream))
        return plain_write(stream, bytes, count);
    for (size_t done = 0;;) {
        struct co4__stream_plan plan = co4__stream_plan(stream, bytes + done, count - done);
        int64_t deadline;
        if (plan.begin > 0) {
            if (co4__posix_waits(fileno(stream), CO4__WRITING, &deadline) &&
                co4__posix_fd_wait(fileno(stream), POLLOUT, deadline) < 0) {
                co4__stream_failed(stream);
                return done;
            }
            errno = was;
            size_t n = fwrite(bytes + done, 1, plan.begin, stream);
            done += n;
            if (n < plan.begin || done == count)
                return done;
            continue;
        }
        if (plan.flush && flush(stream) != 0)
            return done;
        size_t n = write_all(stream, bytes + done, plan.direct);
        done += n;
        if (n < plan.direct || done == count)
            return done;
        return done + fwrite(bytes + done, 1, count - done, stream);
    }
}

static pausable size_t put(FILE *stream, const char *bytes, size_t count)
{
    return co4__stream_put(stream, bytes, count) ? count : put_slowly(stream, bytes, count);
}

/* ---- reading ---- */

/* The functions that take a hold have a frame from their beginning: so they come second. */

static pausable int wait_for_byte(FILE *stream)
{
    HOLD(stream);
    return need(stream) ? getc(stream) : EOF;
}

static pausable int read_byte(FILE *stream)
{
    int c = co4__stream_get(stream);
    return c != CO4__STREAM_NOT_NOW ? c : wait_for_byte(stream);
}

static pausable size_t wait_for_bytes(char *to, size_t bytes, FILE *stream)
{
    size_t done = 0;
    HOLD(stream);
    do {
        done += co4__stream_take(stream, to + done, bytes - done, -1);
        done += plain_take(stream, to + done, bytes - done);
    } while (done < bytes && need(stream));
    return done;
}

static pausable size_t read_items(void *to, size_t size, size_t count, FILE *stream)
{
    size_t bytes = size * count;
    if (bytes == 0)
        return 0;
    if (co4__stream_take_all(stream, to, bytes, -1) == bytes)
        return count;
    return wait_for_bytes(to, bytes, stream) / size;
}

static pausable char *wait_for_line(char *to, size_t most, FILE *stream)
{
    size_t done = 0;
    bool more = true;
    HOLD(stream);
    int failed_before = ferror(stream);
    do
        done += co4__stream_take(stream, to + done, most - done, '\n');
    while (done < most && (done == 0 || to[done - 1] != '\n') && (more = need(stream)));
    if (!more && (done == 0 || (ferror(stream) && !failed_before && errno != EAGAIN)))
        return NULL;
    to[done] = '\0';
    return to;
}

static pausable char *read_line(char *to, int size, FILE *stream)
{
    if (size <= 0)
        return NULL;
    size_t n = size > 1 ? co4__stream_take_all(stream, to, (size_t)size - 1, '\n') : 0;
    if (n == 0)
        return wait_for_line(to, (size_t)size - 1, stream);
    to[n] = '\0';
    return to;
}

/* Makes room for more bytes and a NUL behind `done`. */
static bool make_room(char **line, size_t *room, size_t done)
{
    if (*line && *room >= done + 2)
        return true;
    size_t more = done < 60 ? 120 : 2 * done + 2;
    char *grown = co4__heap_grow(*line, more);
    if (!grown)
        return false;
    *line = grown;
    *room = more;
    return true;
}

static pausable ssize_t read_until(char **line, size_t *room, int stop, FILE *stream)
{
    size_t done = 0;
    if (!line || !room)
        return co4__errno_fails(EINVAL);
    HOLD(stream);
#ifdef __GLIBC__
    if (ferror_unlocked(stream))
        return -1;
#endif
    if (!*line)
        *room = 0;
    do {
        size_t n;
        do {
            if (!make_room(line, room, done)) {
                co4__stream_failed(stream);
                return -1;
            }
            n = co4__stream_take(stream, *line + done, *room - done - 1, (unsigned char)stop);
            done += n;
        } while (n > 0 && (*line)[done - 1] != (char)stop);
    } while ((done == 0 || (*line)[done - 1] != (char)stop) && need(stream));
    (*line)[done] = '\0';
    return done > 0 ? (ssize_t)done : -1;
}

/* Only the first byte is waited for without a block: the C library reads the rest. `to`: pointers
 * that were read from the open list of arguments before, as that cannot wait. */
static pausable int scan(FILE *stream, const char *format, void *const to[])
{
    HOLD(stream);
    need(stream);
#ifdef __EMSCRIPTEN__
    if (CO4__FILE_WAITS(fileno(stream)))
        return co4__file_hooks->scan(stream, format, to);
#endif
    return co4__stream_scan(stream, format, to);
}

/* The result is `n`. Between `begin` and `end`, `more` is the open list of arguments: its scope
 * ends before the task waits. */
#define SCAN(n, stream, format, begin, end)                                                        \
    do {                                                                                           \
        void *to_[CO4__SCANNED];                                                                   \
        bool all_;                                                                                 \
        {                                                                                          \
            begin;                                                                                 \
            all_ = co4__stream_scanned((format), more, to_);                                       \
            (n) = all_ ? 0 : co4__vfscanf((stream), (format), more);                               \
            end;                                                                                   \
        }                                                                                          \
        if (all_)                                                                                  \
            (n) = scan((stream), (format), to_);                                                   \
    } while (0)

#define PUT(n, stream, format, begin, end)                                                         \
    do {                                                                                           \
        char *text_;                                                                               \
        {                                                                                          \
            begin;                                                                                 \
            (n) = co4__stream_format((stream), (format), more, &text_);                            \
            end;                                                                                   \
        }                                                                                          \
        if (text_)                                                                                 \
            (n) = put_text((stream), text_, (size_t)(n));                                          \
    } while (0)

/* Puts a text that it frees. */
static pausable int put_text(FILE *stream, char *text, size_t count)
{
    __attribute__((cleanup(free_text))) char *freed = text;
    return put(stream, freed, count) == count ? (int)count : -1;
}

/* ---- writing ---- */

static pausable size_t write_items(const void *from, size_t size, size_t count, FILE *stream)
{
    size_t bytes = size * count;
    size_t n = bytes > 0 ? put(stream, from, bytes) : 0;
    return bytes == 0 ? 0 : n == bytes ? count : n / size;
}

static pausable int write_byte(int c, FILE *stream)
{
    char byte = (char)c;
    return put(stream, &byte, 1) == 1 ? (unsigned char)c : EOF;
}

static pausable int write_line(const char *text)
{
    size_t n = strlen(text);
    HOLD(stdout);
    if (put(stdout, text, n) != n || put(stdout, "\n", 1) != 1)
        return EOF;
    return n < INT_MAX ? (int)n + 1 : INT_MAX; /* as glibc */
}

static pausable int flush_one(FILE *stream)
{
    HOLD(stream);
    if (!co4__stream_is_writing(stream) || co4__stream_kind(stream) != CO4__STREAM_WAITS)
        return plain_flush(stream);
    return flush(stream);
}

/* What is written fails first, as the stream is closed in any case. */
static pausable int flush_last(FILE *stream)
{
    bool waits = co4__stream_is_writing(stream) && co4__stream_kind(stream) == CO4__STREAM_WAITS;
    return waits ? flush(stream) : co4__stream_is_writing(stream) ? plain_flush(stream) : 0;
}

static pausable int close_stream(FILE *stream)
{
    HOLD(stream);
    int n = flush_last(stream), was = errno;
    if (plain_close(stream) != 0)
        return EOF;
    errno = n != 0 ? was : errno;
    return n;
}

static int close_process(FILE *stream)
{
    int n = pclose(stream);
    return n == -1 ? -errno : n;
}

static pausable int close_pipe(FILE *stream)
{
    HOLD(stream);
    flush_last(stream);
    __attribute__((cleanup(co4__interrupts_let_child_go))) bool held = co4__interrupts_hold_child();
    return (int)co4__io_result(co4_blocking(close_process(stream)));
}

#define WOVEN(woven, plain) (woven)

#else

#define WOVEN(woven, plain) (plain)
#define SCAN(n, stream, format, begin, end)                                                        \
    do {                                                                                           \
        begin;                                                                                     \
        (n) = co4__vfscanf((stream), (format), more);                                              \
        end;                                                                                       \
    } while (0)
#define PUT(n, stream, format, begin, end)                                                         \
    do {                                                                                           \
        begin;                                                                                     \
        (n) = vfprintf((stream), (format), more);                                                  \
        end;                                                                                       \
    } while (0)

#endif

#define BEGIN_MORE(last)                                                                           \
    va_list more;                                                                                  \
    va_start(more, last)

/* ---- the calls ---- */

CO4__INSIDE pausable int co4_posix_fgetc(FILE *stream)
{
    return WOVEN(read_byte(stream), fgetc(stream));
}

CO4__INSIDE pausable int co4_posix_getchar(void)
{
    return WOVEN(read_byte(stdin), getchar());
}

CO4__INSIDE pausable size_t co4_posix_fread(void *to, size_t size, size_t count, FILE *stream)
{
    return WOVEN(read_items(to, size, count, stream), fread(to, size, count, stream));
}

CO4__INSIDE pausable char *co4_posix_fgets(char *to, int size, FILE *stream)
{
    return WOVEN(read_line(to, size, stream), fgets(to, size, stream));
}

CO4__INSIDE pausable ssize_t co4_posix_getdelim(char **line, size_t *room, int stop, FILE *stream)
{
    return WOVEN(read_until(line, room, stop, stream), getdelim(line, room, stop, stream));
}

CO4__INSIDE pausable ssize_t co4_posix_getline(char **line, size_t *room, FILE *stream)
{
    return WOVEN(read_until(line, room, '\n', stream), getline(line, room, stream));
}

CO4__INSIDE pausable int co4_posix_vfscanf(FILE *stream, const char *format, va_list more)
{
    int n;
    SCAN(n, stream, format, (void)0, (void)0);
    return n;
}

CO4__INSIDE pausable int co4_posix_vscanf(const char *format, va_list more)
{
    int n;
    SCAN(n, stdin, format, (void)0, (void)0);
    return n;
}

CO4__INSIDE pausable int co4_posix_fscanf(FILE *stream, const char *format, ...)
{
    int n;
    SCAN(n, stream, format, BEGIN_MORE(format), va_end(more));
    return n;
}

CO4__INSIDE pausable int co4_posix_scanf(const char *format, ...)
{
    int n;
    SCAN(n, stdin, format, BEGIN_MORE(format), va_end(more));
    return n;
}

CO4__INSIDE pausable size_t co4_posix_fwrite(const void *from, size_t size, size_t count,
                                             FILE *stream)
{
    return WOVEN(write_items(from, size, count, stream), fwrite(from, size, count, stream));
}

CO4__INSIDE pausable int co4_posix_fputs(const char *text, FILE *stream)
{
    return WOVEN(write_items(text, 1, strlen(text), stream) == strlen(text) ? 1 : EOF,
                 fputs(text, stream));
}

CO4__INSIDE pausable int co4_posix_puts(const char *text)
{
    return WOVEN(write_line(text), puts(text));
}

CO4__INSIDE pausable int co4_posix_fputc(int c, FILE *stream)
{
    return WOVEN(write_byte(c, stream), fputc(c, stream));
}

CO4__INSIDE pausable int co4_posix_putchar(int c)
{
    return WOVEN(write_byte(c, stdout), putchar(c));
}

CO4__INSIDE pausable int co4_posix_vfprintf(FILE *stream, const char *format, va_list more)
{
    int n;
    PUT(n, stream, format, (void)0, (void)0);
    return n;
}

CO4__INSIDE pausable int co4_posix_vprintf(const char *format, va_list more)
{
    int n;
    PUT(n, stdout, format, (void)0, (void)0);
    return n;
}

CO4__INSIDE pausable int co4_posix_fprintf(FILE *stream, const char *format, ...)
{
    int n;
    PUT(n, stream, format, BEGIN_MORE(format), va_end(more));
    return n;
}

CO4__INSIDE pausable int co4_posix_printf(const char *format, ...)
{
    int n;
    PUT(n, stdout, format, BEGIN_MORE(format), va_end(more));
    return n;
}

/* fflush(NULL) flushes all streams, and blocks the thread. */
CO4__INSIDE pausable int co4_posix_fflush(FILE *stream)
{
    return WOVEN(stream ? flush_one(stream) : plain_flush_all(), fflush(stream));
}

CO4__INSIDE pausable int co4_posix_fclose(FILE *stream)
{
    return WOVEN(close_stream(stream), fclose(stream));
}

CO4__INSIDE pausable int co4_posix_pclose(FILE *stream)
{
    return WOVEN(close_pipe(stream), pclose(stream));
}

/* The C library knows nothing of holds, so these are not its own either. They do not pause. */
CO4__INSIDE pausable int co4_posix_ftrylockfile(FILE *stream)
{
    return WOVEN(co4__stream_lock(stream) ? 0 : -1, ftrylockfile(stream));
}

CO4__INSIDE pausable void co4_posix_funlockfile(FILE *stream)
{
#ifdef CO4_PLAIN
    funlockfile(stream);
#else
    if (!co4__stream_unlock(stream))
        funlockfile(stream);
#endif
}

CO4__INSIDE pausable void co4_posix_flockfile(FILE *stream)
{
#ifdef CO4_PLAIN
    flockfile(stream);
#else
    while (!co4__stream_lock(stream))
        wait_for_hold(stream);
#endif
}

#ifdef __EMSCRIPTEN__
/* ---- positions, of files that may take time ---- */

#ifndef CO4_PLAIN
static pausable int move_to(FILE *stream, off_t at, int whence)
{
    HOLD(stream);
    return co4__file_hooks ? co4__file_hooks->seek(stream, at, whence) : fseeko(stream, at, whence);
}
#endif

CO4__INSIDE pausable int co4_posix_fseeko(FILE *stream, off_t at, int whence)
{
    return WOVEN(move_to(stream, at, whence), fseeko(stream, at, whence));
}

CO4__INSIDE pausable int co4_posix_fseek(FILE *stream, long at, int whence)
{
    return co4_posix_fseeko(stream, at, whence);
}

CO4__INSIDE pausable int co4_posix_fsetpos(FILE *stream, const fpos_t *at)
{
    return co4_posix_fseeko(stream, (off_t)at->__lldata, SEEK_SET);
}

CO4__INSIDE pausable void co4_posix_rewind(FILE *stream)
{
    co4_posix_fseeko(stream, 0, SEEK_SET);
    clearerr(stream);
}
#endif
