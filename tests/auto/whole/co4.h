/* co4.h - for programs of tests/run without their marks: what pauses is what calls a root. */
#ifndef AUTO_WHOLE_CO4_H
#define AUTO_WHOLE_CO4_H

#define pausable
#define pausable_or_plain
#define pausable_max(bytes)

int auto_yield(void);

#define co4_yield()   auto_yield()
#define co4_run(call) (call)

#endif
