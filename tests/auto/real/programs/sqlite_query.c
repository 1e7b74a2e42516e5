/* sqlite_query.c - one query, by the blocking interface of SQLite. It knows nothing of tasks. */
#include "sqlite_query.h"

#include <sqlite3.h>
#include <stdio.h>

long sqlite_query(const char *file, int i)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    long sum = 0;
    int status = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, "slow");
    if (status == SQLITE_OK)
        status = sqlite3_prepare_v2(db,
                                    "SELECT sum(length(b.text) + b.n), count(*) FROM a JOIN b"
                                    " ON b.id = a.other WHERE a.id BETWEEN ?1 AND ?1 + 3",
                                    -1, &query, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_bind_int(query, 1, i);
    if (status == SQLITE_OK)
        while ((status = sqlite3_step(query)) == SQLITE_ROW)
            sum += sqlite3_column_int64(query, 0) * 7 + sqlite3_column_int64(query, 1);
    if (status != SQLITE_DONE)
        fprintf(stderr, "query %d: %s\n", i, sqlite3_errmsg(db));
    sqlite3_finalize(query);
    sqlite3_close(db);
    return status == SQLITE_DONE ? sum : -1;
}
