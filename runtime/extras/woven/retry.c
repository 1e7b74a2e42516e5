/* retry.c - the pauses between attempts. */
#include "sync/source.h"

pausable int co4_retry_pause(co4_retrying *retrying, int *code)
{
    int64_t delay;
    if (!retrying || !code || !co4_retry_again(retrying, *code, &delay))
        return co4__spent(0);
    int err = co4_sleep(delay);
    if (err == CO4_OK)
        return retrying->attempt;
    *code = err;
    return 0;
}
