/* record.h - --auto: what a compilation adds to its object, for the link. */
#ifndef CW_AUTO_RECORD_H
#define CW_AUTO_RECORD_H

#include "base/buf.h"
#include "command/argv.h"

/* The section of an object that has the record. Linkers leave it out. */
#define CW_AUTO_SECTION ".co4.auto"

typedef struct cw_auto_record {
    cw_buf folder;  /* where the compiler ran */
    cw_argv words;  /* compiles the source to an object; the word CW_AUTO_OUTPUT is its name */
    cw_buf source;  /* as the command names it */
    cw_buf summary; /* of passes/summary.c */
    cw_buf text;    /* preprocessed */
} cw_auto_record;

#define CW_AUTO_OUTPUT "co4-output.o"

void cw_auto_record_write(const cw_auto_record *record, cw_buf *out);
/* Returns NULL, or why it cannot be read; then nothing has to be freed. */
const char *cw_auto_record_read(cw_auto_record *record, const char *bytes, size_t length);
void cw_auto_record_free(cw_auto_record *record);

/* Appends the bytes, deflated. Returns false if there is no zlib. */
bool cw_deflate(const char *bytes, size_t length, cw_buf *out);
/* Appends what cw_deflate() has made, as it was. Returns false if it is damaged, or, after a
 * message, if there is no zlib. */
bool cw_inflate(const char *bytes, size_t length, cw_buf *out);

#endif
