/* faults.h - what befalls a run beside its order of threads: faults.c explains it. */
#ifndef CO4_SIMULATION_FAULTS_H
#define CO4_SIMULATION_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "co4/test.h"

/* Nothing has happened yet, and chance decides. Faults are reported to `out`, which may be NULL. */
CO4__OWN void co4__faults_begin(co4_writer *out, void *data);
/* From now on only what is listed happens. */
CO4__OWN void co4__faults_listed(void);
/* Lists a fault; those of a kind by ascending numbers. Returns NULL, or what is wrong. */
CO4__OWN const char *co4__faults_add(const char *kind, unsigned long long number);
/* Whether a list or a report makes co4__fault() do more than return what was drawn. */
CO4__OWN bool co4__faults_matter(void);

/* One that may happen here, the next of its kind: returns whether it does. */
CO4__OWN bool co4__fault(const char *kind, bool drawn);
/* The same, and `what` it is, in words; NULL: the place says it. */
CO4__OWN bool co4__fault_named(const char *kind, bool drawn, const char *what);
/* At the n-th call of a life something happens. Returns which; 0: at none. */
CO4__OWN uint64_t co4__fault_call(const char *kind, uint64_t drawn);
/* It happens now. */
CO4__OWN void co4__fault_happens(const char *kind, uint64_t number, const char *what);

#endif
