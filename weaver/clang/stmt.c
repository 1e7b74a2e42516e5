/* stmt.c - statements, and the declarations among them. A statement's extent includes its ';'. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "text/unit.h"
#include "clang/loader.h"

static void take_semicolon(const cw_unit *unit, cw_node *node)
{
    if (node->end > node->begin && unit->text[node->end - 1] == ';')
        return;
    uint32_t at = cw_skip_blank(unit, node->end);
    if (at < unit->length && unit->text[at] == ';')
        node->end = at + 1;
}

/* The type of a variable, which may come from a value: from the initializer, or from a typeof or a
 * size. */
static const cw_type *taken_type(loader *l, const cw_node *var)
{
    const cw_decl *decl = var->decl;
    if (var->kids[0] != NULL && load_is_foreign(var->kids[0]->type) &&
        cw_contains(l->unit, decl->begin, decl->name_at, "auto"))
        return load_foreign_type(l);
    for (size_t i = 1; i < var->nkids; i++)
        if (load_holds_foreign(var->kids[i]))
            return load_foreign_type(l);
    return decl->type;
}

static void load_parameter(loader *l, CXCursor cursor, cw_node *var)
{
    cw_node *node = load_node(l, CW_OTHER_DECL, cursor, var);
    load_constants(l, cursor, node);
    if (node->nkids > 0)
        load_add_kid(l, var, node);
}

cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_node *node = load_node(l, CW_VAR, cursor, parent);
    node->decl = load_decl(l, cursor);
    node->type = node->decl->type;
    CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
    bool has_init = !clang_Cursor_isNull(init) && clang_isExpression(clang_getCursorKind(init));
    load_add_kid(l, node, has_init ? load_expr(l, init, node) : NULL);
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (load_is_expr(kids.items[i]) && !(has_init && clang_equalCursors(kids.items[i], init)))
            load_add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (clang_getCursorKind(kids.items[i]) == CXCursor_ParmDecl) /* of a function type */
            load_parameter(l, kids.items[i], node);
    load_type_names(l, &kids);
    free(kids.items);
    cw_node sizes = { .kids = node->kids + 1, .nkids = node->nkids - 1 };
    load_sort_kids(&sizes);
    node->decl->type = node->type = taken_type(l, node);
    return node;
}

/* Loads the lengths in a typedef's type, or what its constants name. */
static void load_typedef(loader *l, CXCursor cursor, cw_node *node)
{
    node->decl = load_decl(l, cursor);
    if (!cw_type_is_vm(node->decl->type)) {
        load_constants(l, cursor, node);
        return;
    }
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (load_is_expr(kids.items[i]))
            load_add_kid(l, node, load_expr(l, kids.items[i], node));
    load_type_names(l, &kids);
    free(kids.items);
    load_sort_kids(node);
}

void load_tag_members(loader *l, CXCursor cursor)
{
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    if (!cw_has_mark(l->unit, begin, end))
        return;
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        switch (clang_getCursorKind(kids.items[i])) {
        case CXCursor_FieldDecl:
            load_decl(l, kids.items[i]);
            break;
        case CXCursor_StructDecl:
        case CXCursor_UnionDecl:
            load_tag_members(l, kids.items[i]);
            break;
        default:
            break;
        }
    free(kids.items);
}

/* Extends a statement by GNU's `__extension__` before it, which libclang leaves out of the
 * extent. */
static uint32_t with_extension(const cw_unit *unit, uint32_t begin)
{
    static const char word[] = "__extension__";
    const uint32_t length = sizeof word - 1;
    uint32_t at = begin;
    while (at > 0 && strchr(" \t\n", unit->text[at - 1]) != NULL)
        at--;
    bool found = at > length && memcmp(unit->text + at - length, word, length) == 0 &&
                 !cw_is_word(unit->text[at - length - 1]);
    return found ? at - length : begin;
}

static cw_node *load_decl_stmt(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_node *node = load_node(l, CW_DECL_STMT, cursor, parent);
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.items[i]);
        if (kind == CXCursor_VarDecl) {
            load_add_kid(l, node, load_var(l, kids.items[i], node));
            continue;
        }
        if (!clang_isDeclaration(kind))
            continue;
        cw_node *other = load_node(l, CW_OTHER_DECL, kids.items[i], node);
        load_add_kid(l, node, other);
        if (kind == CXCursor_TypedefDecl) {
            load_typedef(l, kids.items[i], other);
            continue;
        }
        load_constants(l, kids.items[i], other);
        if (kind == CXCursor_FunctionDecl)
            other->decl = load_decl(l, kids.items[i]);
        else if (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl)
            load_tag_members(l, kids.items[i]);
        else if (kind == CXCursor_EnumDecl) {
            load_cursors names = load_children(kids.items[i]);
            for (size_t j = 0; j < names.count; j++)
                if (clang_getCursorKind(names.items[j]) == CXCursor_EnumConstantDecl)
                    load_decl(l, names.items[j]);
            free(names.items);
        }
    }
    free(kids.items);
    if (node->nkids > 0)
        node->begin = with_extension(l->unit, cw_with_marks(l->unit, node->begin));
    take_semicolon(l->unit, node);
    return node;
}

