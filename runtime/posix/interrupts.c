/* interrupts.c - waits that a handler of signals ends, as POSIX has it: EINTR.
 *
 * Purpose: a signal interrupts the call in which its thread waits. With tasks there is no such
 * call, as the thread waits for all of them. A task is to its program what a thread was, and a
 * thread that runs co4_run() is to its signals what it was before: so a handler that runs on it
 * ends a wait of the call that co4_run() has made, and none of other tasks. Programs that wait for
 * a signal or an alarm do so in main(), which is such a call.
 *
 * The link turns the calls that install handlers into those of handlers.c, so each handler is
 * followed by co4__interrupted(). It counts, and writes to the eventfd of the runs of its thread.
 * A call remembers the count when it begins to wait, and waits for the eventfd, too.
 *
 * Invariants: a count changes before its eventfd is written, and a waiter reads the eventfd before
 * it looks at the count. So no interrupt after the mark is lost. A token means nothing by itself.
 *
 * Concurrency: all of it belongs to one thread and the handlers that interrupt it. The list of runs
 * changes by one store: a new node is complete before it, an old one is freed after it.
 *
 * Rejected: to end the waits of all tasks (each SIGCHLD would shorten the sleeps of thousands, and
 * no two calls of a program of threads end by one signal). */
#define _GNU_SOURCE /* syscall */
#include "posix/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/inside.h"
#include "core/jump.h"
#include "core/task.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/sigmask.h"
#include "platform/thread.h"
#include "platform/tid.h"
#include "posix/kills.h"
#include "sched/run.h"

#include "co4/io.h"
#include "co4/local.h"
#include "co4/time.h"
#include "platform/real.h"

/* A run whose call has waited so. */
struct run {
    struct run *volatile next;
    const co4_fiber *fiber;
    int descriptor;
    volatile bool waits;
};

atomic_bool co4__handlers_are_known, co4__handlers_are_set;

static struct co4__fork_member member;

static _Thread_local struct {
    struct run *volatile runs; /* the innermost first */
    int64_t jumped;            /* when a handler has jumped */
    /* Handlers that have returned: [0] those without SA_RESTART, [1] all. */
    volatile unsigned counts[2];
} here;

void co4__interrupted(bool restarts)
{
    static const uint64_t one = 1;
    here.counts[1]++;
    if (!restarts)
        here.counts[0]++;
    for (const struct run *r = here.runs; r; r = r->next)
        if (write(r->descriptor, &one, sizeof one) < 0)
            continue; /* it is readable already, or there is none */
}

/* ---- waits for children ---- */

/* A thread that waits for a child gets it, though SIGCHLD has a handler that waits for any: it is
 * woken before it runs the handler. So a handler of any thread looks first, for all tasks that wait
 * for children. The lock is taken only where no handler runs. */
static co4__lock looks_lock;
static struct co4__look *_Atomic looks; /* the newest first */

static void looks_take(void)
{
    co4__inside_begin();
    co4__lock_take(&looks_lock);
}

static void looks_give(void)
{
    co4__lock_give(&looks_lock);
    co4__inside_end();
}

/* Called under the lock. */
static void unlink_look(struct co4__look *look)
{
    if (look->prev)
        look->prev->next = look->next;
    else if (atomic_load(&looks) == look)
        atomic_store(&looks, look->next);
    if (look->next)
        look->next->prev = look->prev;
    look->next = look->prev = NULL;
}

void co4__interrupts_look(void)
{
    if (!atomic_load(&looks))
        return;
    looks_take();
    for (struct co4__look *l = atomic_load(&looks); l; l = l->next)
        l->look(l);
    looks_give();
}

void co4__look_now(struct co4__look *look)
{
    looks_take();
    look->look(look);
    looks_give();
}

void co4__look_end(struct co4__look *look)
{
    looks_take();
    unlink_look(look);
    looks_give();
}

