/* made.h - runtimes that a program makes: what the layers below call. */
#ifndef CO4_MADE_INTERNAL_H
#define CO4_MADE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "base/simulation.h"
#include "platform/fork.h"

/* co4_runtime_create(), and CO4_OK, or with *rt NULL CO4_ENOMEM or CO4_EINVAL. `spares`: for
 * co4__runtime_make_spared(), else 0. */
int co4__runtime_make(co4_runtime **rt, const co4_runtime_options *options, unsigned spares);

/* For struct co4__wait_hooks. */
bool co4__runtime_is_undriven(const co4_task *t);
co4_runtime *co4__runtime_newest(bool *several);
/* Without threads: runs a turn of every started runtime. Returns the number of steps; *next is the
 * time of the next work. */
unsigned co4__runtime_turn_all(int64_t *next);

/* Makes a simulation with one reference: debug/simulate.c registers it. NULL: the program has no
 * test mode. */
extern CO4__PRIVATE int (*co4__test_mode)(struct co4__simulation **out,
                                          const co4_test_options *options);

co4__fork_handler co4__runtime_fork;

#endif
