/* co4/error.h - error codes: how a call says that it has failed.
 *
 *   - A call that has the name of a POSIX call behind co4_ answers as that one does: -1 and `errno`
 *     (io.h, file.h, posix.h).
 *   - Every other call that can fail returns a code: 0 (CO4_OK) or a positive number is success, a
 *     negative number says why not. It is one of the codes below, or a negated `errno` (-ENOENT)
 *     for what the system says and no code below does; or a code of a library on co4, as those of
 *     nats.h and tls.h. `errno` itself says nothing then.
 *   - A call that returns an object returns NULL without memory, and for arguments that make no
 *     sense. A call with more reasons to fail returns the code, and writes the object to its first
 *     argument.
 *   - Each reason has one number: an ETIMEDOUT of the system is CO4_ETIMEDOUT. co4_code_of_errno()
 *     translates, for functions of the program. co4_strerror() has a text for every code.
 *
 * Codes, names and texts come from the table below. The numbers are fixed: they are part of the
 * binary interface and never reused. They begin at -2001 and go down. They are different from -1,
 * from negated errno values and from libuv's codes. So a `return -1` in a program is no code of
 * co4. Libraries on co4, and programs, add texts of their own codes by co4_error_add(). */
#ifndef CO4_ERROR_H
#define CO4_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The table: X(name without CO4_, code, text) for each code. */
#define CO4_ERROR_MAP(X)                                                                           \
    X(OK, 0, "no error")                                                                           \
    X(ENOMEM, -2001, "out of memory")                                                              \
    X(EINVAL, -2002, "an argument is not acceptable")                                              \
    X(ECLOSED, -2003, "closed, and nothing is left to take")                                       \
    X(EFULL, -2004, "there is no room")                                                            \
    X(EEMPTY, -2005, "there is no message")                                                        \
    X(ETIMEDOUT, -2006, "the deadline has passed")                                                 \
    X(ECANCELED, -2007, "the task was cancelled")                                                  \
    X(EBUSY, -2008, "still in use")                                                                \
    X(EDEADLK, -2009, "waiting here could never end")                                              \
    X(ESTATE, -2010, "not possible in this state")                                                 \
    X(EAGAIN, -2011, "the system lacks something now, and a later call may succeed")               \
    X(EPERM, -2012, "the system does not permit it")

/* The codes. */
typedef enum co4_error {
#define CO4_ERROR_ENUM(name, code, text) CO4_##name = (code),
    CO4_ERROR_MAP(CO4_ERROR_ENUM)
#undef CO4_ERROR_ENUM
        CO4_ERROR_BASE_ = -2000, /* above the highest code but CO4_OK */
    CO4_ERROR_LAST_ = -2013      /* one past the lowest code */
} co4_error;

/* The text of a code, for people: "out of memory".
 *
 * Returns: a constant string, also for CO4_ENDED() of a select (source.h), for a code of
 *     co4_error_add() (those of nats.h and tls.h are), and for a negated `errno` from -2 on;
 *     for -1 that it is no code; "unknown error" for any other number.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time; also in a signal handler.
 * Ownership: the string is static.
 * Since: 0.1. */
const char *co4_strerror(int code);

/* The name of a code in sources: "CO4_ENOMEM".
 *
 * Returns: a constant string; "CO4_ENDED" for CO4_ENDED() of a select (source.h); "ENOENT" for
 *     -ENOENT, with glibc; "CO4_E?" for a number that is no code.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time; also in a signal handler.
 * Ownership: the string is static.
 * Since: 0.1. */
const char *co4_errname(int code);

/* The code of an `errno`, after a call of POSIX has failed.
 *
 * Returns: the code above that says the same: CO4_ECLOSED for EBADF, CO4_ETIMEDOUT for ETIMEDOUT
 *     and so on; else -err; CO4_EINVAL below 1.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time; also in a signal handler.
 * Ownership: nothing changes hands.
 * Since: 0.2. */
int co4_code_of_errno(int err);

/* A code, its name in sources, and its text. */
typedef struct co4_error_text {
    int code;
    const char *name, *text;
} co4_error_text;

/* The codes of a library, or of a program. */
typedef struct co4_error_texts {
    const co4_error_text *all;
    size_t count;
    struct {
        struct co4_error_texts *next;
    } co4_private;
} co4_error_texts;

/* Makes the texts known to co4_strerror() and co4_errname(). For codes from -2200 down: those above
 * are co4's.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, none, one without a text, and codes that are known already,
 *     or are co4's.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: *texts and its rows stay the caller's, and as they are, as long as the process runs.
 * Since: 0.1. */
int co4_error_add(co4_error_texts *texts);

#ifdef __cplusplus
}
#endif

#endif
