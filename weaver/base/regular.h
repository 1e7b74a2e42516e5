/* regular.h - whole files. */
#ifndef CW_BASE_REGULAR_H
#define CW_BASE_REGULAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Reads a regular file of at most `most` bytes. Returns false for all other files, without a
 * message. A FIFO or a device is not even opened: it may have no end, and what is read of it is
 * lost for the compiler. The text ends with a NUL, also if it is empty. */
bool cw_read_regular(const char *path, size_t most, cw_buf *text);
/* Appends what comes from a descriptor until its end, and a NUL behind it. Returns false, with
 * errno, if it cannot be read. */
bool cw_read_all(int fd, cw_buf *text);

#endif
