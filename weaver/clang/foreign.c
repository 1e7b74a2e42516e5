/* foreign.c - types that only the compiler knows.
 *
 * Purpose: libclang treats gcc builtins that clang lacks, such as the one in gcc's <tgmath.h>, as
 * undeclared functions that return int. It is then wrong about the type of their results, of
 * expressions with them, and of declarations with a typeof or a size of them. Such types are
 * CW_T_OTHER. They may stay where the user wrote them; later passes refuse code that would write
 * them again. */
#include <string.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "text/unit.h"
#include "clang/loader.h"

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

bool load_is_foreign_builtin(CXCursor call)
{
    CXCursor callee = clang_getCursorReferenced(call);
    if (clang_Cursor_isNull(callee) || clang_getCursorKind(callee) != CXCursor_FunctionDecl)
        return false;
    CXString spelling = clang_getCursorSpelling(callee);
    bool builtin = strncmp(clang_getCString(spelling), "__builtin_", 10) == 0;
    clang_disposeString(spelling);
    /* clang's own builtins are extern; a function that it invented has no storage class */
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

bool load_is_foreign_value(const cw_node *node, CXCursor cursor)
{
    size_t first = 0, end = node->nkids; /* the kids that have the node's type */
    switch (node->kind) {
    case CW_REF:
    case CW_MEMBER:
        return node->decl != NULL && load_is_foreign(node->decl->type);
    case CW_CALL: {
        const cw_node *callee = cw_strip(node->kids[0]);
        return load_is_foreign_builtin(cursor) || gives_foreign(node->kids[0]->type) ||
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
    case CW_GENERIC: /* the choice is not known either */
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
    case CW_AND_OR:
    case CW_BUILTIN:
    case CW_ENTRY:
    case CW_PAUSE:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
        return false;
    }
    for (size_t i = first; i < end; i++)
        if (load_is_foreign(node->kids[i]->type))
            return true;
    return false;
}
