/* process.c - child processes: start, end, signals.
 *
 * Purpose: posix_spawnp() starts a child, on a thread of the pool: the call returns when the child
 * has executed its program, and gives the error if that fails. A descriptor becomes readable at the
 * end of the child: a pidfd. Where the system has none, a thread waits for the child with
 * waitid(WNOWAIT), and closes the writing end of a pipe. So one protocol serves both.
 *
 * Invariants: the child is reaped only after that descriptor is readable, and under the lock of its
 * struct. Signals are sent under the same lock, and only before. So the number is the child's
 * whenever it is used, also by the thread above. The status is kept: any number of waits gets it.
 *
 * Descriptors of the child: each one is duplicated above 2 first. So no duplication to 0, 1 or 2
 * overwrites a descriptor that is still needed, in any order.
 *
 * Rejected: SIGCHLD (the program may have a handler of its own; one signal can stand for many
 * children); waitpid(-1) (takes children of other libraries); fork() (copies page tables, and runs
 * handlers of the program); a thread of the pool for each wait (the pool has a limit). A pipe that
 * the child inherits is no sign of its end: grandchildren inherit it as well. */
#define _GNU_SOURCE /* pipe2, posix_spawn_file_actions_addchdir_np, and others */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include "base/alloc.h"
#include "base/public.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "io/socket.h"
#include "platform/fd.h"
#include "platform/real.h"
#include "platform/system.h"
#include "platform/thread.h"

#ifndef __linux__
extern char **environ;
#endif

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAS_CLOSEFROM 1
#endif
#endif

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* ---- the end of a child, as a descriptor ---- */

static int open_pidfd(pid_t pid)
{
#if defined(__linux__) && defined(SYS_pidfd_open)
    const char *driver = co4__safe_env("CO4_PROCESS_DRIVER"); /* "thread": for tests */
    if (!driver || strcmp(driver, "thread") != 0)
        return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
#endif
    errno = ENOSYS;
    return -1;
}

struct watch {
    pid_t pid;
    int fd;
};

