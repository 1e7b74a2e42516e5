/* data_races.c - threads that race, each kind in a wrong form and in a right one: `data_races KIND`
 * runs one, `data_races` lists them. With -DRIGHT it is the right form. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>

#ifdef RIGHT
enum { RIGHT_FORM = 1 };
#else
enum { RIGHT_FORM = 0 };
#endif
enum { WRONG = !RIGHT_FORM };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, sink;

static void run_two(void *(*one)(void *), void *(*two)(void *), void *arg)
{
    pthread_t ids[2];
    pthread_create(&ids[0], NULL, one, arg);
    pthread_create(&ids[1], NULL, two, arg);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
}

/* ---- a flag ---- */

static int plain_flag;
static atomic_int flag;

static void *set_flag(void *arg)
{
    value = 42;
    if (WRONG)
        plain_flag = 1;
    else
        atomic_store(&flag, 1);
    return arg;
}

static void *see_flag(void *arg)
{
    if (WRONG ? plain_flag : atomic_load(&flag))
        assert(value == 42);
    return arg;
}

static void kind_flag(void)
{
    run_two(set_flag, see_flag, NULL);
}

/* ---- a flag that is volatile: the value races, the flag does not ---- */

static volatile int volatile_flag;

static void *set_volatile(void *arg)
{
    if (WRONG)
        value = 42;
    volatile_flag = 1;
    return arg;
}

static void *see_volatile(void *arg)
{
    if (volatile_flag && WRONG)
        sink = value;
    return arg;
}

static void kind_volatile_flag(void)
{
    run_two(set_volatile, see_volatile, NULL);
}

/* ---- publication by an atomic pointer ---- */

static _Atomic(int *) published;

static void *publish(void *arg)
{
    int *made = malloc(sizeof *made);
    *made = 42;
    atomic_store_explicit(&published, made, WRONG ? memory_order_relaxed : memory_order_release);
    return arg;
}

static void *use_published(void *arg)
{
    const int *p = atomic_load_explicit(&published, memory_order_acquire);
    if (p)
        assert(*p == 42);
    return arg;
}

static void kind_publication(void)
{
    run_two(publish, use_published, NULL);
    free(published);
}

/* ---- the same by fences ---- */

