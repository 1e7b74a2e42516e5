/* identity.c - prints the numbers of the process and what the machine is, and uses them. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count, sender;

static void take(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    count++;
    sender = info->si_pid;
}

static void signals(void)
{
    struct sigaction how = { .sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART };
    siginfo_t info;
    sigset_t set;
    assert(sigaction(SIGUSR1, &how, NULL) == 0);
    assert(kill(getpid(), SIGUSR1) == 0 && count == 1 && sender == getpid());
    assert(sigqueue(getpid(), SIGUSR1, (union sigval){ 0 }) == 0 && count == 2);
    assert(raise(SIGUSR1) == 0 && count == 3 && sender == getpid());
    assert(syscall(SYS_kill, getpid(), SIGUSR1) == 0 && count == 4);
    assert(syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGUSR1) == 0 && count == 5);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert(kill(getpid(), SIGUSR2) == 0 && sigwaitinfo(&set, &info) == SIGUSR2);
    assert(info.si_pid == getpid() && kill(getpid(), 0) == 0);
    assert(kill(getpid() + 12345, 0) == -1 && errno == ESRCH);
    assert(kill(getpid(), 1000) == -1 && errno == EINVAL);
}

static void groups(void)
{
    assert(getpgid(0) == getpgrp() && getpgid(getpid()) == getpgrp());
    int least = getenv("CO4_SEED") ? 1 : 0; /* 0: outside, but for a run */
    assert(getsid(0) == getsid(getpid()) && getsid(0) >= least && getppid() >= least);
    assert(kill(getppid(), 0) == 0);
    assert(setpgid(0, 0) == 0 && getpgrp() == getpid() && setpgid(getpid(), getpid()) == 0);
    assert(setsid() == -1 && errno == EPERM);
    assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    assert(waitpid(getpid(), NULL, WNOHANG) == -1 && errno == ECHILD);
    assert(waitpid(-getpgrp(), NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void names(void)
{
    char name[64], text[64] = "", copy[8] = "", *at = text;
    struct stat s;
    ssize_t n;
    snprintf(name, sizeof name, "/proc/%d/comm", getpid());
    assert(stat(name, &s) == 0 && access(name, R_OK) == 0);
    snprintf(name, sizeof name, "/proc/%ld/exe", (long)getpid());
    assert((n = readlink(name, text, sizeof text - 1)) > 0 && n > 0);
    snprintf(name, sizeof name, "/proc/%d/none", getpid());
    assert(stat(name, &s) == -1 && errno == ENOENT);
    struct iovec from = { "copied", 7 }, to = { copy, 7 };
    n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    assert((n == 7 && strcmp(copy, "copied") == 0) || errno == EPERM || errno == ENOSYS);
    (void)at;
}

static void *show_thread(void *arg)
{
    unsigned processor, node;
    cpu_set_t set;
    assert(gettid() != getpid() && getpid() == *(pid_t *)arg);
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == get_nprocs());
    int most = CPU_COUNT(&set) - 1;
    CPU_ZERO(&set);
    CPU_SET(most, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == 0 && sched_getcpu() == most);
    CPU_ZERO(&set);
    CPU_SET(1000, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    assert(getcpu(&processor, &node) == 0 && (int)processor == most);
    return arg;
}

static void machine(void)
{
    struct utsname u;
    struct sysinfo i;
    struct rusage r;
    struct rlimit l;
    double loads[3];
    char host[256], small[2];
    cpu_set_t set;
    assert(gethostname(host, sizeof host) == 0 && uname(&u) == 0 && strcmp(host, u.nodename) == 0);
    assert(gethostname(small, sizeof small) == -1 && errno == ENAMETOOLONG);
    assert(sysinfo(&i) == 0 && i.totalram >= i.freeram && getrusage(RUSAGE_SELF, &r) == 0);
    assert(getrusage(1000, &r) == -1 && errno == EINVAL);
    assert(getloadavg(loads, 3) == 3 && prlimit(getpid(), RLIMIT_NOFILE, NULL, &l) == 0);
    assert(sched_getaffinity(getpid(), sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) == sysconf(_SC_NPROCESSORS_ONLN) && sched_getcpu() < CPU_SETSIZE);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    printf("machine: %s %s %ld, %d of %ld processors, %lu of %lu bytes, up %ld, %d\n", host,
           u.domainname, gethostid(), CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_CONF), i.freeram,
           i.totalram, i.uptime, i.procs);
    printf("used: %ld.%06ld %ld.%06ld, %ld, %ld; %.2f %.2f %.2f\n", (long)r.ru_utime.tv_sec,
           (long)r.ru_utime.tv_usec, (long)r.ru_stime.tv_sec, (long)r.ru_stime.tv_usec, r.ru_maxrss,
           r.ru_minflt + r.ru_nvcsw + r.ru_nivcsw, loads[0], loads[1], loads[2]);
    printf("at:");
    for (int n = 0; n < 10; n++)
        printf(" %d", sched_getcpu());
    puts("");
}

/* In the child, and the other way round. */
static void children(void)
{
    int status;
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        if (getpid() == self || getppid() != self || kill(self, 0) != 0 ||
            getpgid(self) != getpgrp() || setpgid(0, 0) != 0 || getpgrp() != getpid())
            _exit(1);
        _exit(kill(self, SIGUSR1) != 0);
    }
    assert(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    assert(count == 6 && sender == child);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;
             ;) /* a wait that no thread of the child can end would end it, if the signal is late */
            sched_yield();
    }
    assert(setpgid(child, child) == 0 && getpgid(child) == child && kill(-child, SIGTERM) == 0);
    assert(waitpid(-child, &status, 0) == child && WTERMSIG(status) == SIGTERM);
    puts("children");
}

int main(int argc, char **argv)
{
    pthread_t id;
    pid_t self = getpid();
    setvbuf(stdout, NULL, _IOLBF, 0);
    assert(self == gettid() && self == syscall(SYS_getpid) && self == syscall(SYS_gettid));
    printf("process: %d %d %d %d\n", getpid(), getppid(), getpgrp(), getsid(0));
    signals();
    groups();
    names();
    assert(pthread_create(&id, NULL, show_thread, &self) == 0 && pthread_join(id, NULL) == 0);
    machine();
    if (argc > 1 && strcmp(argv[1], "children") == 0)
        children();
    return 0;
}
