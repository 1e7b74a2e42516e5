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
    for (size_t i = 0; kid != NULL && i < node->nkids; i++) /* libclang visits some sizes twice */
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

bool load_is_expr(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) != 0;
}

void load_type_names(loader *l, const load_cursors *parts)
{
    for (size_t i = 0; l->func != NULL && i < parts->count; i++) {
        if (clang_getCursorKind(parts->items[i]) != CXCursor_TypeRef)
            continue;
        CXCursor referenced = clang_getCursorReferenced(parts->items[i]);
        if (clang_getCursorKind(referenced) != CXCursor_TypedefDecl)
            continue;
        cw_named_type named = { load_offset(clang_getCursorLocation(parts->items[i])),
                                load_decl(l, referenced) };
        if (named.decl->local && cw_type_is_vm(named.decl->type))
            CW_PUSH(&l->unit->arena, l->func->named_types, l->func->nnamed_types, named);
    }
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

static bool word_is(const cw_unit *unit, uint32_t at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(unit->text + at, word, length) == 0 && !cw_is_word(unit->text[at + length]);
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
    if (word_is(unit, node->begin, "__extension__"))
        node->kind = CW_PAREN;
}

/* Does an operator that looks like a call begin here, with one of these beginnings of names? */
static bool starts_with_one_of(const cw_unit *unit, uint32_t at, const char *const *prefixes)
{
    uint32_t end = at;
    while (cw_is_word(unit->text[end]))
        end++;
    if (unit->text[cw_skip_blank(unit, end)] != '(')
        return false;
    for (; *prefixes != NULL; prefixes++)
        if (strncmp(unit->text + at, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Operators that look like calls. libclang hands out their operands in an order of its own; and where gcc's headers
 * say one of an _Atomic object, which clang refuses, it has the name among them. */
static bool classify_builtin(const cw_unit *unit, cw_node *node)
{
    static const char *const operators[] = { "__atomic_",
                                             "__c11_atomic_",
                                             "__scoped_atomic_",
                                             "__builtin_shufflevector",
                                             "__builtin_convertvector",
                                             NULL };
    static const char *const silent[] = { "__builtin_types_compatible_p", NULL };
    static const char *const choice[] = { "__builtin_choose_expr", NULL };
    if (starts_with_one_of(unit, node->begin, operators) && node->nkids > 0) {
        node->kind = CW_BUILTIN;
        load_sort_kids(node);
        if (node->kids[0]->begin == node->begin) {
            node->kids++;
            node->nkids--;
        }
    } else if (starts_with_one_of(unit, node->begin, silent)) {
        node->kind = CW_SIZEOF;
    } else if (starts_with_one_of(unit, node->begin, choice) && node->nkids == 3) {
        node->kind = CW_GENERIC;
    }
    return node->kind != CW_OTHER_EXPR;
}

/* Expressions that libclang does not name. */
static void classify_unexposed(const cw_unit *unit, cw_node *node)
{
    char first = unit->text[node->begin];
    if (node->nkids == 1 && node->kids[0]->begin == node->begin && node->kids[0]->end == node->end)
        node->kind = CW_IMPLICIT;
    else if (classify_builtin(unit, node))
        return;
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

/* ---- types that libclang does not know ---- */

static bool is_dependent(const cw_type *type)
{
    return type == NULL || (type->kind == CW_T_OTHER && type->name != NULL &&
                            strcmp(type->name, "<dependent type>") == 0);
}

/* gcc's builtins that clang has never heard of are to it functions nobody declared, of int. What they give, and what is made
 * of that, has a type that the compiler alone knows. */
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

static const char foreign[] = "<type known to the compiler alone>";

bool load_is_foreign(const cw_type *type)
{
    return type != NULL && type->kind == CW_T_OTHER && type->name == foreign;
}

static const cw_type *foreign_type(loader *l)
{
    cw_type *type = cw_alloc(&l->unit->arena, sizeof *type);
    type->kind = CW_T_OTHER;
    type->name = foreign;
    type->size = type->align = -1;
    return type;
}

static bool has_foreign_value(const cw_node *node)
{
    switch (node->kind) {
    case CW_REF:
        return node->decl != NULL && load_is_foreign(node->decl->type);
    case CW_UNARY:
    case CW_PAREN:
    case CW_IMPLICIT:
    case CW_ELVIS:
    case CW_BINARY:
    case CW_COND:
        for (size_t i = node->kind == CW_COND; i < node->nkids; i++)
            if (load_is_foreign(node->kids[i]->type))
                return true;
        return false;
    case CW_COMMA:
        return node->nkids == 2 && load_is_foreign(node->kids[1]->type);
    case CW_STMT_EXPR: {
        const cw_node *last = cw_value_statement(node);
        return last != NULL && load_is_foreign(last->kids[0]->type);
    }
    default:
        return false;
    }
}

static const cw_type *builtin_type(loader *l, const char *name, int64_t size)
{
    cw_type *type = cw_alloc(&l->unit->arena, sizeof *type);
    type->kind = CW_T_BUILTIN;
    type->name = name;
    type->size = type->align = size;
    return type;
}

/* The result of gcc's generic atomic functions. */
static const cw_type *atomic_result(loader *l, const cw_node *node)
{
    const char *name = l->unit->text + node->begin;
    if (strncmp(name, "__atomic_compare", 16) == 0 || strncmp(name, "__atomic_test", 13) == 0 ||
        strncmp(name, "__atomic_is", 11) == 0 || strncmp(name, "__atomic_always", 15) == 0)
        return builtin_type(l, "_Bool", 1);
    bool value = strncmp(name, "__atomic_fetch", 14) == 0;
    for (const char *p = name; cw_is_word(*p); p++)
        value |= strncmp(p, "_fetch", 6) == 0 || strncmp(p, "load_n", 6) == 0 ||
                 strncmp(p, "exchange_n", 10) == 0;
    const cw_type *object = cw_type_bare(node->kids[0]->type);
    if (!value || object->kind != CW_T_POINTER)
        return builtin_type(l, "void", -1);
    object = object->inner;
    const cw_type *bare = cw_type_bare(object);
    cw_type *copy = cw_alloc(&l->unit->arena, sizeof *copy);
    *copy = bare->kind == CW_T_ATOMIC ? *bare->inner : *object;
    copy->is_const = copy->is_volatile = false;
    return copy;
}

/* Where clang made nothing of an operand, what is around it has no type either. */
static const cw_type *repaired_type(loader *l, const cw_node *node)
{
    const cw_node *from = node->nkids > 0 ? node->kids[node->nkids - 1] : NULL;
    switch (node->kind) {
    case CW_BUILTIN:
        return atomic_result(l, node);
    case CW_STMT_EXPR: {
        const cw_node *last = cw_value_statement(node);
        return last != NULL ? last->kids[0]->type : builtin_type(l, "void", -1);
    }
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
        from = node->kids[0];
        break;
    case CW_REF:
        return node->decl != NULL ? node->decl->type : node->type;
    case CW_PAREN:
    case CW_IMPLICIT:
    case CW_COMMA:
    case CW_COND:
        break;
    default:
        return node->type;
    }
    return from != NULL && from->type != NULL ? from->type : node->type;
}

cw_node *cw_value_statement(const cw_node *stmt_expr)
{
    cw_node *node = stmt_expr->kids[0];
    while (node != NULL && node->nkids > 0 &&
           ((node->kind == CW_BLOCK && node == stmt_expr->kids[0]) || node->kind == CW_LABEL ||
            node->kind == CW_ATTRIBUTED))
        node = node->kids[node->nkids - 1];
    return node != NULL && node->kind == CW_EXPR_STMT ? node : NULL;
}

bool cw_evaluates(const cw_node *node, size_t kid)
{
    switch (node->kind) {
    case CW_SIZEOF:
        return false;
    case CW_GENERIC:
        return node->chosen == 0 ? kid > 0 : kid == node->chosen;
    case CW_VAR: /* its initializer; sizes; but not the operand of a typeof */
        return kid == 0 || cw_type_is_vm(node->type);
    case CW_CAST: /* the same of the type's name */
    case CW_COMPOUND_LITERAL:
        return kid + 1 == node->nkids || cw_type_is_vm(node->type);
    default:
        return true;
    }
}

/* Is a type name an array's, and no pointer's? `from` is past its '('. */
static bool names_array(const cw_unit *unit, uint32_t from)
{
    bool word = false; /* before a '(': typeof and the like; else a declarator */
    for (uint32_t at = from; at < unit->length;) {
        at = cw_skip_blank(unit, at);
        char c = unit->text[at];
        if (c == '[')
            return true;
        if (c == ')' || (c == '(' && !word))
            return false;
        word = cw_is_word(c);
        while (word && cw_is_word(unit->text[at]))
            at++;
        if (!word)
            at = c == '(' ? cw_skip_group(unit, at) : cw_skip_unit(unit, at);
    }
    return false;
}

/* sizeof evaluates what has a type of variable length: sizeof(int[f()]), sizeof rows[f()]. */
static bool sizeof_evaluates(const cw_unit *unit, const cw_node *node)
{
    if (!word_is(unit, node->begin, "sizeof") || node->nkids == 0)
        return false;
    uint32_t operand = cw_skip_blank(unit, node->begin + 6);
    if (node->kids[0]->begin == operand)
        return cw_type_bare(node->kids[0]->type)->kind == CW_T_VLA;
    return names_array(unit, operand + 1);
}

/* __builtin_constant_p and the like look at their operands only. */
static bool only_looks(const cw_unit *unit, const cw_node *call)
{
    return word_is(unit, call->begin, "__builtin_constant_p") ||
           word_is(unit, call->begin, "__builtin_classify_type");
}

/* The operand of a typeof in the name of a type, which is not evaluated; but for one of variable length, and lengths. */
static void quiet_type_name(loader *l, cw_node *node)
{
    for (size_t i = 0; i + 1 < node->nkids; i++) {
        cw_node *operand = node->kids[i];
        const cw_node *inner = operand;
        while (inner->kind == CW_PAREN)
            inner = inner->kids[0];
        uint32_t before = operand->begin - 1;
        while (strchr(" \t\n", l->unit->text[before]) != NULL)
            before--;
        bool named = inner->kind == CW_REF && cw_is_word(l->unit->text[before]); /* typeof (a) */
        if (cw_type_is_vm(node->type) && !named)
            continue;
        cw_node *quiet = cw_alloc(&l->unit->arena, sizeof *quiet);
        quiet->kind = CW_SIZEOF;
        quiet->parent = node;
        quiet->begin = operand->begin;
        quiet->end = operand->end;
        quiet->type = operand->type;
        operand->parent = quiet;
        CW_PUSH(&l->unit->arena, quiet->kids, quiet->nkids, operand);
        node->kids[i] = quiet;
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
    load_type_names(l, &kids);
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
    case CW_CALL:
        if (only_looks(unit, node))
            node->kind = CW_SIZEOF;
        break;
    case CW_CAST:
    case CW_COMPOUND_LITERAL:
        quiet_type_name(l, node);
        break;
    case CW_SIZEOF:
        if (sizeof_evaluates(unit, node))
            node->kind = CW_BUILTIN;
        break;
    case CW_LABEL_ADDRESS:
        if (l->func != NULL)
            l->func->single = true;
        break;
    default:
        break;
    }
    if (is_dependent(node->type))
        node->type = repaired_type(l, node);
    if ((node->kind == CW_CALL && is_foreign_builtin(cursor)) || has_foreign_value(node))
        node->type = foreign_type(l);
    if (node->kind == CW_GENERIC && load_may_pause(l))
        load_ask_choice(l, node);
    return node;
}
