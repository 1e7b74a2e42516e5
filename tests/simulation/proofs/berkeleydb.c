/* berkeleydb.c - two writers of Berkeley DB on a disk that crashes: each life begins with
 * recovery, and finds all that was acknowledged, in trees that DB->verify() calls whole.
 *
 *   berkeleydb [nosync | logs | create]
 *
 * A transaction changes its writer's counter, moves an amount between two of the accounts that
 * all writers share, and writes a row whose bytes follow from its key. A third of them is given
 * up, and so is one that the detector of deadlocks chooses.
 *
 * What Berkeley DB leaves to its users: the name of a log is durable when its folder is synced.
 * With one log the program does so; `logs` has many. A crash in the recovery from a crash while
 * files are made leaves files that never become whole (docs/proofs.md); so the program makes a
 * checkpoint when it has made them, and begins anew if none was acknowledged. `create` does not.
 * `nosync`: commits do not sync the log. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "db.h"
#include "proof.h"

#define WRITERS  2
#define ROUNDS   6
#define ACCOUNTS 8
#define AMOUNT   100

static DB_ENV *env;
static DB *rows, *accounts;
static const char *how = "";

static int is(const char *word)
{
    return strcmp(how, word) == 0;
}

static void is_done(int status, const char *what)
{
    must(status == 0, what, db_strerror(status));
}

static DBT dbt(void *bytes, size_t size)
{
    DBT d;
    memset(&d, 0, sizeof d);
    d.data = bytes;
    d.size = d.ulen = (u_int32_t)size;
    d.flags = DB_DBT_USERMEM;
    return d;
}

static size_t row_of(unsigned key, unsigned char *bytes)
{
    memset(bytes, (int)(key * 31 % 251), 3000);
    memcpy(bytes, &key, sizeof key);
    return 10 + key * 2654435761U % 2900;
}

static int get(DB *db, DB_TXN *txn, unsigned key, unsigned *n, u_int32_t flags)
{
    DBT k = dbt(&key, sizeof key), value = dbt(n, sizeof *n);
    *n = 0;
    int status = db->get(db, txn, &k, &value, flags);
    return status == DB_NOTFOUND ? 0 : status;
}

static int put(DB *db, DB_TXN *txn, unsigned key, void *bytes, size_t size)
{
    DBT k = dbt(&key, sizeof key), value = dbt(bytes, size);
    return db->put(db, txn, &k, &value, 0);
}

static int add(DB_TXN *txn, unsigned account, unsigned amount)
{
    unsigned n;
    int status = get(accounts, txn, account, &n, DB_RMW);
    n += amount;
    return status ? status : put(accounts, txn, account, &n, sizeof n);
}

/* What the transaction of a writer does. */
static int change(DB_TXN *txn, unsigned writer, unsigned *n)
{
    unsigned char bytes[3000];
    int status = get(rows, txn, writer, n, DB_RMW);
    unsigned key = 1000000 * (writer + 1) + *n, amount = 1 + *n % 7;
    size_t size = row_of(key, bytes);
    ++*n;
    if (status == 0)
        status = put(rows, txn, key, bytes, size);
    if (status == 0)
        status = add(txn, (key + 3 * writer) % ACCOUNTS, amount);
    if (status == 0)
        status = add(txn, (key + 5 + writer) % ACCOUNTS, -amount);
    return status ? status : put(rows, txn, writer, n, sizeof *n);
}

static void *write_rows(void *data)
{
    unsigned writer = *(unsigned *)data, n;
    char name[10];
    snprintf(name, sizeof name, "%u", writer);
    for (unsigned round = 0; round < ROUNDS;) {
        DB_TXN *txn;
        is_done(env->txn_begin(env, NULL, &txn, 0), "txn_begin");
        int status = change(txn, writer, &n);
        if (status == DB_LOCK_DEADLOCK || (status == 0 && round % 3 == 2)) {
            is_done(txn->abort(txn), "abort");
            round += status == 0;
            continue;
        }
        is_done(status, "change");
        is_done(txn->commit(txn, 0), "commit");
        acknowledge(name, (int)n);
        if (++round == ROUNDS / 2)
            is_done(env->txn_checkpoint(env, 0, 0, 0), "txn_checkpoint");
    }
    return NULL;
}