static void forget_looks(const co4_fiber *fiber)
{
    looks_take();
    for (struct co4__look *l = atomic_load(&looks), *next; l; l = next) {
        next = l->next;
        if (l->fiber == fiber)
            unlink_look(l);
    }
    looks_give();
}

/* Calls of the pool that wait for a child whose number is not known; and a signal that came
 * meanwhile. A handler notes it, and then looks at the count once more. The end of the last call
 * counts, and then looks for a signal. So one of them sees the other. */
static atomic_uint holds;
static atomic_bool held_back;
/* Of one of the signals that came. The others are lost, as the system merges them, too. */
static siginfo_t held_info;

bool co4__interrupts_hold_child(void)
{
    if (!atomic_load_explicit(&co4__handlers_are_known, memory_order_relaxed))
        return false;
    co4__fork_join(&member);
    atomic_fetch_add(&holds, 1);
    return true;
}

bool co4__interrupts_holds_child(const siginfo_t *info)
{
    if (atomic_load(&holds) == 0)
        return false;
    if (info && !atomic_load(&held_back))
        held_info = *info;
    atomic_store(&held_back, true);
    return atomic_load(&holds) != 0 || !atomic_exchange(&held_back, false);
}

/* A thread may give itself a signal with what the system has said of it; to the process only its
 * first thread may. */
static void send_held_back(void)
{
    sigset_t blocked;
    co4__sigmask(SIG_BLOCK, NULL, &blocked);
    long sent = sigismember(&blocked, SIGCHLD)
                    ? CO4__SYSTEM(syscall)(SYS_rt_sigqueueinfo, CO4__SYSTEM(getpid)(), SIGCHLD,
                                           &held_info)
                    : CO4__SYSTEM(syscall)(SYS_rt_tgsigqueueinfo, CO4__SYSTEM(getpid)(), co4__tid(),
                                           SIGCHLD, &held_info);
    if (sent != 0)
        kill(getpid(), SIGCHLD);
}

void co4__interrupts_let_child_go(const bool *held)
{
    int was = errno;
    if (*held && atomic_fetch_sub(&holds, 1) == 1 && atomic_exchange(&held_back, false))
        send_held_back();
    errno = was;
}

/* ---- jumps of handlers ---- */

/* A task that goes on makes its jump soon. If it has not for so long, it computes, or blocks. */
#define SOON (1000 * CO4_MS)

/* Its task, that of a run, comes before the run's other members. */
static bool goes_on(co4_fiber *fiber)
{
    if (fiber->kind != CO4__KIND_RUN)
        return false;
    const co4_task *t = co4__task_of(fiber);
    uint8_t state = atomic_load_explicit(&((co4_task *)(uintptr_t)t)->state, memory_order_relaxed);
    return state == CO4__READY || state == CO4__WOKEN ||
           (state == CO4__RUNNING && co4__run_steps_here(t));
}

bool co4__interrupts_jumps_later(co4_fiber *fiber, bool again)
{
    const struct run *r = here.runs;
    while (r && !(r->fiber == fiber && r->waits))
        r = r->next;
    if (!r && (!goes_on(fiber) || (again && co4_now() - here.jumped > SOON)))
        return false;
    if (!again)
        here.jumped = co4_now();
    return true;
}

void co4__interrupts_left(const co4_fiber *fiber)
{
    for (struct run *r = here.runs; r; r = r->next) {
        if (r->fiber == fiber)
            r->waits = false;
    }
    forget_looks(fiber);
}

/* ---- the runs of a thread ---- */

static void forget_run(void *run)
{
    struct run *r = run, *volatile *at = &here.runs;
    while (*at && *at != r)
        at = &(*at)->next;
    if (*at)
        *at = r->next;
    if (r->descriptor >= 0) {
        co4_fd_detach(r->descriptor); /* waits have attached it */
        co4__own_fd_close(r->descriptor);
    }
    co4__free(r);
}

