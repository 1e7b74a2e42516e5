/* uv.c - squares.c with libuv. */
#include <stdio.h>
#include <uv.h>

static int numbers[3], sum, missing = 3;

static void square(uv_timer_t *timer)
{
    int *n = timer->data;
    sum += *n * *n;
    uv_close((uv_handle_t *)timer, NULL);
    if (--missing == 0)
        printf("%d\n", sum);
}

int main(void)
{
    uv_timer_t timers[3];
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
        uv_timer_init(uv_default_loop(), &timers[i]);
        timers[i].data = &numbers[i];
        uv_timer_start(&timers[i], square, numbers[i], 0);
    }
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
