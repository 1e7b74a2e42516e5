/* load.c - libclang's tree becomes ours. The only file that includes <clang-c/Index.h>.
 *
 * In:  the preprocessed text.
 * Out: declarations at file scope, bodies of functions as trees of cw_node, types. Nothing is decided here, but for
 *      what libclang of version 14 does not tell and the text does: operators, absent parts of a `for`, where a
 *      statement's ';' is, elided operands of `?:`.
 *
 * The text is parsed once more as C (markers and all, no macros are left in it) for the target of the build's compiler. Headers
 * preprocessed by gcc use a few forms that clang lacks; they are defined away, which moves nothing in user code.
 * Errors that remain inside system headers are ignored: a function we do not weave may be as strange as it likes.
 *
 * Bodies in system headers are skipped, and declarations there are looked at only when a mark stands in them. Visitors only
 * queue cursors; the functions above them decide. No CXString or cursor outlives cw_load. */
#include "weaver.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

typedef struct cursors {
    CXCursor *items;
    size_t count, room;
} cursors;

struct slot {
    CXCursor cursor;
    cw_decl *decl;
};

struct type_slot {
    CXType key;
    cw_type *type;
};

typedef struct loader {
    cw_unit *unit;
    CXTranslationUnit tu;
    cw_func *func;            /* whose body is being read */
    uint32_t scope_begin, scope_end;
    struct slot *decls;       /* open addressing, a power of two */
    size_t ndecls, decl_room;
    struct type_slot *types;
    size_t ntypes, type_room;
    struct { CXCursor cursor; cw_tag *tag; } *tags;
    size_t ntags;
} loader;

static cw_type *load_type(loader *l, CXType type);
static cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent);
static cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent);

/* ---- small helpers ---- */

static const char *take_string(loader *l, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = cw_strdup(&l->unit->arena, text != NULL ? text : "");
    clang_disposeString(string);
    return copy;
}

static enum CXChildVisitResult queue_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    cursors *list = data;
    if (list->count == list->room) {
        list->room = list->room == 0 ? 8 : list->room * 2;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (list->items == NULL)
            abort();
    }
    list->items[list->count++] = cursor;
    return CXChildVisit_Continue;
}

static cursors children_of(CXCursor cursor)
{
    cursors list = { 0 };
    clang_visitChildren(cursor, queue_child, &list);
    return list;
}

static uint32_t offset_of(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

static void extent_of(CXCursor cursor, uint32_t *begin, uint32_t *end)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    *begin = offset_of(clang_getRangeStart(range));
    *end = offset_of(clang_getRangeEnd(range));
}

static bool has_mark(const cw_unit *unit, uint32_t begin, uint32_t end)
{
    size_t low = 0, high = unit->nmarks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->marks[middle] < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < unit->nmarks && unit->marks[low] < end;
}

/* Where the marks in front of a declaration begin: libclang may leave them out of its extent. */
static uint32_t with_marks(const cw_unit *unit, uint32_t begin)
{
    for (;;) {
        uint32_t at = begin;
        while (at > 0 && strchr(" \t\n", unit->text[at - 1]) != NULL)
            at--;
        if (at < unit->mark_length || !has_mark(unit, at - unit->mark_length, at - unit->mark_length + 1))
            return begin;
        begin = at - unit->mark_length;
    }
}

/* ---- types ---- */

static enum CXVisitorResult look_for_const(CXCursor field, CXClientData data)
{
    CXType type = clang_getCursorType(field);
    bool *found = data;
    while (type.kind == CXType_ConstantArray)
        type = clang_getArrayElementType(type);
    CXType canonical = clang_getCanonicalType(type);
    if (clang_isConstQualifiedType(canonical))
        *found = true;
    else if (canonical.kind == CXType_Record)
        clang_Type_visitFields(canonical, look_for_const, found);
    return *found ? CXVisit_Break : CXVisit_Continue;
}

static enum CXVisitorResult queue_field(CXCursor field, CXClientData data)
{
    queue_child(field, field, data);
    return CXVisit_Continue;
}

static cw_decl *load_decl(loader *l, CXCursor cursor);

