/* undriven.c - a thread waits for a task that nothing runs meanwhile. */
#include <stdatomic.h>

#include "core/join.h"
#include "core/task.h"

void co4__report_undriven(void)
{
    static atomic_bool reported;
    co4__advise(&reported, "a thread waits for a task of an embedded runtime that no other thread "
                           "drives: the task does not run meanwhile. Call co4_runtime_join(), or "
                           "co4_runtime_run_once() until the task has stopped");
}
