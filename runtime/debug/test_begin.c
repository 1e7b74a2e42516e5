/* test_begin.c - test mode of a thread. */
#include <stddef.h>

#include "base/public.h"
#include "debug/simulate.h"
#include "platform/thread.h"

int co4_test_begin(const co4_test_options *options)
{
    static const co4_test_options defaults = { 0 };
    struct co4__local *here = co4__local();
    if (here->simulate.state || here->worker)
        return CO4_ESTATE;
    struct co4__simulation *s;
    int err = co4__simulate(&s, options ? options : &defaults);
    if (err == CO4_OK)
        here->simulate.state = s;
    return err;
}

int co4_test_end(co4_test_result *out)
{
    struct co4__local *here = co4__local();
    const struct co4__simulated *x = co4__simulated_of(here->simulate.state);
    if (!x || here->worker)
        return CO4_ESTATE;
    if (x->runtimes)
        return CO4_EBUSY;
    if (out)
        *out = x->result;
    x->base.ops->release(here->simulate.state);
    here->simulate.state = NULL;
    return CO4_OK;
}

int co4_test_result_of(const co4_runtime *rt, co4_test_result *out)
{
    const struct co4__simulated *x = co4__simulated_of(rt ? rt->simulate.state
                                                          : co4__local()->simulate.state);
    if (!out)
        return CO4_EINVAL;
    if (!x)
        return CO4_ESTATE;
    *out = x->result;
    return CO4_OK;
}
