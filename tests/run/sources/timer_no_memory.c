/* timer_no_memory.c - a thread's wait at a timer takes memory, and is CO4_ENOMEM without it; at a
 * timer that is due it needs none.
 * modes: woven
 * expect: thread: CO4_ENOMEM, then CO4_OK
 * expect: due: CO4_OK
 * expect: ended: CO4_OK */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static co4_timer timer;

int main(void)
{
    if (co4_timer_init(&timer) != CO4_OK ||
        co4_timer_start(&timer, co4_now() + 50 * CO4_MS) != CO4_OK)
        return 1;
    co4_test_fail_alloc(-1);
    int without = co4_block(co4_await(co4_timer_source(&timer), NULL));
    co4_test_fail_alloc(0);
    int with = co4_block(co4_await(co4_timer_source(&timer), NULL));
    printf("thread: %s, then %s\n", co4_errname(without), co4_errname(with));
    co4_test_fail_alloc(-1);
    int due = co4_block(co4_await(co4_timer_source(&timer), NULL));
    co4_test_fail_alloc(0);
    printf("due: %s\n", co4_errname(due));
    printf("ended: %s\n", co4_errname(co4_timer_destroy(&timer)));
    return 0;
}
