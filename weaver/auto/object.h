/* object.h - --auto: reads objects and archives. */
#ifndef CW_AUTO_OBJECT_H
#define CW_AUTO_OBJECT_H

#include "base/types.h"

/* The contents of a section of an ELF object; NULL if there is none, or if it is no such object. */
const char *cw_object_section(const char *bytes, size_t length, const char *name, size_t *size);

/* The bytes of machine code in an ELF object; 0 if it is none. */
size_t cw_object_code(const char *bytes, size_t length);

/* `begin`: the number in the first four bytes of an object of data. */
typedef void cw_symbol_found(void *to, const char *name, size_t begin);

/* Calls `found` for each name that an ELF object, no shared library, uses and does not have. */
void cw_object_needs(const char *bytes, size_t length, cw_symbol_found *found, void *to);

/* Calls `found` for each thread-local that an ELF object shares with others. */
void cw_object_locals(const char *bytes, size_t length, cw_symbol_found *found, void *to);

/* Calls `found` for each object of data that an ELF object has. */
void cw_object_data(const char *bytes, size_t length, cw_symbol_found *found, void *to);

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

#endif
