/* sqlite_plain.c - the queries of sqlite_tasks.c, one after the other.
 *
 *     sqlite_plain DATABASE QUERIES */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "sqlite_query.h"

int main(int argc, char **argv)
{
    int queries = argc > 2 ? atoi(argv[2]) : 1;
    if (slow_vfs_register() != SQLITE_OK)
        return 2;
    double begin = measure_seconds();
    for (int i = 0; i < queries; i++)
        printf("%d: %ld\n", i, sqlite_query(argv[1], i));
    printf("%ld reads in %.2f s\n", slow_vfs_reads(), measure_seconds() - begin);
    return 0;
}
