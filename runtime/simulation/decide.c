/* decide.c - the decisions of woven code: passes/decisions.c of the weaver inserts them. */
#include "base/simulation.h"
#include "co4/abi.h"
#include "core/fiber.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "simulation/coverage.h"

struct co4__coverage *co4__coverage;
uintptr_t co4__coverage_program;

/* For the faults that follow. */
static void note_place(const void *place)
{
    co4_task *running = co4__local()->current;
    struct co4__task_record *e = running ? co4__record_of(running) : NULL;
    if (e)
        e->decided_at = place;
}

int co4_abi_decide(co4_fiber *co4)
{
    static uintptr_t before;
    struct co4__simulation *s = co4__local()->simulate.state;
    if (co4__coverage)
        co4__covers(co4__coverage, &before,
                    (uintptr_t)__builtin_return_address(0) + co4__coverage_program);
    if (s && s->fault)
        note_place(__builtin_return_address(0));
    if (!s || !s->ops->decides(s))
        return 0;
    co4_abi_pause(co4, CO4_ABI_READY);
    return 1;
}
