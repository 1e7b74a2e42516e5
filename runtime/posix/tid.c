/* tid.c - gettid() of tasks.
 *
 * Purpose: code that knows its owner by the system's number of a thread, as a recursive lock of its
 * own does, would take all tasks of a worker for one. So each task has a number, which no thread
 * has: those of the system are below 2^22. Threads that are tasks have small ones above MADE, which
 * others get when they have ended. Other tasks have one above OTHERS that belongs to their address.
 *
 * The link turns the calls below into these, in all objects and archives; so the library's own
 * calls of syscall() come here, too, and say that they mean the system's number. A call that takes
 * such a number means the thread that the task is at, if it is its own. Of others the system knows
 * none: ESRCH. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/tid.h"
#include "posix/processes.h"
#include "posix/self.h"
#include "posix/threads.h"
#include "posix/wraps.h"

#define MADE    0x20000000
#define OTHERS  0x30000000
#define UNKNOWN 0x40000000

pid_t __wrap_gettid(void);
long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);
CO4__MAY_WRAP(tgkill, (pid_t process, pid_t thread, int signo));
CO4__WRAPS(getpriority, (int which, id_t who));
CO4__WRAPS(setpriority, (int which, id_t who, int priority));
CO4__WRAPS(sched_getaffinity, (pid_t thread, size_t bytes, cpu_set_t *processors));
CO4__WRAPS(sched_setaffinity, (pid_t thread, size_t bytes, const cpu_set_t *processors));
CO4__WRAPS(sched_getscheduler, (pid_t thread));
CO4__WRAPS(sched_setscheduler, (pid_t thread, int policy, const struct sched_param *parameter));
CO4__WRAPS(sched_getparam, (pid_t thread, struct sched_param *parameter));
CO4__WRAPS(sched_setparam, (pid_t thread, const struct sched_param *parameter));

/* ---- numbers ---- */

/* Tables of addresses, each twice as long as the one before; a number is a place in one. An address
 * has a few places in each, and takes the first of them that is free, for ever: a later task there
 * has the same number. A handler may interrupt this, and do the same: so there is no lock, and no
 * memory of malloc. Without memory a number is a part of the address, which others may share. */
enum { SHORTEST = 4096, TABLES = 16, PLACES = 16 };
typedef _Atomic(uintptr_t) address;
static address *_Atomic tables[TABLES];

static address *table(int k, size_t length)
{
    address *none = NULL, *fresh, *t = atomic_load(&tables[k]);
    if (t)
        return t;
    fresh = mmap(NULL, length * sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (fresh == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&tables[k], &none, fresh))
        return fresh;
    munmap(fresh, length * sizeof *fresh);
    return none;
}

static pid_t number_at(uintptr_t at)
{
    uint64_t hash = at / 16 * 0x9e3779b97f4a7c15u >> 32;
    size_t length = SHORTEST, before = 0;
    for (int k = 0; k < TABLES; before += length, length *= 2, k++) {
        address *t = table(k, length);
        for (size_t i = 0; t && i < PLACES; i++) {
            size_t place = (hash + i) % length;
            uintptr_t there = 0;
            if (atomic_compare_exchange_strong(&t[place], &there, at) || there == at)
                return (pid_t)(OTHERS + before + place);
        }
        if (!t)
            break;
    }
    return (pid_t)(at / 16 % UNKNOWN | UNKNOWN);
}

/* A simulated process has a number, which is that of its first thread, too. */
static pid_t number_of(co4_task *task)
{
    pthread_t id = &co4__posix_threads ? co4__posix_threads.of_task(task) : 0;
    const struct co4__posix_thread *made = id ? co4__posix_thread_of(id) : NULL;
    if (made)
        return MADE + made->number;
    return co4__posix_processes ? getpid() : number_at((uintptr_t)task);
}

/* ---- calls ---- */

pid_t __wrap_gettid(void)
{
    co4_task *task = co4__posix_self();
    return task ? number_of(task) : co4__tid();
}

/* The thread that the calling task is at, in the place of its own number. */
static pid_t system_s(pid_t thread, pid_t own)
{
    bool is_number = thread >= MADE || (co4__posix_processes && thread > 0);
    return is_number && thread == __wrap_gettid() ? own : thread;
}

long __wrap_syscall(long number, ...)
{
    va_list more;
    long a[6], result;
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_gettid && a[0] != CO4__THE_SYSTEM_S)
        return __wrap_gettid();
    if (number == SYS_tgkill)
        a[1] = system_s((pid_t)a[1], co4__tid());
#ifdef SYS_tkill
    if (number == SYS_tkill)
        a[0] = system_s((pid_t)a[0], co4__tid());
#endif
    if (co4__posix_processes && co4__posix_processes->call(number, a, &result))
        return result;
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_tgkill(pid_t process, pid_t thread, int signo)
{
    if (co4__posix_processes)
        process = co4__posix_processes->real(process);
    return __real_tgkill(process, system_s(thread, co4__tid()), signo);
}

static id_t who_of(int which, id_t who)
{
    if (co4__posix_processes && which != PRIO_USER && which != PRIO_PROCESS)
        who = (id_t)co4__posix_processes->real((pid_t)who);
    return which == PRIO_PROCESS ? (id_t)system_s((pid_t)who, 0) : who;
}

int __wrap_getpriority(int which, id_t who)
{
    return __real_getpriority(which, who_of(which, who));
}

int __wrap_setpriority(int which, id_t who, int priority)
{
    return __real_setpriority(which, who_of(which, who), priority);
}

/* 0 is the calling one. */
static bool is_simulated(pid_t thread)
{
    return thread == 0 || thread == getpid() || (thread >= MADE && thread < OTHERS);
}

static unsigned place_of(pid_t thread)
{
    return thread == 0 ? co4__posix_place() : thread >= MADE ? (unsigned)(thread - MADE) + 1 : 0;
}

static int fails(int err)
{
    if (err != 0)
        errno = err;
    return err == 0 ? 0 : -1;
}

int __wrap_sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *processors)
{
    if (co4__posix_processes && is_simulated(thread))
        return fails(co4__posix_processes->affinity(place_of(thread), bytes, processors, NULL));
    return __real_sched_getaffinity(system_s(thread, 0), bytes, processors);
}

int __wrap_sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *processors)
{
    if (co4__posix_processes && is_simulated(thread))
        return fails(co4__posix_processes->affinity(place_of(thread), bytes, NULL, processors));
    return __real_sched_setaffinity(system_s(thread, 0), bytes, processors);
}

int __wrap_sched_getscheduler(pid_t thread)
{
    return __real_sched_getscheduler(system_s(thread, 0));
}

int __wrap_sched_setscheduler(pid_t thread, int policy, const struct sched_param *parameter)
{
    return __real_sched_setscheduler(system_s(thread, 0), policy, parameter);
}

int __wrap_sched_getparam(pid_t thread, struct sched_param *parameter)
{
    return __real_sched_getparam(system_s(thread, 0), parameter);
}

int __wrap_sched_setparam(pid_t thread, const struct sched_param *parameter)
{
    return __real_sched_setparam(system_s(thread, 0), parameter);
}
