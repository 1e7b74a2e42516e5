/* syscalls.c - what a program of --auto=test asks of the system by syscall().
 *
 * A number that has a function of the C library becomes a call of that: so it is simulated if that
 * is. Some numbers are as good as they are, since they concern the program's own memory, masks and
 * limits. Of all others the program says that they are not simulated.
 */
#define _GNU_SOURCE
#include "simulation/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "co4/sync.h"
#include "io/attempt.h"
#include "posix/futex.h"
#include "simulation/descriptors.h"
#include "simulation/identity.h"
#include "simulation/machine.h"
#include "simulation/notice.h"
#include "simulation/run.h"
#include "simulation/suspends.h"

long __real_syscall(long number, ...);

/* ---- numbers that are as good as they are ---- */

static bool is_harmless(long number)
{
    static const int numbers[] = {
        SYS_mmap,
        SYS_munmap,
        SYS_mprotect,
        SYS_mremap,
        SYS_madvise,
        SYS_brk,
        SYS_mincore,
        SYS_mlock,
        SYS_munlock,
        SYS_mlockall,
        SYS_munlockall,
        SYS_mbind,
        SYS_membarrier,
        SYS_memfd_create,
        SYS_getuid,
        SYS_geteuid,
        SYS_getgid,
        SYS_getegid,
        SYS_getresuid,
        SYS_getresgid,
        SYS_getgroups,
        SYS_capget,
        SYS_prctl,
        SYS_umask,
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_sigaltstack,
        SYS_set_robust_list,
        SYS_get_robust_list,
        SYS_set_tid_address,
        SYS_rseq,
        SYS_sched_get_priority_max,
        SYS_sched_get_priority_min,
        SYS_gettid,            /* of the library itself: the program's is a task's */
        SYS_pidfd_send_signal, /* as is what the process does with its children */
        SYS_epoll_pwait2,
#ifdef SYS_arch_prctl
        SYS_arch_prctl,
#endif
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* ---- numbers that are functions ---- */

#define INT(i)      ((int)a[i])
#define SIZE(i)     ((size_t)a[i])
#define AT(type, i) ((type *)(uintptr_t)a[i])

static bool call_of_process(long number, const long a[6], long *n)
{
    switch (number) {
    case SYS_exit_group:
        _exit(INT(0));
    case SYS_getpid:
        *n = getpid();
        return true;
    case SYS_getppid:
        *n = getppid();
        return true;
    case SYS_getpgid:
        *n = getpgid(INT(0));
        return true;
    case SYS_setpgid:
        *n = setpgid(INT(0), INT(1));
        return true;
    case SYS_getsid:
        *n = getsid(INT(0));
        return true;
    case SYS_setsid:
        *n = setsid();
        return true;
    case SYS_kill:
        *n = kill(INT(0), INT(1));
        return true;
    case SYS_tgkill:
        *n = __real_syscall(number, (long)co4__process_real(INT(0)), a[1], a[2]);
        return true;
    case SYS_tkill:
        *n = __real_syscall(number, a[0], a[1]);
        return true;
    case SYS_rt_sigqueueinfo:
        *n = __real_syscall(number, (long)co4__process_real(INT(0)), a[1], a[2]);
        return true;
    case SYS_rt_tgsigqueueinfo:
        *n = __real_syscall(number, (long)co4__process_real(INT(0)), a[1], a[2], a[3]);
        return true;
    case SYS_pidfd_open:
        *n = __real_syscall(number, (long)co4__process_real(INT(0)), a[1]);
        return true;
    case SYS_wait4:
        *n = wait4(INT(0), AT(int, 1), INT(2), AT(struct rusage, 3));
        return true;
    case SYS_prlimit64:
        *n = prlimit(INT(0), (enum __rlimit_resource)a[1], AT(const struct rlimit, 2),
                     AT(struct rlimit, 3));
        return true;
    case SYS_getrusage:
        *n = getrusage(INT(0), AT(struct rusage, 1));
        return true;
    case SYS_uname:
        *n = uname(AT(struct utsname, 0));
        return true;
    case SYS_getcpu:
        *n = getcpu(AT(unsigned, 0), AT(unsigned, 1));
        return true;
    case SYS_sched_getaffinity: /* says how many bytes it has */
        *n = sched_getaffinity(INT(0), SIZE(1), AT(cpu_set_t, 2));
        *n = *n == 0 ? (long)(SIZE(1) < sizeof(cpu_set_t) ? SIZE(1) : sizeof(cpu_set_t)) : *n;
        return true;
    case SYS_sched_setaffinity:
        *n = sched_setaffinity(INT(0), SIZE(1), AT(const cpu_set_t, 2));
        return true;
    default:
        return false;
    }
}

static bool call_of_time(long number, const long a[6], long *n)
{
    switch (number) {
    case SYS_clock_gettime:
        *n = clock_gettime(INT(0), AT(struct timespec, 1));
        return true;
    case SYS_clock_getres:
        *n = clock_getres(INT(0), AT(struct timespec, 1));
        return true;
    case SYS_gettimeofday:
        *n = gettimeofday(AT(struct timeval, 0), AT(void, 1));
        return true;
#ifdef SYS_time
    case SYS_time:
        *n = time(AT(time_t, 0));
        return true;
    case SYS_alarm:
        *n = alarm((unsigned)a[0]);
        return true;
    case SYS_pause:
        *n = pause();
        return true;
#endif
    case SYS_getrandom:
        *n = getrandom(AT(void, 0), SIZE(1), (unsigned)a[2]);
        return true;
    default:
        return false;
    }
}

static bool call_of_descriptor(long number, const long a[6], long *n)
{
    switch (number) {
    case SYS_read:
        *n = read(INT(0), AT(void, 1), SIZE(2));
        return true;
    case SYS_write:
        *n = write(INT(0), AT(const void, 1), SIZE(2));
        return true;
    case SYS_readv:
        *n = readv(INT(0), AT(const struct iovec, 1), INT(2));
        return true;
    case SYS_writev:
        *n = writev(INT(0), AT(const struct iovec, 1), INT(2));
        return true;
    case SYS_close:
        *n = close(INT(0));
        return true;
    case SYS_dup:
        *n = dup(INT(0));
        return true;
    case SYS_dup3:
        *n = dup3(INT(0), INT(1), INT(2));
        return true;
    case SYS_fcntl:
        *n = fcntl(INT(0), INT(1), a[2]);
        return true;
    case SYS_fsync:
        *n = fsync(INT(0));
        return true;
    case SYS_fdatasync:
        *n = fdatasync(INT(0));
        return true;
    case SYS_openat:
        *n = openat(INT(0), AT(const char, 1), INT(2), (mode_t)a[3]);
        return true;
#ifdef SYS_open
    case SYS_open:
        *n = open(AT(const char, 0), INT(1), (mode_t)a[2]);
        return true;
#endif
    case SYS_renameat2:
        *n = renameat2(INT(0), AT(const char, 1), INT(2), AT(const char, 3), (unsigned)a[4]);
        return true;
    case SYS_statx:
        *n = statx(INT(0), AT(const char, 1), INT(2), (unsigned)a[3], AT(struct statx, 4));
        return true;
    case SYS_pread64:
        *n = pread(INT(0), AT(void, 1), SIZE(2), a[3]);
        return true;
    case SYS_pwrite64:
        *n = pwrite(INT(0), AT(const void, 1), SIZE(2), a[3]);
        return true;
    case SYS_preadv: /* whose offset has a second half for small words */
        *n = preadv(INT(0), AT(const struct iovec, 1), INT(2), a[3]);
        return true;
    case SYS_pwritev:
        *n = pwritev(INT(0), AT(const struct iovec, 1), INT(2), a[3]);
        return true;
    case SYS_copy_file_range:
        *n = copy_file_range(INT(0), AT(off64_t, 1), INT(2), AT(off64_t, 3), SIZE(4),
                             (unsigned)a[5]);
        return true;
    case SYS_sendmmsg:
        *n = sendmmsg(INT(0), AT(struct mmsghdr, 1), (unsigned)a[2], INT(3));
        return true;
    case SYS_recvmmsg:
        *n = recvmmsg(INT(0), AT(struct mmsghdr, 1), (unsigned)a[2], INT(3),
                      AT(struct timespec, 4));
        return true;
    case SYS_pipe2:
        *n = pipe2(AT(int, 0), INT(1));
        return true;
    case SYS_eventfd2:
        *n = eventfd((unsigned)a[0], INT(1));
        return true;
    case SYS_socket:
        *n = socket(INT(0), INT(1), INT(2));
        return true;
    default:
        return false;
    }
}

static bool is_woken(void *data)
{
    return co4_sem_permits(&((struct co4__futex *)data)->woken) > 0;
}

/* In code that is not woven. */
static long wait_at_word(const long a[6])
{
    struct co4__futex f;
    int err = co4__futex_begin(&f, a);
    if (err == 0 && !co4__simulated_step_until(is_woken, &f, f.until, "syscall"))
        err = ETIMEDOUT;
    co4__futex_leave(&f);
    return err == 0 ? 0 : co4__errno_fails(err);
}

static long call_futex(const long a[6])
{
    long n = co4__futex_waits(a) ? wait_at_word(a) : co4__futex_call(a);
    if (n == CO4__FUTEX_UNKNOWN)
        co4__simulation_refuses("syscall(SYS_futex)", "this operation cannot be simulated");
    return n;
}

/* Returns whether the call has been made. */
static bool call_in_its_place(long number, const long a[6], long *n)
{
    char text[40];
    if (!co4__program_is_simulated())
        return false;
    if (is_harmless(number))
        return false;
    if (number == SYS_futex) {
        *n = call_futex(a);
        return true;
    }
    if (call_of_process(number, a, n) || call_of_time(number, a, n) ||
        call_of_descriptor(number, a, n))
        return true;
    snprintf(text, sizeof text, "the system's call %ld", number);
    co4__not_simulated("syscall", text, NULL);
    return false;
}

const struct co4__posix_processes co4__simulated_processes = {
    .real = co4__process_real,
    .number = co4__process_number,
    .call = call_in_its_place,
    .affinity = co4__machine_affinity,
    .inherits = co4__machine_inherits,
    .suspend = co4__simulated_suspend,
    .mask = pthread_sigmask,
};
