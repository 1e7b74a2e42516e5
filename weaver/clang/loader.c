/* loader.c - what the files of this folder share: cursors, what has been read, nodes, labels. */
#include "clang/loader.h"

#include <stdlib.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "base/bug.h"
#include "text/unit.h"

const char *load_string(loader *l, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = cw_strdup(&l->unit->arena, text != NULL ? text : "");
    clang_disposeString(string);
    return copy;
}

bool load_may_pause(const loader *l)
{
    return l->func != NULL && (l->func->decl->marked || cw_weaves_unmarked(l->unit->options));
}

enum CXChildVisitResult load_queue(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    load_cursors *list = data;
    CW_ADD(list->items, list->count, cursor);
    return CXChildVisit_Continue;
}

load_cursors load_children(CXCursor cursor)
{
    load_cursors list = { 0 };
    clang_visitChildren(cursor, load_queue, &list);
    return list;
}

uint32_t load_offset(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

void load_extent(CXCursor cursor, uint32_t *begin, uint32_t *end)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    *begin = load_offset(clang_getRangeStart(range));
    *end = load_offset(clang_getRangeEnd(range));
}

bool load_is_seen_twice(CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return clang_getCursorKind(parent) == CXCursor_FieldDecl &&
           (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl);
}

bool load_is_definition(const cw_unit *unit, CXCursor cursor)
{
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    return end > begin && unit->text[end - 1] == '}';
}

bool load_is_expr(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) != 0;
}

bool load_is_stmt(CXCursor cursor)
{
    return clang_isStatement(clang_getCursorKind(cursor)) != 0;
}

/* Of the expressions and statements that libclang names: 1 + our kind. */
static const unsigned char kinds[] = {
    [CXCursor_IntegerLiteral] = 1 + CW_LITERAL,
    [CXCursor_FloatingLiteral] = 1 + CW_LITERAL,
    [CXCursor_ImaginaryLiteral] = 1 + CW_LITERAL,
    [CXCursor_CharacterLiteral] = 1 + CW_LITERAL,
    [CXCursor_StringLiteral] = 1 + CW_STRING,
    [CXCursor_DeclRefExpr] = 1 + CW_REF,
    [CXCursor_MemberRefExpr] = 1 + CW_MEMBER,
    [CXCursor_CallExpr] = 1 + CW_CALL,
    [CXCursor_UnaryOperator] = 1 + CW_UNARY,
    [CXCursor_BinaryOperator] = 1 + CW_BINARY,
    [CXCursor_CompoundAssignOperator] = 1 + CW_BINARY,
    [CXCursor_ConditionalOperator] = 1 + CW_COND,
    [CXCursor_CStyleCastExpr] = 1 + CW_CAST,
    [CXCursor_ParenExpr] = 1 + CW_PAREN,
    [CXCursor_ArraySubscriptExpr] = 1 + CW_INDEX,
    [CXCursor_CompoundLiteralExpr] = 1 + CW_COMPOUND_LITERAL,
    [CXCursor_InitListExpr] = 1 + CW_INIT_LIST,
    [CXCursor_UnaryExpr] = 1 + CW_SIZEOF,
    [CXCursor_StmtExpr] = 1 + CW_STMT_EXPR,
    [CXCursor_GenericSelectionExpr] = 1 + CW_GENERIC,
    [CXCursor_AddrLabelExpr] = 1 + CW_LABEL_ADDRESS,
    [CXCursor_CompoundStmt] = 1 + CW_BLOCK,
    [CXCursor_DeclStmt] = 1 + CW_DECL_STMT,
    [CXCursor_IfStmt] = 1 + CW_IF,
    [CXCursor_WhileStmt] = 1 + CW_WHILE,
    [CXCursor_DoStmt] = 1 + CW_DO,
    [CXCursor_ForStmt] = 1 + CW_FOR,
    [CXCursor_SwitchStmt] = 1 + CW_SWITCH,
    [CXCursor_CaseStmt] = 1 + CW_CASE,
    [CXCursor_DefaultStmt] = 1 + CW_DEFAULT,
    [CXCursor_LabelStmt] = 1 + CW_LABEL,
    [CXCursor_GotoStmt] = 1 + CW_GOTO,
    [CXCursor_IndirectGotoStmt] = 1 + CW_INDIRECT_GOTO,
    [CXCursor_BreakStmt] = 1 + CW_BREAK,
    [CXCursor_ContinueStmt] = 1 + CW_CONTINUE,
    [CXCursor_ReturnStmt] = 1 + CW_RETURN,
    [CXCursor_GCCAsmStmt] = 1 + CW_ASM,
    [CXCursor_NullStmt] = 1 + CW_NULL_STMT,
};

cw_kind load_kind(enum CXCursorKind kind)
{
    if (kind < sizeof kinds && kinds[kind] != 0)
        return (cw_kind)(kinds[kind] - 1);
    return clang_isStatement(kind) ? CW_OTHER_STMT : CW_OTHER_EXPR;
}

cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent)
{
    cw_node *node = cw_alloc(&l->unit->arena, sizeof *node);
    node->kind = kind;
    node->parent = parent;
    load_extent(cursor, &node->begin, &node->end);
    return node;
}

void load_add_kid(loader *l, cw_node *node, cw_node *kid)
{
    bool in_order = kid != NULL && kid->begin > node->last_kid_at;
    if (in_order)
        node->last_kid_at = kid->begin;
    for (size_t i = 0; kid != NULL && !in_order && i < node->nkids; i++) /* visited twice: sizes */
        if (node->kids[i] != NULL && node->kids[i]->begin == kid->begin &&
            node->kids[i]->end == kid->end && node->kids[i]->kind == kid->kind)
            return;
    CW_PUSH(&l->unit->arena, node->kids, node->nkids, kid);
}

static int by_position(const void *left, const void *right)
{
    const cw_node *const *a = left, *const *b = right;
    return (*a)->begin < (*b)->begin ? -1 : (*a)->begin > (*b)->begin;
}

void load_sort_kids(cw_node *node)
{
    if (node->nkids > 1)
        qsort(node->kids, node->nkids, sizeof(cw_node *), by_position);
}

/* The label at an offset. Names do not identify labels: blocks may declare labels of their own
 * (GNU). */
cw_decl *load_label_at(loader *l, uint32_t at)
{
    cw_unit *unit = l->unit;
    uint32_t end = cw_skip_word(unit, at);
    const cw_name *known = cw_names_find(&l->labels, (const char *)&at, sizeof at);
    if (known != NULL)
        return l->func->declared[known->number];
    cw_decl *decl = cw_alloc(&unit->arena, sizeof *decl);
    decl->kind = CW_D_LABEL;
    decl->name = cw_strndup(&unit->arena, unit->text + at, end - at);
    decl->begin = at;
    decl->local = true;
    cw_names_add(&l->labels, (const char *)&decl->begin, sizeof decl->begin)->number =
        (unsigned)l->func->ndeclared;
    CW_PUSH(&unit->arena, l->func->declared, l->func->ndeclared, decl);
    return decl;
}

cw_decl *load_label(loader *l, CXCursor jump)
{
    load_cursors kids = load_children(jump);
    uint32_t at = 0;
    for (size_t i = 0; i < kids.count; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_LabelRef)
            at = load_offset(clang_getCursorLocation(clang_getCursorReferenced(kids.items[i])));
    free(kids.items);
    return load_label_at(l, at);
}

static struct load_type_slot *type_place(const loader *l, CXType type)
{
    uintptr_t bits = (uintptr_t)type.data[0];
    size_t hash = (size_t)((bits >> 4) * 0x9E3779B97F4A7C15ull >> 20) ^ (size_t)type.kind ^
                  (bits & 15);
    size_t at = hash & (l->type_room - 1);
    while (l->types[at].type != NULL && !clang_equalTypes(l->types[at].key, type))
        at = (at + 1) & (l->type_room - 1);
    return &l->types[at];
}

struct load_type_slot *load_type_place(loader *l, CXType type)
{
    if (l->ntypes * 2 >= l->type_room) {
        struct load_type_slot *before = l->types;
        size_t room = l->type_room;
        l->type_room = room == 0 ? 1024 : room * 2;
        l->types = cw_must(calloc(l->type_room, sizeof *l->types));
        for (size_t i = 0; i < room; i++)
            if (before[i].type != NULL)
                *type_place(l, before[i].key) = before[i];
        free(before);
    }
    return type_place(l, type);
}

static struct load_decl_slot *decl_place(const loader *l, CXCursor cursor)
{
    size_t at = clang_hashCursor(cursor) * 2654435761u & (l->decl_room - 1);
    while ((l->decls[at].decl != NULL || l->decls[at].tag != NULL) &&
           !clang_equalCursors(l->decls[at].cursor, cursor))
        at = (at + 1) & (l->decl_room - 1);
    return &l->decls[at];
}

struct load_decl_slot *load_decl_place(loader *l, CXCursor canonical)
{
    if (l->ndecls * 2 >= l->decl_room) {
        struct load_decl_slot *before = l->decls;
        size_t room = l->decl_room;
        l->decl_room = room == 0 ? 1024 : room * 2;
        l->decls = cw_must(calloc(l->decl_room, sizeof *l->decls));
        for (size_t i = 0; i < room; i++)
            if (before[i].decl != NULL || before[i].tag != NULL)
                *decl_place(l, before[i].cursor) = before[i];
        free(before);
    }
    return decl_place(l, canonical);
}

cw_tag *load_known_tag(loader *l, CXCursor canonical)
{
    return load_decl_place(l, canonical)->tag;
}

void load_add_tag(loader *l, struct load_tag_slot slot)
{
    *load_decl_place(l, slot.cursor) = (struct load_decl_slot){ .cursor = slot.cursor,
                                                                .tag = slot.tag };
    l->ndecls++;
    CW_ADD(l->tags, l->ntags, slot);
}
