/* cancel_wait.c - the end of a wait whose task is cancelled: cancel.c explains it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/cancel.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "platform/thread.h"

static bool claim_unshielded(struct co4__waiter *w, uint8_t *was)
{
    *was = atomic_load(&w->claim);
    do {
        for (unsigned tries = 0; *was & CO4__BUSY; *was = atomic_load(&w->claim))
            co4__back_off(tries++);
        if (*was == CO4__WAIT_NONE || (*was & CO4__SHIELDED))
            return false;
    } while (!atomic_compare_exchange_weak(&w->claim, was, CO4__WAIT_NONE));
    return true;
}

bool co4__cancel_claim(co4_task *t, uint8_t *was)
{
    co4__claims_begin();
    bool ours = claim_unshielded(&t->waiter, was);
    co4__claims_end();
    return ours;
}

void co4__cancel_claimed(co4_task *t, uint8_t was)
{
    t->waiter.result.i = co4__unqueue(&t->waiter, was) ? CO4_OK : CO4_ECANCELED;
}

bool co4__cancel_wait(co4_task *t)
{
    uint8_t was;
    if (!co4__cancel_claim(t, &was))
        return false;
    co4__cancel_claimed(t, was);
    return true;
}
