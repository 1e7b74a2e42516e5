/* signalfds.c - signalfd() of a program of --auto=test: a descriptor that is readable while a
 * signal of its mask is pending, for the process or for the task that looks.
 *
 * What is pending is kept by the system, for the process, and by kills.c, for each task. Nothing
 * says that it changes. So it is looked at before each step, while there is such a descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "posix/kills.h"
#include "posix/pending.h"
#include "posix/processes.h"
#include "posix/wraps.h"
#include "simulation/leaks.h"
#include "simulation/objects.h"
#include "simulation/run.h"
#include "simulation/suspends.h"

CO4__WRAPS(signalfd, (int fd, const sigset_t *mask, int flags));
int __real_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit);

struct signals {
    struct co4__object object;
    sigset_t mask;
    struct signals *next;
};

static struct signals *all; /* newest first */

/* ---- what is pending ---- */

/* For the process and the calling task. */
static uint64_t pending_here(void)
{
    sigset_t set;
    return sigpending(&set) == 0 ? co4__signal_word(&set) : 0;
}

static void look_at_pending(void)
{
    static uint64_t before;
    static unsigned known;
    uint64_t now = pending_here();
    unsigned additions = co4__kills.additions();
    if ((now & ~before) != 0 || additions != known)
        for (const struct signals *s = all; s; s = s->next)
            if (additions != known || (now & ~before & co4__signal_word(&s->mask)) != 0)
                co4__object_tell(&s->object, CO4__MAY_READ);
    before = now;
    known = additions;
}

/* ---- reading ---- */

/* Returns 0 if there is none. */
static int take(const sigset_t *set, siginfo_t *info)
{
    static const struct timespec at_once = { 0, 0 };
    int signo = co4__kills.take(set, info);
    if (signo > 0 && info->si_code == SI_USER)
        info->si_code = SI_TKILL; /* which sigtimedwait() does not say */
    if (signo <= 0)
        signo = __real_sigtimedwait(set, info, &at_once);
    if (signo > 0)
        co4__posix_sender(info);
    return signo > 0 ? signo : 0;
}

static struct signalfd_siginfo copy_of(const siginfo_t *i)
{
    struct signalfd_siginfo to;
    memset(&to, 0, sizeof to);
    to.ssi_signo = (uint32_t)i->si_signo;
    to.ssi_errno = i->si_errno;
    to.ssi_code = i->si_code;
    if (i->si_code == SI_TIMER) {
        to.ssi_tid = (uint32_t)i->si_timerid;
        to.ssi_overrun = (uint32_t)i->si_overrun;
        to.ssi_ptr = (uint64_t)(uintptr_t)i->si_value.sival_ptr;
        to.ssi_int = i->si_value.sival_int;
        return to;
    }
    to.ssi_pid = (uint32_t)i->si_pid;
    to.ssi_uid = i->si_uid;
    if (i->si_code < 0 && i->si_code != SI_TKILL) {
        to.ssi_ptr = (uint64_t)(uintptr_t)i->si_value.sival_ptr;
        to.ssi_int = i->si_value.sival_int;
    } else if (i->si_signo == SIGCHLD && i->si_code > 0) {
        to.ssi_status = i->si_status;
        to.ssi_utime = (uint64_t)i->si_utime;
        to.ssi_stime = (uint64_t)i->si_stime;
    }
    return to;
}

static ssize_t signals_read(struct co4__object *o, void *to, size_t bytes)
{
    const struct signals *s = (const struct signals *)(const void *)o;
    size_t done = 0;
    siginfo_t info;
    if (bytes < sizeof(struct signalfd_siginfo))
        return co4__errno_fails(EINVAL);
    while (bytes - done >= sizeof(struct signalfd_siginfo) && take(&s->mask, &info) > 0) {
        struct signalfd_siginfo one = copy_of(&info);
        memcpy((char *)to + done, &one, sizeof one);
        done += sizeof one;
    }
    return done > 0 ? (ssize_t)done : co4__errno_fails(EAGAIN);
}

static short signals_poll(const struct co4__object *o)
{
    const struct signals *s = (const struct signals *)(const void *)o;
    return pending_here() & co4__signal_word(&s->mask) ? POLLIN : 0;
}

static void signals_end(struct co4__object *o)
{
    struct signals *s = (struct signals *)(void *)o, **at = &all;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    co4__free(s);
    co4__suspends_look = all ? look_at_pending : NULL;
}

static const struct co4__object_kind kind = {
    .read = signals_read,
    .poll = signals_poll,
    .end = signals_end,
};

/* ---- making one ---- */

static void set_mask(struct signals *s, const sigset_t *mask)
{
    s->mask = *mask;
    sigdelset(&s->mask, SIGKILL);
    sigdelset(&s->mask, SIGSTOP);
}

/* The placeholder has the flags, and takes no signal. */
static int open_signals(const sigset_t *mask, int flags)
{
    sigset_t none;
    sigemptyset(&none);
    int fd = __real_signalfd(-1, &none, flags);
    struct signals *s = fd < 0 ? NULL : co4__alloc(sizeof *s);
    if (!s && fd >= 0) {
        close(fd);
        errno = ENOMEM;
    }
    if (!s)
        return -1;
    s->object.kind = &kind;
    set_mask(s, mask);
    fd = co4__object_open(&s->object, fd);
    if (fd < 0) {
        co4__free(s);
        return -1;
    }
    s->next = all;
    all = s;
    co4__suspends_look = look_at_pending;
    return fd;
}

int __wrap_signalfd(int fd, const sigset_t *mask, int flags)
{
    struct signals *s = (struct signals *)(void *)co4__object_at(fd, &kind);
    if (!co4__program_is_simulated() || (fd != -1 && !s))
        return __real_signalfd(fd, mask, flags);
    if (!mask)
        return co4__errno_fails(EFAULT);
    if (!s)
        return co4__made_at(open_signals(mask, flags), __builtin_return_address(0));
    if (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK))
        return co4__errno_fails(EINVAL);
    set_mask(s, mask);
    co4__object_tell(&s->object, CO4__MAY_READ);
    return fd;
}
