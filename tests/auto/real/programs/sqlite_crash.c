/* sqlite_crash.c - transactions of SQLite on a disk that crashes: in each life the database is
 * whole, and has all that was acknowledged.
 *
 *   sqlite_crash JOURNAL SYNCHRONOUS    as PRAGMA journal_mode and PRAGMA synchronous take them */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

#define ROUNDS 12

static sqlite3 *db;

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("%s: %s\n", what, db ? sqlite3_errmsg(db) : "");
        fflush(stdout);
        abort();
    }
}

static void run(const char *sql)
{
    must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

/* Returns the first number or word of the answer; the text is the caller's. */
static char *ask(const char *sql)
{
    sqlite3_stmt *s;
    must(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, sql);
    must(sqlite3_step(s) == SQLITE_ROW, sql);
    char *text = strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return text;
}

static int acknowledged(void)
{
    int n = 0, fd = open("/acknowledged/n", O_RDONLY);
    if (fd >= 0) {
        must(read(fd, &n, sizeof n) == sizeof n, "acknowledged");
        close(fd);
    }
    return n;
}

static void acknowledge(int n)
{
    int fd = open("/acknowledged/n", O_WRONLY | O_CREAT, 0666);
    must(fd >= 0 && pwrite(fd, &n, sizeof n, 0) == sizeof n, "acknowledge");
    close(fd);
}

/* SQLite syncs the folder when it makes a journal, but not when it makes a database. */
static void sync_folder(void)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    must(fd >= 0 && fsync(fd) == 0, "sync of the folder");
    close(fd);
}

int main(int count, char **argument)
{
    char sql[300];
    must(count == 3, "usage: sqlite_crash JOURNAL SYNCHRONOUS");
    must(sqlite3_open("data.db", &db) == SQLITE_OK, "open");
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s", argument[1]);
    free(ask(sql));
    snprintf(sql, sizeof sql, "PRAGMA synchronous=%s", argument[2]);
    run(sql);
    char *whole = ask("PRAGMA integrity_check");
    must(strcmp(whole, "ok") == 0, whole);
    free(whole);
    run("CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, pad)");
    sync_folder();
    char *text = ask("SELECT count(*) || ' ' || coalesce(max(n), 0) || ' ' ||"
                     " coalesce(sum(length(pad) != 100 + n % 700), 0) FROM t");
    int rows, last, wrong;
    must(sscanf(text, "%d %d %d", &rows, &last, &wrong) == 3 && wrong == 0, "a row is torn");
    free(text);
    must(rows == last && rows % 3 == 0, "a transaction is torn");
    must(rows >= 3 * acknowledged(), "a transaction is lost");
    for (int n = rows / 3, end = n + ROUNDS; n < end; n++) {
        run("BEGIN");
        for (int i = 1; i <= 3; i++) {
            snprintf(sql, sizeof sql, "INSERT INTO t VALUES(%d, zeroblob(%d))", 3 * n + i,
                     100 + (3 * n + i) % 700);
            run(sql);
        }
        snprintf(sql, sizeof sql, "UPDATE t SET pad = pad WHERE n %% 7 = %d", n % 7);
        run(sql);
        run("COMMIT");
        acknowledge(n + 1);
    }
    sqlite3_close(db);
    return 0;
}
