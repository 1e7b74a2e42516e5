/* threads_at_locks - threads and tasks at the same locks: each is served in turn, and what a lock
 * guards is never seen by two.
 * needs: threads deadlocks workers
 * modes: woven forced
 * flags: -pthread
 * expect: mutex: 8000 of 8000
 * expect: rwlock: 4000 written, no torn pair
 * expect: semaphore: never more than 3
 * expect: barrier: 50 rounds, the last one 50 times
 * expect: condition: 4000 passed
 * expect: wait group: 8 came
 * expect: once: made once, seen by 8
 * expect: a deadline: the deadline has passed, still in use, then CO4_OK
 * expect: a reader behind a writer that gives up: CO4_OK
 * expect: a barrier that lacks one: the deadline has passed, then 1
 * expect: not the holder: not possible in this state, nor twice: waiting here could never end
 * expect: in a task: waiting here could never end, and try CO4_OK */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, TASKS = 4, TURNS = 1000, ROUNDS = 50 };

static void must(int code)
{
    if (code < 0) {
        fprintf(stderr, "%s\n", co4_strerror(code));
        abort();
    }
}

static const char *text(int code)
{
    return code == CO4_OK ? "CO4_OK" : co4_strerror(code);
}

/* Runs `thread` on THREADS threads, and beside it `task` in TASKS tasks. */
static pausable int spawn_all(pausable int (*task)(void))
{
    co4_task *tasks[TASKS];
    for (int i = 0; i < TASKS; i++)
        if (!(tasks[i] = co4_spawn(task())))
            abort();
    for (int i = 0; i < TASKS; i++)
        must(co4_join(tasks[i], NULL));
    return CO4_OK;
}

static void both(void *(*thread)(void *), pausable int (*task)(void))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread, NULL) != 0)
            abort();
    must(co4_run(spawn_all(task)));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- mutex ---- */

static co4_mutex mutex;
static long counted;

static void *count_in_thread(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_block(co4_mutex_lock(&mutex)));
        counted++;
        must(co4_mutex_unlock(&mutex));
    }
    return unused;
}

static pausable int count_in_task(void)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_mutex_lock(&mutex));
        long was = counted;
        must(co4_yield());
        counted = was + 1;
        must(co4_mutex_unlock(&mutex));
    }
    return CO4_OK;
}

/* ---- read-write lock ---- */

static co4_rwlock rwlock;
static long pair[2];
static _Atomic int torn;

static void *write_in_thread(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_block(co4_rwlock_write(&rwlock)));
        pair[0]++;
        pair[1]++;
        must(co4_rwlock_unlock(&rwlock));
    }
    return unused;
}

static pausable int read_in_task(void)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_rwlock_read(&rwlock));
        long first = pair[0];
        must(co4_yield());
        torn += first != pair[1];
        must(co4_rwlock_unlock(&rwlock));
    }
    return CO4_OK;
}

/* ---- semaphore ---- */

static co4_sem permits = CO4_SEM_INIT(3);
static _Atomic int inside, most;

static void enter(void)
{
    int now = ++inside;
    if (now > most)
        most = now;
}

static void *pass_in_thread(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_block(co4_sem_acquire(&permits)));
        enter();
        inside--;
        must(co4_sem_release(&permits));
    }
    return unused;
}

static pausable int pass_in_task(void)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_sem_acquire(&permits));
        enter();
        must(co4_yield());
        inside--;
        must(co4_sem_release(&permits));
    }
    return CO4_OK;
}

/* ---- barrier ---- */

static co4_barrier barrier = CO4_BARRIER_INIT(THREADS + TASKS);
static _Atomic int last;

static void *round_in_thread(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int code = co4_block(co4_barrier_wait(&barrier));
        must(code);
        last += code;
    }
    return unused;
}

static pausable int round_in_task(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int code = co4_barrier_wait(&barrier);
        must(code);
        last += code;
    }
    return CO4_OK;
}

/* ---- condition: a store of one number ---- */

static co4_mutex guard;
static co4_cond changed;
static int stored, passed;

static void *put_in_thread(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_block(co4_mutex_lock(&guard)));
        while (stored)
            must(co4_block(co4_cond_wait(&changed, &guard)));
        stored = 1;
        must(co4_cond_broadcast(&changed));
        must(co4_mutex_unlock(&guard));
    }
    return unused;
}

static pausable int take_in_task(void)
{
    for (int i = 0; i < TURNS; i++) {
        must(co4_mutex_lock(&guard));
        while (!stored)
            must(co4_cond_wait(&changed, &guard));
        stored = 0;
        passed++;
        must(co4_cond_broadcast(&changed));
        must(co4_mutex_unlock(&guard));
    }
    return CO4_OK;
}

/* ---- wait group, once ---- */

