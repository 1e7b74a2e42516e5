/* sqlite_slow_vfs.c - a VFS of SQLite: the default one, but each read of a file waits first. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "sqlite_query.h"

typedef struct slow_file {
    sqlite3_file base;
    sqlite3_file *inner; /* in the memory after this */
} slow_file;

static sqlite3_vfs *inner_vfs, slow;
static long reads;

static sqlite3_file *inner(sqlite3_file *file)
{
    return ((slow_file *)file)->inner;
}

static int slow_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
    __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
    usleep(1000);
    return inner(file)->pMethods->xRead(inner(file), to, bytes, at);
}

static int slow_close(sqlite3_file *file)
{
    return inner(file)->pMethods->xClose(inner(file));
}
static int slow_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
    return inner(file)->pMethods->xWrite(inner(file), from, bytes, at);
}
static int slow_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return inner(file)->pMethods->xTruncate(inner(file), size);
}
static int slow_sync(sqlite3_file *file, int flags)
{
    return inner(file)->pMethods->xSync(inner(file), flags);
}
static int slow_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return inner(file)->pMethods->xFileSize(inner(file), size);
}
static int slow_lock(sqlite3_file *file, int level)
{
    return inner(file)->pMethods->xLock(inner(file), level);
}
static int slow_unlock(sqlite3_file *file, int level)
{
    return inner(file)->pMethods->xUnlock(inner(file), level);
}
static int slow_check_lock(sqlite3_file *file, int *out)
{
    return inner(file)->pMethods->xCheckReservedLock(inner(file), out);
}
static int slow_control(sqlite3_file *file, int what, void *data)
{
    return inner(file)->pMethods->xFileControl(inner(file), what, data);
}
static int slow_sector_size(sqlite3_file *file)
{
    return inner(file)->pMethods->xSectorSize(inner(file));
}
static int slow_characteristics(sqlite3_file *file)
{
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static const sqlite3_io_methods methods = {
    .iVersion = 1, /* neither shared memory nor maps */
    .xClose = slow_close,
    .xRead = slow_read,
    .xWrite = slow_write,
    .xTruncate = slow_truncate,
    .xSync = slow_sync,
    .xFileSize = slow_size,
    .xLock = slow_lock,
    .xUnlock = slow_unlock,
    .xCheckReservedLock = slow_check_lock,
    .xFileControl = slow_control,
    .xSectorSize = slow_sector_size,
    .xDeviceCharacteristics = slow_characteristics,
};

static int slow_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    slow_file *f = (slow_file *)file;
    (void)vfs;
    f->inner = (sqlite3_file *)(f + 1);
    int status = inner_vfs->xOpen(inner_vfs, name, f->inner, flags, out);
    f->base.pMethods = f->inner->pMethods != NULL ? &methods : NULL;
    return status;
}

int slow_vfs_register(void)
{
    inner_vfs = sqlite3_vfs_find(NULL);
    slow = *inner_vfs;
    slow.zName = "slow";
    slow.szOsFile += (int)sizeof(slow_file);
    slow.xOpen = slow_open;
    return sqlite3_vfs_register(&slow, 0);
}

long slow_vfs_reads(void)
{
    return reads;
}
