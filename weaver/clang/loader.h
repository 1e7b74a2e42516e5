/* loader.h - the state of the loader, which the files of this folder share. */
#ifndef CW_CLANG_LOADER_H
#define CW_CLANG_LOADER_H

#include "ast/node.h"
#include "base/names.h"
#include "clang/libclang.h"

typedef struct load_cursors {
    CXCursor *items; /* malloc'd */
    size_t count;
} load_cursors;

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
    bool refused;             /* an error is reported that no compiler needs to explain */
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

/* ---- loader.c: cursors, what has been read, nodes, labels ---- */

load_cursors load_children(CXCursor cursor); /* free(items) */
/* Adds a cursor to a list: a visitor. */
enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData list);
uint32_t load_offset(CXSourceLocation location);
void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);
/* A record inside another is a child of that, and of the member that it is the type of. A visitor
 * that goes into both takes twice the time for each level. */
bool load_is_seen_twice(CXCursor cursor, CXCursor parent);
/* Is this declaration of a function its definition? libclang would look at all its declarations. */
bool load_is_definition(const cw_unit *unit, CXCursor cursor);
bool load_is_expr(CXCursor cursor);
bool load_is_stmt(CXCursor cursor);

/* Returns NULL if no type has been read that the cursor declares. */
cw_tag *load_known_tag(loader *l, CXCursor canonical);
void load_add_tag(loader *l, struct load_tag_slot slot);
/* The slot of a type or a declaration; it contains NULL if there is none yet. Valid until the next
 * call. */
struct load_type_slot *load_type_place(loader *l, CXType type);
struct load_decl_slot *load_decl_place(loader *l, CXCursor canonical);

/* What libclang does not name is of another kind. */
cw_kind load_kind(enum CXCursorKind kind);
cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent);
void load_add_kid(loader *l, cw_node *node, cw_node *kid);
void load_sort_kids(cw_node *node); /* by position; none is NULL */

/* The label at an offset. */
cw_decl *load_label_at(loader *l, uint32_t at);
/* The label that a goto or && names. */
cw_decl *load_label(loader *l, CXCursor jump);

/* ---- parse.c: the parse of a text ---- */

/* Returns NULL if libclang fails. */
CXTranslationUnit load_parse(cw_unit *unit, CXIndex index, const char *text, size_t length);

/* ---- foreign.c: types that only the compiler knows ---- */

cw_type *load_foreign_type(loader *l);
bool load_is_foreign(const cw_type *type);
/* Does it call a gcc builtin that clang does not know? */
bool load_is_foreign_builtin(CXCursor call);
/* Does the node have such a type? Its kids have been read. */
bool load_is_foreign_value(const cw_node *node, CXCursor cursor);
/* Does the node, or one of its kids, have such a type? */
bool load_holds_foreign(const cw_node *node);

/* ---- decl.c: types and declarations, each once ---- */

cw_type *load_type(loader *l, CXType type);
cw_decl *load_decl(loader *l, CXCursor cursor);
/* The type of the declaration at the cursor. */
const cw_type *load_declared_type(loader *l, CXCursor cursor);

/* ---- expr.c: expressions ---- */

/* Records the typedefs of variable length that are named among the parts of a cursor. */
void load_type_names(loader *l, const load_cursors *parts);

cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent);
/* Loads a declaration whose expressions are not evaluated: a size in a struct, an enumerator, a
 * static assertion. */
void load_constants(loader *l, CXCursor cursor, cw_node *node);

/* ---- asm.c: the labels that an asm goto names ---- */

/* Called for each asm that has been read. */
void load_asm(loader *l, cw_node *node);
/* Called with all labels of a function, once its body has been read. */
void load_asm_labels(loader *l, cw_node *const *labels, size_t nlabels);

/* ---- stmt.c: statements, and the declarations among them ---- */

cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent);
cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent);
void load_tag_members(loader *l, CXCursor cursor);

/* ---- ask.c: questions that a second parse answers ---- */

void load_ask_choice(loader *l, cw_node *node);
/* `attribute` is the text before a declarator. */
void load_ask_alignment(loader *l, cw_decl *decl, const char *attribute);
void load_answers(loader *l, CXIndex index);

/* ---- unread.c: the errors of the parse ---- */

/* Reports libclang's error in the user's code: the unit is not woven. */
void load_error(loader *l, uint32_t at, const char *text);
/* Reports the errors of the parse, except those that do not matter for weaving. */
load_unread load_errors(loader *l, const load_cursors *tops);
/* Is the declaration read? Sets `*why` to the reason if only a function's header is read, else to
 * NULL. */
bool load_is_read(const load_unread *unread, size_t top, const char **why);

#endif
