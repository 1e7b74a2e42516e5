/* bug.h - internal errors, and memory that runs out. */
#ifndef CW_BASE_BUG_H
#define CW_BASE_BUG_H

#include "base/types.h"

/* Prints the place and the message, and aborts. */
_Noreturn void cw_bug(const char *where, const char *format, ...) CW_PRINTF(2, 3);

/* Returns the memory. If there is none, ends the program after a message: it has not written any
 * output yet. */
void *cw_must(void *memory);

/* Appends to an array from malloc(); `count` is its length. */
#define CW_ADD(items, count, item)                                                                 \
    ((items) = cw_more((items), (count), sizeof *(items)), (items)[(count)++] = (item))
void *cw_more(void *items, size_t count, size_t item_bytes);

#endif
