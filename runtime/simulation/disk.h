/* disk.h - the simulated disk of a program of --auto=test: disk.c explains it. */
#ifndef CO4_SIMULATION_DISK_H
#define CO4_SIMULATION_DISK_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/compiler.h"
#include "base/public.h"

#define CO4__DISK_PATH   4096
#define CO4__DISK_SECTOR 512 /* bytes that survive together */

struct co4__disk_file;   /* contents.c */
struct co4__disk_op;     /* entries.c */
struct co4__disk_inodes; /* inodes.c */

struct co4__disk_faults {
    uint64_t sync, write, read; /* once in so many calls; 0: never */
    int64_t space;              /* bytes that files may grow by; -1: any */
};

/* What the program does in the end of a life; program.c has it. */
struct co4__disk_ends {
    void (*crashed)(void); /* does not return */
    void (*ends)(void);    /* well, and no other life comes */
};

/* In memory that the life shares with its children. */
struct co4__disk {
    char base[CO4__DISK_PATH], root[CO4__DISK_PATH], unlinked[CO4__DISK_PATH];
    char cwd[CO4__DISK_PATH];  /* of the program, by its own name */
    char home[CO4__DISK_PATH]; /* where it began */
    char exe[CO4__DISK_PATH];
    size_t root_bytes;
    dev_t device;
    pid_t pid;
    uint64_t seed, drawn, calls, crash_at; /* crash_at: 0 for none in this life */
    unsigned life, crashes;
    struct co4__disk_faults faults;
    struct co4__disk_file *files, *last_file;
    struct co4__disk_op *ops, *last_op;
    struct co4__disk_inodes *inodes;
    uint64_t numbers; /* of files, in the order in which they are first written */
    char *next, *end; /* memory not in use yet */
    void *chunks;     /* that are free */
    const struct co4__disk_ends *at_end;
};

extern CO4__OWN struct co4__disk *co4__disk; /* NULL: files are the system's */

/* Reads the environment, makes the disk of the life. Returns NULL, or what is wrong. */
CO4__OWN const char *co4__disk_begin(uint64_t seed, unsigned life,
                                     const struct co4__disk_ends *ends);
/* The number of a life that the environment says; 1 without. */
CO4__OWN unsigned co4__disk_life(void);
/* The same as from a number; the disk's own sequence. */
CO4__OWN uint64_t co4__disk_random(void);
/* Whether a fault happens, which does once in so many times; 0: never. */
CO4__OWN bool co4__disk_happens(uint64_t once_in, const char *fault);
/* Memory that stays; zeroed. The run ends if there is none. */
CO4__OWN void *co4__disk_alloc(size_t bytes);
/* A call that changes the disk begins. The life may end here. Returns whether it ends in the midst:
 * the caller then does a part and calls co4__disk_crash(). */
CO4__OWN bool co4__disk_call(void);
CO4__OWN _Noreturn void co4__disk_crash(void);
/* The program ends with this status: the power may fail now. */
CO4__OWN void co4__disk_end(int status);

/* ---- contents.c: which bytes of files are durable ---- */

/* The descriptor's file is about to be written: from now on it is known what is durable of it. */
CO4__OWN void co4__disk_track(int fd, bool is_new);
CO4__OWN struct co4__disk_file *co4__disk_file_of(int fd);
CO4__OWN struct co4__disk_file *co4__disk_file_by(ino_t ino);
/* Makes the bytes durable. */
CO4__OWN int co4__disk_sync_file(struct co4__disk_file *f, int fd);
CO4__OWN void co4__disk_sync_range(struct co4__disk_file *f, int fd, int64_t from, int64_t to);
CO4__OWN void co4__disk_sync_contents(void); /* of all files */
/* A fsync() that fails: some sectors are durable, the others will not be. */
CO4__OWN void co4__disk_fail_sync(struct co4__disk_file *f, int fd);
/* Some sectors become durable by themselves. */
CO4__OWN void co4__disk_write_back(struct co4__disk_file *f, int fd);
/* The file has been cut to this size. */
CO4__OWN void co4__disk_cut(struct co4__disk_file *f, int64_t size);
/* These bytes were written again. */
CO4__OWN void co4__disk_rewritten(struct co4__disk_file *f, int64_t at, int64_t bytes);
/* Gives all files what a crash leaves of them. */
CO4__OWN void co4__disk_survive_contents(void);
CO4__OWN void co4__disk_forget(ino_t ino);
/* Returns a descriptor of the file, which the caller closes; or -1. */
CO4__OWN int co4__disk_open_file(struct co4__disk_file *f);

/* ---- entries.c: which names are durable ---- */

