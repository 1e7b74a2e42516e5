/* threads.c - threads that are tasks, with --auto=threads.
 *
 * Purpose: code that starts a thread for each connection has a task for each instead. The link
 * turns pthread_create() into the function below, in all objects and archives. Where the function
 * of the thread has a woven form, a task calls that. Otherwise a thread begins, as always. The
 * tasks are those of one runtime, which begins with the first of them. It has CO4_WORKERS workers,
 * or one a processor, and up to CO4_SPARES others while those are blocked.
 *
 * Invariants: a pthread_t stays valid until its thread has ended and is joined or detached. What a
 * thread needs to begin is allocated by its creator, which returns an error without memory. A task
 * that ends without the end of its function, for lack of memory, ends the program with a message,
 * as no code would tell of it.
 *
 * Concurrency: one joiner or detacher sets TAKEN, and drops the reference of the pthread_t. The
 * last reference frees. */
#define _GNU_SOURCE
#include "posix/threads.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/task.h"
#include "core/woven_form.h"
#include "platform/fork.h"
#include "platform/real.h"
#include "platform/sigmask.h"
#include "platform/thread.h"
#include "platform/tid.h"
#include "posix/decides.h"
#include "posix/kills.h"
#include "posix/order.h"
#include "posix/processes.h"
#include "posix/pushed.h"
#include "posix/scheduling.h"
#include "posix/self.h"
#include "posix/thrd.h"
#include "posix/thread_state.h"
#include "sched/run.h"
#include "sched/spares.h"

#include "co4/runtime.h"
#include "co4/task.h"

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *arg);
int __real_thrd_create(thrd_t *id, thrd_start_t start, void *arg);
int __wrap_thrd_create(thrd_t *id, thrd_start_t start, void *arg);
_Noreturn void __real_pthread_exit(void *value);
_Noreturn void __wrap_pthread_exit(void *value);
_Noreturn void __wrap_thrd_exit(int code);
void co4_posix_pthread_exit__co4(co4_fiber *co4, void *value);
void co4_posix_thrd_exit__co4(co4_fiber *co4, int code);

#define SPARES  256          /* workers that may stand in for blocked ones; or CO4_SPARES */
#define NOTICED (500 * 1000) /* ns between two checks for those */

/* ---- the runtime ---- */

/* Under co4__posix_guards.runtime. */
static struct {
    co4_runtime *rt;     /* NULL: not begun */
    unsigned generation; /* of the process that has begun it: a child of fork begins its own */
    struct co4__scheduling scheduling; /* of the workers: constant when it has begun */
} all;

static void hold(void)
{
    pthread_mutex_lock(&co4__posix_guards.runtime);
}

static void let_go(void)
{
    pthread_mutex_unlock(&co4__posix_guards.runtime);
}

static void let_go_in_child(void)
{
    co4__posix_guards.runtime = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    co4__threads_are_gone();
}

/* Before the program's own handlers, which may start threads: those of the parent run in the other
 * order. */
__attribute__((constructor(102))) static void prepare_forks(void)
{
    pthread_atfork(hold, let_go, let_go_in_child);
}

/* Where tasks have masks of their own, no signal for the process arrives at a worker between steps:
 * all threads of the program may have blocked it. */
