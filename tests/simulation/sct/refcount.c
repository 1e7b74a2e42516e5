/* refcount.c - a counted object in a table, from which one thread removes it while others take it.
 *
 * The mistake is of the kind of CVE-2019-6974: a thread that finds the object counts its use up,
 * although the count may have come to 0 meanwhile. It uses what is freed. The right form counts up
 * only what is above 0. */
#include <stdatomic.h>

#include "sct.h"

enum { THREADS = 3 };

static struct object {
    atomic_int count, is_free;
} object = { .count = 1 };

static struct object *_Atomic table = &object;

static int retain(struct object *found)
{
    int count = atomic_load(&found->count);
    if (!RIGHT_FORM) {
        atomic_fetch_add(&found->count, 1);
        return 1;
    }
    while (count > 0)
        if (atomic_compare_exchange_strong(&found->count, &count, count + 1))
            return 1;
    return 0;
}

static void release(struct object *found)
{
    if (atomic_fetch_sub(&found->count, 1) == 1)
        atomic_store(&found->is_free, 1);
}

static void *use(void *arg)
{
    struct object *found = atomic_load(&table);
    if (!found || !retain(found))
        return arg;
    assert(!atomic_load(&found->is_free));
    release(found);
    return arg;
}

static void *drop(void *arg)
{
    struct object *found = atomic_exchange(&table, NULL);
    if (found)
        release(found);
    return arg;
}

static void *use_or_drop(void *arg)
{
    return number_of_thread(arg) == 0 ? drop(arg) : use(arg);
}

int main(void)
{
    together(THREADS, use_or_drop);
    return 0;
}
