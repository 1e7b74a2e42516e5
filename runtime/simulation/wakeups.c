/* wakeups.c - signals of conditions that found no waiter: a deadlock says which.
 *
 * Purpose: the usual lost wake-up is a signal that comes before the wait. Where a run ends as no
 * thread can go on, the last such signal of each condition at which one waits is a part of the
 * report: its step, its thread and its place.
 *
 * The table has a fixed size: a run may make conditions for ever. The place of a condition follows
 * from its address, so another one may take it over, and then the older signal is not reported. */
#include "simulation/wakeups.h"

#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "base/text.h"
#include "co4/test.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "posix/decides.h"
#include "posix/parked.h"
#include "simulation/places.h"

enum { KEPT = 1024 };

static struct lost {
    const void *cond, *place;
    unsigned long long step;
    uint32_t thread;
} lost[KEPT];

static void note(const void *cond, const void *place)
{
    co4_test_result result;
    co4_task *task = co4__local()->current;
    if (co4_test_result_of(NULL, &result) != CO4_OK)
        return;
    lost[((uintptr_t)cond * (uintptr_t)0x9e3779b97f4a7c15u >> 20) % KEPT] = (struct lost){
        cond, place, result.steps, task ? co4__record_number(task) : 0
    };
}

void co4__wakeups_begin(void)
{
    co4__posix_signal_is_lost = note;
}

static void put_lost(const struct lost *l)
{
    struct co4__text x;
    co4__text_begin(&x, co4_write_fd, (void *)2);
    co4__put(&x, "co4: a signal of the condition ");
    co4__put_hex(&x, (uintptr_t)l->cond);
    co4__put(&x, " found no waiter, in step ");
    co4__put_number(&x, l->step);
    co4__put(&x, ": task ");
    co4__put_number(&x, l->thread);
    co4__put(&x, ", ");
    co4__put_code(&x, l->place);
    co4__put(&x, "\n");
    co4__text_end(&x);
}

void co4__wakeups_report(void)
{
    for (size_t i = 0; i < KEPT; i++)
        if (lost[i].cond && co4__parked_any(lost[i].cond))
            put_lost(&lost[i]);
}
