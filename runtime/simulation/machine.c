/* machine.c - the machine that a program of --auto=test sees: its name, processors, memory, load.
 *
 * They are the same in each run and on each machine, and so is the number of workers, which is one
 * a processor. But sched_getcpu() says what the seed decides, within the processors that the thread
 * may use. Times that processors work are those that pass (clocks.c). Of pages and switches there
 * are none.
 *
 * Processors of threads: what a thread has set it gets back, and sched_getcpu() keeps to it. A new
 * thread has those of the one that makes it. */
#define _GNU_SOURCE
#include "simulation/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "co4/time.h"
#include "io/attempt.h"
#include "posix/processes.h"
#include "posix/wraps.h"
#include "simulation/nodes.h"
#include "simulation/run.h"

#define MEMORY     (UINT64_C(8) << 30)
#define FREE       (UINT64_C(4) << 30)
#define RESIDENT   16384 /* KiB */
#define UP         1000  /* s, as clocks.c has it */
#define PROCESSES  100
#define HOST       0x7f0001
#define PROCESSORS 4

static bool is_simulated(void)
{
    return co4__program_is_simulated();
}

/* ---- names ---- */

CO4__WRAPS(gethostname, (char *name, size_t bytes));
CO4__WRAPS(getdomainname, (char *name, size_t bytes));
CO4__WRAPS(uname, (struct utsname * names));
long __wrap_gethostid(void);
long __real_gethostid(void);

const char *co4__machine_name(void)
{
    return co4__node ? co4__node->name : "simulated";
}

static int put_name(const char *from, char *name, size_t bytes)
{
    size_t n = strlen(from) + 1;
    if (bytes < n) {
        memcpy(name, from, bytes);
        return co4__errno_fails(ENAMETOOLONG);
    }
    memcpy(name, from, n);
    return 0;
}

int __wrap_gethostname(char *name, size_t bytes)
{
    return is_simulated() ? put_name(co4__machine_name(), name, bytes)
                          : __real_gethostname(name, bytes);
}

int __wrap_getdomainname(char *name, size_t bytes)
{
    return is_simulated() ? put_name("(none)", name, bytes) : __real_getdomainname(name, bytes);
}

long __wrap_gethostid(void)
{
    return is_simulated() ? HOST + (co4__node ? co4__node - co4__nodes->nodes : 0)
                          : __real_gethostid();
}

/* What the kernel can do is that of the system. */
int __wrap_uname(struct utsname *names)
{
    int n = __real_uname(names);
    if (n != 0 || !is_simulated())
        return n;
    put_name(co4__machine_name(), names->nodename, sizeof names->nodename);
    put_name("(none)", names->domainname, sizeof names->domainname);
    return 0;
}

/* ---- processors ---- */

CO4__WRAPS(get_nprocs, (void));
CO4__WRAPS(get_nprocs_conf, (void));
CO4__WRAPS(sched_getcpu, (void));
CO4__WRAPS(getcpu, (unsigned *processor, unsigned *node));
CO4__WRAPS(getloadavg, (double loads[], int count));

int __wrap_get_nprocs(void)
{
    return is_simulated() ? PROCESSORS : __real_get_nprocs();
}

int __wrap_get_nprocs_conf(void)
{
    return is_simulated() ? PROCESSORS : __real_get_nprocs_conf();
}

/* Bit by bit; 0: all. The first thread of the process, and then others by their numbers. */
static uintptr_t *affinities;
static unsigned threads;
static const uintptr_t all_processors = ((uintptr_t)1 << PROCESSORS) - 1;

static uintptr_t affinity_of(unsigned thread)
{
    return thread < threads && affinities[thread] ? affinities[thread] : all_processors;
}

static int set_affinity(unsigned thread, uintptr_t set)
{
    if (thread >= threads) {
        unsigned room = thread < 32 ? 64 : 2 * thread;
        uintptr_t *more = realloc(affinities, room * sizeof *more);
        if (!more)
            return ENOMEM;
        memset(more + threads, 0, (room - threads) * sizeof *more);
        affinities = more;
        threads = room;
    }
    affinities[thread] = set;
    return 0;
}

