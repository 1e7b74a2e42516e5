/* none.c - systems without sockets: what modules.c asks of net/. */
#include "net/fork.h"

void co4__resolver_fork(enum co4__fork how)
{
    (void)how;
}