static void *publish_by_fence(void *arg)
{
    value = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *see_by_fence(void *arg)
{
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return arg;
    if (RIGHT_FORM)
        atomic_thread_fence(memory_order_acquire);
    assert(value == 42);
    return arg;
}

static void kind_fences(void)
{
    run_two(publish_by_fence, see_by_fence, NULL);
}

/* ---- a release sequence: an addition that is relaxed continues it, a store of another ends it */

static void *begin_sequence(void *arg)
{
    value = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *continue_sequence(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) != 1)
        return arg;
    if (WRONG)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *end_sequence(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        assert(value == 42);
    return arg;
}

static void kind_release_sequence(void)
{
    pthread_t id;
    pthread_create(&id, NULL, end_sequence, NULL);
    run_two(begin_sequence, continue_sequence, NULL);
    pthread_join(id, NULL);
}

/* ---- double-checked locking ---- */

static int *made_once;
static _Atomic(int *) made_right;

static void *get_once(void *arg)
{
    int *p = WRONG ? made_once : atomic_load(&made_right);
    if (!p) {
        pthread_mutex_lock(&lock);
        p = WRONG ? made_once : atomic_load(&made_right);
        if (!p) {
            p = malloc(sizeof *p);
            *p = 42;
            if (WRONG)
                made_once = p;
            else
                atomic_store(&made_right, p);
        }
        pthread_mutex_unlock(&lock);
    }
    assert(*p == 42);
    return arg;
}

static void kind_double_checked(void)
{
    run_two(get_once, get_once, NULL);
    free(WRONG ? made_once : made_right);
}

/* ---- bit fields of one word; of two ---- */

struct { /* not static, or the compiler may leave out what it does not see read */
    unsigned a : 3;
#ifdef RIGHT
    unsigned : 0;
#endif
    unsigned b : 5;
} fields;

static void *set_a(void *arg)
{
    fields.a = 1;
    return arg;
}

static void *set_b(void *arg)
{
    fields.b = 2;
    return arg;
}

static void kind_bit_fields(void)
{
    run_two(set_a, set_b, NULL);
}

/* ---- bytes side by side ---- */

char bytes[4];

static void *set_first(void *arg)
{
    bytes[1] = 1;
    return arg;
}

static void *set_second(void *arg)
{
    bytes[WRONG ? 1 : 2] = 2;
    return arg;
}

static void kind_adjacent(void)
{
    run_two(set_first, set_second, NULL);
}

/* ---- the wrong mutex ---- */

static void *add_with_lock(void *arg)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *add_with_other(void *arg)
{
    pthread_mutex_t *mine = WRONG ? &other_lock : &lock;
    pthread_mutex_lock(mine);
    value++;
    pthread_mutex_unlock(mine);
    return arg;
}

static void kind_wrong_mutex(void)
{
    run_two(add_with_lock, add_with_other, NULL);
}

/* ---- no lock at all ---- */

static void *add(void *arg)
{
    if (RIGHT_FORM)
        return add_with_lock(arg);
    value++;
    return arg;
}

static void kind_increment(void)
{
    run_two(add, add, NULL);
}

/* ---- writing with a lock for reading ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_and_count(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    sink = value;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void *count_reads(void *arg)
{
    if (WRONG)
        return read_and_count(arg);
    pthread_rwlock_wrlock(&rwlock);
    sink = value;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void kind_read_lock(void)
{
    run_two(count_reads, count_reads, NULL);
}

/* ---- one reads and one writes, with a lock for reading and one for writing ---- */

static void *read_locked(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    assert(value >= 0);
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void *write_locked(void *arg)
{
    if (RIGHT_FORM)
        pthread_rwlock_wrlock(&rwlock);
    value++;
    if (RIGHT_FORM)
        pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void kind_rwlock(void)
{
    run_two(read_locked, write_locked, NULL);
}

/* ---- in a callback of the C library ---- */

static int compared;

static int compare(const void *a, const void *b)
{
    if (WRONG)
        compared++;
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
    int own[] = { 3, 1, 2 };
    qsort(own, 3, sizeof *own, compare);
    assert(own[0] == 1 && own[2] == 3);
    return arg;
}

static void kind_callback(void)
{
    run_two(sort, sort, NULL);
}

/* ---- main looks before the join ---- */

static void *set_value(void *arg)
{
    value = 42;
    return arg;
}

static void kind_no_join(void)
{
    pthread_t id;
    pthread_create(&id, NULL, set_value, NULL);
    if (WRONG)
        sink = value;
    pthread_join(id, NULL);
    assert(value == 42);
}

/* ---- a local of main, and one that a thread gets at its beginning ---- */

static void *add_to(void *arg)
{
    int *n = arg;
    ++*n;
    return arg;
}

static void kind_local(void)
{
    int n = 1;
    pthread_t ids[2];
    pthread_create(&ids[0], NULL, add_to, &n);
    if (RIGHT_FORM)
        pthread_join(ids[0], NULL);
    pthread_create(&ids[1], NULL, add_to, &n);
    pthread_join(ids[1], NULL);
    if (WRONG)
        pthread_join(ids[0], NULL);
    assert(n <= 3);
}

/* ---- memory that goes through a pipe ---- */

static int ends[2];

static void *send_memory(void *arg)
{
    int *made = malloc(sizeof *made);
    *made = 42;
    write(ends[1], &made, sizeof made);
    if (WRONG)
        *made = 43;
    return arg;
}

static void *receive_memory(void *arg)
{
    int *got;
    for (size_t n = 0; n < sizeof got;)
        n += (size_t)read(ends[0], (char *)&got + n, sizeof got - n);
    sink = *got;
    return got ? arg : NULL;
}

static void kind_pipe(void)
{
    pipe(ends);
    run_two(send_memory, receive_memory, NULL);
    close(ends[0]);
    close(ends[1]);
}

/* ---- … by a condition ---- */

static int *handed;

static void *hand_over(void *arg)
{
    int *made = malloc(sizeof *made);
    *made = 42;
    pthread_mutex_lock(&lock);
    handed = made;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (WRONG)
        *made = 43;
    return arg;
}

static void *take_over(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!handed)
        pthread_cond_wait(&changed, &lock);
    int *got = handed;
    pthread_mutex_unlock(&lock);
    sink = *got;
    return arg;
}

static void kind_condition(void)
{
    run_two(hand_over, take_over, NULL);
}

/* ---- … by a semaphore ---- */

static sem_t given;

static void *post(void *arg)
{
    if (RIGHT_FORM)
        value = 42;
    sem_post(&given);
    if (WRONG)
        value = 42;
    return arg;
}

static void *await(void *arg)
{
    sem_wait(&given);
    sink = value;
    return arg;
}

static void kind_semaphore(void)
{
    sem_init(&given, 0, 0);
    run_two(post, await, NULL);
}

/* ---- a barrier ---- */

static pthread_barrier_t barrier;
static int halves[2];

static void *make_half(void *arg)
{
    static atomic_int next;
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    halves[mine] = 1;
    if (RIGHT_FORM)
        pthread_barrier_wait(&barrier);
    assert(halves[1 - mine] <= 1);
    return arg;
}

static void kind_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_two(make_half, make_half, NULL);
    pthread_barrier_destroy(&barrier);
}

/* ---- once ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    value = 42;
}

static void *use_made(void *arg)
{
    if (WRONG && value == 0)
        make();
    if (RIGHT_FORM)
        pthread_once(&once, make);
    assert(value == 42);
    return arg;
}

static void kind_once(void)
{
    run_two(use_made, use_made, NULL);
}

/* ---- a spin lock ---- */

static pthread_spinlock_t spin;

static void *add_spinning(void *arg)
{
    if (RIGHT_FORM)
        pthread_spin_lock(&spin);
    value++;
    if (RIGHT_FORM)
        pthread_spin_unlock(&spin);
    return arg;
}

static void kind_spin_lock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    run_two(add_spinning, add_spinning, NULL);
}