static cw_tag *load_tag(loader *l, CXType type)
{
    CXCursor cursor = clang_getCanonicalCursor(clang_getTypeDeclaration(type));
    for (size_t i = 0; i < l->ntags; i++)
        if (clang_equalCursors(l->tags[i].cursor, cursor))
            return l->tags[i].tag;
    cw_tag *tag = cw_alloc(&l->unit->arena, sizeof *tag);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    tag->keyword = kind == CXCursor_EnumDecl ? "enum" : kind == CXCursor_UnionDecl ? "union" : "struct";
    CXCursor definition = clang_getCursorDefinition(cursor);
    if (!clang_Cursor_isNull(definition))
        extent_of(definition, &tag->begin, &tag->end);
    const char *name = take_string(l, clang_getCursorSpelling(cursor));
    bool anonymous = *name == '\0' || strchr(name, '(') != NULL || strchr(name, ' ') != NULL;
    if (!anonymous && tag->end > tag->begin) { /* newer versions lend a typedef's name to an anonymous struct */
        uint32_t brace = tag->begin;
        while (brace < tag->end && l->unit->text[brace] != '{')
            brace++;
        char *head = cw_strndup(&l->unit->arena, l->unit->text + tag->begin, brace - tag->begin);
        anonymous = strstr(head, name) == NULL;
    }
    tag->name = anonymous ? NULL : name;
    uint32_t begin, end;
    extent_of(cursor, &begin, &end);
    tag->local = l->func != NULL && begin >= l->func->begin && begin < l->func->end;
    l->tags = realloc(l->tags, (l->ntags + 1) * sizeof *l->tags);
    if (l->tags == NULL)
        abort();
    l->tags[l->ntags].cursor = cursor;
    l->tags[l->ntags++].tag = tag;
    CW_PUSH(&l->unit->arena, l->unit->tags, l->unit->ntags, tag);
    if (kind != CXCursor_EnumDecl) { /* after it is known: a field may lead back to it */
        cursors fields = { 0 };
        clang_Type_visitFields(type, look_for_const, &tag->const_member);
        clang_Type_visitFields(type, queue_field, &fields);
        for (size_t i = 0; i < fields.count; i++) {
            cw_decl *field = load_decl(l, fields.items[i]);
            CW_PUSH(&l->unit->arena, tag->fields, tag->nfields, field);
        }
        free(fields.items);
    }
    return tag;
}

static const char *builtin_name(loader *l, CXType type)
{
    const char *name = take_string(l, clang_getTypeSpelling(type));
    for (;;) {
        if (strncmp(name, "const ", 6) == 0)
            name += 6;
        else if (strncmp(name, "volatile ", 9) == 0)
            name += 9;
        else
            return name;
    }
}

static void fill_type(loader *l, CXType type, cw_type *out)
{
    out->is_const |= clang_isConstQualifiedType(type) != 0;
    out->is_volatile |= clang_isVolatileQualifiedType(type) != 0;
    out->is_restrict |= clang_isRestrictQualifiedType(type) != 0;
    switch (type.kind) {
    case CXType_Elaborated:
        fill_type(l, clang_Type_getNamedType(type), out);
        return;
    case CXType_Attributed:
        fill_type(l, clang_Type_getModifiedType(type), out);
        return;
    case CXType_Unexposed: {
        CXType canonical = clang_getCanonicalType(type);
        if (canonical.kind != CXType_Unexposed)
            fill_type(l, canonical, out);
        else {
            out->kind = CW_T_OTHER;
            out->name = take_string(l, clang_getTypeSpelling(type));
        }
        return;
    }
    case CXType_Typedef:
        out->kind = CW_T_TYPEDEF;
        out->decl = load_decl(l, clang_getTypeDeclaration(type));
        out->inner = load_type(l, clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type)));
        return;
    case CXType_Pointer:
    case CXType_BlockPointer:
        out->kind = CW_T_POINTER;
        out->inner = load_type(l, clang_getPointeeType(type));
        return;
    case CXType_ConstantArray:
        out->kind = CW_T_ARRAY;
        out->count = clang_getArraySize(type);
        out->inner = load_type(l, clang_getArrayElementType(type));
        return;
    case CXType_IncompleteArray:
        out->kind = CW_T_OPEN_ARRAY;
        out->inner = load_type(l, clang_getArrayElementType(type));
        return;
    case CXType_VariableArray:
        out->kind = CW_T_VLA;
        out->inner = load_type(l, clang_getArrayElementType(type));
        return;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: {
        out->kind = CW_T_FUNCTION;
        out->inner = load_type(l, clang_getResultType(type));
        out->variadic = clang_isFunctionTypeVariadic(type) != 0 && type.kind == CXType_FunctionProto;
        out->prototyped = type.kind == CXType_FunctionProto;
        int count = clang_getNumArgTypes(type);
        for (int i = 0; i < count; i++) {
            cw_type *param = load_type(l, clang_getArgType(type, (unsigned)i));
            CW_PUSH(&l->unit->arena, out->params, out->nparams, param);
        }
        return;
    }
    case CXType_Record:
    case CXType_Enum:
        out->kind = type.kind == CXType_Record ? CW_T_RECORD : CW_T_ENUM;
        out->tag = load_tag(l, type);
        return;
    case CXType_Atomic:
        out->kind = CW_T_ATOMIC;
        out->inner = load_type(l, clang_Type_getValueType(type));
        return;
    default:
        out->kind = type.kind >= CXType_FirstBuiltin && type.kind <= CXType_LastBuiltin ? CW_T_BUILTIN
                    : type.kind == CXType_Complex || type.kind == CXType_Vector         ? CW_T_BUILTIN
                                                                                        : CW_T_OTHER;
        out->name = builtin_name(l, type);
        return;
    }
}

