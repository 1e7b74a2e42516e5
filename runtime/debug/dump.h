/* dump.h - parts of a dump, for reports. */
#ifndef CO4_DUMP_INTERNAL_H
#define CO4_DUMP_INTERNAL_H

#include "base/public.h"
#include "base/text.h"
#include "debug/task_view.h"

/* Dumps one runtime, which the caller keeps alive, and its tasks. */
void co4__dump_runtime(struct co4__text *out, co4_runtime *rt);
/* A line for a runtime, and for a task with its backtrace. */
void co4__put_runtime(struct co4__text *x, const struct co4__runtime_view *rt);
void co4__put_task(struct co4__text *x, const struct co4__task_view *v, int64_t now);
/* What a paused task waits for, in words. */
void co4__put_wait(struct co4__text *x, const struct co4__task_view *v, int64_t now);
/* Where the user's code of a task is that does not run: "FUNCTION () at FILE:LINE in CALL()". */
CO4__PRIVATE void co4__put_place_of(struct co4__text *x, const co4_task *t);
void co4__put_object(struct co4__text *x, const char *what, const void *p);

#endif
