/* none.c - systems without descriptors: what the other layers ask of os/. */
#include "os/signals.h"

void co4__signals_fork(enum co4__fork how)
{
    (void)how;
}
