/* none.c - systems without descriptors: what the other layers ask of io/. */
#include "io/closed.h"
#include "io/descriptor.h"
#include "io/reactor.h"

const co4_source_ops co4__direction_ops[2]; /* no source has them */

void co4__descriptor_left(struct co4__wait_queue *p)
{
    (void)p;
}

int co4__reactor_host_fd(co4_runtime *rt, int wake_fd)
{
    (void)rt, (void)wake_fd;
    return -1;
}

bool co4__reactor_sleep(int64_t deadline)
{
    (void)deadline;
    return false;
}

void co4__reactor_fork(enum co4__fork how)
{
    (void)how;
}

void co4__closed_fork(enum co4__fork how)
{
    (void)how;
}

void co4__reactor_count(const struct co4__worker *w, co4_stats *out)
{
    (void)w, (void)out;
}
