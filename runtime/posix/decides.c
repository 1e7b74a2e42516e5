/* decides.c - simulation/ sets it, which this folder does not know. */
#include "posix/decides.h"

#include <stddef.h>

#include "posix/order.h"

bool co4__posix_decides;
co4_task *co4__posix_first;
void (*co4__posix_signal_is_lost)(const void *cond, const void *place);
bool (*co4__posix_steps)(bool (*is_over)(void *data), void *data, int64_t deadline,
                         const char *name);
void (*co4__order)(enum co4__order what, const void *object, const void *place);