/* ---- threads of C11 ---- */

static mtx_t mtx;

static int add_c11(void *arg)
{
    if (RIGHT_FORM)
        mtx_lock(&mtx);
    value++;
    if (RIGHT_FORM)
        mtx_unlock(&mtx);
    return arg != NULL;
}

static void kind_c11(void)
{
    thrd_t ids[2];
    mtx_init(&mtx, mtx_plain);
    thrd_create(&ids[0], add_c11, NULL);
    thrd_create(&ids[1], add_c11, NULL);
    thrd_join(ids[0], NULL);
    thrd_join(ids[1], NULL);
    assert(value <= 2);
}

/* ---- a free while another thread reads ---- */

static int *block;
static atomic_int left = 2;

static void *use_block(void *arg)
{
    sink += RIGHT_FORM ? 0 : *block;
    if (RIGHT_FORM && *block == 0)
        return NULL;
    if (atomic_fetch_sub(&left, 1) == 1)
        free(block);
    return arg;
}

static void *free_block(void *arg)
{
    if (RIGHT_FORM)
        return use_block(arg);
    free(block);
    return arg;
}

static void *read_block(void *arg)
{
    if (RIGHT_FORM)
        return use_block(arg);
    sink = *block;
    return arg;
}

static void kind_free(void)
{
    block = malloc(sizeof *block);
    *block = 42;
    run_two(free_block, read_block, NULL);
}

/* ---- a union, whose members are one place ---- */

union {
    int number;
    char bytes[4];
} both;

static void *set_number(void *arg)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    both.number = 1;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *set_bytes(void *arg)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    both.bytes[2] = 2;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void kind_union(void)
{
    run_two(set_number, set_bytes, NULL);
}

/* ---- a struct that is copied, while a member changes ---- */

struct many {
    long numbers[20];
} many, copy;

static void *copy_struct(void *arg)
{
    copy = many;
    return arg;
}

static void *set_member(void *arg)
{
    if (WRONG)
        many.numbers[17] = 1;
    return arg;
}

static void kind_struct_copy(void)
{
    run_two(copy_struct, set_member, NULL);
}

/* ---- functions of the C library that read and write ---- */

static char text[64] = "a text", target[64];

static void *copy_text(void *arg)
{
    memcpy(target, text, sizeof text);
    return arg;
}

static void *set_text(void *arg)
{
    (WRONG ? text : bytes)[3] = 1;
    return arg;
}