static size_t type_hash(CXType type)
{
    uintptr_t bits = (uintptr_t)type.data[0];
    return (size_t)((bits >> 4) * 0x9E3779B97F4A7C15ull >> 20) ^ (size_t)type.kind ^ (bits & 15);
}

static void grow_types(loader *l)
{
    struct type_slot *before = l->types;
    size_t room = l->type_room;
    l->type_room = room == 0 ? 1024 : room * 2;
    l->types = calloc(l->type_room, sizeof *l->types);
    if (l->types == NULL)
        abort();
    for (size_t i = 0; i < room; i++)
        if (before[i].type != NULL) {
            size_t at = type_hash(before[i].key) & (l->type_room - 1);
            while (l->types[at].type != NULL)
                at = (at + 1) & (l->type_room - 1);
            l->types[at] = before[i];
        }
    free(before);
}

/* libclang 14 crashes when it is asked for the alignment of what has none. */
static bool has_size(CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    switch (canonical.kind) {
    case CXType_Invalid:
    case CXType_Unexposed:
    case CXType_Void:
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_Dependent:
    case CXType_Overload:
        return false;
    default:
        return clang_Type_getSizeOf(canonical) >= 0;
    }
}

static cw_type *load_type(loader *l, CXType type)
{
    if (l->ntypes * 2 >= l->type_room)
        grow_types(l);
    size_t at = type_hash(type) & (l->type_room - 1);
    while (l->types[at].type != NULL) {
        if (clang_equalTypes(l->types[at].key, type))
            return l->types[at].type;
        at = (at + 1) & (l->type_room - 1);
    }
    cw_type *out = cw_alloc(&l->unit->arena, sizeof *out);
    l->types[at].key = type;
    l->types[at].type = out; /* before its parts: types are recursive */
    l->ntypes++;
    out->size = out->align = -1;
    if (has_size(type)) {
        out->size = clang_Type_getSizeOf(type);
        out->align = clang_Type_getAlignOf(type);
    }
    fill_type(l, type, out);
    return out;
}

/* ---- declarations ---- */

static cw_decl_kind decl_kind(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_FunctionDecl: return CW_D_FUNCTION;
    case CXCursor_ParmDecl: return CW_D_PARAM;
    case CXCursor_FieldDecl: return CW_D_FIELD;
    case CXCursor_TypedefDecl: return CW_D_TYPEDEF;
    case CXCursor_EnumConstantDecl: return CW_D_ENUMERATOR;
    case CXCursor_LabelStmt: return CW_D_LABEL;
    default: return CW_D_VARIABLE;
    }
}

