/* header.h - the declarator of a function, in parts. */
#ifndef CW_EMIT_HEADER_H
#define CW_EMIT_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "ast/decl.h"
#include "base/buf.h"
#include "base/types.h"

/* Positions of the parts of a definition's declarator. */
typedef struct cw_header {
    const cw_func *func; /* NULL: a prototype */
    const cw_type *type;
    cw_decl **params;
    size_t nparams;
    uint32_t begin, name_at, open, close; /* open, close: the brackets of the parameter list */
} cw_header;

typedef enum cw_header_kind {
    CW_HEADER_ENTRY, /* for callers: the user's storage classes, attributes and types */
    CW_HEADER_BODY   /* a function called by woven code only, also by a resume, with zeros */
} cw_header_kind;

cw_header cw_header_of(const cw_unit *unit, const cw_func *func);
/* Writes a header with another name, and with parameters before the user's. `prefix` contains the
 * weaver's storage classes and attributes. */
void cw_header_put(cw_unit *unit, const cw_header *h, const char *prefix, const char *name,
                   const char *more, cw_header_kind kind, cw_buf *out);
/* Writes the user's own header, for the plain entry, and a declaration of it. */
void cw_header_put_plain(cw_unit *unit, const cw_header *h, const char *prefix, cw_buf *out);
void cw_header_declare_plain(cw_unit *unit, const cw_header *h, cw_buf *out);
/* Returns the prototype of the woven function for one of the user's prototypes, without ';'. */
const char *cw_header_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl);

#endif