static void kind_memcpy(void)
{
    run_two(copy_text, set_text, NULL);
}

static void *measure(void *arg)
{
    return strlen(text) > 0 ? arg : NULL;
}

static void *end_text(void *arg)
{
    text[RIGHT_FORM ? 50 : 5] = '\0'; /* behind its end */
    return arg;
}

static void kind_strlen(void)
{
    run_two(measure, end_text, NULL);
}

static void *clear(void *arg)
{
    memset(target, 0, WRONG ? 33 : 32);
    return arg;
}

static void *look_behind(void *arg)
{
    return target[32] == 'x' ? NULL : arg;
}

static void kind_memset(void)
{
    run_two(clear, look_behind, NULL);
}

static void *print(void *arg)
{
    snprintf(target, sizeof target, "%d", 42);
    return arg;
}

static void *look_at_print(void *arg)
{
    return target[RIGHT_FORM ? 3 : 1] == 'x' ? NULL : arg;
}

static void kind_snprintf(void)
{
    run_two(print, look_at_print, NULL);
}

/* ---- atomic here, plain there ---- */

static int mixed;

static void *count_atomic(void *arg)
{
    __atomic_fetch_add(&mixed, 1, __ATOMIC_SEQ_CST);
    return arg;
}

static void *count_plain(void *arg)
{
    if (WRONG)
        mixed++;
    else
        __sync_fetch_and_add(&mixed, 1);
    return arg;
}

static void kind_mixed(void)
{
    run_two(count_atomic, count_plain, NULL);
}

/* ---- far from each other: what the second thread does comes long after ---- */

static void *set_and_go_on(void *arg)
{
    value = 1;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&other_lock);
        sink += i;
        pthread_mutex_unlock(&other_lock);
    }
    return arg;
}

static void *look_late(void *arg)
{
    usleep(1000000);
    if (RIGHT_FORM) { /* behind all that the other has done */
        pthread_mutex_lock(&other_lock);
        sink = 0;
        pthread_mutex_unlock(&other_lock);
    }
    return WRONG && value == 2 ? NULL : arg;
}

static void kind_far(void)
{
    run_two(set_and_go_on, look_late, NULL);
}

/* ---- what comes after a wide access of the same thread, and is narrower, does not hide it ---- */

static void *set_wide(void *arg)
{
    both.number = 1;
    pthread_mutex_lock(&other_lock);
    pthread_mutex_unlock(&other_lock);
    sink = both.bytes[0];
    return arg;
}

static void *look_at_other(void *arg)
{
    usleep(1000000);
    if (RIGHT_FORM) {
        pthread_mutex_lock(&other_lock);
        pthread_mutex_unlock(&other_lock);
    }
    return both.bytes[3] == 1 ? NULL : arg;
}

static void kind_narrower(void)
{
    run_two(set_wide, look_at_other, NULL);
}

/* The same of a write, which takes the place of a part of it. */
static void *set_wide_and_narrow(void *arg)
{
    both.number = 1;
    pthread_mutex_lock(&other_lock);
    pthread_mutex_unlock(&other_lock);
    both.bytes[0] = 2;
    return arg;
}

static void kind_narrower_write(void)
{
    run_two(set_wide_and_narrow, look_at_other, NULL);
}

/* ---- a read of the same thread does not hide its write ---- */

static void *set_and_read(void *arg)
{
    value = 1;
    pthread_mutex_lock(&other_lock);
    pthread_mutex_unlock(&other_lock);
    sink = value;
    return arg;
}

static void *read_it_late(void *arg)
{
    usleep(1000000);
    if (RIGHT_FORM) {
        pthread_mutex_lock(&other_lock);
        pthread_mutex_unlock(&other_lock);
    }
    return value == 1 ? NULL : arg;
}

static void kind_read_after_write(void)
{
    run_two(set_and_read, read_it_late, NULL);
}

/* ---- readers, one after the other ---- */

static void *read_late(void *arg)
{
    usleep(1000000);
    return count_reads(arg);
}

static void kind_readers_in_turn(void)
{
    run_two(count_reads, read_late, NULL);
}

/* ---- a thread that begins when another one has ended, which is not joined yet ---- */

