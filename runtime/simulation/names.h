/* names.h - calls with names of files: names.c, opens.c and looks.c share this. */
#ifndef CO4_SIMULATION_NAMES_H
#define CO4_SIMULATION_NAMES_H

#include <stdio.h>

#include "simulation/disk.h"

/* devices.c: some files that the program has opened are others. -1, NULL: it could not, with
 * `errno`. `place`: where the call returns to. */
struct co4__opened {
    int (*descriptor)(int fd, const void *place);
    FILE *(*stream)(FILE *file, const char *mode, const void *place);
};
extern CO4__OWN const struct co4__opened *co4__opened; /* NULL: no run has begun */

/* A name of the disk, in its folder. */
struct co4__disk_parts {
    char path[CO4__DISK_PATH]; /* the folder's; `name` is behind its end */
    char *name;
    ino_t folder, ino; /* 0: there is none */
};

CO4__OWN int co4__disk_split(struct co4__disk_parts *parts, const struct co4__disk_place *p);
/* co4__disk_find() of what is about to change: a name for reading is EROFS. */
CO4__OWN int co4__disk_find_to(struct co4__disk_place *p, int folder, const char *path,
                               bool follow);
/* open() of a name of the program. */
CO4__OWN int co4__disk_open(int folder, const char *path, int flags, mode_t mode);

#endif
