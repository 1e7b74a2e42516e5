/* deep.h - runs a function on a thread with a large stack, and for a limited time. */
#ifndef CW_DRIVER_DEEP_H
#define CW_DRIVER_DEEP_H

#include <stdbool.h>

/* When the process ends before the work does. */
typedef struct cw_deep_end {
    int seconds; /* 0: no limit */
    int client;  /* a socket: the process ends when its other side is closed; -1: none */
    void (*late)(void *data); /* called when the time is over; does not return */
} cw_deep_end;

/* Runs the function on a thread with a large stack. If the stack overflows, a message names
 * `source`, and the program ends. */
void cw_run_deep(const char *source, void (*run)(void *data), void *data, const cw_deep_end *end);

/* The seconds that a unit may take: CO4_TIME_LIMIT, or ten minutes. Returns false after a message
 * if that is no number. */
bool cw_deep_limit(int *seconds);

#endif
