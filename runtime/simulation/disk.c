/* disk.c - a disk for a program of --auto=test, which loses at a crash what POSIX lets it lose.
 *
 * Purpose: with CO4_TEST_DISK, the name of a folder that the run may use, the program's files are
 * there: files of the system, so that descriptors, stdio and mmap() are as always. paths.c says
 * which name is which file. With CO4_TEST_CRASH a run has several lives: each but the last one ends
 * at a call that the seed chooses, or with the program. Then the folder becomes what the disk may
 * have, and the program begins again. What is durable: contents.c for bytes, entries.c for names.
 *
 * The states of a disk change at calls only, and by memory that is mapped, whose sectors may
 * survive each by itself: so a crash at the beginning of a call, or within one that writes, is as
 * good as one at any time.
 *
 * Invariants: what happens is drawn from a sequence of its own, so a program's order and random
 * numbers are the same with and without a disk. The state is in memory that children share; they
 * do not crash.
 *
 * Concurrency: one thread. */
#define _GNU_SOURCE
#include "simulation/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "simulation/faults.h"
#include "simulation/nodes.h"

#define MEMORY (UINT64_C(1) << 36) /* addresses; only what is used is taken */

char *__real_realpath(const char *path, char *to);
int __real_chdir(const char *path);

/* ---- calls ---- */

bool co4__disk_call(void)
{
    struct co4__disk *d = co4__disk;
    if (d->pid != getpid())
        return false;
    d->calls++;
    if (d->crash_at != d->calls)
        return false;
    co4__fault_happens("crash", d->crash_at, NULL);
    if (co4__disk_random() % 2 == 0)
        return true;
    co4__disk_crash();
}

void co4__disk_crash(void)
{
    co4__disk_survive_contents();
    co4__disk_survive_names();
    co4__disk_remove_tree(AT_FDCWD, co4__disk->unlinked);
    co4__disk_keep_numbers();
    co4__disk->at_end->crashed();
    abort();
}

void co4__disk_end(int status)
{
    if (co4__disk->pid != getpid() || status != 0)
        return;
    fflush(NULL);
    if (co4__disk->crash_at != 0) {
        co4__fault_happens("crash", co4__disk->crash_at, "at the end of the program");
        co4__disk_crash();
    }
    co4__disk->at_end->ends();
}

/* ---- the beginning ---- */

/* "write=20,space=100000": returns whether it is one. */
static bool read_faults(const char *text, struct co4__disk_faults *faults)
{
    static const char *const names[] = { "fsync", "write", "read", "space" };
    unsigned long long numbers[] = { 0, 0, 0, 0 };
    faults->space = -1;
    while (text && *text) {
        size_t i = 0, n = strcspn(text, "=");
        char *end;
        while (i < 4 && (strlen(names[i]) != n || memcmp(names[i], text, n) != 0))
            i++;
        if (i == 4 || text[n] != '=' || text[n + 1] < '0' || text[n + 1] > '9')
            return false;
        errno = 0;
        numbers[i] = strtoull(text + n + 1, &end, 10);
        if (errno != 0 || (*end != '\0' && *end != ',') || numbers[i] > INT64_MAX)
            return false;
        if (i == 3)
            faults->space = (int64_t)numbers[i];
        text = *end ? end + 1 : end;
    }
    faults->sync = numbers[0];
    faults->write = numbers[1];
    faults->read = numbers[2];
    return true;
}

/* "3" or "3,500": up to three crashes, within the first 500 calls of a life. */
static const char *draw_crashes(struct co4__disk *d)
{
    static const char wrong[] = "CO4_TEST_CRASH: not a number from 1, or two of them";
    const char *text = getenv("CO4_TEST_CRASH");
    char *end;
    uint64_t most, calls = 0;
    if (!text)
        return NULL;
    errno = 0;
    most = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || most < 1 || most > 1000)
        return wrong;
    if (*end == ',') {
        if (end[1] < '0' || end[1] > '9')
            return wrong;
        calls = strtoull(end + 1, &end, 10);
        if (calls < 1)
            return wrong;
    }
    if (*end != '\0' || errno != 0)
        return wrong;
    d->crashes = 1 + (unsigned)(co4__random(co4__random(~d->seed)) % most);
    uint64_t at = 0;
    if (d->life <= d->crashes) {
        uint64_t within = UINT64_C(1) << (3 + co4__disk_random() % 12);
        at = 1 + co4__disk_random() % (calls ? calls : within);
    }
    d->crash_at = co4__fault_call("crash", at);
    return NULL;
}

static const char *begin_folders(struct co4__disk *d, const char *name)
{
    int base = __real_open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
    struct stat s;
    if (base < 0 || strlen(name) > CO4__DISK_PATH / 2 || !__real_realpath(name, d->base))
        return "CO4_TEST_DISK: no such folder";
    snprintf(d->root, sizeof d->root, "%.*s/root", CO4__DISK_PATH / 2 + 99, d->base);
    snprintf(d->unlinked, sizeof d->unlinked, "%.*s/unlinked", CO4__DISK_PATH / 2 + 99, d->base);
    d->root_bytes = strlen(d->root);
    co4__disk_remove_tree(base, "unlinked");
    if (d->life == 1) {
        co4__disk_remove_tree(base, "root");
        co4__disk_remove_tree(base, "acknowledged");
        err = co4__disk_copy_tree(base, co4__node ? "../first" : "first", base, "root");
        err = err == ENOENT ? 0 : err;
        __real_mkdirat(base, "acknowledged", 0777);
    }
    __real_mkdirat(base, "root", 0777);
    __real_mkdirat(base, "unlinked", 0700);
    if (err != 0 || __real_fstatat(base, "root", &s, 0) != 0)
        return "CO4_TEST_DISK: the folder cannot be written";
    d->device = s.st_dev;
    co4__disk_begin_numbers();
    __real_close(base);
    return NULL;
}

unsigned co4__disk_life(void)
{
    const char *text = getenv("CO4_TEST_LIFE");
    return text ? (unsigned)strtoul(text, NULL, 10) : 1;
}

const char *co4__disk_begin(uint64_t seed, unsigned life, const struct co4__disk_ends *ends)
{
    const char *name = getenv("CO4_TEST_DISK"), *wrong;
    char *memory;
    if (!name)
        return getenv("CO4_TEST_CRASH") ? "CO4_TEST_CRASH: needs CO4_TEST_DISK" : NULL;
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (memory == MAP_FAILED)
        return "CO4_TEST_DISK: out of memory";
    struct co4__disk *d = (struct co4__disk *)(void *)memory;
    co4__disk = d;
    d->next = memory + (sizeof *d + 15) / 16 * 16;
    d->end = memory + MEMORY;
    d->pid = getpid();
    d->seed = seed;
    d->life = life;
    d->at_end = ends;
    co4__disk_file_by(0); /* makes the table */
    wrong = begin_folders(d, name);
    wrong = wrong ? wrong : co4__disk_begin_paths();
    wrong = wrong ? wrong : draw_crashes(d);
    if (!wrong && !read_faults(getenv("CO4_TEST_FAULT"), &d->faults))
        wrong = "CO4_TEST_FAULT: not NAME=NUMBER, of fsync, write, read and space";
    memcpy(d->home, d->cwd, sizeof d->home);
    if (!wrong) {
        char real[2 * CO4__DISK_PATH + 8];
        snprintf(real, sizeof real, "%s%s", d->root, d->cwd);
        if (__real_chdir(real) != 0 && __real_chdir(d->root) == 0) /* a crash has removed it */
            memcpy(d->cwd, "/", 2);
    }
    return wrong;
}