static void kind_later_thread(void)
{
    pthread_t ids[2];
    pthread_create(&ids[0], NULL, set_value, NULL);
    usleep(1000000);
    if (RIGHT_FORM)
        pthread_join(ids[0], NULL);
    pthread_create(&ids[1], NULL, set_value, NULL);
    pthread_join(ids[1], NULL);
    if (WRONG)
        pthread_join(ids[0], NULL);
}

/* ---- a frame and a block are another thread's afterwards: no race ---- */

static int sum_of(const int *numbers, int count)
{
    int sum = WRONG ? value++ : 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

static void *use_memory(void *arg)
{
    int numbers[8] = { 1, 2, 3 }, *more = calloc(8, sizeof *more);
    usleep(1);
    more[1] = sum_of(numbers, 8);
    usleep(1);
    assert(more[1] >= 6);
    free(more);
    return arg;
}

static void kind_reuse(void)
{
    for (int i = 0; i < 3; i++)
        run_two(use_memory, use_memory, NULL);
}

/* ---- an atomic read comes first, and is not ordered before a write that is not atomic ---- */

static atomic_int has_read;

static void *reads_first(void *arg)
{
    sink = __atomic_load_n(&value, __ATOMIC_RELAXED);
    atomic_store_explicit(&has_read, 1, WRONG ? memory_order_relaxed : memory_order_release);
    return arg;
}

static void *writes_then(void *arg)
{
    while (!atomic_load_explicit(&has_read, WRONG ? memory_order_relaxed : memory_order_acquire))
        usleep(10);
    value = 1;
    return arg;
}

static void kind_atomic_read_first(void)
{
    run_two(reads_first, writes_then, NULL);
}

/* ---- an atomic write, and then a read that is not ---- */

static void *writes_atomically(void *arg)
{
    __atomic_store_n(&value, 7, __ATOMIC_RELAXED);
    atomic_store_explicit(&has_read, 1, WRONG ? memory_order_relaxed : memory_order_release);
    return arg;
}

static void *reads_then(void *arg)
{
    while (!atomic_load_explicit(&has_read, WRONG ? memory_order_relaxed : memory_order_acquire))
        usleep(10);
    sink = value;
    return arg;
}

static void kind_atomic_write_first(void)
{
    run_two(writes_atomically, reads_then, NULL);
}

/* ---- a fence, and an update that is relaxed: without the fence it orders nothing ---- */

static void *fences_and_updates(void *arg)
{
    value = 3;
    if (!WRONG)
        atomic_thread_fence(memory_order_release);
    atomic_fetch_add_explicit(&has_read, 1, memory_order_relaxed);
    return arg;
}

static void *waits_for_update(void *arg)
{
    while (!atomic_load_explicit(&has_read, memory_order_acquire))
        usleep(10);
    sink = value;
    return arg;
}

static void kind_fence_and_update(void)
{
    run_two(fences_and_updates, waits_for_update, NULL);
}

/* ---- two stores after one fence: the later one is in no release sequence ---- */

static void *stores_twice(void *arg)
{
    value = 3;
    if (!WRONG)
        atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&has_read, 1, memory_order_relaxed);
    atomic_store_explicit(&has_read, 2, memory_order_relaxed);
    return arg;
}

static void *waits_for_second(void *arg)
{
    while (atomic_load_explicit(&has_read, memory_order_acquire) != 2)
        usleep(10);
    sink = value;
    return arg;
}

static void kind_fence_and_stores(void)
{
    run_two(stores_twice, waits_for_second, NULL);
}

/* ---- a block that grows while another thread reads it ---- */

static char *grown;

