/* write.h - types and locals as woven code writes them. */
#ifndef CW_AST_WRITE_H
#define CW_AST_WRITE_H

#include "base/types.h"

enum {
    CW_WRITE_FILE_SCOPE = 1,  /* local typedefs are replaced by their types */
    CW_WRITE_UNQUALIFIED = 2, /* drop const of the object itself (and of array elements) */
    CW_WRITE_PAUSABLE = 4,    /* the first function type gets a fiber parameter */
    CW_WRITE_PARAMETER = 8    /* of a prototype: computed lengths are [*] */
};

/* Writes a declaration of `name` (may be "") with this type. */
const char *cw_type_write(cw_unit *unit, const cw_type *type, const char *name, unsigned how);

/* The text by which the body refers to a local, and to its field. */
const char *cw_local_ref(cw_unit *unit, const cw_local *local);
const char *cw_field_ref(cw_unit *unit, const cw_local *local);

#endif
