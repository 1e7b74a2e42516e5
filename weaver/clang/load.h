/* load.h - shared by the files of the loader, load*.c: the only ones that know libclang. */
#ifndef CW_LOAD_H
#define CW_LOAD_H

#include "weaver.h"

#include "clang/libclang.h"

typedef struct load_cursors {
    CXCursor *items; /* malloc'd */
    size_t count, room;
} load_cursors;

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
} loader;

/* load.c */
const char *load_string(loader *l, CXString string); /* copied into the arena, and disposed of */
load_cursors load_children(CXCursor cursor);         /* free(items) */
enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData list);
uint32_t load_offset(CXSourceLocation location);
void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);
bool load_has_mark(const cw_unit *unit, uint32_t begin, uint32_t end);
/* Where the marks in front of a declaration begin: libclang may leave them out of its extent. */
uint32_t load_with_marks(const cw_unit *unit, uint32_t begin);

/* Is the function that is being read pausable, or will it be? */
bool load_may_pause(const loader *l);
CXTranslationUnit load_parse(cw_unit *unit, CXIndex index, const char *text, size_t length);

/* unread.c */
/* libclang's error in the user's code: the unit is not woven. */
void load_error(loader *l, uint32_t at, const char *text);
/* Reports the errors of the parse, but for those that do not matter to what is woven. */
load_unread load_errors(loader *l, const load_cursors *tops);
/* Is it read? `*why`: of a function whose header alone is, why; else NULL. */
bool load_is_read(const load_unread *unread, size_t top, const char **why);

/* ask.c */
void load_ask_choice(loader *l, cw_node *node);
/* `attribute` is what stands in front of a declarator. */
void load_ask_alignment(loader *l, cw_decl *decl, const char *attribute);
void load_answers(loader *l, CXIndex index);

/* type.c */
cw_type *load_type(loader *l, CXType type);
/* Around what reads a type or a declaration: the fields of the tags that it has met are read when
 * the outermost one is done. Types and declarations lead in circles through fields only, and so
 * nothing is met before it has its type. */
void load_enter(loader *l);
void load_leave(loader *l);

/* decl.c */
cw_decl *load_decl(loader *l, CXCursor cursor);

/* expr.c */
cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent);
void load_add_kid(loader *l, cw_node *node, cw_node *kid);
void load_sort_kids(cw_node *node); /* by their places; none is NULL */
bool load_is_expr(CXCursor cursor);
/* Notes the names of typedefs of variable length among the parts of a cursor. */
/* NULL: no type has been read that it declares. */
cw_tag *load_known_tag(loader *l, CXCursor canonical);
void load_type_names(loader *l, const load_cursors *parts);
bool load_is_stmt(CXCursor cursor);
cw_decl *load_label(loader *l, CXCursor jump); /* a goto or &&: the label that it names */
cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent);

/* asm.c: an asm that has been read; all labels of the function, when its body has been */
void load_asm(loader *l, cw_node *node);
void load_asm_labels(loader *l, cw_node *const *labels, size_t nlabels);

/* foreign.c: types that only the compiler knows */
cw_type *load_foreign_type(loader *l);
bool load_is_foreign(const cw_type *type);
/* Has the node such a type? Its kids are read. */
bool load_is_foreign_value(const cw_node *node, CXCursor cursor);
/* Or something below it? */
bool load_holds_foreign(const cw_node *node);
/* The type of what is declared. */
const cw_type *load_declared_type(loader *l, CXCursor cursor);

/* stmt.c */
cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent);
cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent);
void load_tag_members(loader *l, CXCursor cursor);
/* A declaration in which expressions are only looked at: a size in a struct, an enumerator, a
 * static assertion. */
cw_node *load_constants(loader *l, CXCursor cursor, cw_node *parent);

#endif
