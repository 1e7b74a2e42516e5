/* leaks.c - what a run leaves at its end: threads, locked mutexes, simulated descriptors.
 *
 * Purpose: with CO4_TEST_LEAKS a run fails that ends well otherwise, and has left a thread that is
 * neither joined nor detached, a mutex that is locked by a thread which has ended or by main's, one
 * that was destroyed so, or a simulated descriptor. Memory that is lost is for -fsanitize=leak.
 *
 * A thread that is detached may hold what it likes, as long as it runs: the process ends it. */
#define _GNU_SOURCE
#include "simulation/leaks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <threads.h>

#include "base/public.h"
#include "base/text.h"
#include "debug/task_record.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "platform/thread.h"
#include "posix/order.h"
#include "posix/wraps.h"
#include "simulation/places.h"
#include "simulation/shadow.h"

CO4__WRAPS(pthread_mutex_destroy, (pthread_mutex_t * mutex));
void __wrap_mtx_destroy(mtx_t *mutex);
void __real_mtx_destroy(mtx_t *mutex);

enum { DESCRIPTORS = 4096 };

/* A thread or a mutex. */
struct kept {
    struct kept *next;
    const void *object; /* a task, or a mutex */
    const void *place;  /* of a thread's creation; of the destruction of a mutex */
    const void *owner;  /* of a mutex: the task that has locked it */
    uint32_t number;    /* of the task */
    bool taken, ended;  /* of a thread: it is joined or detached; and of the owner of a mutex */
};

static struct {
    bool on;
    void (*next)(enum co4__order what, const void *object, const void *place);
    struct kept *threads, *mutexes, *destroyed, *unused;
    const void *descriptors[DESCRIPTORS];
} leaks;

/* ---- lists ---- */

static struct kept **find_kept(struct kept **list, const void *object)
{
    while (*list && (*list)->object != object)
        list = &(*list)->next;
    return list;
}

/* Without memory it is not kept. */
static struct kept *keep_new(struct kept **list, const void *object)
{
    struct kept *k = leaks.unused ? leaks.unused : co4__shadow_memory(sizeof *k);
    if (!k)
        return NULL;
    leaks.unused = k == leaks.unused ? k->next : leaks.unused;
    *k = (struct kept){ .next = *list, .object = object };
    return *list = k;
}

static void drop(struct kept **at)
{
    struct kept *k = *at;
    *at = k->next;
    k->next = leaks.unused;
    leaks.unused = k;
}

/* ---- threads and mutexes ---- */

static void note_thread(enum co4__order what, const void *task)
{
    struct kept **at = find_kept(&leaks.threads, task);
    if (!*at)
        return;
    (*at)->taken |= what == CO4__ORDER_TAKEN;
    (*at)->taken &= what != CO4__ORDER_LEFT;
    (*at)->ended |= what == CO4__ORDER_ENDS;
    if ((*at)->taken && (*at)->ended)
        drop(at);
    for (struct kept *k = leaks.mutexes; k && what == CO4__ORDER_ENDS; k = k->next)
        k->ended |= k->owner == task;
}

static void note_locked(const void *mutex)
{
    co4_task *task = co4__local()->current;
    struct kept *k = *find_kept(&leaks.mutexes, mutex);
    k = k ? k : keep_new(&leaks.mutexes, mutex);
    if (!k)
        return;
    k->owner = task;
    k->number = task ? co4__record_number(task) : 0;
    k->ended = !*find_kept(&leaks.threads, task); /* main's is not there */
}

static void note(enum co4__order what, const void *object, const void *place)
{
    if (leaks.next)
        leaks.next(what, object, place);
    if (what == CO4__ORDER_BEGINS) {
        struct kept *k = keep_new(&leaks.threads, object);
        if (k)
            k->place = place;
    } else if (what == CO4__ORDER_TAKEN || what == CO4__ORDER_LEFT || what == CO4__ORDER_ENDS) {
        note_thread(what, object);
    } else if (what == CO4__ORDER_MUTEX_LOCKED) {
        note_locked(object);
    } else if (what == CO4__ORDER_MUTEX_IS_FREE) {
        struct kept **at = find_kept(&leaks.mutexes, object);
        if (*at)
            drop(at);
    }
}

