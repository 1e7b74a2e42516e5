/* compiler.h - what compilers are told: likely branches, inlining, visibility. */
#ifndef CO4_COMPILER_INTERNAL_H
#define CO4_COMPILER_INTERNAL_H

#if defined(__GNUC__) || defined(__clang__)
#define CO4__LIKELY(x)     __builtin_expect(!!(x), 1)
#define CO4__UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define CO4__NOINLINE      __attribute__((noinline))
#define CO4__ALWAYS_INLINE inline __attribute__((always_inline))
/* Of a variable that hot code reads: defined in this library, so its address is no load, also where
 * the code is position-independent. */
#define CO4__OWN __attribute__((visibility("hidden")))
#else
#define CO4__LIKELY(x)   (x)
#define CO4__UNLIKELY(x) (x)
#define CO4__NOINLINE
#define CO4__ALWAYS_INLINE inline
#define CO4__OWN
#endif

/* Of a function that is not in the public headers and yet for users: woven and plain code call
 * it. */
#if defined(__GNUC__) || defined(__clang__)
#define CO4__PUBLIC __attribute__((visibility("default")))
#else
#define CO4__PUBLIC
#endif

#endif
