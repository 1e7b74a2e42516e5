/* local.h - a variable of a pausable function. escape collects the variables, linearize adds
 * temporaries, liveness and frame compute the rest. */
#ifndef CW_AST_LOCAL_H
#define CW_AST_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

/* A variable of a pausable function: parameter, local, temporary, or the storage of a value. */
struct cw_local {
    /* in the body; another name than the declared one if shadowing would hide it */
    const char *name;
    const char *field; /* in the frame */
    const cw_type *type;
    cw_decl *decl; /* NULL: a temporary */
    bool pausable; /* (pointer to) pausable function by a mark on its declaration */
    bool is_param;
    bool is_temp;
    const cw_type *seen; /* the type to which a use is cast: see vla.c; NULL: `type` */
    bool pinned;
    const char *why_pinned;
    uint32_t why_at;  /* position of the reason, or 0 */
    size_t index;     /* in func->locals */
    uint32_t *writes; /* linearize: the nodes that assign to it, by cw_node.order */
    size_t nwrites;

    /* liveness, frame */
    bool saved;     /* live at some point */
    bool bytes;     /* field is raw storage: the type has no name at file scope */
    bool unqualify; /* const: declared without it */
    bool in_memory; /* declared without its storage class: copies take its address */
    bool clear;     /* saved where it may have no value yet: initialized with zero */
    bool at_entry;  /* entries: live at all points; a single body restores it at its entry */
    uint32_t offset, size, align;
    uint32_t zone;      /* bytes of the red zone before it (frame.c); 0: none */
    size_t field_index; /* in func->fields */
    size_t declared_in; /* emit: the list of temporaries that contains it; 0: none yet */
};

/* The user's name for it; a temporary's own. */
const char *cw_local_name(const cw_local *local);

#endif
