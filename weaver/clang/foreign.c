/* foreign.c - types that only the compiler knows.
 *
 * gcc's builtins that clang has never heard of, such as the one of gcc's <tgmath.h>, are to
 * libclang undeclared functions, of int. What they give, what is made of that, and
 * what is declared with a typeof or a size of it has a type that libclang is wrong about. Such
 * types are CW_T_OTHER: they may stay where the user wrote them, and later passes refuse what would
 * have to write them again. */
#include "clang/foreign.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/arena.h"
#include "text/text.h"
#include "text/unit.h"
#include "clang/decl.h"
#include "clang/libclang.h"
#include "clang/load.h"
#include "clang/loader.h"
#include "clang/type.h"

static const char foreign[] = "<type known to the compiler alone>";

bool load_is_foreign(const cw_type *type)
{
    const cw_type *bare = type != NULL ? cw_type_bare(type) : NULL;
    return bare != NULL && bare->kind == CW_T_OTHER && bare->name == foreign;
}

cw_type *load_foreign_type(loader *l)
{
    cw_type *type = cw_alloc(&l->unit->arena, sizeof *type);
    type->kind = CW_T_OTHER;
    type->name = foreign;
    type->size = type->align = -1;
    l->knows_foreign = true;
    return type;
}

/* ---- expressions ---- */

static bool is_foreign_builtin(CXCursor call)
{
    CXCursor callee = clang_getCursorReferenced(call);
    if (clang_Cursor_isNull(callee) || clang_getCursorKind(callee) != CXCursor_FunctionDecl)
        return false;
    CXString spelling = clang_getCursorSpelling(callee);
    bool builtin = strncmp(clang_getCString(spelling), "__builtin_", 10) == 0;
    clang_disposeString(spelling);
    /* clang's own are extern; what it made up on the way has no storage class */
    return builtin && clang_Cursor_getStorageClass(clang_getCanonicalCursor(callee)) == CX_SC_None;
}

bool load_holds_foreign(const cw_node *node)
{
    if (node == NULL)
        return false;
    bool found = load_is_foreign(node->type);
    for (size_t i = 0; i < node->nkids && !found; i++)
        found = load_holds_foreign(node->kids[i]);
    return found;
}

static bool gives_foreign(const cw_type *callee)
{
    callee = cw_type_bare(callee);
    if (callee->kind == CW_T_POINTER)
        callee = cw_type_bare(callee->inner);
    return load_is_foreign(callee) ||
           (callee->kind == CW_T_FUNCTION && load_is_foreign(callee->inner));
}

static bool names_foreign(const cw_node *node)
{
    const cw_decl *decl = node->decl;
    return decl != NULL && load_is_foreign(decl->type);
}

bool load_is_foreign_value(const cw_node *node, CXCursor cursor)
{
    size_t first = 0, end = node->nkids; /* the kids that have the node's type */
    switch (node->kind) {
    case CW_REF:
    case CW_MEMBER:
        return names_foreign(node);
    case CW_CALL: {
        const cw_node *callee = cw_strip(node->kids[0]);
        return is_foreign_builtin(cursor) || gives_foreign(node->kids[0]->type) ||
               (callee->decl != NULL && gives_foreign(callee->decl->type));
    }
    case CW_CAST:
    case CW_COMPOUND_LITERAL:
    case CW_OTHER_EXPR: /* va_arg */
        for (size_t i = 0; i < end; i++)
            if ((node->kind != CW_OTHER_EXPR ? i + 1 < end : node->kids[i]->for_type) &&
                load_holds_foreign(node->kids[i]))
                return true;
        return false;
    case CW_GENERIC: /* which one is chosen is not known either */
        return end > 0 && load_holds_foreign(node->kids[0]);
    case CW_STMT_EXPR: {
        const cw_node *last = cw_value_statement(node);
        return last != NULL && load_is_foreign(last->kids[0]->type);
    }
    case CW_UNARY:
    case CW_PAREN:
    case CW_IMPLICIT:
    case CW_ELVIS:
    case CW_BINARY:
        break;
    case CW_INDEX:
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
        end = end > 1 ? 1 : end;
        break;
    case CW_COMMA:
    case CW_COND:
        first = end > 0;
        break;
    default:
        return false;
    }
    for (size_t i = first; i < end; i++)
        if (load_is_foreign(node->kids[i]->type))
            return true;
    return false;
}

