/* main.c - asks a blocking library a thousand times at once, on one thread.
 *
 *     co4weave --auto cc main.c library.c -o blocking -lco4 -pthread
 *
 * library.c has no mark, and stays as it is: --auto weaves what reaches its nanosleep(). */
#include <co4.h>
#include <stdio.h>

#include "library.h"

enum { SENSORS = 1000 };

static pausable int ask(int number, long *sum)
{
    *sum += ask_sensor(number);
    return CO4_OK;
}

static pausable int ask_all(long *sum)
{
    int code = CO4_OK;
    for (int i = 0; i < SENSORS && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), ask(i, sum));
    return code;
}

int main(void)
{
    long sum = 0;
    int64_t began = co4_now();
    int code = co4_run(co4_scope_run(0, ask_all(&sum)));
    printf("%d calls that take a second each: %.1f s, on one thread; the sum is %ld\n", SENSORS,
           (double)(co4_now() - began) / (double)CO4_SEC, sum);
    return code != CO4_OK;
}
