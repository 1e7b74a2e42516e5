/* retry.c - a request that fails twice.
 * modes: woven forced
 * expect: attempt 1: there is no room
 * expect: attempt 2: there is no room
 * expect: attempt 3: no error
 * expect: in the end: no error */
#include <co4.h>
#include <stdio.h>

static const co4_retry politely = { .attempts = 5,
                                    .backoff = CO4_BACKOFF_EXPONENTIAL,
                                    .delay = CO4_MS,
                                    .most = CO4_SEC,
                                    .jitter = CO4_JITTER_EQUAL };

static pausable int request(int good_one, int attempt)
{
    int err = attempt < good_one ? CO4_EFULL : CO4_OK; /* represents a server that is busy */
    co4_sleep(CO4_MS);
    printf("attempt %d: %s\n", attempt, co4_strerror(err));
    return err;
}

static pausable void work(void)
{
    int err = co4_retry_run(&politely, request(3, co4_attempt));
    printf("in the end: %s\n", co4_strerror(err));
}

int main(void)
{
    co4_run(work());
    return 0;
}