/* Loads a `for`. libclang leaves out its absent parts; the semicolons show which are absent. */
static void load_for(loader *l, CXCursor cursor, cw_node *node)
{
    const cw_unit *unit = l->unit;
    load_cursors kids = load_children(cursor);
    uint32_t open = node->begin;
    while (unit->text[open] != '(')
        open++;
    uint32_t semicolons[2] = { 0, 0 }, count = 0;
    int depth = 0;
    for (uint32_t at = open; at < node->end && count < 2;) {
        char c = unit->text[at];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if (c == ')' || c == ']' || c == '}')
            depth--;
        else if (c == ';' && depth == 1)
            semicolons[count++] = at;
        at = cw_skip_unit(unit, at);
    }
    cw_node *parts[4] = { NULL, NULL, NULL, NULL };
    for (size_t i = 0; i < kids.count; i++) {
        uint32_t begin, end;
        load_extent(kids.items[i], &begin, &end);
        int part = i + 1 == kids.count      ? 3
                   : begin <= semicolons[0] ? 0
                   : begin <= semicolons[1] ? 1
                                            : 2;
        parts[part] = part == 3 || (part == 0 && load_is_stmt(kids.items[i]))
                          ? load_stmt(l, kids.items[i], node)
                          : load_expr(l, kids.items[i], node);
    }
    free(kids.items);
    for (int i = 0; i < 4; i++)
        load_add_kid(l, node, parts[i]);
}

static void load_labelled(loader *l, CXCursor cursor, cw_node *node)
{
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        bool last = i + 1 == kids.count;
        load_add_kid(l, node,
                     last ? load_stmt(l, kids.items[i], node) : load_expr(l, kids.items[i], node));
    }
    free(kids.items);
}

/* The parts of a statement, in order; expressions after the first `exprs` are statements. */
static void load_kids(loader *l, CXCursor cursor, cw_node *node, size_t exprs)
{
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (i < exprs && load_is_expr(kids.items[i]))
            load_add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (load_is_expr(kids.items[i]) || load_is_stmt(kids.items[i]))
            load_add_kid(l, node, load_stmt(l, kids.items[i], node));
    free(kids.items);
}

/* Is it a statement with attributes, or a loop with a pragma before it? `musttail` is refused: a
 * woven call is not a tail call. */
static bool is_attributed(cw_unit *unit, const cw_node *node)
{
    const char *text = unit->text + node->begin;
    if (*text == '#')
        return true;
    if (strncmp(text, "[[", 2) != 0 && strncmp(text, "__attribute", 11) != 0)
        return false;
    uint32_t at = node->begin;
    while (at < node->end && unit->text[at] != '(' && unit->text[at] != '[')
        at++;
    const char *group = cw_strndup(&unit->arena, text, cw_skip_group(unit, at) - node->begin);
    return strstr(group, "musttail") == NULL;
}

cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent)
{
    if (load_is_expr(cursor)) {
        cw_node *node = load_node(l, CW_EXPR_STMT, cursor, parent);
        load_add_kid(l, node, load_expr(l, cursor, node));
        node->begin = with_extension(l->unit, node->begin);
        take_semicolon(l->unit, node);
        return node;
    }
    cw_kind kind = load_kind(clang_getCursorKind(cursor));
    if (kind == CW_DECL_STMT)
        return load_decl_stmt(l, cursor, parent);
    cw_node *node = load_node(l, kind, cursor, parent);
    uint32_t scope_begin = l->scope_begin, scope_end = l->scope_end;
    if (kind == CW_BLOCK || kind == CW_FOR) {
        l->scope_begin = node->begin;
        l->scope_end = node->end;
    }
    switch (kind) {
    case CW_BLOCK:
        load_kids(l, cursor, node, 0);
        break;
    case CW_IF:
        load_kids(l, cursor, node, 1);
        if (node->nkids == 2)
            load_add_kid(l, node, NULL);
        break;
    case CW_WHILE:
    case CW_SWITCH:
        load_kids(l, cursor, node, 1);
        break;
    case CW_DO: {
        load_cursors kids = load_children(cursor);
        if (kids.count == 2) {
            load_add_kid(l, node, load_stmt(l, kids.items[0], node));
            load_add_kid(l, node, load_expr(l, kids.items[1], node));
        }
        free(kids.items);
        take_semicolon(l->unit, node);
        break;
    }
    case CW_FOR:
        load_for(l, cursor, node);
        break;
    case CW_CASE:
    case CW_DEFAULT:
        load_labelled(l, cursor, node);
        break;
    case CW_OTHER_STMT:
        if (is_attributed(l->unit, node))
            node->kind = CW_ATTRIBUTED;
        load_kids(l, cursor, node, node->kind == CW_ATTRIBUTED ? 0 : SIZE_MAX);
        take_semicolon(l->unit, node);
        break;
    case CW_LABEL:
        node->decl = load_label_at(l, node->begin);
        CW_PUSH(&l->unit->arena, l->label_nodes, l->nlabel_nodes, node);
        load_kids(l, cursor, node, 0);
        break;
    case CW_GOTO:
        node->decl = load_label(l, cursor);
        take_semicolon(l->unit, node);
        break;
    case CW_RETURN:
        load_kids(l, cursor, node, SIZE_MAX);
        if (node->nkids == 0)
            load_add_kid(l, node, NULL);
        take_semicolon(l->unit, node);
        break;
    case CW_ASM:
        load_kids(l, cursor, node, SIZE_MAX);
        take_semicolon(l->unit, node);
        load_asm(l, node);
        break;
    case CW_DECL_STMT:
    case CW_VAR:
    case CW_OTHER_DECL:
    case CW_EXPR_STMT:
    case CW_INDIRECT_GOTO:
    case CW_BREAK:
    case CW_CONTINUE:
    case CW_NULL_STMT:
    case CW_ATTRIBUTED:
    case CW_EXPRESSIONS:
        load_kids(l, cursor, node, SIZE_MAX);
        take_semicolon(l->unit, node);
        break;
    }
    /* the ';' of an inner statement at the end also ends the outer one */
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL && node->kids[i]->end > node->end)
            node->end = node->kids[i]->end;
    l->scope_begin = scope_begin;
    l->scope_end = scope_end;
    return node;
}
