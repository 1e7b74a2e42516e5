/* identity.c - the number of the process of a program of --auto=test, and of those around it.
 *
 * Purpose: numbers of processes are in names of files, seeds and hashes. The run's process has one
 * that the seed decides, and its parent the one below. The system's are below 2^22; these are above
 * it. So each call that takes the number of a process knows which of the two it is, and one that
 * the link does not turn into those below finds no process: ESRCH, never another process.
 *
 * The group that the process is in at the beginning has its number, as if it led that: so it is
 * with co4test, and so a seed is one run in each shell. Its session is that of the parent. The
 * parent takes no signal but 0: EPERM. It is co4test, or a shell.
 *
 * Children have the system's numbers, in all processes: fork() says that they are not simulated. In
 * a child the run's process has the number that it has itself.
 *
 * Rejected: a number for each child (a program that a child executes has the system's anyway); the
 * number 1 or a small one (a process of the system has it, so calls that nothing replaces would
 * reach that). */
#define _GNU_SOURCE
#include "simulation/identity.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/attempt.h"
#include "platform/tid.h"
#include "posix/wraps.h"
#include "simulation/run.h"

#define LEAST 0x400001 /* above the numbers of Linux */
#define MOST  0x8000   /* so many */

#define WRAPS_ID(name, parameters)                                                                 \
    pid_t __wrap_##name parameters;                                                                \
    pid_t __real_##name parameters

static struct {
    pid_t real, number; /* 0: no run has begun */
    pid_t parent, group, session;
} the;

/* ---- numbers ---- */

pid_t co4__process_real(pid_t number)
{
    if (the.number == 0 || (number != the.number && number != the.number - 1))
        return number;
    return number == the.number ? the.real : the.parent;
}

pid_t co4__process_number(pid_t real)
{
    if (the.number == 0 || real <= 0)
        return real;
    return real == the.real ? the.number : real == the.parent ? the.number - 1 : real;
}

WRAPS_ID(getpgid, (pid_t process));

/* The group that the program knows by the number of its process. */
static pid_t own_group(void)
{
    pid_t now = __real_getpgid(the.real);
    return now == the.group ? now : the.real;
}

static pid_t group_real(pid_t number)
{
    return the.number != 0 && number == the.number ? own_group() : co4__process_real(number);
}

static pid_t group_number(pid_t real)
{
    return the.number != 0 && real == the.group ? the.number : co4__process_number(real);
}

/* What kill() and waitpid() take: a process, or a group below 0. */
static pid_t any_real(pid_t number)
{
    return number < -1 ? -group_real(-number) : co4__process_real(number);
}

static bool is_parent(pid_t number)
{
    return the.number != 0 && (number == the.number - 1 || number == 1 - the.number);
}

/* ---- own ones ---- */

WRAPS_ID(getpid, (void));
WRAPS_ID(getppid, (void));
WRAPS_ID(getpgrp, (void));
WRAPS_ID(getsid, (pid_t process));
WRAPS_ID(setsid, (void));
CO4__WRAPS(setpgid, (pid_t process, pid_t group));
CO4__WRAPS(setpgrp, (void));
WRAPS_ID(tcgetpgrp, (int fd));
WRAPS_ID(tcgetsid, (int fd));
CO4__WRAPS(tcsetpgrp, (int fd, pid_t group));

pid_t __wrap_getpid(void)
{
    return co4__process_number(__real_getpid());
}

/* The parent and the leader of the session are outside of the run's namespace at times: Linux gives
 * 0 for them, the run what it gives in others. */
pid_t __wrap_getppid(void)
{
    pid_t real = __real_getppid();
    return the.number != 0 && real == the.parent ? the.number - 1 : co4__process_number(real);
}

pid_t __wrap_getpgid(pid_t process)
{
    return group_number(__real_getpgid(co4__process_real(process)));
}

pid_t __wrap_getpgrp(void)
{
    return __wrap_getpgid(0);
}

static pid_t session_number(pid_t real)
{
    return the.number != 0 && real == the.session ? the.number - 1 : co4__process_number(real);
}

pid_t __wrap_getsid(pid_t process)
{
    return session_number(__real_getsid(co4__process_real(process)));
}

/* A process that leads its group cannot leave its session: the run's does, to the program. */
pid_t __wrap_setsid(void)
{
    if (the.number != 0 && __real_getpid() == the.real && __wrap_getpgid(0) == the.number)
        return co4__errno_fails(EPERM);
    return co4__process_number(__real_setsid());
}

int __wrap_setpgid(pid_t process, pid_t group)
{
    pid_t is = process == 0 ? __real_getpid() : co4__process_real(process);
    if (the.number != 0 && is == the.real && (group == 0 || group == the.number))
        return 0; /* it leads that already, to the program */
    return __real_setpgid(is, group_real(group));
}

int __wrap_setpgrp(void)
{
    return __wrap_setpgid(0, 0);
}