static int start_workers(co4_runtime *rt)
{
    sigset_t every, before;
    bool masks = &co4__part_masks != NULL;
    sigfillset(&every);
    if (masks)
        co4__sigmask(SIG_BLOCK, &every, &before);
    int err = co4_runtime_start(rt);
    if (masks)
        co4__sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* The number in a variable of the environment, if it is one from `least` on; else `usual`. */
static int from_environment(const char *name, int least, int usual)
{
    char *text = getenv(name), *end = text;
    long n = text ? strtol(text, &end, 10) : 0;
    return end != text && *end == '\0' && n >= least && n <= CO4__WORKERS_MAX ? (int)n : usual;
}

/* NULL: out of memory, or of threads. */
static co4_runtime *runtime(void)
{
    hold();
    if (!all.rt || all.generation != co4__generation) {
        co4_runtime_options options = { .workers = from_environment("CO4_WORKERS", 1, 0),
                                        .rescue_after = NOTICED };
        co4__runtime_make_spared(&all.rt, &options,
                                 (unsigned)from_environment("CO4_SPARES", 0, SPARES));
        all.generation = co4__generation;
        all.scheduling = co4__scheduling_here();
        co4__threads_begin();
        if (all.rt && start_workers(all.rt) != CO4_OK) {
            co4_runtime_destroy(all.rt);
            all.rt = NULL;
        }
    }
    co4_runtime *rt = all.rt;
    let_go();
    return rt;
}

/* ---- threads ---- */

static pthread_t id_of(struct co4__posix_thread *s)
{
    return (pthread_t)((uintptr_t)s | 3);
}

static pthread_t of_task(co4_task *task)
{
    struct co4__posix_thread *s = co4__thread_of(task);
    return s ? id_of(s) : 0;
}

static int join(struct co4__posix_thread *s, void **result)
{
    int err = co4__thread_take(s);
    if (err != 0)
        return err;
    co4__thread_wait(s);
    co4__thread_joined(s, result);
    return 0;
}

static int try_join(struct co4__posix_thread *s, void **result)
{
    bool taken = atomic_load_explicit(&s->state, memory_order_relaxed) & CO4__THREAD_TAKEN;
    return taken || co4__thread_has_value(s) ? join(s, result) : EBUSY;
}

static int detach(struct co4__posix_thread *s)
{
    int err = co4__thread_take(s);
    if (err != 0)
        return err;
    co4__thread_drop(s);
    return 0;
}

static struct co4__scheduling scheduling(void)
{
    return all.scheduling;
}

const struct co4__posix_threads co4__posix_threads = { of_task, join, try_join, detach,
                                                       scheduling };

/* ---- beginnings ---- */

/* Returns 0, an error, or NO_TASK: the function has no woven form, or the thread is to have what a
 * task has not. */
enum { NO_TASK = -1 };

/* Of a simulated thread, which may have others than its worker. */
static void set_processors(unsigned thread, const pthread_attr_t *attributes)
{
    cpu_set_t processors;
    co4__posix_processes->inherits(thread, co4__posix_place());
    if (attributes && co4__has_processors(attributes, &processors))
        co4__posix_processes->affinity(thread, sizeof processors, NULL, &processors);
}

static int begin(pthread_t *id, const pthread_attr_t *attributes, co4_abi_code *start, bool of_c11,
                 void *arg, const void *place)
{
    const co4_abi_pair *last = NULL;
    co4_abi_code *woven = co4_abi_woven_of(&last, start);
    if (!woven)
        return NO_TASK;
    co4_runtime *rt = runtime();
    /* a task has what all tasks have, and so have those that it begins without attributes */
    if (rt && !co4__posix_processes && (attributes || !co4__posix_self()) &&
        co4__needs_thread(attributes, all.scheduling))
        return NO_TASK;
    if (rt && co4__posix_processes && attributes && co4__has_mask(attributes))
        return NO_TASK;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &state);
    bool detached = state == PTHREAD_CREATE_DETACHED;
    struct co4__posix_thread *s = rt ? co4__thread_new() : NULL;
    if (!s)
        return EAGAIN;
    *s = (struct co4__posix_thread){
        .start = woven, .of_c11 = of_c11, .arg = arg, .number = s->number
    };
    s->task = co4__thread_task(s);
    bool begins = s->task && co4__thread_prepare(s);
    atomic_init(&s->refs, detached || !begins ? 1 : 2);
    if (!begins) {
        co4__thread_drop(s);
        return EAGAIN;
    }
    if (detached)
        atomic_init(&s->state, CO4__THREAD_TAKEN);
    if (co4__posix_processes)
        set_processors((unsigned)s->number + 1, attributes);
    *id = id_of(s); /* the task may read it there */
    co4__thread_is_counted();
    co4__orders_at(CO4__ORDER_BEGINS, s->task, place);
    if (detached)
        co4__orders(CO4__ORDER_TAKEN, s->task);
    co4_runtime_schedule(rt, s->task); /* it is new, and the runtime is of this process */
    return 0;
}

/* ---- threads that are none of these ---- */

struct counted {
    void *(*start)(void *); /* or the next one */
    thrd_start_t of_c11;
    void *arg;
};

/* The value of the key is the round of destructors after which such a thread has ended: those of
 * the program run in the same rounds, before it or after it. In the last one the thread sanitizer
 * ends the thread, and code that it has made cannot run any more. Round 0: a thread of the library
 * that has not returned. */
enum { ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS - (CO4_THREAD_SANITIZER ? 1 : 0) };
static struct {
    pthread_key_t key;
    char rounds[ROUNDS];
} counted;

static void has_begun(void)
{
    if (pthread_setspecific(counted.key, &counted.rounds[1]) != 0)
        co4__thread_fails("a thread has no memory to begin");
}

static void count_end(void *value)
{
    char *round = value;
    if (round == counted.rounds)
        co4__thread_fails("a thread of the library was ended by pthread_exit() or pthread_cancel() "
                          "in code that this link does not contain");
    if (round == counted.rounds + ROUNDS || pthread_setspecific(counted.key, round + 1) != 0)
        co4__thread_has_ended();
}

