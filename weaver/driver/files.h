/* files.h - whole files in memory, temporary folders, files that are written whole. */
#ifndef CW_DRIVER_FILES_H
#define CW_DRIVER_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "driver/argv.h"

/* Each says what went wrong before it returns false. */
bool cw_file_read(const char *path, cw_buf *text);

/* The file has all of the text, or is as it was before. "-" is the standard output. */
bool cw_file_write(const char *path, const char *text, size_t length);
/* Is an output, which may be NULL, the same file as an input, by whatever name? */
bool cw_file_is_same(const char *input, const char *output);

/* A private folder that is gone after cw_temp_remove(). */
typedef struct cw_temp {
    char *folder; /* NULL: not made yet */
    cw_argv files;
    cw_argv folders;
} cw_temp;

/* Makes a file FOLDER/NUMBER/NAME, where NUMBER keeps equal names apart. NULL: it could not be, and
 * that has been said. The path belongs to `temp`. */
const char *cw_temp_file(cw_temp *temp, const char *name, const char *text, size_t length);
void cw_temp_remove(cw_temp *temp);

#endif
