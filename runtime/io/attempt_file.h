/* attempt_file.h - tries at files. They return like those of attempt.h: CO4__BLOCKS for what is not
 * in memory. */
#ifndef CO4_ATTEMPT_FILE_H
#define CO4_ATTEMPT_FILE_H

#include <sys/types.h>
#include <sys/uio.h>

#include "io/descriptor.h"

/* At the position. What a read gets before CO4__BLOCKS is in co4__attempt_part(). */
ssize_t co4__read_file(const struct co4__descriptor *d, const struct iovec *to, int count);
ssize_t co4__write_file(const struct co4__descriptor *d, const struct iovec *from, int count);

#endif
