/* woven_form.c - from the address of a plain function to its woven form.
 *
 * Purpose: programs that are woven as a whole (co4weave --auto) keep plain addresses in their
 * pointers, because libraries call them, too, and structs with such pointers have to stay as they
 * are. A woven call through a pointer looks here, and usually remembers the answer itself.
 *
 * Concurrency: a table with open addressing. Readers take no lock: a slot is written once, from
 * NULL to a pair, and a table that has become too small stays for threads that still read it. All
 * tables together have twice the slots of the last. Constructors of units add pairs; they exclude
 * each other by a flag, as they allocate. A pair whose unit has gone matches no address any more.
 *
 * If an allocation fails, the functions of that unit are not found. A call of one of them then
 * blocks its thread, as a call from plain code does. */
#include "core/woven_form.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/public.h"
#include "platform/thread.h"

struct pair { /* readers see it as a co4_abi_pair */
    _Atomic(co4_abi_code *) plain;
    co4_abi_code *woven;
};
_Static_assert(sizeof(struct pair) == sizeof(co4_abi_pair), "the same to woven code");

struct table {
    size_t mask; /* the number of slots, a power of two, less 1 */
    struct table *smaller;
    _Atomic(struct pair *) slots[];
};

/* `adding` guards writes, and the count of slots in use. */
static _Atomic(struct table *) newest;
static atomic_flag adding = ATOMIC_FLAG_INIT;
static size_t used;

bool co4__woven_forms_lost;

static size_t hash(co4_abi_code *plain)
{
    /* All bits count: in WebAssembly functions have the numbers from 1 on. */
    return (size_t)((uintptr_t)plain * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static struct pair *form_find(const struct table *t, co4_abi_code *plain)
{
    if (!t)
        return NULL;
    for (size_t i = hash(plain);; i++) {
        struct pair *p = atomic_load_explicit(&((struct table *)(uintptr_t)t)->slots[i & t->mask],
                                              memory_order_acquire);
        if (!p || atomic_load_explicit(&p->plain, memory_order_relaxed) == plain)
            return p;
    }
}

co4_abi_code *co4_abi_woven_of(const co4_abi_pair **last, co4_abi_code *plain)
{
    struct pair *p = form_find(atomic_load_explicit(&newest, memory_order_acquire), plain);
    if (!p)
        return NULL;
    __atomic_store_n(last, (const co4_abi_pair *)(const void *)p, __ATOMIC_RELEASE);
    return p->woven;
}

static void insert(struct table *t, struct pair *p)
{
    size_t i = hash(atomic_load_explicit(&p->plain, memory_order_relaxed));
    while (atomic_load_explicit(&t->slots[i & t->mask], memory_order_relaxed))
        i++;
    atomic_store_explicit(&t->slots[i & t->mask], p, memory_order_release);
}

/* Makes a table for `count` pairs, and copies the pairs of the newest table that still match a
 * function. */
static bool forms_grow(size_t count)
{
    struct table *old = atomic_load_explicit(&newest, memory_order_relaxed);
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    if (old && slots <= old->mask + 1)
        return true;
    struct table *t = co4__alloc(sizeof *t + slots * sizeof t->slots[0]);
    if (!t)
        return false;
    t->mask = slots - 1;
    t->smaller = old;
    used = 0;
    for (size_t i = 0; old && i <= old->mask; i++) {
        struct pair *p = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (p && atomic_load_explicit(&p->plain, memory_order_relaxed)) {
            insert(t, p);
            used++;
        }
    }
    atomic_store_explicit(&newest, t, memory_order_release);
    return true;
}

static void forms_lock(void)
{
    for (unsigned tries = 0; atomic_flag_test_and_set_explicit(&adding, memory_order_acquire);)
        co4__back_off(tries++);
}

static void forms_unlock(void)
{
    atomic_flag_clear_explicit(&adding, memory_order_release);
}

void co4_abi_pairs_add(co4_abi_pairs *unit)
{
    forms_lock();
    struct pair *pairs = forms_grow(used + unit->count) ? co4__alloc(unit->count * sizeof *pairs)
                                                        : NULL;
    for (size_t i = 0; pairs && i < unit->count; i++) {
        atomic_init(&pairs[i].plain, unit->pairs[i].plain);
        pairs[i].woven = unit->pairs[i].woven;
        insert(atomic_load_explicit(&newest, memory_order_relaxed), &pairs[i]);
        used++;
    }
    co4__woven_forms_lost = co4__woven_forms_lost || (!pairs && unit->count > 0);
    forms_unlock();
}

void co4_abi_pairs_drop(co4_abi_pairs *unit)
{
    forms_lock();
    const struct table *t = atomic_load_explicit(&newest, memory_order_relaxed);
    for (size_t i = 0; i < unit->count; i++) {
        struct pair *p = form_find(t, unit->pairs[i].plain);
        if (p)
            atomic_store_explicit(&p->plain, NULL, memory_order_relaxed);
    }
    forms_unlock();
}
