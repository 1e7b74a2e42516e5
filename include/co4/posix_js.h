/* co4/posix_js.h - calls of Emscripten that wait, as programs without marks make them.
 *
 * In programs that are woven as a whole (co4weave --auto) they replace the calls whose names they
 * have, as share/co4/posix.roots says. Programs that have marks call co4/js.h instead. */
#ifndef CO4_POSIX_JS_H
#define CO4_POSIX_JS_H

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: nothing; by *error, as the calls of Emscripten say: 0, or it has failed.
 * Pauses: until the time has come, or JavaScript has the answer.
 * Blocks: never.
 * Cancellation: the call ends early, and fails if it can.
 * Thread safety: any task.
 * Ownership: buffers stay the caller's, and where they are, until the call returns; bytes that a
 *     call returns are the caller's to free().
 * Since: 0.2. */

/* Times, files of the network and of IndexedDB. */
pausable void co4_posix_emscripten_sleep(unsigned ms);
pausable void co4_posix_emscripten_wget_data(const char *url, void **bytes, int *count, int *error);
pausable void co4_posix_emscripten_idb_load(const char *db, const char *id, void **bytes,
                                            int *count, int *error);
pausable void co4_posix_emscripten_idb_store(const char *db, const char *id, void *bytes, int count,
                                             int *error);
pausable void co4_posix_emscripten_idb_delete(const char *db, const char *id, int *error);
pausable void co4_posix_emscripten_idb_exists(const char *db, const char *id, int *exists,
                                              int *error);

/* Around the calls of EM_ASYNC_JS() functions: they return what the promise is resolved with, as a
 * number.
 *
 * Returns: the number; 0 for none, and after a rejection, which JavaScript gets as an error that no
 *     one has caught. */
pausable int co4_posix_js_settle(int number);
pausable double co4_posix_js_settle_double(double number);

/* Files of a page may take time: these wait for the answer of its kernel. Those of a mount that
 * answers at once, and all of Emscripten's own, never wait.
 *
 * Returns: what the call without `co4_posix_` returns; -1 or NULL and ECANCELED when the task is
 *     cancelled. What has been begun then may still happen; a file that comes too late is closed.
 * Pauses: until the page has answered. */
pausable int co4_posix_stat(const char *path, struct stat *to);
pausable int co4_posix_lstat(const char *path, struct stat *to);
pausable int co4_posix_fstat(int fd, struct stat *to);
pausable int co4_posix_fstatat(int folder, const char *path, struct stat *to, int flags);
pausable int co4_posix_access(const char *path, int mode);
pausable int co4_posix_faccessat(int folder, const char *path, int mode, int flags);
pausable off_t co4_posix_lseek(int fd, off_t at, int whence);
pausable int co4_posix_ftruncate(int fd, off_t bytes);
pausable int co4_posix_truncate(const char *path, off_t bytes);
pausable int co4_posix_mkdir(const char *path, mode_t mode);
pausable int co4_posix_mkdirat(int folder, const char *path, mode_t mode);
pausable int co4_posix_rmdir(const char *path);
pausable int co4_posix_unlink(const char *path);
pausable int co4_posix_unlinkat(int folder, const char *path, int flags);
pausable int co4_posix_remove(const char *path);
pausable int co4_posix_rename(const char *from, const char *to);
pausable int co4_posix_renameat(int folder, const char *from, int other, const char *to);
pausable int co4_posix_link(const char *from, const char *to);
pausable int co4_posix_linkat(int folder, const char *from, int other, const char *to, int flags);
pausable int co4_posix_symlink(const char *target, const char *path);
pausable int co4_posix_symlinkat(const char *target, int folder, const char *path);
pausable ssize_t co4_posix_readlink(const char *path, char *to, size_t room);
pausable ssize_t co4_posix_readlinkat(int folder, const char *path, char *to, size_t room);
pausable char *co4_posix_realpath(const char *path, char *to);
pausable int co4_posix_chmod(const char *path, mode_t mode);
pausable int co4_posix_fchmod(int fd, mode_t mode);
pausable int co4_posix_fchmodat(int folder, const char *path, mode_t mode, int flags);
pausable int co4_posix_utimensat(int folder, const char *path, const struct timespec times[2],
                                 int flags);
pausable int co4_posix_futimens(int fd, const struct timespec times[2]);
pausable int co4_posix_chdir(const char *path);
pausable struct dirent *co4_posix_readdir(DIR *folder);
pausable FILE *co4_posix_fopen(const char *path, const char *mode);
pausable FILE *co4_posix_tmpfile(void);
pausable DIR *co4_posix_opendir(const char *path);
pausable FILE *co4_posix_freopen(const char *path, const char *mode, FILE *stream);
pausable int co4_posix_mkstemp(char *name);
pausable int co4_posix_mkostemp(char *name, int flags);
pausable int co4_posix_mkstemps(char *name, int end);
pausable int co4_posix_mkostemps(char *name, int end, int flags);
pausable char *co4_posix_mkdtemp(char *name);
pausable int co4_posix_fseek(FILE *stream, long at, int whence);
pausable int co4_posix_fseeko(FILE *stream, off_t at, int whence);
pausable void co4_posix_rewind(FILE *stream);
pausable int co4_posix_fsetpos(FILE *stream, const fpos_t *at);

#ifdef __cplusplus
}
#endif

#endif
