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

/* What a canonical cursor declares: one of the two. */
struct load_decl_slot {
    CXCursor cursor;
    cw_decl *decl;
    cw_tag *tag;
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
    const char *unread; /* why its body is not read; NULL: it is */
} load_definition;

/* The parts of the unit that are not read. */
typedef struct load_unread {
    const load_cursors *tops; /* the cursors at file scope */
    const char **why;         /* for each of them, the reason; NULL: it is read */
    const char *all;          /* why none of them is read; NULL: some are */
    cw_names names; /* names declared by the parts that are not read; load_errors() frees them */
    load_definition *definitions;
    size_t ndefinitions;
} load_unread;

typedef struct loader {
    cw_unit *unit;
    CXTranslationUnit tu;
    cw_func *func;                   /* the function whose body is being read */
    uint32_t scope_begin, scope_end; /* the current block */
    struct load_decl_slot *decls;    /* open addressing, a power of two */
    size_t ndecls, decl_room;
    struct load_type_slot *types; /* the same */
    size_t ntypes, type_room;
    struct load_tag_slot *tags;
    size_t ntags;
    size_t ncomplete;       /* the tags before this index have their fields */
    unsigned depth;         /* nesting of calls that read types and declarations */
    cw_names tag_names;     /* value: index in unit->tags, from 1, of the first */
    cw_names typedef_names; /* value: index in `typedefs`, from 1 */
    cw_decl **typedefs;     /* of each name the newest */
    size_t ntypedefs;
    cw_names labels;       /* key: the bytes of an offset; value: index in func->declared */
    cw_node **label_nodes; /* of the function, in the order found */
    size_t nlabel_nodes;
    cw_node **asm_gotos; /* of the function: asm.c */
    size_t nasm_gotos;
    struct load_question *questions; /* ask.c */
    size_t nquestions;
    bool knows_foreign; /* foreign.c: such types may occur */
    /* load_stmt(), for the statements in an expression: expr.c is below stmt.c. */
    cw_node *(*read_stmt)(struct loader *l, CXCursor cursor, cw_node *parent);
} loader;

/* Copies the string into the arena, and disposes of it. */
const char *load_string(loader *l, CXString string);
/* Is the current function pausable, or may a later pass make it so? */
bool load_may_pause(const loader *l);

#endif
