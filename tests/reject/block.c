/* block - where co4_block may not stand, what it does not take, and calls that lack it. */
#include <co4.h>

typedef int taker(co4_mutex *mutex);

static int plain(int n)
{
    return n;
}

static pausable int only(int n)
{
    co4_yield();
    return n;
}

static int apply(taker *f, co4_mutex *mutex)
{
    return f(mutex);
}

static pausable int work(co4_mutex *mutex)
{
    return co4_block(co4_mutex_lock(mutex)); /* error: co4_block blocks the thread and may not be used in 'work', which is pausable */ /* hint: call the function directly */
}

static pausable_or_plain int both(co4_mutex *mutex)
{
    return co4_block(co4_mutex_lock(mutex)); /* error: co4_block blocks the thread and may not be used in 'both', which is pausable */
}

static pausable int elsewhere(co4_mutex *mutex)
{
    return co4_blocking(co4_mutex_lock(mutex)); /* error: co4_blocking takes a call of an ordinary function, and 'co4_mutex_lock' is pausable */
}

static int threads(co4_mutex *mutex, int64_t deadline)
{
    int n = co4_mutex_lock(mutex);               /* error: 'co4_mutex_lock' is pausable and may not be called from 'threads', which is not */ /* hint: mark 'threads' pausable, or block the thread with co4_block(co4_mutex_lock(...)) */
    n += co4_block(plain(1));                    /* error: co4_block takes a call of a pausable function, and 'plain' is plain */ /* hint: call it directly */
    n += co4_block(n + 1);                       /* error: co4_block takes a call of a function that may wait */ /* hint: write the call itself: co4_block(f(x)) */
    n += co4_block(only(1));                     /* error: 'only' is pausable only: it has no form that blocks the thread */ /* hint: enter it with co4_run(only(...)), or mark it pausable_or_block */
    n += co4_mutex_lock_until(mutex, deadline);  /* error: 'co4_mutex_lock_until' is pausable and may not be called from 'threads', which is not */
    n += co4_mutex_lock_until(mutex, CO4_NEVER); /* error: 'co4_mutex_lock_until' is pausable and may not be called from 'threads', which is not */
    n += apply(co4_mutex_lock, mutex);           /* error: 'co4_mutex_lock' is pausable, but parameter 'f' takes a plain function */
    n += co4_mutex_lock_until(mutex, CO4_NOW);
    return n + (int)sizeof(co4_mutex_lock(mutex));
}

pausable_or_block int twice(int n);
pausable_or_plain int twice(int n); /* error: 'twice' is pausable_or_block in another declaration, but pausable_or_plain in this one */

int main(void)
{
    static co4_mutex mutex;
    return co4_run(work(&mutex)) + both(&mutex) + co4_run(elsewhere(&mutex)) + threads(&mutex, 0);
}
