/* seqlock.c - a pair that a writer changes without waiting for readers: a count that is odd while
 * it writes says so.
 *
 * The mistake: the reader looks at the count before it reads, and not again after that. A writer
 * that begins between gives it one old and one new number. */
#include <sched.h>
#include <stdatomic.h>

#include "sct.h"

static atomic_uint count;
static atomic_int one, other;

static void *write_pairs(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&count, 1);
        atomic_store(&one, i);
        atomic_store(&other, -i);
        atomic_fetch_add(&count, 1);
    }
    return arg;
}

static void *read_pair(void *arg)
{
    unsigned before;
    int first, second;
    do {
        while ((before = atomic_load(&count)) % 2 != 0)
            sched_yield();
        first = atomic_load(&one);
        second = atomic_load(&other);
    } while (atomic_load(&count) != before && RIGHT_FORM);
    assert(first + second == 0);
    return arg;
}

int main(void)
{
    pthread_t writer, reader;
    begin_thread(&writer, write_pairs, 0);
    begin_thread(&reader, read_pair, 0);
    end_thread(writer);
    end_thread(reader);
    return 0;
}
