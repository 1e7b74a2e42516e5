/* libpq_plain.c - a query of libpq_query.h, and one that its time limit ends: what the tasks do.
 *
 *     libpq_plain CONNECTION-STRING */
#include <stdio.h>

#include "libpq_query.h"
#include "measure.h"

int main(int argc, char **argv)
{
    PGcancel *ready = NULL;
    char state[8] = "";
    double begin = measure_seconds();
    if (argc < 2 || libpq_query(argv[1], 6) != 42)
        return 1;
    printf("%.2f s", measure_seconds() - begin);
    int failed = libpq_long_query(argv[1], "SET statement_timeout = 300", &ready, state);
    printf(", with a limit: %s\n", state);
    PQfreeCancel(ready);
    return failed ? 0 : 1;
}
