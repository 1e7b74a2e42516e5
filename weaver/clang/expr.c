/* expr.c - expressions. Their kinds come from libclang where it names them, else from the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "text/unit.h"
#include "clang/loader.h"

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
    bool compares = cw_lists_name("== != <= >=", op);
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

/* Does an operator that looks like a call, and has one of these prefixes, begin here? */
static bool starts_with_one_of(const cw_unit *unit, uint32_t at, const char *prefixes)
{
    uint32_t end = cw_skip_word(unit, at);
    return unit->text[cw_skip_blank(unit, end)] == '(' &&
           cw_lists_begin_of(prefixes, unit->text + at);
}

/* Classifies operators that look like calls. libclang lists their operands in an order of its own.
 * For an _Atomic object in gcc's headers, where clang refuses the builtin, the list includes the
 * builtin's name. */
static bool classify_builtin(const cw_unit *unit, cw_node *node)
{
    static const char operators[] =
        "__atomic_ __c11_atomic_ __scoped_atomic_ __builtin_shufflevector __builtin_convertvector";
    static const char silent[] = "__builtin_types_compatible_p";
    static const char choice[] = "__builtin_choose_expr";
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

/* GNU's `member: value`. */
static bool is_old_designator(const cw_unit *unit, uint32_t at)
{
    uint32_t end = cw_skip_word(unit, at);
    return end > at && unit->text[cw_skip_blank(unit, end)] == ':';
}

/* Classifies expressions that libclang does not name. */
static void classify_unexposed(const cw_unit *unit, cw_node *node)
{
    char first = unit->text[node->begin];
    if (node->nkids == 1 && node->kids[0]->begin == node->begin && node->kids[0]->end == node->end)
        node->kind = CW_IMPLICIT;
    else if (classify_builtin(unit, node))
        return;
    else if (node->nkids > 0 &&
             (first == '.' || first == '[' || is_old_designator(unit, node->begin)))
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

/* ---- types that libclang does not know ---- */

static bool is_dependent(const cw_type *type)
{
    return type == NULL || (type->kind == CW_T_OTHER && type->name != NULL &&
                            strcmp(type->name, "<dependent type>") == 0);
}

/* The result of gcc's generic atomic functions. */
static const cw_type *atomic_result(loader *l, const cw_node *node)
{
    const char *name = l->unit->text + node->begin;
    if (strncmp(name, "__atomic_compare", 16) == 0 || strncmp(name, "__atomic_test", 13) == 0 ||
        strncmp(name, "__atomic_is", 11) == 0 || strncmp(name, "__atomic_always", 15) == 0)
        return cw_type_builtin(l->unit, "_Bool", 1);
    bool value = strncmp(name, "__atomic_fetch", 14) == 0;
    for (const char *p = name; cw_is_word(*p); p++)
        value |= strncmp(p, "_fetch", 6) == 0 || strncmp(p, "load_n", 6) == 0 ||
                 strncmp(p, "exchange_n", 10) == 0;
    const cw_type *object = cw_type_bare(node->kids[0]->type);
    if (!value || object->kind != CW_T_POINTER)
        return cw_type_builtin(l->unit, "void", -1);
    object = object->inner;
    const cw_type *bare = cw_type_bare(object);
    cw_type *copy = cw_alloc(&l->unit->arena, sizeof *copy);
    *copy = bare->kind == CW_T_ATOMIC ? *bare->inner : *object;
    copy->is_const = copy->is_volatile = false;
    return copy;
}

/* If clang does not understand an operand, the surrounding expression has no type either. Computes
 * that type. */
static const cw_type *repaired_type(loader *l, const cw_node *node)
{
    const cw_node *from = node->nkids > 0 ? node->kids[node->nkids - 1] : NULL;
    if (node->kind == CW_BUILTIN)
        return atomic_result(l, node);
    if (node->kind == CW_STMT_EXPR) {
        const cw_node *last = cw_value_statement(node);
        return last != NULL ? last->kids[0]->type : cw_type_builtin(l->unit, "void", -1);
    }
    if (node->kind == CW_REF)
        return node->decl != NULL ? node->decl->type : node->type;
    if (node->kind == CW_CALL) { /* one of its arguments has no type */
        const cw_type *callee = cw_type_bare(cw_strip(node->kids[0])->type);
        if (callee->kind == CW_T_POINTER)
            callee = cw_type_bare(callee->inner);
        return callee->kind == CW_T_FUNCTION ? callee->inner : node->type;
    }
    if (node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN)
        from = node->kids[0];
    else if (node->kind != CW_PAREN && node->kind != CW_IMPLICIT && node->kind != CW_COMMA &&
             node->kind != CW_COND)
        return node->type;
    return from != NULL && from->type != NULL ? from->type : node->type;
}

/* Offset after the last character before `at` that is neither a blank nor part of a comment. */
static uint32_t blank_before(const cw_unit *unit, uint32_t at)
{
    for (;;) {
        while (at > 0 && strchr(" \t\n", unit->text[at - 1]) != NULL)
            at--;
        if (at < 4 || memcmp(unit->text + at - 2, "*/", 2) != 0)
            return at;
        for (at -= 3; at > 0 && memcmp(unit->text + at - 1, "/*", 2) != 0;)
            at--;
        at -= at > 0;
    }
}

static bool is_behind_typeof(const cw_unit *unit, uint32_t at)
{
    uint32_t end = blank_before(unit, at), begin = end;
    while (begin > 0 && cw_is_word(unit->text[begin - 1]))
        begin--;
    return cw_is_typeof(unit->text + begin, end - begin);
}

/* Does a type name denote an array, and not a pointer? `from` is the offset after its '('. */
static bool names_array(const cw_unit *unit, uint32_t from)
{
    /* the word before a '(' may be typeof or the like; otherwise a declarator begins */
    bool word = false;
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

/* Does sizeof evaluate its operand? It does so for types of variable length: sizeof(int[f()]),
 * sizeof rows[f()]. */
static bool sizeof_evaluates(const cw_unit *unit, const cw_node *node)
{
    if (!word_is(unit, node->begin, "sizeof") || node->nkids == 0)
        return false;
    uint32_t operand = cw_skip_blank(unit, node->begin + 6);
    if (node->kids[0]->begin == operand)
        return cw_type_bare(node->kids[0]->type)->kind == CW_T_VLA;
    return names_array(unit, operand + 1);
}

/* Would its evaluation have effects? The call of a builtin counts as a value. */
static bool has_effects(const cw_unit *unit, const cw_node *node)
{
    if (node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN || node->kind == CW_BUILTIN ||
        node->kind == CW_STMT_EXPR)
        return true;
    if (node->kind == CW_CALL && strncmp(unit->text + node->begin, "__builtin_", 10) != 0)
        return true;
    if (node->kind == CW_UNARY && (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_evaluates(node, i) && has_effects(unit, node->kids[i]))
            return true;
    return false;
}

/* Classifies builtins that look like calls and are none. Some never evaluate their operands, some
 * only if these have no effects. */
static void classify_call(const cw_unit *unit, cw_node *node)
{
    static const char looks[] = "__builtin_constant_p __builtin_classify_type";
    static const char looks_away[] =
        "__builtin_object_size __builtin_dynamic_object_size __builtin_assume";
    uint32_t end = cw_skip_word(unit, node->begin);
    const char *name = unit->text + node->begin;
    size_t length = end - node->begin;
    bool effects = false;
    if (cw_lists(looks_away, name, length))
        for (size_t i = 1; i < node->nkids; i++)
            effects |= has_effects(unit, node->kids[i]);
    if (effects || cw_lists(looks, name, length)) {
        node->kind = CW_SIZEOF;
    } else if (word_is(unit, node->begin, "__builtin_addressof") && node->nkids == 2) {
        node->kind = CW_UNARY;
        node->op[0] = '&';
        node->kids++;
        node->nkids--;
    }
}

/* Finds the beginning of a designator that leads through unnamed members; libclang 14 does not
 * provide it. It is before the `=`, after a ',' or '{'. */
static void find_designator(const cw_unit *unit, cw_node *node)
{
    const cw_node *value = node->nkids > 0 ? node->kids[node->nkids - 1] : NULL;
    if (node->kind != CW_OTHER_EXPR || node->begin != 0 || value == NULL)
        return;
    uint32_t at = blank_before(unit, value->begin);
    int depth = 0;
    for (; at > 0 && (depth > 0 || strchr(",{", unit->text[at - 1]) == NULL); at--) {
        depth += strchr("])", unit->text[at - 1]) != NULL;
        depth -= strchr("[(", unit->text[at - 1]) != NULL;
    }
    node->begin = cw_skip_blank(unit, at);
    node->end = value->end;
}

/* Does the node extend from its first operand to its last? Then its extent comes from its kids:
 * libclang would compute it by descending to them, for each node of a long chain. */
static bool spans_its_kids(enum CXCursorKind kind)
{
    return kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator ||
           kind == CXCursor_ConditionalOperator;
}

static void take_extent_of_kids(cw_node *node, CXCursor cursor)
{
    size_t operands = clang_getCursorKind(cursor) == CXCursor_ConditionalOperator ? 3 : 2;
    if (node->nkids == operands) {
        node->begin = node->kids[0]->begin;
        node->end = node->kids[operands - 1]->end;
    } else {
        load_extent(cursor, &node->begin, &node->end);
    }
}

/* Value of a constant expression, evaluated by clang; 0 if it has no value, or a negative one. */
static size_t value_from_one(CXCursor cursor)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    size_t value = 0;
    if (result != NULL && clang_EvalResult_getKind(result) == CXEval_Int) {
        long long said = clang_EvalResult_getAsLongLong(result);
        value = said >= 0 ? (size_t)said + 1 : 0;
    }
    if (result != NULL)
        clang_EvalResult_dispose(result);
    return value;
}

static bool is_array(const cw_node *node)
{
    const cw_type *bare = cw_type_bare(node->type);
    return bare->kind == CW_T_ARRAY || bare->kind == CW_T_OPEN_ARRAY || bare->kind == CW_T_VLA;
}

/* A parameter that is declared as an array is a pointer. libclang says the array's type of it, and
 * of each value that is computed from it. */
static bool is_said_to_be_array(const cw_node *node)
{
    switch (node->kind) {
    case CW_REF:
        return node->decl != NULL && node->decl->kind == CW_D_PARAM;
    case CW_UNARY:
        if (node->op[0] == '*')
            return false; /* what a pointer to an array points to */
        /* fallthrough */
    case CW_IMPLICIT:
    case CW_PAREN:
    case CW_GENERIC:
        for (size_t i = 0; i < node->nkids; i++)
            if (node->kids[i]->type != NULL && is_array(node->kids[i]))
                return false;
        return true;
    case CW_CALL:
    case CW_BINARY:
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
    case CW_COMMA:
    case CW_COND:
    case CW_ELVIS:
    case CW_CAST:
    case CW_STMT_EXPR:
        return true;
    case CW_MEMBER:
    case CW_INDEX:
    case CW_COMPOUND_LITERAL:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
    case CW_RESULTS:
        break;
    }
    return false;
}

static bool is_vector(const cw_type *type)
{
    type = cw_type_bare(type);
    return type->kind == CW_T_BUILTIN && strstr(type->name, "vector") != NULL;
}

cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_unit *unit = l->unit;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    cw_node *node = spans_its_kids(kind) ? cw_alloc(&unit->arena, sizeof *node)
                                         : load_node(l, load_kind(kind), cursor, parent);
    node->kind = load_kind(kind);
    node->parent = parent;
    node->type = load_type(l, clang_getCursorType(cursor));
    if (node->kind == CW_STRING) {
        if (unit->pretty && l->func != NULL && word_is(unit, node->begin, "__PRETTY_FUNCTION__"))
            l->func->pretty = load_string(l, clang_getCursorSpelling(cursor));
        return node; /* the kids of adjacent literals are not needed */
    }
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (load_is_expr(kids.items[i]))
            load_add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (load_is_stmt(kids.items[i]))
            load_add_kid(l, node, l->read_stmt(l, kids.items[i], node));
        else if (clang_isDeclaration(
                     clang_getCursorKind(kids.items[i]))) { /* a type defined here */
            load_type(l, clang_getCursorType(kids.items[i]));
            cw_node *constants = load_node(l, CW_OTHER_DECL, kids.items[i], node);
            load_constants(l, kids.items[i], constants);
            if (constants->nkids > 0)
                load_add_kid(l, node, constants);
        }
    load_type_names(l, &kids);
    find_designator(unit, node);
    if (spans_its_kids(kind))
        take_extent_of_kids(node, cursor);
    if (node->kind == CW_REF || node->kind == CW_MEMBER) {
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (!clang_Cursor_isNull(referenced) &&
            clang_isDeclaration(clang_getCursorKind(referenced)))
            node->decl = load_decl(l, referenced);
        node->woven = cw_is_woven_by_default(node);
        if (node->kind == CW_MEMBER && node->nkids > 0)
            node->arrow = unit->text[cw_skip_blank(unit, node->kids[0]->end)] == '-';
    } else if (node->kind == CW_BINARY && node->nkids == 2) {
        classify_binary(unit, node);
    } else if (node->kind == CW_UNARY && node->nkids == 1) {
        classify_unary(unit, node);
    } else if (node->kind == CW_OTHER_EXPR) {
        classify_unexposed(unit, node);
    } else if (node->kind == CW_CALL) {
        classify_call(unit, node);
    } else if (node->kind == CW_PAREN) {
        node->for_type = is_behind_typeof(unit, node->begin);
    } else if (node->kind == CW_SIZEOF && sizeof_evaluates(unit, node)) {
        node->kind = CW_BUILTIN;
    } else if (node->kind == CW_LABEL_ADDRESS && l->func != NULL) {
        l->func->single = true;
        node->decl = load_label(l, cursor);
        node->decl->has_address = true;
    }
    if (is_dependent(node->type))
        node->type = repaired_type(l, node);
    if (is_array(node) && is_said_to_be_array(node))
        node->type = cw_type_value(unit, node->type);
    /* An operator that has a vector for one operand spreads the other, a number. C has no name for
     * that, so the number itself is what can be kept. */
    if (node->kind == CW_IMPLICIT && is_vector(node->type) && !is_vector(node->kids[0]->type))
        node->type = node->kids[0]->type;
    /* the indices in a designator are all operands but the last */
    for (size_t i = 0, kid = 0;
         node->kind == CW_DESIGNATED && i < kids.count && kid + 1 < node->nkids; i++)
        if (load_is_expr(kids.items[i]))
            node->kids[kid++]->index = value_from_one(kids.items[i]);
    free(kids.items);
    if (load_is_foreign_value(node, cursor))
        node->type = load_foreign_type(l);
    else if (node->kind == CW_GENERIC && load_may_pause(l))
        load_ask_choice(l, node);
    return node;
}

typedef struct constants {
    loader *l;
    cw_node *node;
} constants;

/* May it contain a call, or name a local? */
static bool may_matter(const loader *l, uint32_t from, uint32_t to)
{
    bool in_word = false, found = false;
    for (uint32_t at = from; at < to && !found; at = cw_skip_unit(l->unit, at)) {
        char c = l->unit->text[at];
        found = c == '(' ||
                (l->func != NULL && !in_word && cw_is_word(c) && !isdigit((unsigned char)c));
        in_word = cw_is_word(c);
    }
    return found;
}

static enum CXChildVisitResult load_constant(CXCursor cursor, CXCursor parent, CXClientData data)
{
    constants *c = data;
    if (load_is_seen_twice(cursor, parent))
        return CXChildVisit_Continue;
    if (!load_is_expr(cursor))
        return CXChildVisit_Recurse;
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    if (may_matter(c->l, begin, end))
        load_add_kid(c->l, c->node, load_expr(c->l, cursor, c->node));
    return CXChildVisit_Continue;
}

void load_constants(loader *l, CXCursor cursor, cw_node *node)
{
    constants c = { l, node };
    clang_visitChildren(cursor, load_constant, &c);
}
