/* deep.h - runs a function on a thread with a large stack, and for a limited time. */
#ifndef CW_DRIVER_DEEP_H
#define CW_DRIVER_DEEP_H

#include <stdbool.h>

/* Runs the function on a thread with a large stack. If the stack overflows, or after the seconds of
 * CO4_TIME_LIMIT (else ten minutes), a message names `source`, and the program ends. Returns false
 * after a message if that variable is no number. */
bool cw_run_deep(const char *source, void (*run)(void *data), void *data);

#endif