/* ---- looks ---- */

/* Looks at each row: those of the counters are there, and no others. */
static void look_at_rows(void)
{
    unsigned all = 0, found = 0, n, key;
    unsigned char bytes[3000], right[3000];
    char name[10];
    for (unsigned writer = 0; writer < WRITERS; writer++) {
        is_done(get(rows, NULL, writer, &n, 0), "get");
        snprintf(name, sizeof name, "%u", writer);
        must(n >= (unsigned)acknowledged(name), "a transaction is lost", name);
        all += n > 0 ? n + 1 : 0;
    }
    DBC *cursor;
    DBT k = dbt(&key, sizeof key), value = dbt(bytes, sizeof bytes);
    is_done(rows->cursor(rows, NULL, &cursor, 0), "cursor");
    int status;
    for (; (status = cursor->get(cursor, &k, &value, DB_NEXT)) == 0; found++) {
        size_t size = row_of(key, right);
        must(key < WRITERS || (value.size == size && memcmp(bytes, right, size) == 0),
             "a row is torn", NULL);
    }
    must(status == DB_NOTFOUND, "cursor", db_strerror(status));
    must(found == all, "a transaction is torn", NULL);
    is_done(cursor->close(cursor), "close of the cursor");
}

static void look(void)
{
    unsigned sum = 0, n;
    look_at_rows();
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        is_done(get(accounts, NULL, i, &n, 0), "get");
        sum += n;
    }
    must(sum == 0, "an amount is lost", NULL);
}

static void verify(const char *file)
{
    DB *db;
    is_done(db_create(&db, env, 0), "db_create");
    int status = db->verify(db, file, NULL, NULL, 0);
    must(status == 0 || status == ENOENT, "verify", db_strerror(status));
}

/* ---- the life ---- */

static DB *open_db(const char *file, DBTYPE type)
{
    DB *db;
    is_done(db_create(&db, env, 0), "db_create");
    is_done(db->set_pagesize(db, 512), "set_pagesize");
    is_done(db->open(db, NULL, file, NULL, type, DB_CREATE | DB_AUTO_COMMIT | DB_THREAD, 0),
            "open");
    return db;
}

static void open_env(void)
{
    u_int32_t flags = DB_CREATE | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_MPOOL | DB_INIT_TXN |
                      DB_RECOVER | DB_THREAD | DB_PRIVATE;
    mkdir("env", 0777);
    sync_folder(".");
    is_done(db_env_create(&env, 0), "db_env_create");
    env->set_errfile(env, stdout);
    is_done(env->set_lk_detect(env, DB_LOCK_DEFAULT), "set_lk_detect");
    is_done(env->set_cachesize(env, 0, 64 * 1024, 1), "set_cachesize");
    is_done(env->set_lg_max(env, is("logs") ? 32 * 1024 : 1024 * 1024), "set_lg_max");
    is_done(env->set_lg_bsize(env, 16 * 1024), "set_lg_bsize");
    if (is("nosync"))
        is_done(env->set_flags(env, DB_TXN_NOSYNC, 1), "set_flags");
    is_done(env->open(env, "env", flags, 0), "open of the environment");
    sync_folder("env");
}

static void begin_anew(void)
{
    DIR *d = opendir("env");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

int main(int count, char **argument)
{
    pthread_t threads[WRITERS];
    unsigned writers[WRITERS];
    how = count > 1 ? argument[1] : "";
    if (!acknowledged("made") && !is("create"))
        begin_anew();
    open_env();
    if (acknowledged("made") || is("create")) {
        verify("rows");
        verify("accounts");
    }
    rows = open_db("rows", DB_BTREE);
    accounts = open_db("accounts", DB_HASH);
    sync_folder("env");
    if (!acknowledged("made")) {
        is_done(env->txn_checkpoint(env, 0, 0, DB_FORCE), "txn_checkpoint");
        acknowledge("made", 1);
    }
    look();
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = i;
        must(pthread_create(&threads[i], NULL, write_rows, &writers[i]) == 0, "pthread_create",
             NULL);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    look();
    is_done(rows->close(rows, 0), "close");
    is_done(accounts->close(accounts, 0), "close");
    is_done(env->close(env, 0), "close of the environment");
    return 0;
}
