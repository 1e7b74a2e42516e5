/* initializer.c - the member to which each value of an initializer list goes.
 *
 * Purpose: marks need it. A dual function that flows to a marked member is used in its pausable
 * form, elsewhere in its plain form. The rules are C's. A designator leads from the object of the
 * innermost braces to a member, also through unnamed members; the next value goes to the following
 * member. Where braces are left out, an aggregate takes as many values as it has members. An
 * expression of struct type initializes the whole struct.
 *
 * libclang provides the list as in the source, but only the indices of a designator. This file
 * reads the rest from the text. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "text/unit.h"

typedef struct lists {
    const cw_unit *unit;
    void (*found)(void *data, cw_node *value, cw_decl *decl, const cw_type *type);
    void *data;
} lists;

typedef struct place {
    cw_decl *decl; /* the member, or the nearest enclosing one */
    const cw_type *type;
} place;

typedef struct source {
    cw_node **items;
    size_t count, next;
} source;

static void take_members(lists *l, source *from, place at, uint32_t designator, bool braced);

static bool is_aggregate(const cw_type *type)
{
    switch (cw_type_bare(type)->kind) {
    case CW_T_RECORD:
    case CW_T_ARRAY:
    case CW_T_OPEN_ARRAY:
    case CW_T_VLA:
        return true;
    default:
        return false;
    }
}

static place member(place of, size_t index)
{
    const cw_type *type = cw_type_bare(of.type);
    if (type->kind != CW_T_RECORD)
        return (place){ of.decl, type->inner };
    return (place){ type->tag->fields[index], type->tag->fields[index]->type };
}

static bool is_nameless(const cw_decl *field)
{
    return *field->name == '\0';
}

static bool holds(const cw_type *type, const char *name, size_t length)
{
    type = cw_type_bare(type);
    for (size_t i = 0; type->kind == CW_T_RECORD && i < type->tag->nfields; i++) {
        const cw_decl *field = type->tag->fields[i];
        if (is_nameless(field)
                ? holds(field->type, name, length)
                : strlen(field->name) == length && memcmp(field->name, name, length) == 0)
            return true;
    }
    return false;
}

/* The index in the brackets at `at`; of a range, the last index. SIZE_MAX if it is not known. */
static size_t index_within(const cw_node *item, uint32_t at, uint32_t end)
{
    size_t index = SIZE_MAX;
    for (size_t i = 0; i + 1 < item->nkids; i++) {
        const cw_node *kid = item->kids[i];
        if (kid->begin > at && kid->end < end && kid->index != 0)
            index = kid->index - 1;
    }
    return index;
}

/* The member that the designator of `item` at `*at` denotes. `*at` moves to the next designator, or
 * becomes 0. It stays where it is if the name belongs to a member of an unnamed member. */
static size_t designated(const cw_unit *unit, const cw_node *item, const cw_type *type,
                         uint32_t *at)
{
    uint32_t name = *at, end;
    size_t index = 0;
    if (unit->text[*at] == '[') {
        end = cw_skip_group(unit, *at);
        index = index_within(item, *at, end);
    } else {
        if (unit->text[name] == '.') /* else GNU's `member: value` */
            name = cw_skip_blank(unit, name + 1);
        end = cw_skip_word(unit, name);
        const char *word = unit->text + name;
        for (size_t length = end - name; index < type->tag->nfields; index++) {
            const cw_decl *field = type->tag->fields[index];
            if (!is_nameless(field) && strlen(field->name) == length &&
                memcmp(field->name, word, length) == 0)
                break;
            if (is_nameless(field) && holds(field->type, word, length))
                return index;
        }
    }
    end = cw_skip_blank(unit, end);
    *at = unit->text[end] == '.' || unit->text[end] == '[' ? end : 0;
    return index;
}

static bool is_whole(const cw_node *value, const cw_type *type)
{
    const cw_type *bare = cw_type_bare(cw_strip(value)->type);
    if (cw_type_bare(type)->kind == CW_T_RECORD)
        return bare->kind == CW_T_RECORD || bare->kind == CW_T_OTHER;
    return cw_strip(value)->kind == CW_STRING && !is_aggregate(cw_type_bare(type)->inner);
}

/* Takes the next value, or as many values as a member without braces needs. */
static void take_value(lists *l, source *from, place at)
{
    cw_node *value = from->items[from->next];
    if (value->kind == CW_DESIGNATED)
        value = value->kids[value->nkids - 1];
    if (value->kind == CW_INIT_LIST) {
        from->next++;
        cw_each_initialized(l->unit, value, at.decl, at.type, l->found, l->data);
    } else if (is_aggregate(at.type) && !is_whole(value, at.type)) {
        size_t before = from->next;
        bool last = from->items[from->next]->kind == CW_DESIGNATED;
        if (last) /* no braces: the designated value goes to the first of the members */
            from->items[from->next] = value;
        take_members(l, from, at, 0, false);
        from->next += from->next == before;
    } else {
        from->next++;
        l->found(l->data, value, at.decl, at.type);
    }
}

/* Takes values for the members of an object, up to the end of its braces. */
static void take_members(lists *l, source *from, place at, uint32_t designator, bool braced)
{
    const cw_type *type = cw_type_bare(at.type);
    bool is_union = type->kind == CW_T_RECORD && strcmp(type->tag->keyword, "union") == 0;
    size_t index = 0, end = type->kind == CW_T_RECORD  ? type->tag->nfields
                            : type->kind == CW_T_ARRAY ? (size_t)type->count
                                                       : SIZE_MAX;
    for (; from->next < from->count; index = is_union ? end : index + 1) {
        const cw_node *item = from->items[from->next];
        bool given = designator != 0;
        if (!given && item->kind == CW_DESIGNATED) {
            if (!braced)
                return;
            designator = item->begin;
            given = true;
        }
        if (given)
            index = designated(l->unit, item, type, &designator);
        else if (index < end && type->kind == CW_T_RECORD &&
                 is_nameless(type->tag->fields[index]) &&
                 !is_aggregate(type->tag->fields[index]->type))
            continue; /* a bit-field that is padding */
        if (index >= end) {
            if (!braced)
                return;
            from->next++; /* too many values, or not understood */
            designator = 0;
            continue;
        }
        size_t before = from->next;
        if (designator != 0)
            take_members(l, from, member(at, index), designator, false);
        else
            take_value(l, from, member(at, index));
        from->next += given && from->next == before; /* not understood */
        designator = 0;
    }
}

void cw_each_initialized(
    const cw_unit *unit, cw_node *initializer, cw_decl *decl, const cw_type *type,
    void (*found)(void *data, cw_node *value, cw_decl *decl, const cw_type *type), void *data)
{
    lists l = { unit, found, data };
    if (initializer->kind != CW_INIT_LIST) {
        found(data, initializer, decl, type);
    } else if (is_aggregate(type)) {
        cw_node *copy[64], **items = copy; /* take_value() writes */
        cw_unit *owner = (cw_unit *)(uintptr_t)unit;
        if (initializer->nkids > sizeof copy / sizeof *copy)
            items = cw_alloc(&owner->arena, initializer->nkids * sizeof *items);
        if (initializer->nkids > 0)
            memcpy(items, initializer->kids, initializer->nkids * sizeof *items);
        source from = { items, initializer->nkids, 0 };
        take_members(&l, &from, (place){ decl, type }, 0, true);
    } else if (initializer->nkids > 0) {
        cw_each_initialized(unit, initializer->kids[0], decl, type, found, data);
    }
}
