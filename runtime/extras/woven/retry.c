/* retry.c - attempts, and the pauses between them. */
#include "sync/source.h"

pausable int co4_retry_run(const co4_retry *policy, co4_retry_body *body, void *arg)
{
    co4_retrying retrying;
    if (!body || co4_retry_begin(&retrying, policy) != CO4_OK)
        return co4__spent(CO4_EINVAL);
    for (;;) {
        int64_t delay;
        int code = body(arg, retrying.attempt);
        if (!co4_retry_again(&retrying, code, &delay))
            return code;
        int err = co4_sleep(delay);
        if (err != CO4_OK)
            return err;
    }
}
