/* tables.c - the types, tags and declarations that have been read. */
#include "clang/tables.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ast/type.h"
#include "base/bug.h"
#include "clang/libclang.h"
#include "clang/loader.h"

static size_t hash_of_type(CXType type)
{
    uintptr_t bits = (uintptr_t)type.data[0];
    return (size_t)((bits >> 4) * 0x9E3779B97F4A7C15ull >> 20) ^ (size_t)type.kind ^ (bits & 15);
}

static struct load_type_slot *type_place(const loader *l, CXType type)
{
    size_t at = hash_of_type(type) & (l->type_room - 1);
    while (l->types[at].type != NULL && !clang_equalTypes(l->types[at].key, type))
        at = (at + 1) & (l->type_room - 1);
    return &l->types[at];
}

struct load_type_slot *load_type_place(loader *l, CXType type)
{
    if (l->ntypes * 2 >= l->type_room) {
        struct load_type_slot *before = l->types;
        size_t room = l->type_room;
        l->type_room = room == 0 ? 1024 : room * 2;
        l->types = cw_must(calloc(l->type_room, sizeof *l->types));
        for (size_t i = 0; i < room; i++)
            if (before[i].type != NULL)
                *type_place(l, before[i].key) = before[i];
        free(before);
    }
    return type_place(l, type);
}

static struct load_decl_slot *decl_place(const loader *l, CXCursor cursor)
{
    size_t at = clang_hashCursor(cursor) * 2654435761u & (l->decl_room - 1);
    while ((l->decls[at].decl != NULL || l->decls[at].tag != NULL) &&
           !clang_equalCursors(l->decls[at].cursor, cursor))
        at = (at + 1) & (l->decl_room - 1);
    return &l->decls[at];
}

struct load_decl_slot *load_decl_place(loader *l, CXCursor canonical)
{
    if (l->ndecls * 2 >= l->decl_room) {
        struct load_decl_slot *before = l->decls;
        size_t room = l->decl_room;
        l->decl_room = room == 0 ? 1024 : room * 2;
        l->decls = cw_must(calloc(l->decl_room, sizeof *l->decls));
        for (size_t i = 0; i < room; i++)
            if (before[i].decl != NULL || before[i].tag != NULL)
                *decl_place(l, before[i].cursor) = before[i];
        free(before);
    }
    return decl_place(l, canonical);
}

cw_tag *load_known_tag(loader *l, CXCursor canonical)
{
    return load_decl_place(l, canonical)->tag;
}

void load_add_tag(loader *l, struct load_tag_slot slot)
{
    *load_decl_place(l, slot.cursor) = (struct load_decl_slot){ .cursor = slot.cursor,
                                                                .tag = slot.tag };
    l->ndecls++;
    CW_ADD(l->tags, l->ntags, slot);
}
