/* header.h - the declarator of a function, in parts. */
#ifndef CW_EMIT_HEADER_H
#define CW_EMIT_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "ast/decl.h"
#include "base/buf.h"
#include "base/types.h"

/* Where the parts of a definition's declarator stand. */
typedef struct cw_header {
    const cw_func *func; /* NULL: a prototype */
    const cw_type *type;
    cw_decl **params;
    size_t nparams;
    uint32_t begin, name_at, open, close; /* open, close: of the parameter list */
} cw_header;

typedef enum cw_header_kind {
    CW_HEADER_ENTRY, /* what callers see: the user's storage classes, attributes and types */
    CW_HEADER_BODY   /* a function that is called by ours alone, also by a resume, with zeros */
} cw_header_kind;

cw_header cw_header_of(const cw_unit *unit, const cw_func *func);
/* With another name, and parameters in front of the user's. `prefix` are storage classes and
 * attributes of ours. */
void cw_header_put(cw_unit *unit, const cw_header *h, const char *prefix, const char *name,
                   const char *more, cw_header_kind kind, cw_buf *out);
/* The user's own, for the plain entry; and a declaration of that. */
void cw_header_put_plain(cw_unit *unit, const cw_header *h, const char *prefix, cw_buf *out);
void cw_header_declare_plain(cw_unit *unit, const cw_header *h, cw_buf *out);
/* What a prototype of the user's is to the woven function, without its ';'. */
const char *cw_header_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl);

#endif