pid_t __wrap_tcgetpgrp(int fd)
{
    return group_number(__real_tcgetpgrp(fd));
}

pid_t __wrap_tcgetsid(int fd)
{
    return session_number(__real_tcgetsid(fd));
}

int __wrap_tcsetpgrp(int fd, pid_t group)
{
    return __real_tcsetpgrp(fd, group_real(group));
}

/* ---- calls that take one ---- */

CO4__WRAPS(kill, (pid_t process, int signo));
CO4__WRAPS(killpg, (pid_t group, int signo));
CO4__WRAPS(sigqueue, (pid_t process, int signo, const union sigval value));
WRAPS_ID(waitpid, (pid_t process, int *status, int flags));
WRAPS_ID(wait4, (pid_t process, int *status, int flags, struct rusage *used));
CO4__WRAPS(waitid, (idtype_t kind, id_t process, siginfo_t *info, int flags));
CO4__WRAPS(prlimit, (pid_t process, int what, const struct rlimit *limit, struct rlimit *before));
CO4__MAY_WRAP(pidfd_open, (pid_t process, unsigned flags));
ssize_t __wrap_process_vm_readv(pid_t process, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __real_process_vm_readv(pid_t process, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t process, const struct iovec *from, unsigned long nfrom,
                                 const struct iovec *to, unsigned long nto, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t process, const struct iovec *from, unsigned long nfrom,
                                 const struct iovec *to, unsigned long nto, unsigned long flags);

int __wrap_kill(pid_t process, int signo)
{
    if (is_parent(process) && signo != 0)
        return co4__errno_fails(signo < 0 || signo > SIGRTMAX ? EINVAL : EPERM);
    return __real_kill(any_real(process), signo);
}

int __wrap_killpg(pid_t group, int signo)
{
    if (group < 0)
        return co4__errno_fails(EINVAL);
    return __wrap_kill(-group, signo);
}

int __wrap_sigqueue(pid_t process, int signo, const union sigval value)
{
    if (is_parent(process) && signo != 0)
        return co4__errno_fails(signo < 0 || signo > SIGRTMAX ? EINVAL : EPERM);
    return __real_sigqueue(co4__process_real(process), signo, value);
}

pid_t __wrap_waitpid(pid_t process, int *status, int flags)
{
    return __real_waitpid(any_real(process), status, flags);
}

pid_t __wrap_wait4(pid_t process, int *status, int flags, struct rusage *used)
{
    return __real_wait4(any_real(process), status, flags, used);
}

int __wrap_waitid(idtype_t kind, id_t process, siginfo_t *info, int flags)
{
    if (kind == P_PID)
        process = (id_t)co4__process_real((pid_t)process);
    else if (kind == P_PGID)
        process = (id_t)group_real((pid_t)process);
    return __real_waitid(kind, process, info, flags);
}

int __wrap_prlimit(pid_t process, int what, const struct rlimit *limit, struct rlimit *before)
{
    return __real_prlimit(co4__process_real(process), what, limit, before);
}

int __wrap_prlimit64(pid_t process, int what, const struct rlimit *limit, struct rlimit *before)
    CO4__SAME(__wrap_prlimit);

int __wrap_pidfd_open(pid_t process, unsigned flags)
{
    return (int)syscall(SYS_pidfd_open, process, flags);
}

ssize_t __wrap_process_vm_readv(pid_t process, const struct iovec *to, unsigned long nto,
                                const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    return __real_process_vm_readv(co4__process_real(process), to, nto, from, nfrom, flags);
}

ssize_t __wrap_process_vm_writev(pid_t process, const struct iovec *from, unsigned long nfrom,
                                 const struct iovec *to, unsigned long nto, unsigned long flags)
{
    return __real_process_vm_writev(co4__process_real(process), from, nfrom, to, nto, flags);
}

/* ---- names ---- */

const char *co4__process_path(const char *path, char room[CO4__PROCESS_PATH])
{
    char own[40];
    if (the.number == 0 || !path || strncmp(path, "/proc/4", 7) != 0)
        return path;
    for (pid_t number = the.number - 1; number <= the.number; number++) {
        size_t n = (size_t)snprintf(own, sizeof own, "/proc/%d", (int)number);
        if (strncmp(path, own, n) != 0 || (path[n] != '/' && path[n] != '\0'))
            continue;
        if ((size_t)snprintf(room, CO4__PROCESS_PATH, "/proc/%d%s", (int)co4__process_real(number),
                             path + n) < CO4__PROCESS_PATH)
            return room;
    }
    return path;
}

/* ---- the beginning ---- */

void co4__identity_begin(void)
{
    the.real = __real_getpid();
    the.parent = __real_getppid();
    the.group = __real_getpgid(0);
    the.session = __real_getsid(0);
    the.number = (pid_t)(LEAST + co4__simulated_constant(3) % MOST);
}
