/* supervisor.c - waiting for children, and stopping them.
 *
 * Stopping must not be interrupted, so it is shielded: the supervisor may have been cancelled
 * itself. Closing is a cleanup: it also happens when the supervisor's task is abandoned. */
#include "extras/supervisor.h"
#include "sync/source.h"

/* Stops children, the last one first. Temporary ones will not run again; with `all`, none will. */
static pausable void stop(struct co4__supervisor *s, int first, int last, bool all)
{
    co4_shield_begin();
    for (int i = last; i >= first; i--) {
        struct co4_child *c = &s->children[i];
        if (all || (c->end && c->spec->restart == CO4_TEMPORARY))
            c->wanted = false;
        if (!c->end)
            continue;
        int64_t deadline = co4__child_stop(c);
        co4_future_await_until(c->end, NULL, deadline);
        /* Its time is up, or there is no timer. */
        if (co4_future_await_until(c->end, NULL, CO4_NOW) == CO4_EEMPTY) {
            co4_future_cancel(c->end, 0);
            co4_future_await(c->end, NULL);
        }
        co4__supervisor_ended(s, i);
    }
    co4_shield_end();
}

/* Called after the end of child i with this code. Returns CO4_OK, or why the supervisor cannot go
 * on. */
static pausable int start_again(struct co4__supervisor *s, int i, int code)
{
    int first, last;
    co4__supervisor_concerned(s, i, &first, &last);
    for (;;) {
        int err = co4__supervisor_count(s, code);
        if (err != CO4_OK)
            return err;
        stop(s, first, last, false);
        code = co4__supervisor_start(s, first, last);
        if (code == CO4_OK)
            return CO4_OK;
        if (co4_yield() == CO4_ECANCELED)
            return CO4_ECANCELED;
    }
}

pausable int co4_supervise(const co4_supervision *how, const co4_child_spec *children, int count)
{
#ifndef CO4_PLAIN
    if (co4__may_wait() == CO4_ESTATE)
        return CO4_ESTATE;
#endif
    __attribute__((cleanup(co4__supervisor_close))) struct co4__supervisor s = { .count = 0 };
    int err = co4__supervisor_open(&s, how, children, count);
    if (err != CO4_OK)
        return co4__spent(err);
    err = co4__supervisor_start(&s, 0, count - 1);
    while (err == CO4_OK && co4__supervisor_watch(&s) > 0) {
        int i = co4_select(s.cases, count);
        if (i <= CO4_ENDED(0)) /* the child has failed */
            i = CO4_ENDED(i);
        if (i < 0) {
            err = i;
            break;
        }
        int code = co4__supervisor_ended(&s, i);
        if (co4__supervisor_again(&s, i, code))
            err = start_again(&s, i, code);
    }
    stop(&s, 0, count - 1, true);
    return err;
}
