/* io_no_pwait2.c - a deadline that comes while a read waits, where a filter of system calls forbids
 * epoll_pwait2() by EPERM. The reactor has to sleep: each turn of a busy loop would make that call.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: without: ETIMEDOUT, as few calls as waits
 * expect: a later write arrives */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__linux__) && defined(SYS_epoll_pwait2) && defined(SECCOMP_RET_TRAP)

static atomic_int calls;

#if defined(__x86_64__) || defined(__aarch64__)

/* The filter traps the call, so that it can be counted; the result is EPERM. */
static void trapped(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    atomic_fetch_add(&calls, 1);
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
#else
    ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long)-EPERM;
#endif
}

#endif

static int forbid(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    struct sigaction a = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigaction(SIGSYS, &a, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return 0;
#endif
}

pausable void write_later(int fd)
{
    co4_sleep(5 * CO4_MS);
    co4_write(fd, "x", 1);
}

pausable int reads(void)
{
    int fds[2];
    char c;
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    int ended = 0;
    for (int i = 0; i < 5; i++)
        ended += co4_read_until(fds[0], &c, 1, co4_now() + 20 * CO4_MS) == -1 && errno == ETIMEDOUT;
    int n = atomic_load(&calls); /* each worker may make one before it knows */
    printf("without: %s, %s\n", ended == 5 ? "ETIMEDOUT" : "?",
           n <= 100 ? "as few calls as waits" : "too many calls");
    co4_task *t = co4_spawn(write_later(fds[1]));
    printf("a later write %s\n",
           co4_read_until(fds[0], &c, 1, co4_now() + 20 * CO4_SEC) == 1 ? "arrives" : "is lost");
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);
    return 0;
}

int main(void)
{
    if (!forbid())
        return 77;
    return co4_run(reads());
}

#else

int main(void)
{
    return 77;
}

#endif
