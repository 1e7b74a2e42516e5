/* modules_made.c - what a program has that makes runtimes: the modules that the options ask for. */
#include "debug/on_step.h"
#include "debug/report.h"
#include "debug/stall_detector.h"
#include "sched/step_hooks.h"

const struct co4__made_hooks co4__made_hooks = {
    .hooks = co4__hook_steps,
    .report = co4__report_left,
    .reports = co4__reports,
    .stalls_begin = co4__stalls_begin,
    .stalls_look = co4__stalls_look,
    .stalls_end = co4__stalls_end,
};
