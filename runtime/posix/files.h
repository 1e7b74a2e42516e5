/* files.h - files of JavaScript that take time, as those of a page's network or storage.
 *
 * The C library's call is made as always, between co4__file_begin() and co4__file_end(). If the
 * page's kernel answers by a promise, the call fails, and nothing has happened. The task waits,
 * and makes the call again: it gets the answers that there are, and goes on where it was. Streams
 * cannot write twice: there `trusts` says that writes succeed, and the result comes after the wait.
 *
 * In programs that open no file the hooks are NULL, and nothing of this is linked. */
#ifndef CO4_POSIX_FILES_H
#define CO4_POSIX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "platform/js.h"

#include "co4/mark.h"

#ifdef __EMSCRIPTEN__
/* ---- files_js.c ---- */

struct co4_sem;
/* `id`: 0, or what co4__file_end() has returned of the same call. */
void co4__file_begin(int id, int trusts);
/* Returns 0 if the call is over; else its number. */
int co4__file_end(void);
/* JavaScript releases the semaphore when there is an answer. */
void co4__file_wait(int id, struct co4_sem *done);
/* The call is not made again. */
void co4__file_forget(int id);
/* The next call goes on behind what this one has got. */
void co4__file_advance(int id);
/* What has come of a trusted call, which is over then: 0, or a value of `errno`. */
int co4__file_error(int id);
/* The next open() returns this. */
void co4__file_opened(int fd);
/* What follows the position of a file is at hand, until this is called with -1. Between
 * co4__file_begin() and co4__file_end(). Returns less than 0 for an error. */
int co4__file_ahead(int fd);
/* The program ends: what streams still write is trusted. */
void co4__file_exits(void);

/* ---- woven/files_stdio.c ---- */

struct co4__file_hooks {
    pausable ssize_t (*read)(int fd, void *to, size_t bytes);
    pausable ssize_t (*write)(int fd, const void *from, size_t bytes);
    pausable ssize_t (*readv)(int fd, const struct iovec *to, int count);
    pausable ssize_t (*writev)(int fd, const struct iovec *from, int count);
    /* co4__stream_fill() */
    pausable bool (*fill)(FILE *stream);
    /* fread(), of bytes, when the buffer is empty */
    pausable size_t (*take)(FILE *stream, char *to, size_t bytes);
    pausable size_t (*put)(FILE *stream, const char *bytes, size_t count);
    pausable int (*flush)(FILE *stream); /* NULL: all */
    pausable int (*close)(FILE *stream);
    pausable int (*seek)(FILE *stream, off_t at, int whence);
    /* fscanf(), which reads in the middle */
    pausable int (*scan)(FILE *stream, const char *format, void *const to[]);
};
extern const struct co4__file_hooks *co4__file_hooks;
/* Sets them. */
void co4__file_use(void);

/* Waits for the answer. Returns 0; -1 with `errno`: the call is forgotten. */
pausable int co4__file_settle(int id);

/* Makes `call`, whose result is `n`, until it is over. */
#define CO4__SETTLED(n, call)                                                                      \
    do {                                                                                           \
        int id_ = 0, was_ = errno;                                                                 \
        do {                                                                                       \
            errno = was_;                                                                          \
            co4__file_begin(id_, 0);                                                               \
            (n) = (call);                                                                          \
            id_ = co4__file_end();                                                                 \
        } while (id_ != 0 && co4__file_settle(id_) == 0);                                          \
    } while (0)
#endif

/* A call on such a file is that of a hook, where tasks wait. */
#if defined(__EMSCRIPTEN__) && !defined(CO4_PLAIN)
#define CO4__FILE_WAITS(fd)           (co4__file_hooks && co4__js_takes_time(fd))
#define CO4__FILE_DO(call, arguments) (co4__file_hooks->call arguments)
#else
#define CO4__FILE_WAITS(fd)           false
#define CO4__FILE_DO(call, arguments) (-1)
#endif

#endif
