/* co4/posix_js.h - calls of Emscripten that wait, as programs without marks make them.
 *
 * In programs that are woven as a whole (co4weave --auto) they replace the calls whose names they
 * have, as share/co4/posix.roots says. Programs that have marks call co4/js.h instead. */
#ifndef CO4_POSIX_JS_H
#define CO4_POSIX_JS_H

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

#ifdef __cplusplus
}
#endif

#endif
