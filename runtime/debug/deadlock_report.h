/* deadlock_report.h - the report of a deadlock. */
#ifndef CO4_DEADLOCK_REPORT_H
#define CO4_DEADLOCK_REPORT_H

/* Reports that `call` is about to return CO4_EDEADLK. `function`: what it called, or NULL. */
void co4__report_deadlock(const char *call, const char *function);

#endif
