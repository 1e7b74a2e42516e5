/* sqlite_bench.c - a database in memory, which needs no wait: rows, an index, a join, a sort. */
#include <sqlite3.h>
#include <stdio.h>

static int show(void *data, int columns, char **values, char **names)
{
    (void)data, (void)names;
    for (int i = 0; i < columns; i++)
        printf("%s ", values[i] != NULL ? values[i] : "NULL");
    return printf("\n") < 0;
}

int main(void)
{
    sqlite3 *db = NULL;
    char *error = NULL;
    int status = sqlite3_open(":memory:", &db);
    if (status == SQLITE_OK)
        status = sqlite3_exec(
            db,
            "CREATE TABLE a(id INTEGER PRIMARY KEY, other INTEGER, text);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)"
            " INSERT INTO a SELECT i, i * 7919 % 40000, 'row ' || i FROM n;"
            "CREATE INDEX by_other ON a(other, text);"
            "SELECT count(*), sum(length(x.text) + y.id) FROM a x JOIN a y ON y.other = x.id;"
            "SELECT max(text), count(DISTINCT substr(text, 1, 6)) FROM a;"
            "SELECT id FROM a ORDER BY text DESC LIMIT 2 OFFSET 9999;"
            "UPDATE a SET text = upper(text) || other WHERE id % 3 = 0;"
            "SELECT sum(length(text)) FROM a WHERE text LIKE '%7%';",
            show, NULL, &error);
    if (status != SQLITE_OK)
        fprintf(stderr, "%s\n", error != NULL ? error : sqlite3_errmsg(db));
    sqlite3_free(error);
    sqlite3_close(db);
    return status != SQLITE_OK;
}
