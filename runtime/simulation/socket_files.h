/* socket_files.h - calls about the files of simulated Unix sockets: socket_files.c. */
#ifndef CO4_SIMULATION_SOCKET_FILES_H
#define CO4_SIMULATION_SOCKET_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "io/network.h"

CO4__OWN void co4__socket_files_begin(void);
/* The file that a name of the program means; NULL: it is another one, or none. */
CO4__OWN struct co4__net_path *co4__socket_file(int folder, const char *path);
/* Whether a folder has such files: it is not empty. */
CO4__OWN bool co4__socket_files_in(int folder, const char *path);
/* A name that is to be made is one: true, with EEXIST. */
CO4__OWN bool co4__socket_file_exists(int folder, const char *path);
/* These have succeeded, or return -1 with `errno`. */
CO4__OWN int co4__socket_file_stat(const struct co4__net_path *p, struct stat *s);
CO4__OWN int co4__socket_file_access(const struct co4__net_path *p, int mode);
CO4__OWN int co4__socket_file_chmod(struct co4__net_path *p, mode_t mode);
CO4__OWN int co4__socket_file_chown(struct co4__net_path *p, uid_t user, gid_t group);
CO4__OWN int co4__socket_file_remove(const struct co4__net_path *p);
/* rename() of it, or of another file over it. 1: the other file is still to be renamed. */
CO4__OWN int co4__socket_file_rename(int from, const char *old, int to, const char *name,
                                     unsigned flags);

#endif
