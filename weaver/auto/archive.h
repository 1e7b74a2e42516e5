/* archive.h - --auto: reads archives, and writes copies of them. */
#ifndef CW_AUTO_ARCHIVE_H
#define CW_AUTO_ARCHIVE_H

#include "base/buf.h"
#include "base/types.h"

typedef struct cw_member {
    const char *name; /* not terminated; of a thin archive: the path of a file */
    size_t name_length;
    const char *bytes; /* NULL in a thin archive */
    size_t length;
} cw_member;

/* Is it an archive? Sets *at to its beginning, for the calls below. */
bool cw_archive_begin(const char *bytes, size_t length, bool *thin, size_t *at);
/* The next member that is no table of the archive. Returns false at the end, or where it is
 * damaged. */
bool cw_archive_next(const char *bytes, size_t length, bool thin, size_t *at, cw_member *member);

/* Calls `found` for each symbol that an archive's own table has. */
void cw_archive_names(const char *bytes, size_t length,
                      void (*found)(void *to, const char *name, size_t length), void *to);

/* A copy that is being made. */
typedef struct cw_archive_copy {
    cw_buf members, names;   /* names: those that are too long for the head of a member */
    cw_buf offsets, symbols; /* of objects of WebAssembly: what they define, and where they begin */
} cw_archive_copy;

/* Adds a member with the name of `like`. */
void cw_archive_copy_add(cw_archive_copy *copy, const cw_member *like, const char *bytes,
                         size_t length);
/* Appends the archive to `out`, with a table of the symbols of WebAssembly if that is wanted, and
 * forgets what it was made of. */
void cw_archive_copy_end(cw_archive_copy *copy, bool table, cw_buf *out);

#endif