CO4__OWN ino_t co4__disk_entry(int folder, const char *name);
CO4__OWN void co4__disk_note_put(ino_t folder, const char *name, ino_t before, ino_t after);
CO4__OWN void co4__disk_note_rmdir(ino_t folder, const char *name, ino_t before);
CO4__OWN void co4__disk_note_rename(ino_t from, const char *old, ino_t moved, ino_t to,
                                    const char *name, ino_t before);
CO4__OWN void co4__disk_note_exchange(ino_t from, const char *old, ino_t one, ino_t to,
                                      const char *name, ino_t other);
CO4__OWN void co4__disk_sync_folder(ino_t folder);
CO4__OWN void co4__disk_sync_names(void); /* of all folders */
CO4__OWN bool co4__disk_is_unlinked(ino_t ino);
/* Keeps what a name refers to, which is about to lose it. */
CO4__OWN void co4__disk_keep(int folder, const char *name, ino_t ino);
/* The call has failed. */
CO4__OWN void co4__disk_keep_undo(ino_t ino);
/* Gives folders the names that a crash leaves. */
CO4__OWN void co4__disk_survive_names(void);

/* ---- inodes.c ---- */

#define CO4__DISK_DEVICE 0x7ff00 /* what the program sees as st_dev */

/* What the program sees of the system's number of an inode. */
CO4__OWN ino_t co4__disk_number(ino_t real);
/* Of an entry of this folder, if it is of the disk. */
CO4__OWN void co4__disk_number_entry(DIR *d, struct dirent *e);
CO4__OWN void co4__disk_begin_numbers(void);
CO4__OWN void co4__disk_keep_numbers(void); /* for the next life */

/* ---- tree.c ---- */

CO4__OWN int co4__disk_make_folders(const char *real);
CO4__OWN void co4__disk_remove_tree(int folder, const char *name);
/* 0, or an errno. */
CO4__OWN int co4__disk_copy_tree(int from, const char *name, int to, const char *as);
/* Is called for all regular files and folders below one, by the folder's descriptor and path. */
typedef void co4__disk_visit(void *data, int folder, const char *in, const char *name,
                             const struct stat *s);
CO4__OWN void co4__disk_walk(const char *root, co4__disk_visit *each, void *data);

/* ---- paths.c ---- */

enum co4__disk_zone {
    CO4__DISK_PRIVATE, /* the simulated disk */
    CO4__DISK_KEPT,    /* that no crash reaches */
    CO4__DISK_READ,    /* of the system, for reading */
    CO4__DISK_SYSTEM,  /* of the system, for reading and writing */
};

struct co4__disk_place {
    enum co4__disk_zone zone;
    char name[CO4__DISK_PATH]; /* the program's: absolute, without links */
    char real[CO4__DISK_PATH];
};

/* Returns 0; or -1 with errno. follow: of a link at the end, what it refers to. */
CO4__OWN int co4__disk_find(struct co4__disk_place *p, int folder, const char *path, bool follow);
/* Turns a name of the system into the program's, in place. */
CO4__OWN void co4__disk_strip(char *path);
CO4__OWN const char *co4__disk_begin_paths(void);

/* ---- the system's calls ---- */

int __real_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __real_close(int fd);
int __real_fstat(int fd, struct stat *s);
int __real_fstatat(int folder, const char *path, struct stat *s, int flags);
int __real_mkdirat(int folder, const char *path, mode_t mode);
int __real_unlinkat(int folder, const char *path, int flags);
int __real_renameat(int from, const char *old, int to, const char *name);
int __real_linkat(int from, const char *old, int to, const char *name, int flags);
int __real_symlinkat(const char *target, int folder, const char *name);
struct dirent *__real_readdir(DIR *d);
int __real_ftruncate(int fd, off_t size);
ssize_t __real_readlinkat(int folder, const char *path, char *text, size_t bytes);
ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);

/* syncs.c, writes.c: the calls of these names, of descriptors that are not simulated. */
CO4__OWN ssize_t co4__disk_pread(int fd, void *to, size_t bytes, off_t at);
CO4__OWN ssize_t co4__disk_preadv(int fd, const struct iovec *to, int count, off_t at);
CO4__OWN ssize_t co4__disk_preadv2(int fd, const struct iovec *to, int count, off_t at, int flags);
CO4__OWN ssize_t co4__disk_sendfile(int fd, int in, off_t *from, size_t bytes);
CO4__OWN ssize_t co4__disk_read(int fd, void *to, size_t bytes);
CO4__OWN ssize_t co4__disk_readv(int fd, const struct iovec *to, int count);
CO4__OWN ssize_t co4__disk_write(int fd, const void *from, size_t bytes);
CO4__OWN ssize_t co4__disk_writev(int fd, const struct iovec *from, int count);

#endif
