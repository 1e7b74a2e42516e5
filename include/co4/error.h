/* co4/error.h - one table of error codes.
 *
 * Every function that can fail returns CO4_OK (zero) or one of the negative codes below. Codes,
 * names and texts come from this table alone, so a new code is one new line. The numbers are fixed:
 * they are part of the binary interface and never reused. They begin at -2001 and go down. They are
 * different from -1, from negated errno values and from libuv's codes. So a `return -1` in a
 * program is no code of co4. Libraries on co4, and programs, add texts of their own codes by
 * co4_error_add(). */
#ifndef CO4_ERROR_H
#define CO4_ERROR_H

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
    X(EAGAIN, -2011, "the system lacks what a thread needs")

/* The codes. */
typedef enum co4_error {
#define CO4_ERROR_ENUM(name, code, text) CO4_##name = (code),
    CO4_ERROR_MAP(CO4_ERROR_ENUM)
#undef CO4_ERROR_ENUM
        CO4_ERROR_BASE_ = -2000, /* above the highest code but CO4_OK */
    CO4_ERROR_LAST_ = -2012      /* one past the lowest code */
} co4_error;

/* The text of a code, for people: "out of memory".
 *
 * Returns: a constant string, also for CO4_ENDED() of a select (source.h), for a code of
 *     co4_error_add() (those of co4/nats.h are), and for a negated `errno` from -2 on; "unknown
 *     error" for any other number.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time; also in a signal handler.
 * Ownership: the string is static.
 * Since: 0.1. */
const char *co4_strerror(int code);

/* The name of a code in sources: "CO4_ENOMEM".
 *
 * Returns: a constant string; "CO4_ENDED" for CO4_ENDED() of a select (source.h); "CO4_E?" for a
 *     number that is no code.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time; also in a signal handler.
 * Ownership: the string is static.
 * Since: 0.1. */
const char *co4_errname(int code);

/* Texts of the codes from `lowest` to `highest`, both negative. `text` returns a constant string;
 * NULL: that number is no code. */
typedef struct co4_error_texts {
    int lowest, highest;
    const char *(*text)(int code);
    struct {
        struct co4_error_texts *next;
    } co4_private;
} co4_error_texts;

/* Makes the texts known to co4_strerror(). For codes from -2200 down: those above are co4's.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, numbers that are no range, and codes that are known
 *     already.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: *texts stays the caller's, and as it is, as long as the process runs.
 * Since: 0.1. */
int co4_error_add(co4_error_texts *texts);

#ifdef __cplusplus
}
#endif

#endif
