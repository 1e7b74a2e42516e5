/* decl.c - declarations, one for all redeclarations of a thing.
 *
 * libclang lets later declarations inherit the mark of earlier ones; each cw_redecl remembers
 * whether the attribute stands in its own text, for mark.c compares them. */
#include "clang/decl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "base/arena.h"
#include "text/text.h"
#include "text/unit.h"
#include "clang/ask.h"
#include "clang/foreign.h"
#include "clang/libclang.h"
#include "clang/load.h"
#include "clang/loader.h"
#include "clang/type.h"

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

/* `_Alignas(…)`, `aligned(…)`: the value is asked for. `aligned` alone is as much as any target may
 * mean. */
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
/* What mark.h makes of pausable_max(bytes), in front of the bytes. */
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

/* Attributes of one declaration. */
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
                continue; /* of an earlier declaration */
            if (decl->kind == CW_D_FUNCTION && redecl->definition && begin > redecl->name_at)
                continue; /* of a parameter, in the old style: load.c */
            if (starts_with_word(text, budget_mark)) {
                cw_budget *budget = cw_alloc(&l->unit->arena, sizeof *budget);
                budget->text = text + sizeof budget_mark - 1;
                budget->next = decl->budget;
                decl->budget = budget;
                redecl->marked = true;
            }
            redecl->mixed |= strcmp(text, "co4_pausable_or_plain") == 0;
            redecl->marked |= redecl->mixed || strcmp(text, "co4_pausable") == 0;
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

/* In `int (*f(int n))(char)` libclang lists the parameters of both functions; the one that is
 * declared has its own first. */
static void drop_other_parameters(const cw_type *type, cw_redecl *redecl)
{
    while (type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY || type->kind == CW_T_OPEN_ARRAY)
        type = type->inner;
    if (redecl->nparams > 1)
        qsort(redecl->params, redecl->nparams, sizeof(cw_decl *), by_position);
    if (type->kind == CW_T_FUNCTION && type->prototyped && redecl->nparams > type->nparams)
        redecl->nparams = type->nparams;
}

static void read_redecl(loader *l, CXCursor cursor, cw_decl *decl)
{
    cw_redecl redecl = { 0 };
    load_extent(cursor, &redecl.begin, &redecl.end);
    redecl.begin = load_with_marks(l->unit, redecl.begin);
    redecl.name_at = load_offset(clang_getCursorLocation(cursor));
    for (size_t i = 0; i < decl->nredecls; i++)
        if (decl->redecls[i].begin == redecl.begin && decl->redecls[i].name_at == redecl.name_at)
            return;
    redecl.definition = clang_isCursorDefinition(cursor) != 0;
    bool worth_a_look = load_has_mark(l->unit, redecl.begin, redecl.end) ||
                        decl->kind == CW_D_VARIABLE ||
                        (decl->kind == CW_D_FUNCTION && redecl.definition) ||
                        ((l->unit->options->infer != NULL ||
                          (l->unit->options->stress && decl->kind == CW_D_FUNCTION)) &&
                         !cw_place_of(l->unit, redecl.begin).system);
    if (worth_a_look)
        read_attributes(l, cursor, decl, &redecl);
    drop_other_parameters(decl->type, &redecl);
    redecl.type = decl->kind == CW_D_FUNCTION ? load_type(l, clang_getCursorType(cursor)) : NULL;
    decl->mixed |= redecl.mixed;
    decl->marked |= redecl.marked || (redecl.type != NULL && cw_type_is_coloured(redecl.type));
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
    struct load_decl_slot *before = l->decls;
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

/* Offset of the first bracket behind a parameter's name; 0: it is not declared as an array. */
static uint32_t bracket_of(const cw_unit *unit, const cw_decl *param)
{
    uint32_t at = cw_skip_blank(unit, cw_skip_word(unit, param->name_at));
    while (at < param->end && unit->text[at] == ')')
        at = cw_skip_blank(unit, at + 1);
    return at < param->end && unit->text[at] == '[' ? at : 0;
}

/* What a parameter is that is declared as an array or a function. `int a[const 4]` is a pointer
 * that is const; libclang tells of the array alone. */
static void adjust_parameter(cw_unit *unit, cw_decl *param)
{
    const cw_type *written = param->type;
    param->type = cw_type_value(unit, written);
    if (param->type == written)
        return;
    param->written = written;
    uint32_t at = bracket_of(unit, param);
    if (at == 0)
        return;
    for (at++; cw_is_word(unit->text[at = cw_skip_blank(unit, at)]); at = cw_skip_word(unit, at)) {
        static const char *const said[] = { "static",  "const",      "volatile",   "restrict",
                                            "__const", "__volatile", "__restrict", NULL };
        uint32_t end = cw_skip_word(unit, at);
        bool qualifies = cw_is_one_of(unit->text + at, end - at, said);
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
    if (l->ndecls * 2 >= l->decl_room)
        grow_decls(l);
    size_t at = decl_slot(l, canonical);
    cw_decl *decl = l->decls[at].decl;
    load_enter(l);
    if (decl == NULL) {
        decl = cw_alloc(&l->unit->arena, sizeof *decl);
        l->decls[at].cursor = canonical;
        l->decls[at].decl = decl;
        l->ndecls++;
        decl->kind = decl_kind(clang_getCursorKind(cursor));
        decl->name = load_string(l, clang_getCursorSpelling(cursor));
        if (decl->kind == CW_D_FIELD && strchr(decl->name, '(') != NULL)
            decl->name = ""; /* newer versions describe members without a name */
        load_extent(canonical, &decl->begin, &decl->end);
        decl->begin = load_with_marks(l->unit, decl->begin);
        decl->name_at = load_offset(clang_getCursorLocation(canonical));
        decl->local = l->func != NULL && decl->begin >= l->func->begin &&
                      decl->begin < l->func->end;
        decl->scope_begin = l->scope_begin;
        decl->scope_end = l->scope_end;
        enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
        decl->is_static = storage == CX_SC_Static || (decl->kind == CW_D_VARIABLE &&
                                                      (storage == CX_SC_Extern || !decl->local));
        decl->is_extern = storage == CX_SC_Extern;
        decl->has_linkage = decl->kind == CW_D_VARIABLE && storage != CX_SC_Static &&
                            (storage == CX_SC_Extern || !decl->local);
        if (decl->kind == CW_D_VARIABLE)
            decl->thread_local_ = clang_getCursorTLSKind(cursor) != CXTLS_None;
        decl->type = load_declared_type(l, cursor);
        if (decl->kind == CW_D_PARAM) {
            decl->sized = cw_type_bare(decl->type)->kind == CW_T_VLA;
            adjust_parameter(l->unit, decl);
        }
        if (!decl->local && decl->kind != CW_D_PARAM)
            CW_PUSH(&l->unit->arena, l->unit->decls, l->unit->ndecls, decl);
        else if (l->func != NULL)
            CW_PUSH(&l->unit->arena, l->func->declared, l->func->ndeclared, decl);
        read_redecl(l, canonical, decl);
    }
    if (!clang_equalCursors(cursor, canonical))
        read_redecl(l, cursor, decl);
    load_leave(l);
    return decl;
}
