/* plain.h - functions that CO4_PLAIN's entry points call. Children, actors and futures declare
 * their own. */
#ifndef CO4_PLAIN_INTERNAL_H
#define CO4_PLAIN_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"
#include "platform/fork.h"

CO4__PUBLIC co4_task *co4_plain_task(const void *value, unsigned long size, int is_code);
CO4__PUBLIC co4_task *co4_plain_spawn(co4_task *task);
CO4__PUBLIC int co4_plain_code(long long result);
CO4__PUBLIC void co4_plain_gen_begin(void);
CO4__PUBLIC co4_gen *co4_plain_gen_end(void);

co4__fork_handler co4__plain_fork;

/* For struct co4__gen_hooks. */
int co4__plain_gen_advance(co4_gen *g);
void co4__plain_gen_release(co4_gen *g);

#endif
