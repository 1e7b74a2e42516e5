/* libpq_query.c - see libpq_query.h. */
#include "libpq_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int libpq_query(const char *server, int i)
{
    char text[80];
    int value = -1;
    PGconn *c = PQconnectdb(server);
    snprintf(text, sizeof text, "SELECT pg_sleep(0.5), 7 * %d", i);
    PGresult *r = PQstatus(c) == CONNECTION_OK ? PQexec(c, text) : NULL;
    if (r != NULL && PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1)
        value = atoi(PQgetvalue(r, 0, 1));
    else
        fprintf(stderr, "query %d: %s", i, PQerrorMessage(c));
    PQclear(r);
    PQfinish(c);
    return value;
}

int libpq_long_query(const char *server, const char *command, PGcancel **ready, char state[8])
{
    int failed = 0;
    PGconn *c = PQconnectdb(server);
    if (PQstatus(c) == CONNECTION_OK) {
        PQclear(PQexec(c, command));
        __atomic_store_n(ready, PQgetCancel(c), __ATOMIC_RELEASE);
        PGresult *r = PQexec(c, "SELECT pg_sleep(60)");
        const char *found = r != NULL ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
        snprintf(state, 8, "%s", found != NULL ? found : "");
        failed = PQresultStatus(r) == PGRES_FATAL_ERROR;
        PQclear(r);
    }
    PQfinish(c);
    return failed;
}

int libpq_cancel(PGcancel **ready)
{
    char error[256];
    PGcancel *cancel;
    while ((cancel = __atomic_load_n(ready, __ATOMIC_ACQUIRE)) == NULL)
        usleep(10000);
    usleep(100000);
    int heard = PQcancel(cancel, error, sizeof error);
    PQfreeCancel(cancel);
    return heard;
}
