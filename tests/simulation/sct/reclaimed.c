/* reclaimed.c - a setting that a writer replaces, and whose old one it uses anew, while others
 * read.
 *
 * The mistake: a reader has the pointer, and the writer reclaims what it points to. The right form
 * has a place in which the reader says what it uses, looks again, and the writer looks there. */
#include <sched.h>
#include <stdatomic.h>

#include "sct.h"

static struct setting {
    atomic_int value;
} settings[2];

static struct setting *_Atomic current = &settings[0], *_Atomic in_use;

static struct setting *get(void)
{
    struct setting *found = atomic_load(&current);
    while (RIGHT_FORM) {
        atomic_store(&in_use, found);
        struct setting *now = atomic_load(&current);
        if (now == found)
            break;
        found = now;
    }
    return found;
}

static void *read_setting(void *arg)
{
    int value = atomic_load(&get()->value);
    assert(value == 1 || value == 2);
    atomic_store(&in_use, NULL);
    return arg;
}

static void *replace(void *arg)
{
    struct setting *old = atomic_exchange(&current, &settings[1]);
    while (RIGHT_FORM && atomic_load(&in_use) == old)
        sched_yield();
    atomic_store(&old->value, -1);
    return arg;
}

int main(void)
{
    pthread_t reader, writer;
    atomic_store(&settings[0].value, 1);
    atomic_store(&settings[1].value, 2);
    begin_thread(&reader, read_setting, 0);
    begin_thread(&writer, replace, 0);
    end_thread(reader);
    end_thread(writer);
    return 0;
}
