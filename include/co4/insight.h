/* co4/insight.h - looking at what runs. */
#ifndef CO4_INSIGHT_H
#define CO4_INSIGHT_H

#include <stddef.h>

/* Takes a piece of text, which has no NUL. CO4_OK, or a negative code: nothing more is written then. It may be called on any thread,
 * and must not use tasks. */
typedef int co4_write(void *data, const char *text, size_t bytes);

#endif
