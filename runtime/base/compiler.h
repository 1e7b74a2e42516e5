/* compiler.h - attributes and hints for compilers: likely branches, inlining, visibility. */
#ifndef CO4_COMPILER_INTERNAL_H
#define CO4_COMPILER_INTERNAL_H

#if defined(__GNUC__) || defined(__clang__)
#define CO4__LIKELY(x)     __builtin_expect(!!(x), 1)
#define CO4__UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define CO4__NOINLINE      __attribute__((noinline))
#define CO4__ALWAYS_INLINE inline __attribute__((always_inline))
/* For a function that runs seldom: the compiler makes it small, and its calls unlikely. */
#define CO4__COLD __attribute__((cold))
/* For a variable that hot code reads. This library defines it, so its address needs no load, not
 * even in position-independent code. */
#define CO4__OWN __attribute__((visibility("hidden")))
/* For a struct in the memory of a public type, which is an array of numbers. */
#define CO4__MAY_ALIAS __attribute__((may_alias))
#else
#define CO4__LIKELY(x)   (x)
#define CO4__UNLIKELY(x) (x)
#define CO4__NOINLINE
#define CO4__ALWAYS_INLINE inline
#define CO4__COLD
#define CO4__OWN
#define CO4__MAY_ALIAS
#endif

/* For a function that a table names and that does not draw its file into a program: if nothing else
 * does, its address is NULL. Mach-O has no such references between archives; there each program has
 * all modules. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__APPLE__)
#define CO4__IF_LINKED __attribute__((weak, visibility("hidden")))
#else
#define CO4__IF_LINKED
#endif

/* For what libco4_extras and libco4_test call of libco4, although no program does. */
#if defined(__GNUC__) || defined(__clang__)
#define CO4__PRIVATE __attribute__((visibility("default")))
#else
#define CO4__PRIVATE
#endif

/* For a function that users reach although no public header declares it: woven and plain code call
 * it. */
#if defined(__GNUC__) || defined(__clang__)
#define CO4__PUBLIC __attribute__((visibility("default")))
#else
#define CO4__PUBLIC
#endif

#endif
