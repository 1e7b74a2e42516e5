/* many_keys.c - keys of specific values: all that there are, numbers that are given again, keys
 * that are deleted while threads have values, destructors that set values for ever. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 8, TURNS = 10000, SPARE = 16 };

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int count; /* of keys */
static atomic_int ends, rounds;
static pthread_key_t again;

static void end(void *value)
{
    (void)value;
    ends++;
}

static void end_again(void *value)
{
    rounds++;
    pthread_setspecific(again, value);
}

static void *creates_and_deletes(void *arg)
{
    intptr_t bad = 0;
    for (int i = 0; i < TURNS; i++) {
        pthread_key_t key;
        bad += pthread_key_create(&key, i % 2 ? end : NULL) != 0;
        bad += pthread_getspecific(key) != NULL;
        bad += pthread_setspecific(key, arg) != 0;
        if (i % 100 == 0)
            sched_yield();
        bad += pthread_getspecific(key) != arg;
        bad += pthread_key_delete(key) != 0;
        bad += pthread_key_delete(key) != EINVAL;
        bad += pthread_setspecific(key, arg) != EINVAL;
        bad += pthread_getspecific(key) != NULL;
    }
    return (void *)bad;
}

static void *sets_all(void *arg)
{
    intptr_t bad = 0;
    for (int i = 0; i < count; i++)
        bad += pthread_setspecific(keys[i], (char *)arg + i) != 0;
    sched_yield();
    for (int i = 0; i < count; i++)
        bad += pthread_getspecific(keys[i]) != (char *)arg + i;
    return (void *)bad;
}

/* Every second key is deleted, and is one without a value then. */
static void *loses_half(void *arg)
{
    intptr_t bad = (intptr_t)sets_all(arg);
    for (int i = 0; i < count; i += 2)
        bad += pthread_key_delete(keys[i]) != 0;
    sched_yield();
    for (int i = 0; i < count; i++)
        bad += pthread_getspecific(keys[i]) != (i % 2 ? (char *)arg + i : NULL);
    for (int i = 0; i < count; i += 2)
        bad += pthread_key_create(&keys[i], end) != 0;
    for (int i = 0; i < count; i += 2)
        bad += pthread_getspecific(keys[i]) != NULL;
    return (void *)bad;
}

static void *sets_for_ever(void *arg)
{
    return (void *)(intptr_t)pthread_setspecific(again, arg);
}

static void show(const char *name, void *(*f)(void *), int threads)
{
    static char values[PTHREAD_KEYS_MAX];
    pthread_t ids[THREADS];
    intptr_t bad = 0;
    ends = 0;
    for (int i = 0; i < threads; i++)
        bad += pthread_create(&ids[i], NULL, f, values) != 0;
    for (int i = 0; i < threads; i++) {
        void *value;
        bad += pthread_join(ids[i], &value) != 0;
        bad += (intptr_t)value;
    }
    printf("%s: bad %d, ends of all keys %d, of half of them %d\n", name, (int)bad,
           ends == threads * count, ends == threads * (count / 2));
}

/* One that a task cannot be. */
static void begin_with_large_stack(void)
{
    pthread_attr_t large;
    pthread_t id;
    void *bad = keys;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, (size_t)64 << 20);
    int err = pthread_create(&id, &large, sets_all, NULL);
    printf("a thread: %d %d\n", err, err != 0 ? 0 : pthread_join(id, &bad));
    printf("its values: bad %d\n", bad != NULL);
}

int main(void)
{
    show("in turns", creates_and_deletes, 1);
    pthread_key_create(&again, end_again);
    show("for ever", sets_for_ever, THREADS);
    printf("rounds of each %d\n", rounds / THREADS);
    pthread_key_delete(again);
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], end) == 0)
        count++;
    printf("all but a few %d, then %d\n", count >= PTHREAD_KEYS_MAX - SPARE,
           pthread_key_create(&again, NULL) == EAGAIN);
    begin_with_large_stack();
    count -= count % 2;
    show("all", sets_all, THREADS);
    show("half", loses_half, 1);
    printf("no keys: %d %d %d\n", pthread_setspecific(100000, keys) == EINVAL,
           pthread_key_delete(100000) == EINVAL, pthread_getspecific(100000) == NULL);
    return 0;
}
