/* report.h - what the library reports on standard error: for hooks.h. */
#ifndef CO4_REPORT_H
#define CO4_REPORT_H

#include "base/public.h"

/* This call will return CO4_EDEADLK. `function`: what it called, or NULL. */
void co4__report_deadlock(const char *call, const char *function);

#endif
