/* co4/sanitizer.h - is this code built with a sanitizer, by gcc or by clang? Each is 0 or 1. */
#ifndef CO4_SANITIZER_H
#define CO4_SANITIZER_H

#if defined(__has_feature)
#define CO4_SANITIZER_HAS(feature) __has_feature(feature)
#else
#define CO4_SANITIZER_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || CO4_SANITIZER_HAS(address_sanitizer)
#define CO4_ADDRESS_SANITIZER 1
#else
#define CO4_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || CO4_SANITIZER_HAS(thread_sanitizer)
#define CO4_THREAD_SANITIZER 1
#else
#define CO4_THREAD_SANITIZER 0
#endif

#if CO4_ADDRESS_SANITIZER || CO4_THREAD_SANITIZER || CO4_SANITIZER_HAS(memory_sanitizer)
#define CO4_SANITIZED 1
#else
#define CO4_SANITIZED 0
#endif

#endif