/* Before the program's own keys, of which it may take all. */
__attribute__((constructor(102))) static void make_key(void)
{
    if (pthread_key_create(&counted.key, count_end) != 0)
        co4__thread_fails("no key of thread-specific values is left");
}

static void *run_counted(void *thread)
{
    struct counted one = *(struct counted *)thread;
    co4__free(thread);
    has_begun();
    return one.start(one.arg);
}

static int run_counted_c11(void *thread)
{
    struct counted one = *(struct counted *)thread;
    co4__free(thread);
    has_begun();
    return one.of_c11(one.arg);
}

/* Counts one, before it begins. NULL: out of memory. */
static struct counted *make_counted(struct counted one)
{
    struct counted *made = co4__alloc(sizeof *made);
    if (!made)
        return NULL;
    *made = one;
    co4__thread_is_counted();
    return made;
}

static void has_not_begun(struct counted *made)
{
    co4__thread_has_ended();
    co4__free(made);
}

/* Without the thread, tasks would wait for ever: count_end() ends the program. */
static void *run_own(void *start)
{
    pthread_setspecific(counted.key, counted.rounds);
    co4__own_thread(start);
    pthread_setspecific(counted.key, NULL);
    return NULL;
}

/* A thread of the system would go on beside the simulation, and end what its seed decides. */
static void refuse_in_simulation(void)
{
    if (!co4__posix_decides)
        return;
    fputs(co4__woven_forms_lost ? "co4: a thread cannot be simulated: out of memory\n"
                                : "co4: a thread cannot be simulated: its function is not woven, "
                                  "or its attributes have a mask of signals\n",
          stderr);
    _exit(CO4__REFUSED);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *arg)
{
    if (start == co4__own_thread)
        return __real_pthread_create(id, attributes, run_own, arg);
    int err = begin(id, attributes, (co4_abi_code *)start, false, arg, __builtin_return_address(0));
    if (err != NO_TASK)
        return err;
    refuse_in_simulation();
    struct counted *made = make_counted((struct counted){ .start = start, .arg = arg });
    err = made ? __real_pthread_create(id, attributes, run_counted, made) : EAGAIN;
    if (made && err != 0)
        has_not_begun(made);
    return err;
}

int __wrap_thrd_create(thrd_t *id, thrd_start_t start, void *arg)
{
    int err = begin(id, NULL, (co4_abi_code *)start, true, arg, __builtin_return_address(0));
    if (err != NO_TASK)
        return co4__thrd_code(err);
    refuse_in_simulation();
    struct counted *made = make_counted((struct counted){ .of_c11 = start, .arg = arg });
    int code = made ? __real_thrd_create(id, run_counted_c11, made) : thrd_nomem;
    if (made && code != thrd_success)
        has_not_begun(made);
    return code;
}

/* ---- ends ---- */

/* The task of main has ended, where it is a thread like others: the process goes on until all have
 * ended. */
static void *value_of_first;

static void outlive_task(void)
{
    co4__run_given_up = NULL;
    co4__first_has_ended(value_of_first);
    if (&co4__first_takes_none)
        co4__first_takes_none();
    co4__thread_has_ended();
    co4__first_rests();
}

/* Gives up the activations of the task, and with them the handlers of their locals run. */
void co4_posix_pthread_exit__co4(co4_fiber *co4, void *value)
{
    co4_task *task = co4__posix_self();
    struct co4__posix_thread *s = task ? co4__thread_of(task) : NULL;
    if (s && co4 == &task->fiber) {
        co4__thread_gives_up(s, value);
        co4_abi_pause(co4, CO4_ABI_FAILED);
    } else if (task && co4__posix_decides && task == co4__posix_first && co4 == &task->fiber) {
        co4__run_given_up = outlive_task;
        value_of_first = value;
        co4__task_set_error(task, CO4_ECANCELED);
        co4_abi_pause(co4, CO4_ABI_FAILED);
    } else { /* perhaps in a run that plain code of the task has begun */
        __wrap_pthread_exit(value);
    }
}

void co4_posix_thrd_exit__co4(co4_fiber *co4, int code)
{
    co4_posix_pthread_exit__co4(co4, (void *)(intptr_t)code);
}

/* The first thread ends: the process goes on until all others have ended. */
static void outlive(void)
{
    has_begun();
}

/* In plain code. */
_Noreturn void __wrap_pthread_exit(void *value)
{
    if (co4__posix_self())
        co4__thread_fails(
            "pthread_exit() in a task, in code that is not woven: the activations of the "
            "task cannot be given up there");
    if (&co4__pushed_run)
        co4__pushed_run();
    if (CO4__SYSTEM(getpid)() == co4__tid())
        outlive();
    __real_pthread_exit(value);
}

_Noreturn void __wrap_thrd_exit(int code)
{
    __wrap_pthread_exit((void *)(intptr_t)code);
}