void co4__machine_inherits(unsigned thread, unsigned from)
{
    uintptr_t set = affinity_of(from);
    if (set != affinity_of(thread))
        set_affinity(thread, set);
}

int co4__machine_affinity(unsigned thread, size_t bytes, void *get, const void *wanted)
{
    uintptr_t set = affinity_of(thread);
    if (get && (bytes < sizeof set || bytes % sizeof set != 0))
        return EINVAL;
    if (get) {
        memset(get, 0, bytes);
        memcpy(get, &set, sizeof set);
        return 0;
    }
    set = 0;
    memcpy(&set, wanted, bytes < sizeof set ? bytes : sizeof set);
    set &= all_processors;
    return set ? set_affinity(thread, set) : EINVAL;
}

int __wrap_sched_getcpu(void)
{
    if (!is_simulated())
        return __real_sched_getcpu();
    uintptr_t set = affinity_of(co4__posix_place());
    int processor = (int)(co4__simulated_random() % PROCESSORS);
    while (!(set >> processor & 1))
        processor = (processor + 1) % PROCESSORS;
    return processor;
}

int __wrap_getcpu(unsigned *processor, unsigned *node)
{
    if (!is_simulated())
        return __real_getcpu(processor, node);
    unsigned at = (unsigned)__wrap_sched_getcpu();
    if (processor)
        *processor = at;
    if (node)
        *node = 0;
    return 0;
}

int __wrap_getloadavg(double loads[], int count)
{
    if (!is_simulated())
        return __real_getloadavg(loads, count);
    count = count < 3 ? count : 3;
    for (int i = 0; i < count; i++)
        loads[i] = 0;
    return count;
}

/* ---- memory, and what is used ---- */

long __wrap_sysconf(int name);
long __real_sysconf(int name);
long __wrap_get_phys_pages(void);
long __real_get_phys_pages(void);
long __wrap_get_avphys_pages(void);
long __real_get_avphys_pages(void);
CO4__WRAPS(sysinfo, (struct sysinfo * info));
CO4__WRAPS(getrusage, (int who, struct rusage *used));

static long pages(uint64_t bytes)
{
    return (long)(bytes / (uint64_t)__real_sysconf(_SC_PAGESIZE));
}

long __wrap_get_phys_pages(void)
{
    return is_simulated() ? pages(MEMORY) : __real_get_phys_pages();
}

long __wrap_get_avphys_pages(void)
{
    return is_simulated() ? pages(FREE) : __real_get_avphys_pages();
}

long __wrap_sysconf(int name)
{
    if (!is_simulated())
        return __real_sysconf(name);
    switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return PROCESSORS;
    case _SC_PHYS_PAGES:
        return pages(MEMORY);
    case _SC_AVPHYS_PAGES:
        return pages(FREE);
    default:
        return __real_sysconf(name);
    }
}

int __wrap_sysinfo(struct sysinfo *info)
{
    if (!is_simulated())
        return __real_sysinfo(info);
    memset(info, 0, sizeof *info);
    info->uptime = (long)(UP + co4__simulated_look() / CO4_SEC);
    info->totalram = MEMORY;
    info->freeram = FREE;
    info->procs = PROCESSES;
    info->mem_unit = 1;
    return 0;
}

/* Of children nothing is known. */
int __wrap_getrusage(int who, struct rusage *used)
{
    if (!is_simulated() || (who != RUSAGE_SELF && who != RUSAGE_THREAD && who != RUSAGE_CHILDREN))
        return __real_getrusage(who, used);
    int64_t us = who == RUSAGE_CHILDREN ? 0 : co4__simulated_look() / 1000;
    memset(used, 0, sizeof *used);
    used->ru_utime = (struct timeval){ us / 1000000, us % 1000000 };
    used->ru_maxrss = who == RUSAGE_CHILDREN ? 0 : RESIDENT;
    return 0;
}
