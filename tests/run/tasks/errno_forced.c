/* errno_forced.c - a forced pause after a call that has failed keeps errno, which other tasks
 * change meanwhile.
 * modes: woven forced
 * expect: 1000 of 1000 */
#include <co4.h>
#include <errno.h>
#include <stdio.h>

pausable int fails(int error)
{
    if (error < 0)
        co4_yield();
    errno = error;
    return -1;
}

pausable void work(int number, int *right)
{
    for (int i = 0; i < 250; i++)
        if (fails(number * 1000 + i) < 0)
            *right += errno == number * 1000 + i;
}

pausable void all(void)
{
    int right[4] = { 0 };
    co4_future *ends[4];
    for (int k = 0; k < 4; k++)
        ends[k] = co4_async(work(k + 1, &right[k]));
    for (int k = 0; k < 4; k++) {
        co4_future_await(ends[k], NULL);
        co4_future_release(ends[k]);
    }
    printf("%d of 1000\n", right[0] + right[1] + right[2] + right[3]);
}

int main(void)
{
    co4_run(all());
    return 0;
}
