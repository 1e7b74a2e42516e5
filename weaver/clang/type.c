/* type.c - types, each once.
 *
 * Sugar is kept where a name can be written again (typedefs) and looked through where not (typeof,
 * attributes). A struct's fields are read with it: whether one is const, and which ones are marked,
 * is asked later. */
#include "clang/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "base/arena.h"
#include "text/unit.h"
#include "clang/decl.h"
#include "clang/foreign.h"
#include "clang/libclang.h"
#include "clang/load.h"
#include "clang/loader.h"

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
    load_queue(field, field, data);
    return CXVisit_Continue;
}

static size_t *tag_place(loader *l, CXCursor cursor)
{
    size_t at = clang_hashCursor(cursor) * 2654435761u & (l->tag_room - 1);
    while (l->tag_index[at] != 0 &&
           !clang_equalCursors(l->tags[l->tag_index[at] - 1].cursor, cursor))
        at = (at + 1) & (l->tag_room - 1);
    return &l->tag_index[at];
}

cw_tag *load_known_tag(loader *l, CXCursor canonical)
{
    size_t place = l->tag_room > 0 ? *tag_place(l, canonical) : 0;
    return place > 0 ? l->tags[place - 1].tag : NULL;
}

static void add_tag(loader *l, struct load_tag_slot slot)
{
    if (2 * l->ntags >= l->tag_room) {
        l->tag_room = l->tag_room == 0 ? 256 : 2 * l->tag_room;
        free(l->tag_index);
        l->tag_index = calloc(l->tag_room, sizeof *l->tag_index);
        l->tags = realloc(l->tags, l->tag_room * sizeof *l->tags);
        if (l->tags == NULL || l->tag_index == NULL)
            abort();
        for (size_t i = 0; i < l->ntags; i++)
            *tag_place(l, l->tags[i].cursor) = i + 1;
    }
    size_t *place = tag_place(l, slot.cursor);
    l->tags[l->ntags++] = slot;
    *place = l->ntags;
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
        tag->end > tag->begin) { /* newer versions lend a typedef's name to an anonymous struct */
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
    add_tag(l, (struct load_tag_slot){ cursor, type, tag });
    CW_PUSH(&l->unit->arena, l->unit->tags, l->unit->ntags, tag);
    if (kind != CXCursor_EnumDecl)
        clang_Type_visitFields(type, look_for_const, &tag->const_member);
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

void load_enter(loader *l)
{
    l->depth++;
}

void load_leave(loader *l)
{
    while (l->depth == 1 && l->ncomplete < l->ntags) {
        struct load_tag_slot slot = l->tags[l->ncomplete++];
        load_fields(l, &slot);
    }
    l->depth--;
}

/* libclang writes _Bool as the language of the file does, which the compiler may not know: C23 is
 * C2x to older ones, without `bool`. */
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

static size_t type_hash(CXType type)
{
    uintptr_t bits = (uintptr_t)type.data[0];
    return (size_t)((bits >> 4) * 0x9E3779B97F4A7C15ull >> 20) ^ (size_t)type.kind ^ (bits & 15);
}

static void grow_types(loader *l)
{
    struct load_type_slot *before = l->types;
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

cw_type *load_type(loader *l, CXType type)
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
    l->types[at].type = out;
    l->ntypes++;
    out->size = out->align = -1;
    if (has_size(type)) {
        out->size = clang_Type_getSizeOf(type);
        out->align = clang_Type_getAlignOf(type);
    }
    load_enter(l);
    fill_type(l, type, out);
    load_leave(l);
    return out;
}