static void *grows(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    grown = realloc(grown, 5000);
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *reads_block(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    sink = WRONG ? ((volatile char *)arg)[3] : grown[3];
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void kind_realloc(void)
{
    grown = calloc(1, 50);
    run_two(reads_block, grows, grown);
    free(grown);
}

/* ---- both sides of a comparison are read ---- */

static char left_side[8], right_side[8];

static void *writes_side(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    ((char *)arg)[2] = 'x';
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *compares_bytes(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    sink = memcmp(left_side, right_side, sizeof left_side);
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *compares_strings(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    sink = strcmp(left_side, right_side);
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void fill_sides(void)
{
    strcpy(left_side, "same");
    strcpy(right_side, "same");
}

static void kind_memcmp_left(void)
{
    fill_sides();
    run_two(writes_side, compares_bytes, left_side);
}

static void kind_memcmp_right(void)
{
    fill_sides();
    run_two(writes_side, compares_bytes, right_side);
}

static void kind_strcmp_right(void)
{
    fill_sides();
    run_two(writes_side, compares_strings, right_side);
}

/* The last byte that is compared is one that differs. */
static void kind_strcmp_differs(void)
{
    strcpy(left_side, "same");
    strcpy(right_side, "sane");
    run_two(writes_side, compares_strings, left_side);
}

/* ---- the end of a text that is printed ---- */

static void *prints_text(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    snprintf(left_side, sizeof left_side, "%s", "ab");
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *reads_end(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    sink = left_side[2];
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void kind_snprintf_end(void)
{
    run_two(prints_text, reads_end, NULL);
}

/* ---- a member that is not aligned ---- */

static struct __attribute__((packed)) {
    char before;
    int number;
} packed;

static void *writes_packed(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    packed.number = 5;
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *reads_packed(void *arg)
{
    if (!WRONG)
        pthread_mutex_lock(&lock);
    sink = packed.number;
    if (!WRONG)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void kind_packed(void)
{
    run_two(writes_packed, reads_packed, NULL);
}

/* ---- a comparison that fails reads, one that does not writes ---- */

static void *compares_and_sets(void *arg)
{
    int expected = WRONG ? 0 : 1;
    __atomic_compare_exchange_n(&value, &expected, 2, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return arg;
}

static void *reads_value(void *arg)
{
    sink = value;
    return arg;
}

static void kind_compare_fails(void)
{
    run_two(compares_and_sets, reads_value, NULL);
}

/* ---- a new mutex is in the memory of one that has ended ---- */

static void *locks_new(void *writes)
{
    pthread_mutex_t *own = malloc(sizeof *own), *used = WRONG ? own : &lock;
    pthread_mutex_init(own, NULL);
    pthread_mutex_lock(used);
    if (writes)
        value = 1;
    else
        sink = value;
    pthread_mutex_unlock(used);
    pthread_mutex_destroy(own);
    free(own);
    atomic_store_explicit(&has_read, 1, memory_order_relaxed);
    return writes;
}

static void *locks_later(void *arg)
{
    while (!atomic_load_explicit(&has_read, memory_order_relaxed))
        usleep(10);
    locks_new(NULL);
    return arg;
}

static void kind_new_mutex(void)
{
    run_two(locks_new, locks_later, &value);
}

#define KIND(name)                                                                                 \
    {                                                                                              \
#name, kind_##name                                                                         \
    }
static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    KIND(flag),
    KIND(volatile_flag),
    KIND(publication),
    KIND(fences),
    KIND(release_sequence),
    KIND(double_checked),
    KIND(bit_fields),
    KIND(adjacent),
    KIND(wrong_mutex),
    KIND(increment),
    KIND(read_lock),
    KIND(rwlock),
    KIND(callback),
    KIND(no_join),
    KIND(local),
    KIND(pipe),
    KIND(condition),
    KIND(semaphore),
    KIND(barrier),
    KIND(once),
    KIND(spin_lock),
    KIND(c11),
    KIND(free),
    KIND(union),
    KIND(struct_copy),
    KIND(memcpy),
    KIND(strlen),
    KIND(memset),
    KIND(snprintf),
    KIND(mixed),
    KIND(far),
    KIND(reuse),
    KIND(readers_in_turn),
    KIND(later_thread),
    KIND(narrower),
    KIND(narrower_write),
    KIND(read_after_write),
    KIND(atomic_read_first),
    KIND(atomic_write_first),
    KIND(fence_and_update),
    KIND(fence_and_stores),
    KIND(realloc),
    KIND(memcmp_left),
    KIND(memcmp_right),
    KIND(strcmp_right),
    KIND(strcmp_differs),
    KIND(snprintf_end),
    KIND(packed),
    KIND(compare_fails),
    KIND(new_mutex),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc < 2)
            puts(kinds[i].name);
        else if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].run();
            return 0;
        }
    return argc < 2 ? 0 : 2;
}
