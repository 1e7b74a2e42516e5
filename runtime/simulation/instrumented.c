/* instrumented.c - what code calls at each access of memory, with co4weave --auto=test --races.
 *
 * The compiler inserts the calls (-fsanitize=thread), for which it has names; here they look for
 * races in the simulation. So its passes decide what is an access: in woven code and in plain code,
 * of bit fields and of whole structs. A library of a sanitizer has these names, too: a program has
 * one of the two. */
#include "co4/sanitizer.h"
#include "simulation/races.h"

#if CO4_SANITIZED
typedef int co4__is_not_empty;
#else

int co4__simulated_races; /* the link asks for it: so this file is in the program */

#define HERE __builtin_return_address(0)

/* ---- accesses ---- */

#define ACCESS(name, bytes, kind)                                                                  \
    void __tsan_##name(const void *at);                                                            \
    void __tsan_##name(const void *at)                                                             \
    {                                                                                              \
        co4__race_access(at, bytes, kind, HERE);                                                   \
    }

#define OF_SIZE(bytes)                                                                             \
    ACCESS(read##bytes, bytes, 0)                                                                  \
    ACCESS(write##bytes, bytes, CO4__ACCESS_WRITES)                                                \
    ACCESS(read_write##bytes, bytes, CO4__ACCESS_WRITES)                                           \
    ACCESS(unaligned_read##bytes, bytes, 0)                                                        \
    ACCESS(unaligned_write##bytes, bytes, CO4__ACCESS_WRITES)                                      \
    ACCESS(unaligned_read_write##bytes, bytes, CO4__ACCESS_WRITES)                                 \
    ACCESS(volatile_read##bytes, bytes, CO4__ACCESS_ATOMIC)                                        \
    ACCESS(volatile_write##bytes, bytes, CO4__ACCESS_ATOMIC | CO4__ACCESS_WRITES)                  \
    ACCESS(unaligned_volatile_read##bytes, bytes, CO4__ACCESS_ATOMIC)                              \
    ACCESS(unaligned_volatile_write##bytes, bytes, CO4__ACCESS_ATOMIC | CO4__ACCESS_WRITES)

OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)

void __tsan_read_range(const void *at, unsigned long bytes);
void __tsan_read_range(const void *at, unsigned long bytes)
{
    co4__race_access(at, bytes, 0, HERE);
}

void __tsan_write_range(const void *at, unsigned long bytes);
void __tsan_write_range(const void *at, unsigned long bytes)
{
    co4__race_access(at, bytes, CO4__ACCESS_WRITES, HERE);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long bytes);
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes)
{
    co4__race_access(from, bytes, 0, HERE);
    co4__race_access(to, bytes, CO4__ACCESS_WRITES, HERE);
    return __builtin_memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, unsigned long bytes);
void *__tsan_memmove(void *to, const void *from, unsigned long bytes)
{
    co4__race_access(from, bytes, 0, HERE);
    co4__race_access(to, bytes, CO4__ACCESS_WRITES, HERE);
    return __builtin_memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int byte, unsigned long bytes);
void *__tsan_memset(void *to, int byte, unsigned long bytes)
{
    co4__race_access(to, bytes, CO4__ACCESS_WRITES, HERE);
    return __builtin_memset(to, byte, bytes);
}

/* ---- atomic operations ---- */

/* The orders that the compiler passes are those of C11, with flags above them. */
#define ORDER(order) ((order)&7)

static void updates(const void *at, size_t bytes, int order, const void *place)
{
    co4__race_access(at, bytes, CO4__ACCESS_ATOMIC | CO4__ACCESS_WRITES, place);
    co4__race_update(at, ORDER(order));
}

/* A comparison that fails reads. */
static void compares(const void *at, size_t bytes, int order, int made, const void *place)
{
    if (made) {
        updates(at, bytes, order, place);
        return;
    }
    co4__race_access(at, bytes, CO4__ACCESS_ATOMIC, place);
    co4__race_load(at, ORDER(order));
}

#define BITS 8
#define TYPE unsigned char
#include "simulation/atomic_calls.h"
#define BITS 16
#define TYPE unsigned short
#include "simulation/atomic_calls.h"
#define BITS 32
#define TYPE unsigned
#include "simulation/atomic_calls.h"
#define BITS 64
#define TYPE unsigned long long
#include "simulation/atomic_calls.h"

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    co4__race_fence(ORDER(order));
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* ---- what the compiler calls beside ---- */

void __tsan_init(void);
void __tsan_init(void)
{
    co4__simulated_races = 1;
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
    (void)value;
    co4__race_access(at, sizeof *at, CO4__ACCESS_WRITES, HERE);
}

void __tsan_vptr_read(void **at);
void __tsan_vptr_read(void **at)
{
    co4__race_access(at, sizeof *at, 0, HERE);
}

#endif