static void note_destroyed(const void *mutex, const void *place)
{
    struct kept **at = find_kept(&leaks.mutexes, mutex);
    if (!leaks.on || !*at)
        return;
    struct kept *k = keep_new(&leaks.destroyed, mutex);
    if (k) {
        k->place = place;
        k->number = (*at)->number;
    }
    drop(find_kept(&leaks.mutexes, mutex));
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    note_destroyed(mutex, __builtin_return_address(0));
    return __real_pthread_mutex_destroy(mutex);
}

void __wrap_mtx_destroy(mtx_t *mutex)
{
    note_destroyed(mutex, __builtin_return_address(0));
    __real_mtx_destroy(mutex);
}

/* ---- descriptors ---- */

int co4__made_at(int fd, const void *place)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        leaks.descriptors[fd] = place;
    return fd;
}

/* ---- the report ---- */

static void put_made(struct co4__text *x, const char *how, const void *place)
{
    if (!place)
        return;
    co4__put(x, how);
    co4__put_code(x, place);
}

static bool report_threads(struct co4__text *x)
{
    bool any = false;
    for (const struct kept *k = leaks.threads; k; k = k->next) {
        if (k->taken)
            continue;
        any = true;
        co4__put(x, "co4: left: a thread that is neither joined nor detached, and ");
        co4__put(x, k->ended ? "has ended" : "goes on");
        put_made(x, "; created by ", k->place);
        co4__put(x, "\n");
    }
    return any;
}

static bool report_mutexes(struct co4__text *x, const struct kept *list, const char *what)
{
    bool any = false;
    for (const struct kept *k = list; k; k = k->next) {
        if (!k->place && !k->ended)
            continue; /* a thread that goes on may unlock it */
        any = true;
        co4__put(x, "co4: left: ");
        co4__put(x, what);
        co4__put(x, " ");
        co4__put_hex(x, (uintptr_t)k->object);
        co4__put_variable(x, (uintptr_t)k->object);
        co4__put(x, ", by task ");
        co4__put_number(x, k->number);
        put_made(x, "; destroyed by ", k->place);
        co4__put(x, "\n");
    }
    return any;
}

static bool is_left_open(int fd)
{
    const struct co4__descriptor *d = co4__descriptor_at(fd);
    return d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire)) &&
           !d->ops->of_system;
}

static bool report_descriptors(struct co4__text *x)
{
    struct rlimit limit;
    bool any = false;
    int most = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur
                                                                               : 65536;
    for (int fd = 0; fd < most; fd++) {
        if (!is_left_open(fd))
            continue;
        any = true;
        co4__put(x, "co4: left: the descriptor ");
        co4__put_number(x, (uint64_t)fd);
        put_made(x, ", made by ", fd < DESCRIPTORS ? leaks.descriptors[fd] : NULL);
        co4__put(x, "\n");
    }
    return any;
}

bool co4__leaks_report(void)
{
    struct co4__text x;
    if (!leaks.on)
        return false;
    co4__text_begin(&x, co4_write_fd, (void *)2);
    bool threads = report_threads(&x);
    bool mutexes = report_mutexes(&x, leaks.mutexes, "a locked mutex");
    bool destroyed = report_mutexes(&x, leaks.destroyed, "a mutex that was destroyed while locked");
    bool descriptors = report_descriptors(&x);
    co4__text_end(&x);
    return threads || mutexes || destroyed || descriptors;
}

void co4__leaks_begin(void)
{
    if (!getenv("CO4_TEST_LEAKS"))
        return;
    leaks.on = true;
    leaks.next = co4__order;
    co4__order = note;
}