static bool starts_with_word(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Attributes of one declaration. */
static void read_attributes(loader *l, CXCursor cursor, cw_decl *decl, cw_redecl *redecl)
{
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.items[i]);
        uint32_t begin, end;
        if (kind == CXCursor_AnnotateAttr) {
            const char *text = take_string(l, clang_getCursorDisplayName(kids.items[i]));
            extent_of(kids.items[i], &begin, &end);
            if (strcmp(text, "co4_pausable") == 0 && begin >= redecl->begin && begin < redecl->end)
                redecl->marked = true;
        } else if (kind == CXCursor_AlignedAttr) {
            decl->aligned = true;
        } else if (kind == CXCursor_UnexposedAttr) {
            extent_of(kids.items[i], &begin, &end);
            const char *text = l->unit->text + begin;
            if (starts_with_word(text, "cleanup") || starts_with_word(text, "__cleanup__"))
                decl->cleanup = true;
        } else if (kind == CXCursor_ParmDecl) {
            cw_decl *param = load_decl(l, kids.items[i]);
            CW_PUSH(&l->unit->arena, redecl->params, redecl->nparams, param);
        }
    }
    free(kids.items);
}

static void read_redecl(loader *l, CXCursor cursor, cw_decl *decl)
{
    cw_redecl redecl = { 0 };
    extent_of(cursor, &redecl.begin, &redecl.end);
    redecl.begin = with_marks(l->unit, redecl.begin);
    redecl.name_at = offset_of(clang_getCursorLocation(cursor));
    for (size_t i = 0; i < decl->nredecls; i++)
        if (decl->redecls[i].begin == redecl.begin && decl->redecls[i].name_at == redecl.name_at)
            return;
    redecl.definition = clang_isCursorDefinition(cursor) != 0;
    bool worth_a_look = has_mark(l->unit, redecl.begin, redecl.end) || decl->kind == CW_D_VARIABLE ||
                        (decl->kind == CW_D_FUNCTION && redecl.definition);
    if (worth_a_look)
        read_attributes(l, cursor, decl, &redecl);
    decl->marked |= redecl.marked;
    if (decl->nredecls == 0 || redecl.definition || redecl.nparams > decl->nparams) {
        decl->params = redecl.params;
        decl->nparams = redecl.nparams;
    }
    CW_PUSH(&l->unit->arena, decl->redecls, decl->nredecls, redecl);
}

static size_t decl_slot(loader *l, CXCursor cursor)
{
    size_t at = clang_hashCursor(cursor) * 2654435761u & (l->decl_room - 1);
    while (l->decls[at].decl != NULL && !clang_equalCursors(l->decls[at].cursor, cursor))
        at = (at + 1) & (l->decl_room - 1);
    return at;
}

static void grow_decls(loader *l)
{
    struct slot *before = l->decls;
    size_t room = l->decl_room;
    l->decl_room = room == 0 ? 1024 : room * 2;
    l->decls = calloc(l->decl_room, sizeof *l->decls);
    if (l->decls == NULL)
        abort();
    for (size_t i = 0; i < room; i++)
        if (before[i].decl != NULL)
            l->decls[decl_slot(l, before[i].cursor)] = before[i];
    free(before);
}

static cw_decl *load_decl(loader *l, CXCursor cursor)
{
    CXCursor canonical = clang_getCanonicalCursor(cursor);
    if (l->ndecls * 2 >= l->decl_room)
        grow_decls(l);
    size_t at = decl_slot(l, canonical);
    cw_decl *decl = l->decls[at].decl;
    if (decl == NULL) {
        decl = cw_alloc(&l->unit->arena, sizeof *decl);
        l->decls[at].cursor = canonical;
        l->decls[at].decl = decl;
        l->ndecls++;
        decl->kind = decl_kind(clang_getCursorKind(cursor));
        decl->name = take_string(l, clang_getCursorSpelling(cursor));
        extent_of(canonical, &decl->begin, &decl->end);
        decl->begin = with_marks(l->unit, decl->begin);
        decl->name_at = offset_of(clang_getCursorLocation(canonical));
        decl->local = l->func != NULL && decl->begin >= l->func->begin && decl->begin < l->func->end;
        decl->scope_begin = l->scope_begin;
        decl->scope_end = l->scope_end;
        enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
        decl->is_static = storage == CX_SC_Static ||
                          (decl->kind == CW_D_VARIABLE && (storage == CX_SC_Extern || !decl->local));
        decl->is_extern = storage == CX_SC_Extern;
        decl->is_register = storage == CX_SC_Register;
        if (decl->kind == CW_D_FUNCTION)
            decl->is_inline = clang_Cursor_isFunctionInlined(cursor) != 0;
        if (decl->kind == CW_D_VARIABLE)
            decl->thread_local_ = clang_getCursorTLSKind(cursor) != CXTLS_None;
        if (decl->kind != CW_D_LABEL)
            decl->type = load_type(l, decl->kind == CW_D_TYPEDEF
                                          ? clang_getTypedefDeclUnderlyingType(cursor)
                                          : clang_getCursorType(cursor));
        if (decl->kind == CW_D_PARAM)
            decl->type = cw_type_value(l->unit, decl->type);
        if (!decl->local && decl->kind != CW_D_PARAM)
            CW_PUSH(&l->unit->arena, l->unit->decls, l->unit->ndecls, decl);
        else if (l->func != NULL)
            CW_PUSH(&l->unit->arena, l->func->declared, l->func->ndeclared, decl);
        read_redecl(l, canonical, decl);
    }
    if (!clang_equalCursors(cursor, canonical))
        read_redecl(l, cursor, decl);
    return decl;
}

