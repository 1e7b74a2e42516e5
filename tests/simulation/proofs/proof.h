/* proof.h - what programs of proofs share: a check, and what was acknowledged. */
#ifndef PROOF_H
#define PROOF_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int holds, const char *what, const char *more)
{
    if (!holds) {
        printf("%s: %s\n", what, more ? more : "");
        fflush(stdout);
        abort();
    }
}

/* The number that is kept below /acknowledged by this name; 0: there is none. No crash takes it. */
static inline int acknowledged(const char *name)
{
    char path[100];
    int n = 0;
    snprintf(path, sizeof path, "/acknowledged/%s", name);
    int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        must(read(fd, &n, sizeof n) == sizeof n, "acknowledged", name);
        close(fd);
    }
    return n;
}

static inline void acknowledge(const char *name, int n)
{
    char path[100];
    snprintf(path, sizeof path, "/acknowledged/%s", name);
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    must(fd >= 0 && pwrite(fd, &n, sizeof n, 0) == sizeof n, "acknowledge", strerror(errno));
    close(fd);
}

/* For libraries that leave this to their users. */
static inline void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    must(fd >= 0 && fsync(fd) == 0, "sync of the folder", path);
    close(fd);
}

#endif