static void wait_for_child(void *data)
{
    struct watch w = *(struct watch *)data;
    siginfo_t info;
    co4__free(data);
    while (waitid(P_PID, (id_t)w.pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    close(w.fd); /* ECHILD: the status is lost, and that is the end, too */
}

/* Returns a descriptor, or a negative error number. */
static int open_watch(pid_t pid)
{
    int fds[2];
    if (!co4__has_threads)
        return -ENOSYS;
    struct watch *w = co4__alloc(sizeof *w);
    if (!w)
        return -ENOMEM;
    if (CO4__SYSTEM(pipe2)(fds, O_CLOEXEC) != 0) {
        int err = errno;
        co4__free(w);
        return -err;
    }
    *w = (struct watch){ pid, fds[1] };
    if (co4__thread_start_detached(wait_for_child, w) == CO4_OK)
        return fds[0];
    close(fds[0]);
    close(fds[1]);
    co4__free(w);
    return -EAGAIN;
}

/* Returns 0 or an error number. */
static int watch(co4_process *p)
{
    p->ended = open_pidfd(p->pid);
    p->is_pidfd = p->ended >= 0;
    if (!p->is_pidfd && errno == ESRCH) { /* SIGCHLD is ignored, and the child has ended */
        p->reaped = true;
        p->code = -ECHILD;
        p->status = -1;
        int fds[2];
        if (CO4__SYSTEM(pipe2)(fds, O_CLOEXEC) != 0)
            return errno;
        close(fds[1]); /* so the other end is readable */
        p->ended = fds[0];
    } else if (!p->is_pidfd) {
        p->ended = errno == ENOSYS || errno == EPERM ? open_watch(p->pid) : -errno;
    }
    if (p->ended < 0)
        return -p->ended;
    int err = co4__descriptor_attach(p->ended, CO4__ANONYMOUS, true, &co4__system_io);
    if (err != 0)
        close(p->ended);
    return err;
}

static int status_of(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED   ? (info->si_status & 0xff) << 8
           : info->si_code == CLD_DUMPED ? info->si_status | 0x80 /* WCOREDUMP() */
                                         : info->si_status;
}

/* If the program has reaped the child by other means, its number may be that of another child. A
 * pidfd never is. */
static int wait_now(const co4_process *p, siginfo_t *info)
{
    if (p->is_pidfd) {
        int n = waitid((idtype_t)P_PIDFD, (id_t)p->ended, info, WEXITED | WNOHANG);
        if (n == 0 || errno != EINVAL) /* Linux 5.3 has pidfds, but not this */
            return n;
    }
    return waitid(P_PID, (id_t)p->pid, info, WEXITED | WNOHANG);
}

int co4__process_reap(co4_process *p, int *status)
{
    struct pollfd f = { .fd = p->ended, .events = POLLIN };
    co4__lock_take(&p->lock);
    if (!p->reaped && co4__poll_real(&f, 1) > 0) {
        siginfo_t info = { .si_pid = 0 };
        int n;
        do
            n = wait_now(p, &info);
        while (n != 0 && errno == EINTR);
        if (n != 0 || info.si_pid != 0) {
            p->reaped = true;
            p->code = n != 0 ? co4_code_of_errno(errno) : CO4_OK;
            p->status = n != 0 ? -1 : status_of(&info);
        }
    }
    int code = p->reaped ? p->code : CO4__WOULD_WAIT;
    if (p->reaped && status)
        *status = p->status;
    co4__lock_give(&p->lock);
    return code;
}

/* ---- the start ---- */

struct start {
    int child[3]; /* what becomes the child's descriptors, above 2; -1: see the options */
    int ours[3];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

static void close_three(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

/* Moves it above 2. Closes the original one, also on failure. */
static int above_2(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3), err = errno;
    close(fd);
    errno = err;
    return moved;
}

static int open_one(struct start *s, int which, int choice)
{
    int fds[2];
    if (choice > 0) {
        s->child[which] = fcntl(choice, F_DUPFD_CLOEXEC, 3);
        return s->child[which] < 0 ? errno : 0;
    }
    if (choice != CO4_PROCESS_PIPE)
        return 0;
    if (CO4__SYSTEM(pipe2)(fds, O_CLOEXEC) != 0)
        return errno;
    bool reads = which == 0; /* the child */
    s->child[which] = above_2(fds[reads ? 0 : 1]);
    int err = errno;
    s->ours[which] = above_2(fds[reads ? 1 : 0]);
    if (s->child[which] < 0)
        return err;
    return s->ours[which] < 0 ? errno : 0;
}

static int add_actions(struct start *s, const int choices[3], const co4_process_options *o)
{
    int err = 0;
    for (int i = 0; i < 3 && err == 0; i++) {
        if (s->child[i] >= 0)
            err = posix_spawn_file_actions_adddup2(&s->actions, s->child[i], i);
        else if (choices[i] == CO4_PROCESS_NULL)
            err = posix_spawn_file_actions_addopen(&s->actions, i, "/dev/null", O_RDWR, 0);
        else if (choices[i] == CO4_PROCESS_OUTPUT)
            err = posix_spawn_file_actions_adddup2(&s->actions, 1, 2);
    }
#ifdef HAS_CLOSEFROM
    if (err == 0 && !(o->flags & CO4_PROCESS_KEEP_FDS))
        err = posix_spawn_file_actions_addclosefrom_np(&s->actions, 3);
#endif
    if (err == 0 && o->folder)
        err = posix_spawn_file_actions_addchdir_np(&s->actions, o->folder);
    return err;
}

/* Ignored signals that a shell or nohup has set up stay ignored. */
static void default_signals(sigset_t *set)
{
    static const int kept[] = { SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU };
    struct sigaction a;
    sigfillset(set);
    sigdelset(set, SIGKILL);
    sigdelset(set, SIGSTOP);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (sigaction(kept[i], NULL, &a) == 0 && a.sa_handler == SIG_IGN)
            sigdelset(set, kept[i]);
}

static int set_attributes(struct start *s, const co4_process_options *o)
{
    sigset_t none, defaults;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigemptyset(&none);
    default_signals(&defaults);
    int err = posix_spawnattr_setsigmask(&s->attributes, &none);
    if (err == 0)
        err = posix_spawnattr_setsigdefault(&s->attributes, &defaults);
    if (err == 0 && (o->flags & CO4_PROCESS_GROUP)) {
        flags |= POSIX_SPAWN_SETPGROUP;
        err = posix_spawnattr_setpgroup(&s->attributes, 0);
    }
    return err == 0 ? posix_spawnattr_setflags(&s->attributes, flags) : err;
}

static int spawn(struct start *s, pid_t *pid, const char *const argv[], const int choices[3],
                 const co4_process_options *o)
{
    char *const *env = o->env ? (char *const *)(uintptr_t)o->env : environ;
    int err = posix_spawn_file_actions_init(&s->actions);
    if (err != 0)
        return err;
    err = posix_spawnattr_init(&s->attributes);
    if (err == 0) {
        err = add_actions(s, choices, o);
        if (err == 0)
            err = set_attributes(s, o);
        if (err == 0)
            err = posix_spawnp(pid, argv[0], &s->actions, &s->attributes,
                               (char *const *)(uintptr_t)argv, env);
        posix_spawnattr_destroy(&s->attributes);
    }
    posix_spawn_file_actions_destroy(&s->actions);
    return err;
}

static bool are_acceptable(const co4_process_options *o)
{
    return o->in >= CO4_PROCESS_PIPE && o->out >= CO4_PROCESS_PIPE &&
           (o->err >= CO4_PROCESS_PIPE || o->err == CO4_PROCESS_OUTPUT) &&
           !(o->flags & ~(CO4_PROCESS_GROUP | CO4_PROCESS_KEEP_FDS));
}

/* The start has failed after the spawn. */
static void kill_and_reap(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int co4__process_start(co4_process **process, const char *const argv[],
                       const co4_process_options *options)
{
    static const co4_process_options none;
    const co4_process_options *o = options ? options : &none;
    if (!process || !argv || !argv[0] || !are_acceptable(o))
        return CO4_EINVAL;
    const int choices[3] = { o->in, o->out, o->err };
    struct start s = { .child = { -1, -1, -1 }, .ours = { -1, -1, -1 } };
    co4_process *p = co4__alloc(sizeof *p);
    int err = p ? 0 : ENOMEM;
    for (int i = 0; i < 3 && err == 0; i++) {
        err = open_one(&s, i, choices[i]);
        if (err == 0 && s.ours[i] >= 0)
            err = co4__descriptor_adopt(s.ours[i], false);
        p->fds[i] = s.ours[i];
        p->generations[i] = co4__descriptor_generation(s.ours[i]);
    }
    if (err == 0) {
        p->leads_group = o->flags & CO4_PROCESS_GROUP;
        err = spawn(&s, &p->pid, argv, choices, o);
        if (err == 0 && (err = watch(p)) != 0 && !p->reaped)
            kill_and_reap(p->pid);
    }
    close_three(s.child);
    if (err == 0) {
        *process = p;
        return CO4_OK;
    }
    for (int i = 0; i < 3; i++)
        if (s.ours[i] >= 0)
            co4__descriptor_detach(s.ours[i]);
    close_three(s.ours);
    co4__free(p);
    return co4_code_of_errno(err);
}

/* ---- a process that runs ---- */

pid_t co4_process_pid(const co4_process *process)
{
    return process ? process->pid : -1;
}

/* -1: there is none, or its user has closed it, or given it to a connection. Then the number may
 * belong to another file. */
static int end_of(const co4_process *p, int which)
{
    return p ? co4__descriptor_if_same(p->fds[which], p->generations[which]) : -1;
}

int co4_process_stdin(const co4_process *process)
{
    return end_of(process, STDIN_FILENO);
}

int co4_process_stdout(const co4_process *process)
{
    return end_of(process, STDOUT_FILENO);
}

int co4_process_stderr(const co4_process *process)
{
    return end_of(process, STDERR_FILENO);
}

int co4_process_close(co4_process *process, int which)
{
    int fd = which >= 0 && which <= 2 ? end_of(process, which) : -1;
    if (fd < 0)
        return process ? CO4_ECLOSED : CO4_EINVAL;
    process->fds[which] = -1;
    return (int)co4__io_code(co4_close(fd));
}

co4_source *co4_process_ended(co4_process *process)
{
    return process ? co4_fd_readable(process->ended) : NULL;
}

/* Called under the lock, before the reaping. */
static int send_signal(const co4_process *p, int signo)
{
#if defined(__linux__) && defined(SYS_pidfd_send_signal)
    if (p->is_pidfd) {
        int n = (int)syscall(SYS_pidfd_send_signal, p->ended, p->leads_group ? 0 : signo, NULL, 0);
        if (n != 0 ? errno != ENOSYS : !p->leads_group)
            return n;
    }
#endif
    return kill(p->leads_group ? -p->pid : p->pid, signo);
}

int co4_process_kill(co4_process *process, int signo)
{
    if (!process)
        return CO4_EINVAL;
    co4__lock_take(&process->lock);
    int code = process->reaped ? -ESRCH : (int)co4__io_code(send_signal(process, signo));
    co4__lock_give(&process->lock);
    return code;
}

void co4__process_drop(co4_process **process)
{
    co4_process *p = *process;
    *process = NULL;
    if (!p)
        return;
    co4_process_kill(p, SIGKILL);
    while (co4__process_reap(p, NULL) == CO4__WOULD_WAIT) {
        struct pollfd f = { .fd = p->ended, .events = POLLIN };
        poll(&f, 1, -1);
    }
    for (int i = 0; i < 3; i++)
        co4_process_close(p, i);
    co4_close(p->ended);
    co4__free(p);
}

/* ---- output ---- */

int co4__output_grow(struct co4__output *o)
{
    size_t room = o->room == 0 ? 4096 : 2 * o->room;
    if (o->bytes > o->limit)
        return -EMSGSIZE;
    if (o->bytes + 1 < o->room)
        return CO4_OK;
    if (room < o->room)
        return CO4_ENOMEM;
    char *text = co4__heap_grow(o->text, room);
    if (!text)
        return CO4_ENOMEM;
    o->text = text;
    o->room = room;
    return CO4_OK;
}

void co4__output_free(struct co4__output *o)
{
    co4__heap_free(o->text);
    o->text = NULL;
}

char *co4__output_take(struct co4__output *o, size_t *bytes)
{
    char *text = o->text;
    *bytes = o->bytes < o->limit ? o->bytes : o->limit;
    text[*bytes] = '\0';
    o->text = NULL;
    return text;
}