/* ---- nodes ---- */

static cw_node *node_new(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent)
{
    cw_node *node = cw_alloc(&l->unit->arena, sizeof *node);
    node->kind = kind;
    node->parent = parent;
    extent_of(cursor, &node->begin, &node->end);
    return node;
}

static void add_kid(loader *l, cw_node *node, cw_node *kid)
{
    CW_PUSH(&l->unit->arena, node->kids, node->nkids, kid);
}

static bool is_expr(CXCursor cursor)
{
    return clang_isExpression(clang_getCursorKind(cursor)) != 0;
}

static bool is_stmt(CXCursor cursor)
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
        if (a->end < b->begin && unit->text[at] == '?' && unit->text[cw_skip_blank(unit, at + 1)] == ':') {
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
    case CXCursor_CharacterLiteral: return CW_LITERAL;
    case CXCursor_StringLiteral: return CW_STRING;
    case CXCursor_DeclRefExpr: return CW_REF;
    case CXCursor_MemberRefExpr: return CW_MEMBER;
    case CXCursor_CallExpr: return CW_CALL;
    case CXCursor_UnaryOperator: return CW_UNARY;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: return CW_BINARY;
    case CXCursor_ConditionalOperator: return CW_COND;
    case CXCursor_CStyleCastExpr: return CW_CAST;
    case CXCursor_ParenExpr: return CW_PAREN;
    case CXCursor_ArraySubscriptExpr: return CW_INDEX;
    case CXCursor_CompoundLiteralExpr: return CW_COMPOUND_LITERAL;
    case CXCursor_InitListExpr: return CW_INIT_LIST;
    case CXCursor_UnaryExpr: return CW_SIZEOF;
    case CXCursor_StmtExpr: return CW_STMT_EXPR;
    case CXCursor_GenericSelectionExpr: return CW_GENERIC;
    case CXCursor_AddrLabelExpr: return CW_LABEL_ADDRESS;
    default: return CW_OTHER_EXPR;
    }
}

static cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_unit *unit = l->unit;
    cw_node *node = node_new(l, expr_kind(clang_getCursorKind(cursor)), cursor, parent);
    node->type = load_type(l, clang_getCursorType(cursor));
    if (node->kind == CW_STRING)
        return node; /* kids of adjacent literals are of no interest */
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (is_expr(kids.items[i]))
            add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (is_stmt(kids.items[i]))
            add_kid(l, node, load_stmt(l, kids.items[i], node));
    free(kids.items);
    switch (node->kind) {
    case CW_REF:
    case CW_MEMBER: {
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (!clang_Cursor_isNull(referenced) && clang_isDeclaration(clang_getCursorKind(referenced)))
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

/* ---- statements ---- */

static void take_semicolon(const cw_unit *unit, cw_node *node)
{
    uint32_t at = cw_skip_blank(unit, node->end);
    if (at < unit->length && unit->text[at] == ';')
        node->end = at + 1;
}

static cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_node *node = node_new(l, CW_VAR, cursor, parent);
    node->decl = load_decl(l, cursor);
    node->type = node->decl->type;
    CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
    bool has_init = !clang_Cursor_isNull(init) && clang_isExpression(clang_getCursorKind(init));
    add_kid(l, node, has_init ? load_expr(l, init, node) : NULL);
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (is_expr(kids.items[i]) && !(has_init && clang_equalCursors(kids.items[i], init)))
            add_kid(l, node, load_expr(l, kids.items[i], node));
    free(kids.items);
    return node;
}

static void load_tag_members(loader *l, CXCursor cursor)
{
    uint32_t begin, end;
    extent_of(cursor, &begin, &end);
    if (!has_mark(l->unit, begin, end))
        return;
    cursors kids = children_of(cursor);
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

static cw_node *load_decl_stmt(loader *l, CXCursor cursor, cw_node *parent)
{
    cw_node *node = node_new(l, CW_DECL_STMT, cursor, parent);
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.items[i]);
        if (kind == CXCursor_VarDecl) {
            add_kid(l, node, load_var(l, kids.items[i], node));
            continue;
        }
        if (!clang_isDeclaration(kind))
            continue;
        add_kid(l, node, node_new(l, CW_OTHER_DECL, kids.items[i], node));
        if (kind == CXCursor_FunctionDecl || kind == CXCursor_TypedefDecl)
            node->kids[node->nkids - 1]->decl = load_decl(l, kids.items[i]);
        else if (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl)
            load_tag_members(l, kids.items[i]);
        else if (kind == CXCursor_EnumDecl) {
            cursors names = children_of(kids.items[i]);
            for (size_t j = 0; j < names.count; j++)
                if (clang_getCursorKind(names.items[j]) == CXCursor_EnumConstantDecl)
                    load_decl(l, names.items[j]);
            free(names.items);
        }
    }
    free(kids.items);
    if (node->nkids > 0)
        node->begin = with_marks(l->unit, node->begin);
    take_semicolon(l->unit, node);
    return node;
}

