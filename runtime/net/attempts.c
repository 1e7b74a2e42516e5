/* attempts.c - the attempts to connect to several addresses: their order, sockets, outcomes. */
#define _GNU_SOURCE /* struct addrinfo, whatever -std says */
#include "net/attempts.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "net/address.h"

/* Returns the first address from `a` on whose family is `family`, or is not. */
static const struct addrinfo *find(const struct addrinfo *a, int family, bool is)
{
    while (a && (a->ai_family == family) != is)
        a = a->ai_next;
    return a;
}

static void alternate(const struct addrinfo **order, const struct addrinfo *addresses)
{
    int family = addresses->ai_family;
    const struct addrinfo *same = addresses, *other = find(addresses, family, false);
    for (bool turn = true; same || other; turn = !turn) {
        bool takes_same = same && (turn || !other);
        const struct addrinfo **a = takes_same ? &same : &other;
        *order++ = *a;
        *a = find((*a)->ai_next, family, takes_same);
    }
}

struct co4__attempts *co4__attempts_create(const struct addrinfo *addresses)
{
    size_t count = 0;
    for (const struct addrinfo *a = addresses; a; a = a->ai_next)
        count++;
    struct co4__attempts *all = co4__alloc(
        sizeof *all + count * (sizeof *all->cases + sizeof *all->addresses + sizeof *all->fds));
    if (!all)
        return NULL;
    all->count = (int)count;
    all->cases = (co4_case *)(void *)(all + 1);
    all->addresses = (const struct addrinfo **)(void *)(all->cases + count);
    all->fds = (int *)(void *)(all->addresses + count);
    alternate(all->addresses, addresses);
    return all;
}

void co4__attempts_free(struct co4__attempts **attempts)
{
    struct co4__attempts *a = *attempts;
    if (!a)
        return;
    for (int i = 0; i < a->pending; i++)
        co4_close(a->fds[i]);
    co4__free(a);
}

static void remove_pending(struct co4__attempts *a, int i)
{
    a->fds[i] = a->fds[--a->pending];
}

bool co4__attempts_open(struct co4__attempts *a)
{
    int fd = co4__socket_for(a->addresses[a->next++]);
    if (fd < 0)
        a->code = co4__telling_code(a->code, co4_code_of_errno(errno));
    else
        a->fds[a->pending++] = fd;
    return fd >= 0;
}

void co4__attempts_fail(struct co4__attempts *a, int i, int code)
{
    a->code = co4__telling_code(a->code, code);
    co4_close(a->fds[i]);
    remove_pending(a, i);
}

int co4__attempts_win(struct co4__attempts *a, int i)
{
    int fd = a->fds[i];
    remove_pending(a, i);
    return fd;
}

int co4__attempts_cases(struct co4__attempts *a)
{
    for (int i = 0; i < a->pending; i++)
        a->cases[i] = (co4_case)CO4_CASE(co4_fd_writable(a->fds[i]), NULL);
    return a->pending;
}

int co4__attempts_outcome(const struct co4__attempts *a, int i)
{
    int error = 0;
    socklen_t bytes = sizeof error;
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if ((co4_await_until)(co4_fd_writable(a->fds[i]), NULL, 0, CO4_NOW) == CO4_EEMPTY)
        return 0;
    if (co4_getsockopt(a->fds[i], SOL_SOCKET, SO_ERROR, &error, &bytes) != 0)
        return co4_code_of_errno(errno);
    if (error == 0 && co4_getpeername(a->fds[i], (struct sockaddr *)&peer, &length) == 0)
        return 1;
    return error ? co4_code_of_errno(error)
                 : CO4_ETIMEDOUT; /* the call that began it has taken the error */
}
