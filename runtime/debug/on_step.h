/* on_step.h - the step hooks: functions called around steps. */
#ifndef CO4_ON_STEP_INTERNAL_H
#define CO4_ON_STEP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "debug/task_record.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* Functions of the modules whose bits a runtime may have. modules.c fills the table; NULL: the
 * program lacks the module, and no runtime has its bit. */
struct co4__step_users {
    void (*asks_environment)(void); /* called once, before the first runtime is enrolled */
    void (*runtime_begins)(co4_runtime *rt);
    void (*runtime_ends)(co4_runtime *rt); /* nobody finds it any more */
    void (*trace_to)(const char *file);    /* the environment asks for a trace */
    void (*trace_entered)(co4_runtime *rt, co4_task *t, const struct co4__task_record *x);
    void (*trace_woken)(co4_runtime *rt, const struct co4__task_record *x);
    void (*trace_step)(struct co4__worker *w, const struct co4__task_record *x, const char *waited);
    void (*trace_stepped)(struct co4__worker *w, const struct co4__task_record *x, co4_task *t,
                          int why);
    void (*stall_step)(struct co4__worker *w, co4_task *t, const struct co4__task_record *x);
    void (*stall_stepped)(struct co4__worker *w);
};

extern const struct co4__step_users co4__step_users;

/* A program for Emscripten may lack what the environment asks for. */
#ifdef __EMSCRIPTEN__
#define co4__step_users_call(member, ...)                                                          \
    (co4__step_users.member ? co4__step_users.member(__VA_ARGS__) : (void)0)
#else
#define co4__step_users_call(member, ...) co4__step_users.member(__VA_ARGS__)
#endif

/* Sets the bit in `hook_bits` of a runtime. */
CO4__PRIVATE void co4__hook_steps(co4_runtime *rt, enum co4__hook_bit bit);
/* Sets or clears the bit in `hook_bits` of all runtimes, and of later ones. */
void co4__hook_bits_set(unsigned bit, bool on);

void co4__on_task_enters(co4_runtime *rt, co4_task *t, const char *function);
/* True: the task will be placed later. */
bool co4__on_task_is_ready(co4_runtime *rt, co4_task *t);
void co4__on_step_begins(struct co4__worker *w, co4_task *t);
/* The frames of the task are saved, but its step is not finished. */
void co4__on_step_ends(struct co4__worker *w, co4_task *t, int why);
void co4__on_task_ends(struct co4__worker *w, co4_task *t);

#endif
