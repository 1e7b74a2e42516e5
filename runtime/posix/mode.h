/* mode.h - how a descriptor waits, as its program has set it. */
#ifndef CO4_POSIX_MODE_H
#define CO4_POSIX_MODE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/descriptor.h"

/* Returns whether a call of this direction waits there; *deadline: until when. If not, `errno` is
 * EAGAIN, or EBADF for no descriptor. */
bool co4__posix_waits(int fd, enum co4__direction direction, int64_t *deadline);

#endif
