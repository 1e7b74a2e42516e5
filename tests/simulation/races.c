/* races.c - mistakes between accesses of memory: with atomic operations, and without any lock.
 * -DKIND=NAME chooses one, -DRIGHT the right form. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef RIGHT
enum { RIGHT_FORM = 1 };
#else
enum { RIGHT_FORM = 0 };
#endif

static void together(void *(*run)(void *))
{
    pthread_t ids[2];
    for (intptr_t i = 0; i < 2; i++)
        assert(pthread_create(&ids[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(ids[i], NULL) == 0);
}

/* ---- seen with decisions at atomic operations ---- */

static _Atomic int count;
static int old_count;

static void *add_atomically(void *arg)
{
    if (RIGHT_FORM)
        count++;
    else
        count = count + 1;
    return arg;
}

static int atomic_update(void)
{
    together(add_atomically);
    return count == 2;
}

static void *add_by_builtins(void *arg)
{
    int before = __atomic_load_n(&old_count, __ATOMIC_SEQ_CST);
    if (!RIGHT_FORM)
        __atomic_store_n(&old_count, before + 1, __ATOMIC_SEQ_CST);
    else
        while (!__sync_bool_compare_and_swap(&old_count, before, before + 1))
            before = __atomic_load_n(&old_count, __ATOMIC_SEQ_CST);
    return arg;
}

static int builtins(void)
{
    together(add_by_builtins);
    return old_count == 2;
}

/* ---- seen with decisions at accesses ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct account {
    int balance[2];
    unsigned small : 4;
} account;

static void *add(void *arg)
{
    struct account *a = &account;
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    a->balance[1]++;
    account.balance[0] += 2;
    a->small += 1;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

static int one_plus(void) /* lost between the read and the write of ++ */
{
    together(add);
    return account.balance[1] == 2;
}

static int one_compound(void) /* … of += */
{
    together(add);
    return account.balance[0] == 4;
}

static int one_bit_field(void)
{
    together(add);
    return account.small == 2;
}

static int *shared;

static void *add_to_local(void *arg) /* a local of main, by its address */
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    *shared = *shared + 1;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

static int one_local(void)
{
    int local = 0;
    shared = &local;
    together(add_to_local);
    return local == 2;
}

static atomic_int ready;
static int value;

static void *publish(void *arg)
{
    if (arg && RIGHT_FORM) {
        value = 7;
        ready = 1;
    } else if (arg) {
        ready = 1;
        value = 7;
    } else if (ready) {
        assert(value == 7);
    }
    return NULL;
}

static int one_order(void) /* published before it is there */
{
    together(publish);
    return 1;
}

int main(void)
{
    assert(KIND());
}
