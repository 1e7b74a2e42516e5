/* load_expr.c - expressions. Their kinds are libclang's where it names them, and the text's where not. */
#include "load.h"

#include <stdlib.h>
#include <string.h>

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
    CW_PUSH(&l->unit->arena, node->kids, node->nkids, kid);
}

bool load_is_expr(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) != 0;
}

bool load_is_stmt(CXCursor cursor)
{
    return clang_isStatement(clang_getCursorKind(cursor)) != 0;
}

/* The operator between two offsets, without brackets and blanks. */
static void read_operator(const cw_unit *unit, uint32_t from, uint32_t to, char op[4])
{
    uint32_t at = cw_skip_blank(unit, from);
    size_t n = 0;
    while (at < to && n < 3 && strchr("+-*/%&|^<>=!~?,:", unit->text[at]) != NULL)
        op[n++] = unit->text[at++];
    op[n] = '\0';
}

static void classify_binary(cw_unit *unit, cw_node *node)
{
    read_operator(unit, node->kids[0]->end, node->kids[1]->begin, node->op);
    const char *op = node->op;
    size_t length = strlen(op);
    bool compares = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0 || strcmp(op, "<=") == 0 ||
                    strcmp(op, ">=") == 0;
    if (strcmp(op, "=") == 0)
        node->kind = CW_ASSIGN;
    else if (strcmp(op, ",") == 0)
        node->kind = CW_COMMA;
    else if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0)
        node->kind = CW_AND_OR;
    else if (length >= 2 && op[length - 1] == '=' && !compares) {
        node->kind = CW_COMPOUND_ASSIGN;
        node->op[length - 1] = '\0';
    }
}

static void classify_unary(const cw_unit *unit, cw_node *node)
{
    const cw_node *kid = node->kids[0];
    if (kid->begin > node->begin)
        read_operator(unit, node->begin, kid->begin, node->op);
    else
        read_operator(unit, kid->end, node->end, node->op);
    if (node->op[0] == '*' || node->op[0] == '&')
        node->op[1] = '\0';
}

/* Expressions that libclang does not name. */
static void classify_unexposed(const cw_unit *unit, cw_node *node)
{
    char first = unit->text[node->begin];
    if (node->nkids == 1 && node->kids[0]->begin == node->begin && node->kids[0]->end == node->end)
        node->kind = CW_IMPLICIT;
    else if ((first == '.' || first == '[') && node->nkids > 0)
        node->kind = CW_DESIGNATED;
    else if (node->nkids >= 2) {
        cw_node *a = node->kids[0], *b = node->kids[node->nkids - 1];
        uint32_t at = cw_skip_blank(unit, a->end);
        if (a->end < b->begin && unit->text[at] == '?' &&
            unit->text[cw_skip_blank(unit, at + 1)] == ':') {
            node->kind = CW_ELVIS;
            node->kids[1] = b;
            node->nkids = 2;
        }
    } else if (node->nkids == 0)
        node->kind = CW_LITERAL; /* __func__, offsetof and the like */
}

static cw_kind expr_kind(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_ImaginaryLiteral:
    case CXCursor_CharacterLiteral:
        return CW_LITERAL;
    case CXCursor_StringLiteral:
        return CW_STRING;
    case CXCursor_DeclRefExpr:
        return CW_REF;
    case CXCursor_MemberRefExpr:
        return CW_MEMBER;
    case CXCursor_CallExpr:
        return CW_CALL;
    case CXCursor_UnaryOperator:
        return CW_UNARY;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return CW_BINARY;
    case CXCursor_ConditionalOperator:
        return CW_COND;
    case CXCursor_CStyleCastExpr:
        return CW_CAST;
    case CXCursor_ParenExpr:
        return CW_PAREN;
    case CXCursor_ArraySubscriptExpr:
        return CW_INDEX;
    case CXCursor_CompoundLiteralExpr:
        return CW_COMPOUND_LITERAL;
    case CXCursor_InitListExpr:
        return CW_INIT_LIST;
    case CXCursor_UnaryExpr:
        return CW_SIZEOF;
    case CXCursor_StmtExpr:
        return CW_STMT_EXPR;
    case CXCursor_GenericSelectionExpr:
        return CW_GENERIC;
    case CXCursor_AddrLabelExpr:
        return CW_LABEL_ADDRESS;
    default:
        return CW_OTHER_EXPR;
    }
}

cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_unit *unit = l->unit;
    cw_node *node = load_node(l, expr_kind(clang_getCursorKind(cursor)), cursor, parent);
    node->type = load_type(l, clang_getCursorType(cursor));
    if (node->kind == CW_STRING)
        return node; /* kids of adjacent literals are of no interest */
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (load_is_expr(kids.items[i]))
            load_add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (load_is_stmt(kids.items[i]))
            load_add_kid(l, node, load_stmt(l, kids.items[i], node));
    free(kids.items);
    switch (node->kind) {
    case CW_REF:
    case CW_MEMBER: {
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (!clang_Cursor_isNull(referenced) &&
            clang_isDeclaration(clang_getCursorKind(referenced)))
            node->decl = load_decl(l, referenced);
        if (node->kind == CW_MEMBER && node->nkids > 0)
            node->arrow = unit->text[cw_skip_blank(unit, node->kids[0]->end)] == '-';
        break;
    }
    case CW_BINARY:
        if (node->nkids == 2)
            classify_binary(unit, node);
        break;
    case CW_UNARY:
        if (node->nkids == 1)
            classify_unary(unit, node);
        break;
    case CW_OTHER_EXPR:
        classify_unexposed(unit, node);
        break;
    case CW_LABEL_ADDRESS:
        if (l->func != NULL)
            l->func->single = true;
        break;
    default:
        break;
    }
    return node;
}
