/* library.c - a library that knows nothing of co4: it blocks, as C libraries do. */
#define _POSIX_C_SOURCE 200809L
#include "library.h"

#include <time.h>

int ask_sensor(int number)
{
    struct timespec second = { .tv_sec = 1 };
    nanosleep(&second, NULL); /* the sensor takes its time */
    return number * number;
}
