/* public.h - the public headers. Their declarations are visible in the shared library. */
#ifndef CO4_PUBLIC_INTERNAL_H
#define CO4_PUBLIC_INTERNAL_H

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include <stdint.h>

#include "co4.h"
#include "co4/abi.h"
#define CO4__IS_LIBRARY
#include "co4/test.h"

/* The pausable functions of the headers, in the form that woven code calls. */
int co4_yield__co4(co4_fiber *co4);
int co4_sleep__co4(co4_fiber *co4, int64_t ns);
int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline);
int co4_task_join__co4(co4_fiber *co4, co4_task *task);
int co4_scope_run__co4(co4_fiber *co4, int flags, struct co4_call *body);
int co4_scope_run_until__co4(co4_fiber *co4, int flags, struct co4_call *body, int64_t deadline);
int co4_task_join_until__co4(co4_fiber *co4, co4_task *task, int64_t deadline);
int co4_mailbox_send_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size,
                                int64_t deadline);
int co4_mailbox_receive_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size,
                                   int64_t deadline);
#if defined(__GNUC__) || defined(__clang__)
int co4_select_until__co4(co4_fiber *co4, co4_case *cases, int count, int flags, int64_t deadline);
int co4_select__co4(co4_fiber *co4, co4_case *cases, int count);
#pragma GCC visibility pop
#endif

#endif