/* libclang leaves out the absent parts of a `for`; the semicolons tell which those are. */
static void load_for(loader *l, CXCursor cursor, cw_node *node)
{
    const cw_unit *unit = l->unit;
    cursors kids = children_of(cursor);
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
        extent_of(kids.items[i], &begin, &end);
        int part = i + 1 == kids.count   ? 3
                   : begin <= semicolons[0] ? 0
                   : begin <= semicolons[1] ? 1
                                            : 2;
        parts[part] = part == 3 || (part == 0 && is_stmt(kids.items[i])) ? load_stmt(l, kids.items[i], node)
                                                                           : load_expr(l, kids.items[i], node);
    }
    free(kids.items);
    for (int i = 0; i < 4; i++)
        add_kid(l, node, parts[i]);
}

static void load_labelled(loader *l, CXCursor cursor, cw_node *node)
{
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        bool last = i + 1 == kids.count;
        add_kid(l, node, last ? load_stmt(l, kids.items[i], node) : load_expr(l, kids.items[i], node));
    }
    free(kids.items);
}

static void load_kids(loader *l, CXCursor cursor, cw_node *node, size_t exprs)
{
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (i < exprs && is_expr(kids.items[i]))
            add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (is_expr(kids.items[i]) || is_stmt(kids.items[i]))
            add_kid(l, node, load_stmt(l, kids.items[i], node));
    free(kids.items);
}

/* A statement of a kind we do not know or need no parts of: its expressions and statements, in order. */
static void load_parts(loader *l, CXCursor cursor, cw_node *node)
{
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (is_expr(kids.items[i]))
            add_kid(l, node, load_expr(l, kids.items[i], node));
        else if (is_stmt(kids.items[i]))
            add_kid(l, node, load_stmt(l, kids.items[i], node));
    free(kids.items);
}

static cw_decl *label_of(loader *l, CXCursor cursor)
{
    cursors kids = children_of(cursor);
    cw_decl *decl = NULL;
    for (size_t i = 0; i < kids.count && decl == NULL; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_LabelRef)
            decl = load_decl(l, clang_getCursorReferenced(kids.items[i]));
    free(kids.items);
    return decl;
}

static cw_kind stmt_kind(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_CompoundStmt: return CW_BLOCK;
    case CXCursor_DeclStmt: return CW_DECL_STMT;
    case CXCursor_IfStmt: return CW_IF;
    case CXCursor_WhileStmt: return CW_WHILE;
    case CXCursor_DoStmt: return CW_DO;
    case CXCursor_ForStmt: return CW_FOR;
    case CXCursor_SwitchStmt: return CW_SWITCH;
    case CXCursor_CaseStmt: return CW_CASE;
    case CXCursor_DefaultStmt: return CW_DEFAULT;
    case CXCursor_LabelStmt: return CW_LABEL;
    case CXCursor_GotoStmt: return CW_GOTO;
    case CXCursor_IndirectGotoStmt: return CW_INDIRECT_GOTO;
    case CXCursor_BreakStmt: return CW_BREAK;
    case CXCursor_ContinueStmt: return CW_CONTINUE;
    case CXCursor_ReturnStmt: return CW_RETURN;
    case CXCursor_GCCAsmStmt: return CW_ASM;
    case CXCursor_NullStmt: return CW_NULL_STMT;
    default: return CW_OTHER_STMT;
    }
}

static cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent)
{
    if (is_expr(cursor)) {
        cw_node *node = node_new(l, CW_EXPR_STMT, cursor, parent);
        add_kid(l, node, load_expr(l, cursor, node));
        take_semicolon(l->unit, node);
        return node;
    }
    cw_kind kind = stmt_kind(clang_getCursorKind(cursor));
    if (kind == CW_DECL_STMT)
        return load_decl_stmt(l, cursor, parent);
    cw_node *node = node_new(l, kind, cursor, parent);
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
            add_kid(l, node, NULL);
        break;
    case CW_WHILE:
    case CW_SWITCH:
        load_kids(l, cursor, node, 1);
        break;
    case CW_DO: {
        cursors kids = children_of(cursor);
        if (kids.count == 2) {
            add_kid(l, node, load_stmt(l, kids.items[0], node));
            add_kid(l, node, load_expr(l, kids.items[1], node));
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
    case CW_LABEL:
        node->decl = load_decl(l, cursor);
        load_kids(l, cursor, node, 0);
        break;
    case CW_GOTO:
        node->decl = label_of(l, cursor);
        take_semicolon(l->unit, node);
        break;
    case CW_RETURN:
        load_parts(l, cursor, node);
        if (node->nkids == 0)
            add_kid(l, node, NULL);
        take_semicolon(l->unit, node);
        break;
    default:
        load_parts(l, cursor, node);
        take_semicolon(l->unit, node);
        break;
    }
    /* a statement that ends with another one ends with that one's ';' */
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL && node->kids[i]->end > node->end)
            node->end = node->kids[i]->end;
    l->scope_begin = scope_begin;
    l->scope_end = scope_end;
    return node;
}

/* ---- file scope ---- */

/* Do declarations of the parameters stand between the brackets and the body? libclang does not say. */
static bool is_old_style(const cw_unit *unit, const cw_func *func, uint32_t name_at)
{
    uint32_t at = name_at;
    while (unit->text[at] != '(')
        at = cw_skip_unit(unit, at);
    for (at = cw_skip_group(unit, at); at < func->body_at; at = cw_skip_unit(unit, at))
        if (unit->text[at] == ';')
            return true;
    return false;
}

static void load_function(loader *l, CXCursor cursor, uint32_t begin, uint32_t end)
{
    cw_unit *unit = l->unit;
    cw_func *func = cw_alloc(&unit->arena, sizeof *func);
    func->unit = unit;
    func->begin = with_marks(unit, begin);
    func->end = end;
    cw_decl *decl = load_decl(l, cursor);
    func->decl = decl;
    decl->func = func;
    func->variadic = decl->type->variadic;
    l->func = func;
    int count = clang_Cursor_getNumArguments(cursor);
    cursors kids = children_of(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_CompoundStmt)
            extent_of(kids.items[i], &func->body_at, &end);
    l->scope_begin = func->body_at;
    l->scope_end = func->end;
    for (int i = 0; i < count; i++) {
        cw_decl *param = load_decl(l, clang_Cursor_getArgument(cursor, (unsigned)i));
        param->func = func;
        param->local = true;
        param->scope_begin = func->body_at;
        param->scope_end = func->end;
        CW_PUSH(&unit->arena, func->params, func->nparams, param);
    }
    for (size_t i = 0; i < func->nparams; i++) { /* they were met before their function was known */
        bool known = false;
        for (size_t j = 0; j < func->ndeclared; j++)
            known |= func->declared[j] == func->params[i];
        if (!known)
            CW_PUSH(&unit->arena, func->declared, func->ndeclared, func->params[i]);
    }
    func->old_style = count > 0 && is_old_style(unit, func, offset_of(clang_getCursorLocation(cursor)));
    for (size_t i = 0; i < kids.count; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_CompoundStmt)
            func->body = load_stmt(l, kids.items[i], NULL);
    free(kids.items);
    CW_PUSH(&unit->arena, unit->funcs, unit->nfuncs, func);
    l->func = NULL;
    l->scope_begin = l->scope_end = 0;
}

