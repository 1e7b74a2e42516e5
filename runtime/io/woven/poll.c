/* poll.c - waiting for several descriptors: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/socket.h"
#include "io/wait.h"
#include "sync/source.h"

#include "co4/time.h"

/* What a poll waits for: for each descriptor up to two cases, one for each direction. */
struct polling {
    co4_case *cases;
    struct co4__polled *polled;
    int count;
};

static int begin_polling(struct polling *p, const struct pollfd *fds, nfds_t count)
{
    size_t most = 2 * count + 1;
    p->cases = malloc(most * (sizeof *p->cases + sizeof *p->polled));
    if (!p->cases)
        return CO4_ENOMEM;
    p->polled = (struct co4__polled *)(void *)(p->cases + most);
    for (nfds_t i = 0; i < count; i++) {
        struct co4__descriptor *d = fds[i].fd < 0 ? NULL : co4__descriptor_enter(fds[i].fd);
        for (int direction = 0; d && direction < 2; direction++) {
            struct co4__polled *at = &p->polled[p->count];
            if (co4__polled_init(at, d, fds[i].events, direction))
                p->cases[p->count++] = (co4_case)CO4_CASE(&at->source, NULL);
        }
        if (d)
            co4__descriptor_leave(d);
    }
    return CO4_OK;
}

static void end_polling(struct polling *p)
{
    free(p->cases);
}

static int64_t after(int timeout)
{
    return timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
}

/* A poll without descriptors and without a deadline waits so long again and again. A timer runs, so
 * it is no deadlock: a signal or another thread may still end the program. */
#define AGES (3600 * CO4_SEC)

pausable int co4_poll_until(struct pollfd *fds, nfds_t count, int64_t deadline)
{
    int n = co4__poll_now(fds, count);
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    if (n != 0 || co4_now() >= deadline)
        return n;
    __attribute__((cleanup(end_polling))) struct polling p = { NULL, NULL, 0 };
    err = begin_polling(&p, fds, count);
    if (err != CO4_OK)
        return co4__io_fails(err);
    do {
        if (p.count > 0)
            err = co4_select_until(p.cases, p.count, 0, deadline);
        else
            err = co4_sleep_until(deadline < CO4_NEVER ? deadline : co4_now() + AGES);
        if (err == CO4_ENOMEM && co4__lacks_descriptors())
            err = co4_sleep_until(co4__next_look(deadline));
        if (err < 0 && err > CO4_ENDED(0) && err != CO4_ETIMEDOUT)
            return co4__io_fails(err);
        n = co4__poll_now(fds, count);
    } while (n == 0 && err != CO4_ETIMEDOUT && co4_now() < deadline);
    return n;
}

pausable int co4_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    return co4_poll_until(fds, count, after(timeout));
}
