/* plain.h - what CO4_PLAIN's entry points call. Children, actors and futures declare their own. */
#ifndef CO4_PLAIN_INTERNAL_H
#define CO4_PLAIN_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"

CO4__PUBLIC co4_task *co4_plain_task(int ran);
CO4__PUBLIC void co4_plain_gen_begin(void);
CO4__PUBLIC co4_gen *co4_plain_gen_end(void);

/* For struct co4__gen_hooks. */
int co4__plain_gen_advance(co4_gen *g);
void co4__plain_gen_release(co4_gen *g);

#endif
