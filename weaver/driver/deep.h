/* deep.h - runs a function on a thread with a large stack. */
#ifndef CW_DRIVER_DEEP_H
#define CW_DRIVER_DEEP_H

/* Runs the function on a thread with a large stack. If the stack overflows, a message names
 * `source`, and the program ends. */
void cw_run_deep(const char *source, void (*run)(void *data), void *data);

#endif
