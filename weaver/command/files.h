/* files.h - whole files in memory, temporary folders, atomic writes. */
#ifndef CW_COMMAND_FILES_H
#define CW_COMMAND_FILES_H

#include "base/buf.h"
#include "command/argv.h"

/* Each reports the problem before it returns false. */
bool cw_file_read(const char *path, cw_buf *text);

/* The file gets all of the text, or keeps its contents. "-" is the standard output. */
bool cw_file_write(const char *path, const char *text, size_t length);
/* Is an output, which may be NULL, the same file as an input? Complains if so. */
bool cw_file_overwrites(const char *input, const char *output);
/* Are they one regular file, under any names? */
bool cw_file_is_same(const char *one, const char *other);

/* A private folder in $TMPDIR, or in /tmp if that is no folder that one can write to. It is deleted
 * by cw_temp_remove(). */
typedef struct cw_temp {
    char *folder; /* NULL: not created yet */
    cw_argv files;
    cw_argv folders;
    struct cw_temp *next; /* of this process's, for cw_temp_abandon() */
} cw_temp;

/* Creates a file FOLDER/NUMBER/NAME, where NUMBER distinguishes equal names. Returns NULL after a
 * message if that fails. The path belongs to `temp`. */
const char *cw_temp_file(cw_temp *temp, const char *name, const char *text, size_t length);
void cw_temp_remove(cw_temp *temp);
/* Deletes all that this process has made, before it ends where it is. Signal handlers may call
 * it. */
void cw_temp_abandon(void);

#endif
