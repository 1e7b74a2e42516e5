/* locks.c - everything of sync.h at once: guarded data is never seen half done, and no more tasks
 * are inside than allowed. */
#include "soak.h"

enum { TASKS = 10, TURNS = 300, PERMITS = 3, PARTIES = 4, PHASES = 60 };

static struct {
    unsigned long long seed;
    co4_mutex mutex;
    co4_cond changed;
    co4_rwlock rwlock;
    co4_sem sem;
    co4_barrier barrier;
    co4_waitgroup all;
    co4_once once;
    long pair[2];      /* the mutex's: equal whenever it is free */
    long stock, asked; /* the mutex's: taken and put with the condition */
    long read[2];      /* the read-write lock's */
    atomic_int inside, writers, readers, first, phase[PHASES];
    atomic_ullong turns;
} now;

static pausable int with_mutex(struct lots *l)
{
    int err = lot(l, 3) ? co4_mutex_lock(&now.mutex)
                        : co4_mutex_lock_until(&now.mutex, co4_now() + lot(l, 300) * CO4_US);
    if (err != CO4_OK)
        return err;
    MUST(now.pair[0] == now.pair[1]);
    now.pair[0]++;
    if (lot(l, 4) == 0)
        co4_yield();
    now.pair[1]++;
    MUST(co4_mutex_unlock(&now.mutex) == CO4_OK);
    return CO4_OK;
}

static pausable int with_condition(struct lots *l)
{
    int err = co4_mutex_lock(&now.mutex);
    if (err != CO4_OK)
        return err;
    if (lot(l, 2)) {
        now.stock++;
        co4_cond_signal(&now.changed);
    } else {
        int64_t until = co4_now() + lot(l, 300) * CO4_US;
        now.asked++;
        while (now.stock == 0 && err == CO4_OK)
            err = co4_cond_wait_until(&now.changed, &now.mutex, until);
        now.asked--;
        if (now.stock > 0)
            now.stock--;
    }
    MUST(now.pair[0] == now.pair[1] && now.stock >= 0 && now.asked >= 0);
    MUST(co4_mutex_unlock(&now.mutex) == CO4_OK);
    return err;
}

static pausable int with_rwlock(struct lots *l)
{
    bool write = lot(l, 3) == 0;
    int64_t until = lot(l, 2) ? CO4_NEVER : co4_now() + lot(l, 300) * CO4_US;
    int err = write ? co4_rwlock_write_until(&now.rwlock, until)
                    : co4_rwlock_read_until(&now.rwlock, until);
    if (err != CO4_OK)
        return err;
    if (write) {
        MUST(now.writers++ == 0 && now.readers == 0);
        now.read[0]++;
        co4_yield();
        now.read[1]++;
        now.writers--;
        MUST(co4_rwlock_unlock(&now.rwlock) == CO4_OK);
    } else {
        now.readers++;
        MUST(now.writers == 0 && now.read[0] == now.read[1]);
        if (lot(l, 3) == 0)
            co4_yield();
        now.readers--;
        MUST(co4_rwlock_unlock(&now.rwlock) == CO4_OK);
    }
    return CO4_OK;
}

static pausable int with_semaphore(struct lots *l)
{
    int err = lot(l, 3) ? co4_sem_acquire(&now.sem)
                        : co4_sem_acquire_until(&now.sem, co4_now() + lot(l, 300) * CO4_US);
    if (err != CO4_OK)
        return err;
    MUST(++now.inside <= PERMITS);
    co4_yield();
    now.inside--;
    MUST(co4_sem_release(&now.sem) == CO4_OK);
    return CO4_OK;
}

static pausable int first(void *arg)
{
    (void)arg;
    co4_yield();
    now.first++;
    return CO4_OK;
}

static pausable void worker(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < TURNS; i++) {
        int err = CO4_OK;
        switch (lot(&l, 5)) {
        case 0:
            err = with_mutex(&l);
            break;
        case 1:
            err = with_condition(&l);
            break;
        case 2:
            err = with_rwlock(&l);
            break;
        case 3:
            err = with_semaphore(&l);
            break;
        default:
            err = co4_once_run(&now.once, first(NULL));
        }
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_ECANCELED);
        if (err == CO4_ECANCELED)
            break;
        now.turns++;
    }
    co4_waitgroup_done(&now.all);
}

/* No task is in a phase before all have left the one before. */
static pausable void party(void)
{
    for (int i = 0; i < PHASES; i++) {
        MUST(i == 0 || now.phase[i - 1] == PARTIES);
        now.phase[i]++;
        MUST(co4_barrier_wait(&now.barrier) >= 0);
        now.turns++;
    }
    co4_waitgroup_done(&now.all);
}

static pausable void waiter(void)
{
    MUST(co4_waitgroup_wait(&now.all) == CO4_OK);
    MUST(now.inside == 0 && now.writers == 0 && now.readers == 0 && now.asked == 0);
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    now = (__typeof__(now)){ .seed = seed,
                             .sem = CO4_SEM_INIT(PERMITS),
                             .barrier = CO4_BARRIER_INIT(PARTIES) };
    co4_waitgroup_add(&now.all, TASKS + PARTIES);
    for (unsigned i = 0; i < TASKS; i++)
        soak_start(rt, co4_task_create(worker(i)), i % 2 ? SOAK_MAY_CANCEL : SOAK_TO_THE_END);
    for (unsigned i = 0; i < PARTIES; i++)
        soak_start(rt, co4_task_create(party()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(waiter()), SOAK_TO_THE_END);
}

static unsigned long long check(void)
{
    MUST(now.pair[0] == now.pair[1] && now.read[0] == now.read[1] && now.first <= 1);
    MUST(co4_mutex_destroy(&now.mutex) == CO4_OK && co4_cond_destroy(&now.changed) == CO4_OK);
    MUST(co4_rwlock_destroy(&now.rwlock) == CO4_OK && co4_sem_destroy(&now.sem) == CO4_OK);
    MUST(co4_barrier_destroy(&now.barrier) == CO4_OK && co4_waitgroup_destroy(&now.all) == CO4_OK);
    return now.turns;
}

const struct work soak_locks = { "locks", "turns with locks", begin, check };
