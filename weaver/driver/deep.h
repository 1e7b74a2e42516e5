/* deep.h - runs a function on a thread with much stack. */
#ifndef CW_DRIVER_DEEP_H
#define CW_DRIVER_DEEP_H

/* Runs it on a thread with much stack. `source` is for the message when that is not enough, which
 * ends the program. */
void cw_run_deep(const char *source, void (*run)(void *data), void *data);

#endif
