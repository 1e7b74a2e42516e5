/* pending.c - signals that are pending for a thread that is a task.
 *
 * Purpose: as in the system, a standard signal is pending once, and those of real time queue. A
 * handler may send, and must not allocate: so all come from one table, whose end a sender learns of
 * as EAGAIN; a standard signal then has its number alone. Only kills.c refers to this file. */
#define _GNU_SOURCE /* siginfo_t, whatever -std says */
#include "posix/pending.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

enum { PLACES = 1024 };

static struct {
    co4__lock guard;
    struct co4__signal *free, all[PLACES];
    int used; /* how many of them have ever been */
} places;

siginfo_t co4__signal_info(int signo, int code, const union sigval *value)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = signo;
    info.si_code = code;
    info.si_pid = getpid();
    info.si_uid = getuid();
    if (value)
        info.si_value = *value;
    return info;
}

static struct co4__signal *new_signal(void)
{
    co4__pending_lock(&places.guard);
    struct co4__signal *s = places.free;
    if (s)
        places.free = s->next;
    else if (places.used < PLACES)
        s = &places.all[places.used++];
    co4__pending_unlock(&places.guard);
    return s;
}

void co4__signals_free(const struct co4__signals *list)
{
    if (!list->first)
        return;
    co4__pending_lock(&places.guard);
    for (struct co4__signal *s = list->first, *next; s; s = next) {
        next = s->next;
        s->next = places.free;
        places.free = s;
    }
    co4__pending_unlock(&places.guard);
}

static void append(struct co4__signals *list, struct co4__signal *s)
{
    s->next = NULL;
    *(list->first ? list->end : &list->first) = s;
    list->end = &s->next;
}

int co4__pending_add(struct co4__pending *p, const siginfo_t *info)
{
    int signo = info->si_signo;
    bool standard = signo < SIGRTMIN;
    if (standard && (co4__pending_set(p) & co4__signal_bit(signo)))
        return 0;
    struct co4__signal *s = new_signal();
    if (!s && !standard)
        return EAGAIN;
    if (s) {
        s->info = *info;
        append(&p->waiting, s);
    }
    atomic_fetch_or(&p->set, co4__signal_bit(signo));
    return 0;
}

uint64_t co4__pending_take(struct co4__pending *p, uint64_t set, bool one, struct co4__signals *out)
{
    struct co4__signal *next, *s = p->waiting.first;
    uint64_t taken = co4__pending_set(p) & set, left = 0;
    if (one)
        taken &= ~taken + 1;
    p->waiting.first = NULL;
    out->first = NULL;
    for (; s; s = next) {
        uint64_t its = co4__signal_bit(s->info.si_signo);
        bool takes = (its & taken) && !(one && out->first);
        next = s->next;
        left |= takes ? 0 : its;
        append(takes ? out : &p->waiting, s);
    }
    atomic_fetch_and(&p->set, ~taken | left);
    return taken;
}

void co4__pending_fork_begin(void)
{
    co4__pending_lock(&places.guard);
}

void co4__pending_fork_end(void)
{
    co4__pending_unlock(&places.guard);
}

void co4__pending_forget(struct co4__pending *p)
{
    p->waiting.first = NULL;
    atomic_store(&p->set, 0);
}
