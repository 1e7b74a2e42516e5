/* stream.h - streams of the C library, for tasks. */
#ifndef CO4_STREAM_INTERNAL_H
#define CO4_STREAM_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/public.h"
#include "base/table.h"

/* What a task has to do before it reads or writes a stream. */
enum co4__stream_kind {
    CO4__STREAM_PLAIN, /* not a stream of bytes at a descriptor that waits: as the C library does */
    CO4__STREAM_WAITS
};
enum co4__stream_kind co4__stream_kind(FILE *stream);

/* ---- a task's claim to a stream, during a call that pauses ---- */

struct co4__stream_hold {
    struct co4__table_node node; /* by the stream */
    FILE *stream;
    co4_task *task;
    unsigned depth; /* calls of flockfile(), and one for a call that is under way */
    bool held;
};

/* Returns whether another task holds the stream. */
bool co4__stream_is_taken(FILE *stream);
/* Begins a hold, or deepens that of the calling task. False: another task has it. */
bool co4__stream_hold(struct co4__stream_hold *hold, FILE *stream);
/* Ends it; nothing if it is not held. */
void co4__stream_release(struct co4__stream_hold *hold);

/* flockfile() and the like: the hold is allocated. `wait`: false, and nothing happens, when another
 * task has it, or there is no memory. */
bool co4__stream_lock(FILE *stream);
/* Returns whether the calling task had locked it, and it is unlocked. */
bool co4__stream_unlock(FILE *stream);

/* ---- reading ---- */

/* Returns whether the next byte is there, or a read does not wait: after the end, or as the stream
 * is not for reading. */
bool co4__stream_has_input(FILE *stream);
/* Takes a byte, or EOF; or returns CO4__STREAM_NOT_NOW if that waits, or another task holds the
 * stream. */
#define CO4__STREAM_NOT_NOW (-2)
int co4__stream_get(FILE *stream);
/* Copies up to `most` bytes that are there, and none behind a byte `stop`; -1: no byte stops it. */
size_t co4__stream_take(FILE *stream, char *to, size_t most, int stop);
/* Returns whether `most` bytes are there, or a byte `stop`. The caller has locked the stream. */
bool co4__stream_reaches(FILE *stream, size_t most, int stop);
/* The same if that is all the caller wants, and no other task holds the stream; else 0. */
size_t co4__stream_take_all(FILE *stream, char *to, size_t most, int stop);
/* Reads at least one byte into the buffer, by the C library. False: the end, or an error. */
bool co4__stream_fill(FILE *stream);
/* Returns whether the C library writes what stdout has before this stream reads. */
bool co4__stream_shows_stdout(FILE *stream);

/* ---- writing ---- */

/* Returns whether the last call was a write. */
bool co4__stream_is_writing(FILE *stream);

/* Takes the bytes out that wait in the buffer. Returns their number, and *bytes, which the caller
 * frees. *bytes is NULL when there is no memory; then the caller lets the C library write. */
size_t co4__stream_take_output(FILE *stream, char **bytes);
/* How `count` new bytes are written. */
struct co4__stream_plan {
    size_t begin;  /* the stream does not write yet: the C library takes these many first */
    bool flush;    /* the buffer is written first */
    size_t direct; /* of the new ones, these many are written then */
};
struct co4__stream_plan co4__stream_plan(FILE *stream, const char *bytes, size_t count);
/* Puts the bytes into the buffer if that needs no write, and no other task holds the stream.
 * Returns whether it did. */
bool co4__stream_put(FILE *stream, const char *bytes, size_t count);
/* The most arguments of a scan that waits. */
enum { CO4__SCANNED = 16 };
/* Takes the arguments of a format out of `more`. False: there are more, or they are numbered, and
 * nothing has been taken. */
bool co4__stream_scanned(const char *format, va_list more, void *to[CO4__SCANNED]);
int co4__stream_scan(FILE *stream, const char *format, void *const to[CO4__SCANNED]);
/* Formats a text, and puts it into the buffer if that needs no write; else *text is the caller's.
 * Returns its length or -1. */
int co4__stream_format(FILE *stream, const char *format, va_list more, char **text);
/* A call has failed: ferror() says so. */
void co4__stream_failed(FILE *stream);
/* A wait has found the end: feof() says so. */
void co4__stream_ended(FILE *stream);

#endif
