/* loader.h - the state of the loader, which the files of this folder share. */
#ifndef CW_CLANG_LOADER_H
#define CW_CLANG_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/types.h"
#include "clang/cursor.h"
#include "clang/libclang.h"

struct load_decl_slot {
    CXCursor cursor;
    cw_decl *decl;
};

struct load_type_slot {
    CXType key;
    cw_type *type;
};

struct load_tag_slot {
    CXCursor cursor;
    CXType type;
    cw_tag *tag;
};

/* A function's definition in the text. */
typedef struct load_definition {
    uint32_t begin, end;
    const char *unread; /* why its body is not looked at; NULL: it is */
} load_definition;

/* What of the unit is not read. */
typedef struct load_unread {
    const load_cursors *tops; /* what stands at file scope */
    const char **why;         /* of each of the tops; NULL: it is read */
    const char *all;          /* why not a single one is read; NULL: some are */
    cw_names names;           /* that the others declare; load_errors() frees them */
    load_definition *definitions;
    size_t ndefinitions;
} load_unread;

typedef struct loader {
    cw_unit *unit;
    CXTranslationUnit tu;
    cw_func *func;                   /* whose body is being read */
    uint32_t scope_begin, scope_end; /* the block that is being read */
    struct load_decl_slot *decls;    /* open addressing, a power of two */
    size_t ndecls, decl_room;
    struct load_type_slot *types; /* the same */
    size_t ntypes, type_room;
    struct load_tag_slot *tags;
    size_t ntags;
    size_t *tag_index, tag_room; /* open addressing, a power of two: places in `tags`, from 1 */
    size_t ncomplete;            /* of the tags: those before have their fields */
    unsigned depth;              /* of calls that read types and declarations */
    cw_names labels;             /* by the bytes of their offsets: places in func->declared */
    cw_node **label_nodes;       /* of the function, as they come */
    size_t nlabel_nodes;
    cw_node **asm_gotos; /* of the function: asm.c */
    size_t nasm_gotos;
    struct load_question *questions; /* ask.c */
    size_t nquestions;
    bool knows_foreign; /* foreign.c: there may be such types */
    /* load_stmt(), for the statements in an expression: expr.c stands below stmt.c. */
    cw_node *(*read_stmt)(struct loader *l, CXCursor cursor, cw_node *parent);
} loader;

const char *load_string(loader *l, CXString string); /* copied into the arena, and disposed of */
/* Is the function that is being read pausable, or will it be? */
bool load_may_pause(const loader *l);

#endif
