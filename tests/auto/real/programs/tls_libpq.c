/* tls_libpq.c - queries of PostgreSQL by libpq. */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "tls_session.h"

enum { REPEATS = 500 };

static const char *certificates;

int tls_begin(const char *authority)
{
    certificates = authority;
    return 1;
}

void tls_end(void) {}

/* Is it the text so many times? */
static int repeats(const char *value, const char *text)
{
    size_t length = strlen(text), got = 0;
    for (; value[got] != 0; got++)
        if (value[got] != text[got % length])
            return 0;
    return got == REPEATS * length;
}

void tls_session(const char *target, int i, char *told, size_t size)
{
    char server[400], query[100], text[40];
    snprintf(server, sizeof server, "sslrootcert=%s %s", certificates, target);
    snprintf(text, sizeof text, "/path%d", i);
    snprintf(query, sizeof query, "SELECT pg_advisory_lock_shared(1), repeat('%s', %d)", text,
             REPEATS);
    PGconn *c = PQconnectdb(server);
    PGresult *r = PQstatus(c) == CONNECTION_OK ? PQexec(c, query) : NULL;
    if (r == NULL || PQresultStatus(r) != PGRES_TUPLES_OK)
        snprintf(told, size, "%s", PQerrorMessage(c));
    else
        snprintf(told, size, "%s",
                 PQsslInUse(c) && repeats(PQgetvalue(r, 0, 1), text) ? "good" : "another answer");
    for (char *at; (at = strchr(told, '\n')) != NULL;)
        *at = ' ';
    PQclear(r);
    PQfinish(c);
}
