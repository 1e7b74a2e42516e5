/* lamps.c - two lamps that blink at the same time, each at its own pace.
 * modes: woven forced
 * expect: red blinked 3 times, green 2 times */
#include <co4.h>
#include <stdio.h>

static pausable int lamp(int times, int64_t pace)
{
    for (int i = 0; i < times; i++)
        if (co4_sleep(pace) != CO4_OK)
            return i;
    return times;
}

static pausable void both(void)
{
    int red = 0, green = 0;
    co4_task *first = co4_spawn(lamp(3, 2 * CO4_MS));
    co4_task *second = co4_spawn(lamp(2, 3 * CO4_MS));
    co4_join(first, &red);
    co4_join(second, &green);
    printf("red blinked %d times, green %d times\n", red, green);
}

int main(void)
{
    co4_run(both());
}