/* ---- declarations ---- */

typedef struct search {
    loader *l;
    uint32_t begin, end;
    bool found;
} search;

static enum CXChildVisitResult look_for_foreign(CXCursor cursor, CXCursor parent, CXClientData data)
{
    search *s = data;
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    uint32_t at = load_offset(clang_getCursorLocation(cursor));
    if (kind == CXCursor_CompoundStmt)
        return CXChildVisit_Continue;
    if (at >= s->begin && at < s->end) {
        if (kind == CXCursor_CallExpr)
            s->found |= is_foreign_builtin(cursor);
        else if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
            CXCursor referenced = clang_getCursorReferenced(cursor);
            s->found |= s->l->knows_foreign && !clang_Cursor_isNull(referenced) &&
                        clang_isDeclaration(clang_getCursorKind(referenced)) &&
                        load_is_foreign(load_decl(s->l, referenced)->type);
        }
    }
    return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool says_builtin(const cw_unit *unit, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++)
        if (strncmp(unit->text + begin, "__builtin_", 10) == 0)
            return true;
    return false;
}

static bool holds_foreign(loader *l, CXCursor cursor, uint32_t begin, uint32_t end)
{
    search s = { l, begin, end, false };
    if (l->knows_foreign || says_builtin(l->unit, begin, end))
        clang_visitChildren(cursor, look_for_foreign, &s);
    return s.found;
}

/* The first place in [begin, end), an operand of typeof or a size, that has such a type; 0:
 * none. */
static uint32_t foreign_part(loader *l, CXCursor cursor, uint32_t begin, uint32_t end)
{
    const cw_unit *unit = l->unit;
    bool typeof_ = false;
    for (uint32_t at = begin, next; at < end; at = next) {
        next = cw_skip_word(unit, at);
        char c = unit->text[at];
        if (next > at) {
            typeof_ = cw_is_typeof(unit->text + at, next - at);
            continue;
        }
        next = cw_skip_unit(unit, at);
        if (c == '{' || c == '=')
            return 0;
        if ((c == '(' && typeof_) || c == '[') {
            next = cw_skip_group(unit, at);
            if (holds_foreign(l, cursor, at, next))
                return at;
        }
        typeof_ = typeof_ && strchr(" \t\n/", c) != NULL;
    }
    return 0;
}

const cw_type *load_declared_type(loader *l, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    cw_type *type = load_type(l, kind == CXCursor_TypedefDecl
                                     ? clang_getTypedefDeclUnderlyingType(cursor)
                                     : clang_getCursorType(cursor));
    uint32_t begin, end, name_at = load_offset(clang_getCursorLocation(cursor));
    load_extent(cursor, &begin, &end);
    if (kind == CXCursor_EnumConstantDecl)
        return holds_foreign(l, cursor, begin, end) ? load_foreign_type(l) : type;
    uint32_t part = foreign_part(l, cursor, begin, end);
    if (part == 0)
        return type;
    if (kind != CXCursor_FunctionDecl)
        return load_foreign_type(l);
    cw_type *function = cw_alloc(&l->unit->arena, sizeof *function);
    *function = *cw_type_bare(type);
    if (part < name_at) {
        function->inner = load_foreign_type(l);
        return function;
    }
    function->params = NULL;
    function->nparams = 0;
    for (size_t i = 0; i < cw_type_bare(type)->nparams; i++)
        CW_PUSH(&l->unit->arena, function->params, function->nparams, load_foreign_type(l));
    return function;
}
