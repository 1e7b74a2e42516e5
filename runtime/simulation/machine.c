/* machine.c - the machine that a program of --auto=test sees: its name, processors, memory, load.
 *
 * They are the same in each run and on each machine, and so is the number of workers, which is one
 * a processor. But sched_getcpu() says what the seed decides, within the processors that the thread
 * may use. Times that processors work are those that pass (clocks.c). Of pages and switches there
 * are none.
 *
 * Processors of threads: what a thread has set it gets back, and sched_getcpu() keeps to it. A new
 * thread may use all. */
#define _GNU_SOURCE
#include "simulation/machine.h"

#include <errno.h>
#include <pthread.h>
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
#include "posix/wraps.h"
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
    return "simulated";
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
    return is_simulated() ? HOST : __real_gethostid();
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

/* The value of the key is a set of processors, bit by bit; NULL: all. */
static pthread_key_t affinity_key;
static const uintptr_t all_processors = ((uintptr_t)1 << PROCESSORS) - 1;

static uintptr_t affinity(void)
{
    uintptr_t set = (uintptr_t)pthread_getspecific(affinity_key);
    return set ? set : all_processors;
}

static int get_affinity(size_t bytes, void *get)
{
    uintptr_t set = affinity();
    if (bytes < sizeof(uint64_t) || bytes % sizeof(uint64_t) != 0)
        return co4__errno_fails(EINVAL);
    memset(get, 0, bytes);
    memcpy(get, &set, sizeof set < bytes ? sizeof set : bytes);
    return 0;
}

int co4__machine_affinity(size_t bytes, void *get, const void *wanted)
{
    uintptr_t set = 0;
    if (get)
        return get_affinity(bytes, get);
    memcpy(&set, wanted, bytes < sizeof set ? bytes : sizeof set);
    set &= all_processors;
    if (set == 0)
        return co4__errno_fails(EINVAL);
    int err = pthread_setspecific(affinity_key, (const void *)set);
    return err == 0 ? 0 : co4__errno_fails(err);
}

int __wrap_sched_getcpu(void)
{
    if (!is_simulated())
        return __real_sched_getcpu();
    uintptr_t set = affinity();
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

/* Before the program's own keys, of which it may take all. */
__attribute__((constructor(109))) static void make_key(void)
{
    if (pthread_key_create(&affinity_key, NULL) != 0)
        co4__simulation_refuses("--auto=test", "no key of thread-specific values is left");
}
