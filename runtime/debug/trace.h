/* trace.h - traces: recording the events of steps. */
#ifndef CO4_TRACE_INTERNAL_H
#define CO4_TRACE_INTERNAL_H

#include "base/public.h"
#include "core/task.h"
#include "debug/task_record.h"
#include "platform/fork.h"
#include "sched/worker.h"

/* Begins a trace if the environment asks for one. */
void co4__trace_to(const char *file);
void co4__trace_thread_exit(void);

/* Called if CO4__TRACED is set. */
void co4__trace_step(struct co4__worker *w, const struct co4__task_record *x, const char *waited);
void co4__trace_stepped(struct co4__worker *w, const struct co4__task_record *x, co4_task *t,
                        int why);
void co4__trace_entered(co4_runtime *rt, co4_task *t, const struct co4__task_record *x);
void co4__trace_woken(co4_runtime *rt, const struct co4__task_record *x);
void co4__trace_named(co4_task *t);

co4__fork_handler co4__trace_fork;

#endif
