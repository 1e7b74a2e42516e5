/* co4/waiter.h - what a result, and a place in a wait queue, look like in memory.
 *
 * All fields are the library's. The types are public because fibers (abi.h) and listeners
 * (source.h) have them. */
#ifndef CO4_WAITER_H
#define CO4_WAITER_H

/* A field that several threads write. Only the library does, so other languages and compilers need
 * no more than its size. */
#if !defined(__cplusplus) && !defined(__TINYC__) && !defined(__STDC_NO_ATOMICS__) &&               \
    defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CO4_ABI_ATOMIC(type) _Atomic(type)
#else
#define CO4_ABI_ATOMIC(type) type
#endif

/* What a waiter waits with, while its result has not come. */
typedef struct co4_abi_wait {
    void *buffer; /* the message to copy to or from, the task to join, … */
    void *where;  /* the wait queue, or the timer; NULL: neither */
} co4_abi_wait;

#define CO4_ABI_RESULT_BYTES 16

typedef union co4_abi_result {
    int i;
    long long ll;
    double d;
    void *p;
    unsigned char bytes[CO4_ABI_RESULT_BYTES];
    co4_abi_wait wait;
} co4_abi_result;

/* A place in a wait queue. A task, a blocked thread and a listener have one each. */
struct co4__waiter {
    co4_abi_result result; /* of the wait, once it is over */
    struct co4__waiter *next, *prev;
    CO4_ABI_ATOMIC(unsigned char) claim; /* how it waits, and for what */
    unsigned char kind;                  /* what has it */
    unsigned char of_owner[6];           /* a task's state and references */
};

#endif