static const co4_task_local run_key = CO4_TASK_LOCAL(forget_run);

/* An eventfd of the child's own, under the same number. Without one, each process could take the
 * other's tokens: so the child leaves the parent's alone, and looks from time to time. */
static void replace_descriptor(struct run *r)
{
    int fresh = CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fresh < 0 || CO4__SYSTEM(syscall)(SYS_dup3, fresh, r->descriptor, O_CLOEXEC) < 0)
        r->descriptor = -1;
    if (fresh >= 0)
        CO4__SYSTEM(syscall)(SYS_close, fresh);
}

/* In the child waits for children, and calls of the pool, are the parent's. The lock of looks is
 * not held over a fork: a handler takes it wherever it interrupts its thread, which may hold what
 * the fork waits for, such as memory of malloc(). */
static void interrupts_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_CHILD) {
        atomic_store(&looks_lock.held, 0);
        atomic_store(&looks, NULL);
        atomic_store(&holds, 0);
        atomic_store(&held_back, false);
    }
    for (struct run *r = here.runs; r && how == CO4__FORK_CHILD; r = r->next)
        replace_descriptor(r);
}

static struct co4__fork_member member = { .handler = interrupts_at_fork };

static struct run *new_run(void)
{
    struct run *r = co4__alloc(sizeof *r);
    int fd = r ? co4__own_fd_open(CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC | EFD_NONBLOCK)) : -1;
    if (fd < 0 || co4_task_local_set(&run_key, r) != CO4_OK) {
        if (fd >= 0)
            co4__own_fd_close(fd);
        co4__free(r);
        return NULL;
    }
    *r = (struct run){ .next = here.runs,
                       .fiber = &co4__local()->current->fiber,
                       .descriptor = fd };
    atomic_signal_fence(memory_order_release);
    here.runs = r;
    return r;
}

/* ---- waiters ---- */

bool co4__interrupts_of_run(void)
{
    const co4_task *t = co4__local()->current;
    return t && t->fiber.kind == CO4__KIND_RUN;
}

/* A mark is a count, and in its lowest bit which of the two. */
int co4__interrupts_mark(bool always)
{
    if (!co4__interrupts_of_run())
        return &co4__kills ? co4__kills.mark(always) : -1;
    return (int)(here.counts[always] % (1u << 30) * 2 + always);
}

unsigned co4__interrupts_count(bool always)
{
    return here.counts[always];
}

void co4__interrupts_count_is(const unsigned counts[2])
{
    for (int i = 0; i < 2; i++)
        here.counts[i] = counts[i];
}

bool co4__interrupts_since(int mark)
{
    return co4__interrupts_mark(mark % 2) != mark;
}

int co4__interrupts_descriptor(void)
{
    int was = errno;
    co4__fork_join(&member);
    const struct run *r = co4_task_local_get(&run_key);
    if (!r)
        r = new_run();
    errno = was;
    return r ? r->descriptor : -1;
}

void co4__interrupts_waits(bool waits)
{
    struct run *r = co4_task_local_get(&run_key);
    if (r)
        r->waits = waits;
}

void co4__look_begin(struct co4__look *look)
{
    co4__fork_join(&member);
    looks_take();
    look->fiber = &co4__local()->current->fiber;
    look->prev = NULL;
    look->next = atomic_load(&looks);
    if (look->next)
        look->next->prev = look;
    atomic_store(&looks, look);
    looks_give();
}

void co4__interrupts_looks_no_more(void)
{
    forget_looks(&co4__local()->current->fiber);
}

void *co4__interrupts_jump(int *value)
{
    return co4__jump_now(&co4__local()->current->fiber, value);
}

void co4__interrupts_drain(int descriptor)
{
    uint64_t tokens;
    int was = errno;
    if (descriptor >= 0 && read(descriptor, &tokens, sizeof tokens) < 0)
        errno = was; /* there was none */
}
