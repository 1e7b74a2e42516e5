/* co4/posix_stdio.h - streams, as programs without marks use it.
 *
 * In programs that are woven as a whole (co4weave --auto) these replace calls of the C library, as
 * share/co4/posix.roots says; those with `_unlocked` in their names likewise. A stream at a pipe, a
 * socket or a terminal pauses the task where the call would block the thread: to read when its
 * buffer is empty, to write when it is full. Streams of files, of memory and of wide characters are
 * handled as the C library does, and so are all streams where the C library is not glibc.
 *
 * While a task waits in a call, or between its flockfile() and funlockfile(), other tasks' calls at
 * the stream wait. Plain calls of threads do not: they come in between where the task waits.
 *
 * Programs that have marks use buffered connections (net.h). */
#ifndef CO4_POSIX_STDIO_H
#define CO4_POSIX_STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: what the call without `co4_posix_` returns. When the task is cancelled: as after an
 *     error of the system, with ECANCELED in `errno`, and ferror().
 * Pauses: where the call without `co4_posix_` blocks.
 * Blocks: never, unless another process or a thread takes the bytes that have come.
 * Cancellation: an error of the stream.
 * Thread safety: any task.
 * Ownership: as without `co4_posix_`; what pointers lead to stays in place until the call returns.
 * Since: 0.2. */

/* They pause until the stream has what they take, or ends. */
pausable int co4_posix_fgetc(FILE *stream);
pausable int co4_posix_getchar(void);
pausable size_t co4_posix_fread(void *to, size_t size, size_t count, FILE *stream);
pausable char *co4_posix_fgets(char *to, int size, FILE *stream);
pausable ssize_t co4_posix_getdelim(char **line, size_t *room, int stop, FILE *stream);
pausable ssize_t co4_posix_getline(char **line, size_t *room, FILE *stream);

/* These pause until there is a byte, and block in between. With more than 16 arguments, or numbered
 * ones, they only block. */
pausable int co4_posix_fscanf(FILE *stream, const char *format, ...);
pausable int co4_posix_scanf(const char *format, ...);
pausable int co4_posix_vfscanf(FILE *stream, const char *format, va_list more);
pausable int co4_posix_vscanf(const char *format, va_list more);

/* If a write fails, what was in the buffer is lost, as in glibc. */
pausable size_t co4_posix_fwrite(const void *from, size_t size, size_t count, FILE *stream);
pausable int co4_posix_fputs(const char *text, FILE *stream);
pausable int co4_posix_puts(const char *text);
pausable int co4_posix_fputc(int c, FILE *stream);
pausable int co4_posix_putchar(int c);
pausable int co4_posix_fprintf(FILE *stream, const char *format, ...);
pausable int co4_posix_printf(const char *format, ...);
pausable int co4_posix_vfprintf(FILE *stream, const char *format, va_list more);
pausable int co4_posix_vprintf(const char *format, va_list more);

/* fflush(NULL) blocks. */
pausable int co4_posix_fflush(FILE *stream);
pausable int co4_posix_fclose(FILE *stream);
/* A thread of the pool waits for the process. */
pausable int co4_posix_pclose(FILE *stream);

/* The stream belongs to the task until its funlockfile(), also when it pauses. */
pausable void co4_posix_flockfile(FILE *stream);
pausable int co4_posix_ftrylockfile(FILE *stream);
pausable void co4_posix_funlockfile(FILE *stream);

#ifdef __cplusplus
}
#endif

#endif