static co4_waitgroup group;
static co4_once once;
static _Atomic int came, made, seen;

static int make(void)
{
    made++;
    return CO4_OK;
}

static void *come_in_thread(void *unused)
{
    co4_once_turn turn = { 0, 0 };
    int code = co4_block(co4_once_enter(&once, &turn));
    must(code == 1 ? co4_once_done(&turn, make()) : code);
    seen += made;
    came++;
    must(co4_waitgroup_done(&group));
    must(co4_block(co4_waitgroup_wait(&group)));
    return unused;
}

static pausable int come_in_task(void)
{
    must(co4_once_run(&once, make()));
    seen += made;
    came++;
    must(co4_waitgroup_done(&group));
    return co4_waitgroup_wait(&group);
}

/* ---- deadlines, and wrong use ---- */

static void *write_with_deadline(void *unused)
{
    if (co4_block(co4_rwlock_write_until(&rwlock, co4_after(50 * CO4_MS))) != CO4_ETIMEDOUT)
        abort();
    return unused;
}

static void *read_behind_it(void *code)
{
    *(int *)code = co4_block(co4_rwlock_read(&rwlock));
    return NULL;
}

static void gate(void)
{
    pthread_t writer, reader;
    int code = CO4_EBUSY;
    must(co4_rwlock_read_until(&rwlock, CO4_NOW));
    pthread_create(&writer, NULL, write_with_deadline, NULL);
    must(co4_block(co4_sleep(10 * CO4_MS)));
    pthread_create(&reader, NULL, read_behind_it, &code);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("a reader behind a writer that gives up: %s\n", text(code));
    must(co4_rwlock_unlock(&rwlock));
    must(co4_rwlock_unlock(&rwlock));
}

static void *unlock_foreign(void *code)
{
    *(int *)code = co4_mutex_unlock(&mutex);
    return NULL;
}

static int block_in_task(void)
{
    return co4_block(co4_mutex_lock(&mutex));
}

static int try_in_task(void)
{
    return co4_mutex_lock_until(&guard, CO4_NOW);
}

static pausable int wrong(void)
{
    must(co4_mutex_lock(&mutex));
    int blocked = block_in_task();
    int tried = try_in_task();
    printf("in a task: %s, and try %s\n", text(blocked), text(tried));
    must(co4_mutex_unlock(&guard));
    return co4_mutex_unlock(&mutex);
}

int main(void)
{
    both(count_in_thread, count_in_task);
    printf("mutex: %ld of %d\n", counted, (THREADS + TASKS) * TURNS);
    both(write_in_thread, read_in_task);
    printf("rwlock: %ld written, %s\n", pair[0], torn ? "torn" : "no torn pair");
    both(pass_in_thread, pass_in_task);
    printf("semaphore: %s\n", most <= 3 ? "never more than 3" : "more than 3");
    both(round_in_thread, round_in_task);
    printf("barrier: %d rounds, the last one %d times\n", ROUNDS, last);
    both(put_in_thread, take_in_task);
    printf("condition: %d passed\n", passed);
    must(co4_waitgroup_add(&group, THREADS + TASKS));
    both(come_in_thread, come_in_task);
    printf("wait group: %d came\n", came);
    printf("once: made %s, seen by %d\n", made == 1 ? "once" : "more often", seen);

    co4_mutex held = CO4_MUTEX_INIT;
    must(co4_mutex_lock_until(&held, CO4_NOW));
    static co4_sem none = CO4_SEM_INIT(0);
    int timed = co4_block(co4_sem_acquire_until(&none, co4_after(CO4_MS)));
    int busy = co4_sem_acquire_until(&none, CO4_NOW);
    must(co4_sem_release(&none));
    printf("a deadline: %s, %s, then %s\n", text(timed), text(busy),
           text(co4_block(co4_sem_acquire_until(&none, co4_after(CO4_SEC)))));
    gate();
    static co4_barrier two = CO4_BARRIER_INIT(2);
    timed = co4_block(co4_barrier_wait_until(&two, co4_after(CO4_MS)));
    int alone = co4_barrier_wait_until(&two, CO4_NOW);
    if (alone != CO4_EBUSY)
        abort();
    static co4_barrier one = CO4_BARRIER_INIT(1);
    printf("a barrier that lacks one: %s, then %d\n", text(timed),
           co4_block(co4_barrier_wait(&one)));
    int foreign = CO4_OK;
    pthread_t other;
    must(co4_block(co4_mutex_lock(&mutex)));
    pthread_create(&other, NULL, unlock_foreign, &foreign);
    pthread_join(other, NULL);
    int twice = co4_block(co4_mutex_lock(&mutex));
    must(co4_mutex_unlock(&mutex));
    printf("not the holder: %s, nor twice: %s\n", text(foreign), text(twice));
    must(co4_run(wrong()));
    return 0;
}
