/* decl.c - types and declarations, each once.
 *
 * Purpose: types and declarations refer to each other, through typedefs, parameters and fields. So
 * one file reads both.
 *
 * Types: sugar is kept where a name can be written again (typedefs), and removed where it cannot
 * (typeof, attributes). A struct's fields are read with it, because passes ask later whether one is
 * const, and which are marked.
 *
 * Declarations: all redeclarations of an entity share one. libclang lets later ones inherit the
 * mark of earlier ones. So each cw_redecl records whether its own text contains the attribute, for
 * mark.c compares them. The parts of a declaration show whether only the compiler knows its type
 * (foreign.c). */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "base/plan.h"
#include "text/unit.h"
#include "clang/loader.h"

/* ---- types ---- */

static enum CXVisitorResult queue_field(CXCursor field, CXClientData data)
{
    load_queue(field, field, data);
    return CXVisit_Continue;
}

static cw_tag *load_tag(loader *l, CXType type)
{
    CXCursor cursor = clang_getCanonicalCursor(clang_getTypeDeclaration(type));
    cw_tag *tag = load_known_tag(l, cursor);
    if (tag != NULL)
        return tag;
    tag = cw_alloc(&l->unit->arena, sizeof *tag);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    tag->keyword = kind == CXCursor_EnumDecl    ? "enum"
                   : kind == CXCursor_UnionDecl ? "union"
                                                : "struct";
    CXCursor definition = clang_getCursorDefinition(cursor);
    if (!clang_Cursor_isNull(definition))
        load_extent(definition, &tag->begin, &tag->end);
    const char *name = load_string(l, clang_getCursorSpelling(cursor));
    bool anonymous = *name == '\0' || strchr(name, '(') != NULL || strchr(name, ' ') != NULL;
    if (!anonymous &&
        /* newer versions give an anonymous struct the name of its typedef */
        tag->end > tag->begin) {
        uint32_t brace = tag->begin;
        while (brace < tag->end && l->unit->text[brace] != '{')
            brace++;
        char *head = cw_strndup(&l->unit->arena, l->unit->text + tag->begin, brace - tag->begin);
        anonymous = strstr(head, name) == NULL;
    }
    tag->name = tag->said = anonymous ? NULL : name;
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    tag->local = l->func != NULL && begin >= l->func->begin && begin < l->func->end;
    load_add_tag(l, (struct load_tag_slot){ cursor, type, tag });
    CW_PUSH(&l->unit->arena, l->unit->tags, l->unit->ntags, tag);
    if (tag->said != NULL) {
        cw_name *first = cw_names_add(&l->tag_names, tag->said, strlen(tag->said));
        if (first->number == 0)
            first->number = (unsigned)l->unit->ntags;
        else
            tag->has_namesake = l->unit->tags[first->number - 1]->has_namesake = true;
    }
    return tag;
}

static void load_fields(loader *l, const struct load_tag_slot *slot)
{
    cw_tag *tag = slot->tag;
    load_cursors fields = { 0 };
    if (*tag->keyword != 'e')
        clang_Type_visitFields(slot->type, queue_field, &fields);
    for (size_t i = 0; i < fields.count; i++) {
        cw_decl *field = load_decl(l, fields.items[i]);
        CW_PUSH(&l->unit->arena, tag->fields, tag->nfields, field);
    }
    free(fields.items);
}

/* Called around each function that reads a type or a declaration. When the outermost one ends, it
 * reads the fields of the tags found meanwhile. Types and declarations form cycles through fields
 * only. So each one has its type before it is found again. */
static void enter(loader *l)
{
    l->depth++;
}

static void leave(loader *l)
{
    while (l->depth == 1 && l->ncomplete < l->ntags) {
        struct load_tag_slot slot = l->tags[l->ncomplete++];
        load_fields(l, &slot);
    }
    l->depth--;
}

/* libclang spells _Bool as in the file's language, which the compiler may not support: for older
 * compilers C23 is C2x, without `bool`. */