static void load_top(loader *l, CXCursor cursor)
{
    cw_unit *unit = l->unit;
    uint32_t begin, end;
    extent_of(cursor, &begin, &end);
    uint32_t marked_begin = with_marks(unit, begin);
    bool marked = has_mark(unit, marked_begin, end);
    bool system = cw_place_of(unit, begin).system;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
        if (clang_isCursorDefinition(cursor) && (marked || !system))
            load_function(l, cursor, begin, end);
        else if (marked || !system)
            load_decl(l, cursor);
        break;
    case CXCursor_VarDecl:
        if (marked || !system) {
            cw_node *node = load_var(l, cursor, NULL);
            CW_PUSH(&unit->arena, unit->initializers, unit->ninitializers, node);
        }
        break;
    case CXCursor_TypedefDecl:
        if (marked)
            load_decl(l, cursor);
        break;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
        load_tag_members(l, cursor);
        break;
    default:
        break;
    }
}

/* Errors in user code, as text; NULL when there are none. */
static char *parse_errors(loader *l)
{
    cw_buf buf = { 0 };
    unsigned count = clang_getNumDiagnostics(l->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(l->tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXSourceLocation location = clang_getDiagnosticLocation(diagnostic);
            cw_place place = cw_place_of(l->unit, offset_of(location));
            const char *text = take_string(l, clang_getDiagnosticSpelling(diagnostic));
            if (!place.system)
                cw_printf(&buf, "%s:%u:%u: error: %s\n", place.file, place.line, place.column, text);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    char *text = buf.data != NULL ? cw_strdup(&l->unit->arena, buf.data) : NULL;
    cw_buf_free(&buf);
    return text;
}

static CXTranslationUnit parse(cw_unit *unit, CXIndex index)
{
    /* What gcc's headers say and clang does not know. */
    static const char *const compatible[] = {
        "-xc", "-w", "-ferror-limit=0", "-fno-color-diagnostics", "-undef",
        "-Wno-implicit-function-declaration", "-Wno-int-conversion", "-Wno-implicit-int",
        "-Wno-incompatible-pointer-types", "-Wno-incompatible-function-pointer-types",
        "-D__malloc__(...)=", "-D_Float128=long double", "-D_Float64x=long double", "-D_Float32x=double",
        "-D_Float64=double", "-D_Float32=float",
    };
    size_t fixed = sizeof compatible / sizeof *compatible;
    size_t count = fixed + unit->options->nparse_args;
    const char **args = cw_alloc(&unit->arena, count * sizeof *args);
    for (size_t i = 0; i < fixed; i++)
        args[i] = compatible[i];
    for (size_t i = 0; i < unit->options->nparse_args; i++)
        args[fixed + i] = unit->options->parse_args[i];
    struct CXUnsavedFile file = { "co4weave-unit.c", unit->text, unit->length };
    CXTranslationUnit tu = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(index, file.Filename, args, (int)count, &file, 1,
                                                        CXTranslationUnit_None, &tu);
    return code == CXError_Success ? tu : NULL;
}

bool cw_load(cw_unit *unit)
{
    loader l = { .unit = unit };
    CXIndex index = clang_createIndex(0, 0);
    l.tu = parse(unit, index);
    bool ok = l.tu != NULL;
    if (ok) {
        unit->parse_errors = parse_errors(&l);
        ok = unit->parse_errors == NULL;
    } else {
        unit->parse_errors = cw_strdup(&unit->arena, "error: libclang gave up on this source\n");
    }
    if (ok) {
        CXTargetInfo target = clang_getTranslationUnitTargetInfo(l.tu);
        unit->head_bytes = 2 * (uint32_t)clang_TargetInfo_getPointerWidth(target) / 8 + 8;
        clang_TargetInfo_dispose(target);
        cursors tops = children_of(clang_getTranslationUnitCursor(l.tu));
        for (size_t i = 0; i < tops.count; i++)
            load_top(&l, tops.items[i]);
        free(tops.items);
    }
    free(l.decls);
    free(l.types);
    free(l.tags);
    if (l.tu != NULL)
        clang_disposeTranslationUnit(l.tu);
    clang_disposeIndex(index);
    return ok;
}
