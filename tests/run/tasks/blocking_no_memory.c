/* blocking_no_memory - without memory for a frame, or a thread: the call is made or the task ends,
 * never anything in between; a call that waits for a thread that never comes is made all the same.
 * modes: woven forced
 * expect: each call was made once, or its task has failed
 * expect: without threads: 10 of 10 as they should
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static int calls; /* one at a time: each is waited for */

static int call(int n)
{
    calls++;
    return n;
}

static pausable int work(int n)
{
    return co4_blocking(call(n)) + co4_blocking(call(n));
}

static pausable int threadless(int n)
{
    co4_test_fail_alloc(n);
    int result = co4_blocking(call(1));
    co4_test_fail_alloc(0);
    return result;
}

int main(void)
{
    int wrong = 0;
    long long before = co4_test_pool_live();
    for (int n = 1; n < 12; n++) {
        calls = 0;
        co4_test_fail_alloc(n);
        int result = co4_run(work(n));
        int err = co4_run_error();
        co4_test_fail_alloc(0);
        wrong += err == CO4_OK ? result != 2 * n || calls != 2 : err != CO4_ENOMEM || result != err;
    }
    printf("%s\n", wrong ? "lost" : "each call was made once, or its task has failed");
    int made = 0;
    for (int i = 0; i < 10; i++) {
        co4_blocking_stop();
        calls = 0;
        int result = co4_run(threadless(1 + i % 3));
        made += calls <= 1 && (co4_run_error() != CO4_OK || (result == 1 && calls == 1));
    }
    printf("without threads: %d of 10 as they should\n", made);
    co4_blocking_stop();
    printf("%s is left\n", co4_test_pool_live() == before ? "nothing" : "something");
    return 0;
}