static const char *builtin_name(loader *l, CXType type)
{
    if (type.kind == CXType_Bool)
        return "_Bool";
    const char *name = load_string(l, clang_getTypeSpelling(type));
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
    case CXType_Auto: /* __auto_type */
    case CXType_Unexposed: {
        CXType canonical = clang_getCanonicalType(type);
        if (canonical.kind != type.kind)
            fill_type(l, canonical, out);
        else {
            out->kind = CW_T_OTHER;
            out->name = load_string(l, clang_getTypeSpelling(type));
        }
        return;
    }
    case CXType_Typedef:
        out->kind = CW_T_TYPEDEF;
        out->decl = load_decl(l, clang_getTypeDeclaration(type));
        out->inner = load_is_foreign(out->decl->type)
                         ? load_foreign_type(l)
                         : load_type(l, clang_getTypedefDeclUnderlyingType(
                                            clang_getTypeDeclaration(type)));
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
        out->array = load_type(l, type);
        out->inner = load_type(l, clang_getArrayElementType(type));
        return;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: {
        out->kind = CW_T_FUNCTION;
        out->inner = load_type(l, clang_getResultType(type));
        out->variadic = clang_isFunctionTypeVariadic(type) != 0 &&
                        type.kind == CXType_FunctionProto;
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
        if (type.kind == CXType_Enum)
            out->inner = load_type(l, clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
        return;
    case CXType_Atomic:
        out->kind = CW_T_ATOMIC;
        out->inner = load_type(l, clang_Type_getValueType(type));
        return;
    case CXType_Complex:
    case CXType_Vector:
        out->kind = CW_T_BUILTIN;
        out->name = builtin_name(l, type);
        return;
    default:
        out->kind = type.kind >= CXType_FirstBuiltin && type.kind <= CXType_LastBuiltin &&
                            type.kind != CXType_Dependent && type.kind != CXType_Overload
                        ? CW_T_BUILTIN
                        : CW_T_OTHER;
        out->name = builtin_name(l, type);
        return;
    }
}

/* libclang 14 crashes when asked for the alignment of a type without one. */
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

cw_type *load_type(loader *l, CXType type)
{
    struct load_type_slot *slot = load_type_place(l, type);
    if (slot->type != NULL)
        return slot->type;
    cw_type *out = cw_alloc(&l->unit->arena, sizeof *out);
    *slot = (struct load_type_slot){ type, out };
    l->ntypes++;
    out->size = out->align = -1;
    if (has_size(type)) {
        out->size = clang_Type_getSizeOf(type);
        out->align = clang_Type_getAlignOf(type);
    }
    enter(l);
    fill_type(l, type, out);
    leave(l);
    return out;
}

/* ---- the type of a declaration ---- */

typedef struct search {
    loader *l;
    uint32_t begin, end;
    bool found;
} search;

static enum CXChildVisitResult look_for_foreign(CXCursor cursor, CXCursor parent, CXClientData data)
{
    search *s = data;
    if (load_is_seen_twice(cursor, parent))
        return CXChildVisit_Continue;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    uint32_t at = load_offset(clang_getCursorLocation(cursor));
    if (kind == CXCursor_CompoundStmt)
        return CXChildVisit_Continue;
    if (at >= s->begin && at < s->end) {
        if (kind == CXCursor_CallExpr)
            s->found |= load_is_foreign_builtin(cursor);
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

/* The first position in [begin, end), an operand of typeof or a size, that has such a type; 0 if
 * there is none. */
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

/* ---- declarations ---- */

static cw_decl_kind decl_kind(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_FunctionDecl:
        return CW_D_FUNCTION;
    case CXCursor_ParmDecl:
        return CW_D_PARAM;
    case CXCursor_FieldDecl:
        return CW_D_FIELD;
    case CXCursor_TypedefDecl:
        return CW_D_TYPEDEF;
    case CXCursor_EnumConstantDecl:
        return CW_D_ENUMERATOR;
    default:
        return CW_D_VARIABLE;
    }
}

static bool starts_with_word(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Reads `_Alignas(…)` or `aligned(…)`, whose value a second parse computes. `aligned` alone means
 * the largest alignment of any target. */
static void read_alignment(loader *l, CXCursor attribute, cw_decl *decl)
{
    enum { BIGGEST = 64 };
    cw_unit *unit = l->unit;
    uint32_t begin, end;
    load_extent(attribute, &begin, &end);
    for (end = begin; cw_is_word(unit->text[end]);)
        end++;
    uint32_t open = cw_skip_blank(unit, end);
    bool alone = unit->text[open] != '(';
    bool keyword = starts_with_word(unit->text + begin, "_Alignas") ||
                   starts_with_word(unit->text + begin, "alignas");
    const char *text = cw_strndup(&unit->arena, unit->text + begin,
                                  (alone ? end : cw_skip_group(unit, open)) - begin);
    decl->aligned = true;
    if (alone)
        decl->align = BIGGEST;
    else if (load_may_pause(l))
        load_ask_alignment(l, decl,
                           keyword ? text : cw_format(&unit->arena, "__attribute__((%s))", text));
}

/* The annotation to which mark.h expands pausable_max(bytes), up to the bytes. */
static const char budget_mark[] = "co4_pausable_max:";

/* The name in `cleanup(name)`. */
static const char *handler_of(loader *l, uint32_t at)
{
    const cw_unit *unit = l->unit;
    while (unit->text[at] != '(')
        at++;
    uint32_t begin = cw_skip_blank(unit, at + 1), end = begin;
    while (cw_is_word(unit->text[end]))
        end++;
    return cw_strndup(&l->unit->arena, unit->text + begin, end - begin);
}

/* Reads the attributes of one declaration. */
static void read_attributes(loader *l, CXCursor cursor, cw_decl *decl, cw_redecl *redecl)
{
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.items[i]);
        uint32_t begin, end;
        if (kind == CXCursor_AnnotateAttr) {
            const char *text = load_string(l, clang_getCursorDisplayName(kids.items[i]));
            load_extent(kids.items[i], &begin, &end);
            if (begin < redecl->begin || begin >= redecl->end)
                continue; /* belongs to an earlier declaration */
            if (decl->kind == CW_D_FUNCTION && redecl->definition && begin > redecl->name_at)
                continue; /* belongs to a parameter in the old style: load.c */
            if (starts_with_word(text, budget_mark)) {
                cw_budget *budget = cw_alloc(&l->unit->arena, sizeof *budget);
                budget->text = text + sizeof budget_mark - 1;
                budget->next = decl->budget;
                decl->budget = budget;
                redecl->marked = true;
            }
            decl->inside |= strcmp(text, "co4_abi_inside") == 0;
            redecl->needs_block |= strcmp(text, "co4_pausable_or_block") == 0;
            redecl->dual |= redecl->needs_block || strcmp(text, "co4_pausable_or_plain") == 0;
            redecl->marked |= redecl->dual || strcmp(text, "co4_pausable") == 0;
        } else if (kind == CXCursor_AlignedAttr) {
            read_alignment(l, kids.items[i], decl);
        } else if (kind == CXCursor_UnexposedAttr) {
            load_extent(kids.items[i], &begin, &end);
            const char *text = l->unit->text + begin;
            if (starts_with_word(text, "cleanup") || starts_with_word(text, "__cleanup__"))
                decl->cleanup = handler_of(l, begin);
        } else if (kind == CXCursor_ParmDecl) {
            cw_decl *param = load_decl(l, kids.items[i]);
            CW_PUSH(&l->unit->arena, redecl->params, redecl->nparams, param);
        }
    }
    free(kids.items);
}

static int by_position(const void *left, const void *right)
{
    const cw_decl *const *a = left, *const *b = right;
    return (*a)->begin < (*b)->begin ? -1 : (*a)->begin > (*b)->begin;
}

/* For `int (*f(int n))(char)` libclang lists the parameters of both functions. Those of the
 * declared function come first; the others are dropped. */
static void drop_other_parameters(const cw_type *type, cw_redecl *redecl)
{
    while (type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY || type->kind == CW_T_OPEN_ARRAY)
        type = type->inner;
    if (redecl->nparams > 1)
        qsort(redecl->params, redecl->nparams, sizeof(cw_decl *), by_position);
    if (type->kind == CW_T_FUNCTION && type->prototyped && redecl->nparams > type->nparams)
        redecl->nparams = type->nparams;
}

/* Can a function pause that has no mark at this declaration? Headers of the system have thousands
 * of declarations, so those of functions that do not pause are not read. */
static bool may_pause(const cw_unit *unit, const cw_decl *decl, uint32_t at)
{
    const cw_options *options = unit->options;
    if (options->infer == NULL && !cw_weaves_unmarked(options))
        return false;
    return !cw_place_of(unit, at).system ||
           cw_plan_has(options->plan, CW_PLAN_PAUSES, decl->name) ||
           cw_plan_has(options->plan, CW_PLAN_PAUSES, "*");
}

static void keep_typedef(loader *l, cw_decl *decl)
{
    cw_name *name = cw_names_add(&l->typedef_names, decl->name, strlen(decl->name));
    if (name->number == 0) {
        CW_PUSH(&l->unit->arena, l->typedefs, l->ntypedefs, decl);
        name->number = (unsigned)l->ntypedefs;
    } else {
        decl->namesake = l->typedefs[name->number - 1];
        l->typedefs[name->number - 1] = decl;
    }
}

/* The typedef that the word means there. Those whose blocks have ended are not looked at again. */
static cw_decl *typedef_named(const loader *l, uint32_t at, uint32_t end)
{
    const cw_name *name = cw_names_find(&l->typedef_names, l->unit->text + at, end - at);
    cw_decl *found = NULL;
    if (name == NULL)
        return NULL;
    for (cw_decl **d = &l->typedefs[name->number - 1]; *d != NULL;) {
        if ((*d)->local && (*d)->scope_end <= at) {
            *d = (*d)->namesake;
            continue;
        }
        if ((*d)->end <= at && (found == NULL || (*d)->local))
            found = *d;
        if (found != NULL && found->local)
            break;
        d = &(*d)->namesake;
    }
    return found;
}

/* The typedef in front of a declared name; NULL if it is not loaded, as those without marks may be.
 * Brackets are those of an attribute or of typeof. */
static cw_decl *typedef_before(const loader *l, const cw_redecl *one)
{
    const cw_unit *unit = l->unit;
    cw_decl *found = NULL;
    for (uint32_t at = one->begin, end; at < one->name_at && found == NULL; at = end) {
        end = cw_skip_word(unit, at);
        if (end > at)
            found = typedef_named(l, at, end);
        else
            end = unit->text[at] == '(' ? cw_skip_group(unit, at) : cw_skip_unit(unit, at);
    }
    return found;
}

/* The type of a function in one of its declarations. libclang gives `handler f;` the type of an
 * earlier declaration in sight, and does not mention the typedef. */
static const cw_type *load_redecl_type(loader *l, CXCursor cursor, const cw_decl *decl,
                                       const cw_redecl *one)
{
    const cw_type *type = load_type(l, clang_getCursorType(cursor));
    if (type->kind == CW_T_TYPEDEF || decl->nredecls == 0 ||
        cw_parameter_list(l->unit, decl, one) != 0)
        return type;
    cw_decl *named = typedef_before(l, one);
    if (named == NULL || cw_type_bare(named->type)->kind != CW_T_FUNCTION)
        return type;
    cw_type *by_name = cw_alloc(&l->unit->arena, sizeof *by_name);
    *by_name = *type;
    by_name->kind = CW_T_TYPEDEF;
    by_name->decl = named;
    by_name->inner = (cw_type *)named->type;
    return by_name;
}

/* Is this declaration with `extern` one of a second name? Attributes are not in its extent. */
static bool is_alias(cw_unit *unit, uint32_t name_at)
{
    uint32_t last = name_at;
    while (last < unit->length && unit->text[last] != ';')
        last++;
    for (uint32_t at, end = name_at; cw_next_word(unit, &at, &end, last);)
        if (cw_lists("alias __alias__", unit->text + at, end - at))
            return true;
    return false;
}

static void read_redecl(loader *l, CXCursor cursor, cw_decl *decl)
{
    cw_redecl redecl = { 0 };
    load_extent(cursor, &redecl.begin, &redecl.end);
    redecl.begin = cw_with_marks(l->unit, redecl.begin);
    redecl.name_at = load_offset(clang_getCursorLocation(cursor));
    size_t place; /* in the order of the text */
    CW_SEARCH(place, decl->nredecls, decl->redecls[place].name_at >= redecl.name_at);
    if (place < decl->nredecls && decl->redecls[place].name_at == redecl.name_at)
        return;
    redecl.definition = decl->kind == CW_D_FUNCTION && load_is_definition(l->unit, cursor);
    decl->is_defined |= decl->kind == CW_D_VARIABLE &&
                        (clang_Cursor_getStorageClass(cursor) != CX_SC_Extern ||
                         (decl->thread_local_ && is_alias(l->unit, redecl.name_at)));
    bool worth_a_look = cw_has_mark(l->unit, redecl.begin, redecl.end) ||
                        decl->kind == CW_D_VARIABLE ||
                        (decl->kind == CW_D_FUNCTION &&
                         (redecl.definition || may_pause(l->unit, decl, redecl.begin)));
    if (worth_a_look)
        read_attributes(l, cursor, decl, &redecl);
    if (l->unit->options->plan != NULL && decl->kind == CW_D_VARIABLE &&
        strcmp(decl->name, "__cancel_buf") == 0)
        decl->cleanup = cw_pushed_handler;
    drop_other_parameters(decl->type, &redecl);
    if (decl->kind == CW_D_FUNCTION)
        redecl.type = load_redecl_type(l, cursor, decl, &redecl);
    decl->dual |= redecl.dual;
    decl->needs_block |= redecl.needs_block;
    decl->marked |= redecl.marked || (redecl.type != NULL && cw_type_is_pausable(redecl.type));
    if (decl->nredecls == 0 || redecl.definition || redecl.nparams > decl->nparams) {
        decl->params = redecl.params;
        decl->nparams = redecl.nparams;
    }
    CW_PUSH(&l->unit->arena, decl->redecls, decl->nredecls, redecl);
    for (size_t i = decl->nredecls - 1; i > place; i--) {
        decl->redecls[i] = decl->redecls[i - 1];
        decl->redecls[i - 1] = redecl;
    }
}

/* Offset of the first bracket after a parameter's name, or 0 if it is not declared as an array. */
static uint32_t bracket_of(const cw_unit *unit, const cw_decl *param)
{
    uint32_t at = cw_skip_blank(unit, cw_skip_word(unit, param->name_at));
    while (at < param->end && unit->text[at] == ')')
        at = cw_skip_blank(unit, at + 1);
    return at < param->end && unit->text[at] == '[' ? at : 0;
}

/* Adjusts the type of a parameter that is declared as an array or a function. `int a[const 4]` is a
 * const pointer, but libclang describes the array only. */
static void adjust_parameter(cw_unit *unit, cw_decl *param)
{
    const cw_type *declared = param->type;
    param->type = cw_type_value(unit, declared);
    if (param->type == declared)
        return;
    param->declared_type = declared;
    uint32_t at = bracket_of(unit, param);
    if (at == 0)
        return;
    for (at++; cw_is_word(unit->text[at = cw_skip_blank(unit, at)]); at = cw_skip_word(unit, at)) {
        static const char said[] = "static const volatile restrict __const __volatile __restrict";
        uint32_t end = cw_skip_word(unit, at);
        bool qualifies = cw_lists(said, unit->text + at, end - at);
        param->in_brackets |= qualifies;
        if (qualifies && strncmp(unit->text + at, "const", 5) == 0) {
            cw_type *copy = cw_alloc(&unit->arena, sizeof *copy);
            *copy = *param->type;
            copy->is_const = true;
            param->type = copy;
        }
    }
}

cw_decl *load_decl(loader *l, CXCursor cursor)
{
    CXCursor canonical = clang_getCanonicalCursor(cursor);
    struct load_decl_slot *slot = load_decl_place(l, canonical);
    cw_decl *decl = slot->decl;
    enter(l);
    if (decl == NULL) {
        decl = cw_alloc(&l->unit->arena, sizeof *decl);
        *slot = (struct load_decl_slot){ .cursor = canonical, .decl = decl };
        l->ndecls++;
        decl->kind = decl_kind(clang_getCursorKind(cursor));
        decl->name = load_string(l, clang_getCursorSpelling(cursor));
        if (decl->kind == CW_D_FIELD && strchr(decl->name, '(') != NULL)
            decl->name = ""; /* newer versions invent names for unnamed members */
        load_extent(canonical, &decl->begin, &decl->end);
        decl->begin = cw_with_marks(l->unit, decl->begin);
        decl->name_at = load_offset(clang_getCursorLocation(canonical));
        decl->local = l->func != NULL && decl->begin >= l->func->begin &&
                      decl->begin < l->func->end;
        decl->scope_begin = l->scope_begin;
        decl->scope_end = l->scope_end;
        enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
        decl->is_static = storage == CX_SC_Static || (decl->kind == CW_D_VARIABLE &&
                                                      (storage == CX_SC_Extern || !decl->local));
        decl->is_extern = storage == CX_SC_Extern;
        decl->is_register = storage == CX_SC_Register;
        decl->has_linkage = decl->kind == CW_D_VARIABLE && storage != CX_SC_Static &&
                            (storage == CX_SC_Extern || !decl->local);
        if (decl->kind == CW_D_VARIABLE)
            decl->thread_local_ = clang_getCursorTLSKind(cursor) != CXTLS_None;
        if (decl->thread_local_)
            decl->symbol = load_string(l, clang_Cursor_getMangling(canonical));
        decl->type = load_declared_type(l, cursor);
        if (decl->kind == CW_D_PARAM) {
            decl->sized = cw_type_bare(decl->type)->kind == CW_T_VLA;
            adjust_parameter(l->unit, decl);
        }
        if (decl->kind == CW_D_FUNCTION || (!decl->local && decl->kind != CW_D_PARAM))
            CW_PUSH(&l->unit->arena, l->unit->decls, l->unit->ndecls, decl);
        if (l->func != NULL && (decl->local || decl->kind == CW_D_PARAM))
            CW_PUSH(&l->unit->arena, l->func->declared, l->func->ndeclared, decl);
        if (decl->kind == CW_D_TYPEDEF)
            keep_typedef(l, decl);
        read_redecl(l, canonical, decl);
    }
    if (!clang_equalCursors(cursor, canonical))
        read_redecl(l, cursor, decl);
    leave(l);
    return decl;
}
