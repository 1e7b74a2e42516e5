/* lmdb.c - two writers of LMDB on a disk that crashes: in each life the tree is whole, has all that
 * was acknowledged, and nothing of a transaction that was given up.
 *
 *   lmdb [nosync | create]
 *
 * Each transaction changes its writer's counter and writes three rows whose bytes follow from their
 * keys. A third of them is given up. LMDB does not sync its folder: that is up to the program; and
 * a crash while it makes the file may leave one that it never opens again. So does `create` fail;
 * without it the program begins anew, if nothing was acknowledged. */
#include <pthread.h>
#include <string.h>

#include "lmdb.h"
#include "proof.h"

#define WRITERS 2
#define ROUNDS  8

static MDB_env *env;
static MDB_dbi rows;

static void is_done(int status, const char *what)
{
    must(status == 0, what, mdb_strerror(status));
}

/* The row of a key: up to a page and a half, so that some have pages of their own. */
static MDB_val row_of(unsigned key, unsigned char *bytes)
{
    MDB_val value = { 10 + key * 2654435761U % 6000, bytes };
    memset(bytes, (int)(key * 31 % 251), value.mv_size);
    memcpy(bytes, &key, sizeof key);
    return value;
}

static unsigned key_of(unsigned writer, unsigned round, unsigned i)
{
    return 1000000 * (writer + 1) + 3 * round + i;
}

static unsigned counter(MDB_txn *txn, unsigned writer)
{
    unsigned n = 0;
    MDB_val key = { sizeof writer, &writer }, value;
    int status = mdb_get(txn, rows, &key, &value);
    if (status == MDB_NOTFOUND)
        return 0;
    is_done(status, "mdb_get");
    must(value.mv_size == sizeof n, "a counter is torn", NULL);
    memcpy(&n, value.mv_data, sizeof n);
    return n;
}

static void put(MDB_txn *txn, unsigned key, MDB_val value)
{
    MDB_val k = { sizeof key, &key };
    is_done(mdb_put(txn, rows, &k, &value, 0), "mdb_put");
}

static void *write_rows(void *data)
{
    unsigned writer = *(unsigned *)data, kept = 0;
    unsigned char bytes[6100];
    char name[10];
    snprintf(name, sizeof name, "%u", writer);
    for (unsigned round = 0; round < ROUNDS; round++) {
        MDB_txn *txn;
        is_done(mdb_txn_begin(env, NULL, 0, &txn), "mdb_txn_begin");
        unsigned n = counter(txn, writer);
        for (unsigned i = 0; i < 3; i++)
            put(txn, key_of(writer, n, i), row_of(key_of(writer, n, i), bytes));
        n++;
        put(txn, writer, (MDB_val){ sizeof n, &n });
        if (round % 3 == 2) {
            mdb_txn_abort(txn);
            continue;
        }
        is_done(mdb_txn_commit(txn), "mdb_txn_commit");
        acknowledge("made", 1);
        acknowledge(name, (int)n);
        kept++;
    }
    must(kept > 0, "nothing is written", NULL);
    return NULL;
}

/* Looks at each row: those of the counters are there, and no others. */
static void look(void)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    unsigned all = 0, found = 0;
    unsigned char bytes[6100];
    char name[10];
    is_done(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "mdb_txn_begin");
    for (unsigned writer = 0; writer < WRITERS; writer++) {
        unsigned n = counter(txn, writer);
        snprintf(name, sizeof name, "%u", writer);
        must(n >= (unsigned)acknowledged(name), "a transaction is lost", name);
        all += n > 0 ? 3 * n + 1 : 0;
    }
    is_done(mdb_cursor_open(txn, rows, &cursor), "mdb_cursor_open");
    int status;
    for (; (status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0; found++) {
        unsigned k;
        memcpy(&k, key.mv_data, sizeof k);
        MDB_val right = row_of(k, bytes);
        must(k < WRITERS || (value.mv_size == right.mv_size &&
                             memcmp(value.mv_data, right.mv_data, right.mv_size) == 0),
             "a row is torn", NULL);
    }
    must(status == MDB_NOTFOUND, "mdb_cursor_get", mdb_strerror(status));
    must(found == all, "a transaction is torn", NULL);
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
}

static int open_file(unsigned flags)
{
    is_done(mdb_env_create(&env), "mdb_env_create");
    is_done(mdb_env_set_mapsize(env, 1 << 20), "mdb_env_set_mapsize");
    int status = mdb_env_open(env, "data", MDB_NOSUBDIR | flags, 0666);
    if (status != 0)
        mdb_env_close(env);
    return status;
}

static void begin(const char *how)
{
    unsigned flags = strcmp(how, "nosync") == 0 ? MDB_NOSYNC : 0;
    MDB_txn *txn;
    int status = open_file(flags);
    if (status != 0 && acknowledged("made") == 0 && strcmp(how, "create") != 0) {
        must(unlink("data") == 0, "unlink", NULL);
        status = open_file(flags);
    }
    is_done(status, "mdb_env_open");
    sync_folder(".");
    is_done(mdb_txn_begin(env, NULL, 0, &txn), "mdb_txn_begin");
    is_done(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY | MDB_CREATE, &rows), "mdb_dbi_open");
    is_done(mdb_txn_commit(txn), "mdb_txn_commit");
}

int main(int count, char **argument)
{
    unsigned writers[WRITERS];
    pthread_t threads[WRITERS];
    begin(count > 1 ? argument[1] : "");
    look();
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = i;
        must(pthread_create(&threads[i], NULL, write_rows, &writers[i]) == 0, "pthread_create",
             NULL);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    look();
    mdb_env_close(env);
    return 0;
}
