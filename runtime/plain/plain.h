/* plain.h - what CO4_PLAIN's entry points call. */
#ifndef CO4_PLAIN_INTERNAL_H
#define CO4_PLAIN_INTERNAL_H

#include "base/public.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif

co4_task *co4_plain_task(int ran);
void co4_plain_gen_begin(void);
co4_gen *co4_plain_gen_end(void);
int co4_plain_child(co4_scope *scope, int code);
int co4_plain_actor(co4_actor *actor, int code);
int co4_plain_supervised(co4_child *child, int code);
int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);
co4_future *co4_plain_future(const void *value, unsigned long size);
co4_future *co4_plain_future_code(int code, unsigned long is_int);
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#endif
