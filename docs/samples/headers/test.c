/* test.c - the lead example of co4/test.h.
 * modes: woven forced
 * expect: 1000 runs, an hour each */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static int hours;

static pausable void work(void)
{
    int64_t began = co4_now();
    co4_sleep(3600 * CO4_SEC);
    hours += co4_now() - began == 3600 * CO4_SEC;
}

int main(void)
{
    for (unsigned seed = 1; seed <= 1000; seed++) {
        co4_test_begin(&(co4_test_options){ .seed = seed, .late = 10, .late_steps = 20 });
        co4_run(work());
        co4_test_end(NULL);
    }
    printf("%d runs, an hour each\n", hours);
    return 0;
}
