/* co4/must_use.h - a mark on functions whose result is not to be dropped.
 *
 * It stands where the result alone says one of three things: what the caller owns from now on (a
 * handle that is created or shared); whether the caller has what it asked for (a lock, a permit,
 * the answer of a try_ function); whether what was asked for will ever happen (co4_defer(), a
 * notice, a place that was to be reserved). Compilers warn then (-Wunused-result).
 *
 * It does not stand where a failure is a mistake of the program alone (destroying what is in use),
 * where it shows at the next call (a send to a mailbox that was closed), or where the handle is
 * not needed (co4_spawn(): a task that must not be missing belongs in a scope, which reports). */
#ifndef CO4_MUST_USE_H
#define CO4_MUST_USE_H

#if defined(__GNUC__) || defined(__clang__)
#define CO4_MUST_USE __attribute__((__warn_unused_result__))
#else
#define CO4_MUST_USE
#endif

#endif
