/* notice.h - says what a program of --auto=test does that is not simulated: notice.c. */
#ifndef CO4_SIMULATION_NOTICE_H
#define CO4_SIMULATION_NOTICE_H

#include <stddef.h>

#include "base/compiler.h"

/* Says so once for each name; `why`: what differs, or NULL; `place`: where the call returns to, or
 * NULL. With CO4_TEST_STRICT the program ends here. */
CO4__OWN void co4__not_simulated(const char *name, const char *why, const void *place);

/* The process ends: it is refused if it has threads that are not simulated. */
CO4__OWN void co4__notice_threads(void);

/* The beginning of the function that the program calls in the place of another; and that one, which
 * it calls when it has said so. */
#define CO4__INSTEAD(type, name, parameters)                                                       \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters
#define CO4__NOTED(name)                                                                           \
    (co4__not_simulated(#name, NULL, __builtin_return_address(0)), __real_##name)

#endif
