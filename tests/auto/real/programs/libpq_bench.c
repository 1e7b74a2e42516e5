/* libpq_bench.c - short queries, one after the other.
 *
 *     libpq_bench CONNECTION-STRING QUERIES */
#include <stdio.h>
#include <stdlib.h>

#include "libpq-fe.h"

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0, sum = 0;
    PGconn *c = PQconnectdb(argc > 1 ? argv[1] : "");
    for (long i = 0; PQstatus(c) == CONNECTION_OK && i < count; i++) {
        PGresult *r = PQexec(c, "SELECT 1, 'text'");
        if (PQresultStatus(r) == PGRES_TUPLES_OK)
            sum += atol(PQgetvalue(r, 0, 0));
        PQclear(r);
    }
    PQfinish(c);
    printf("%ld of %ld\n", sum, count);
    return sum == count ? 0 : 1;
}
