/* co4/must_use.h - a mark on functions whose result must be used.
 *
 * A function has the mark if only its result says one of three things. First: the caller owns a
 * handle that was created or shared. Second: the caller has the object that it asked for (a lock, a
 * permit, the answer of a lock). Third: a later event will happen (co4_defer(), a notice,
 * a reserved place). Compilers warn if the program ignores the result (-Wunused-result).
 *
 * Other functions have no mark. A failure may be a mistake of the program alone (destroying an
 * object in use). It may show at the next call (a send to a mailbox that was closed). Or the handle
 * is not needed (co4_spawn(): a task that must not be missing belongs in a scope, which
 * reports). */
#ifndef CO4_MUST_USE_H
#define CO4_MUST_USE_H

#if defined(__GNUC__) || defined(__clang__)
#define CO4_MUST_USE __attribute__((__warn_unused_result__))
#else
#define CO4_MUST_USE
#endif

#endif
