/* tables.c - the types, tags and declarations that have been read. */
#include "clang/tables.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ast/type.h"
#include "clang/libclang.h"
#include "clang/loader.h"

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

void load_add_tag(loader *l, struct load_tag_slot slot)
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

struct load_type_slot *load_type_place(loader *l, CXType type)
{
    if (l->ntypes * 2 >= l->type_room)
        grow_types(l);
    size_t at = type_hash(type) & (l->type_room - 1);
    while (l->types[at].type != NULL && !clang_equalTypes(l->types[at].key, type))
        at = (at + 1) & (l->type_room - 1);
    return &l->types[at];
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

struct load_decl_slot *load_decl_place(loader *l, CXCursor canonical)
{
    if (l->ndecls * 2 >= l->decl_room)
        grow_decls(l);
    return &l->decls[decl_slot(l, canonical)];
}
