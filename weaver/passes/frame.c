/* frame.c - the frame struct of each pausable function.
 *
 * In:  pinned and saved locals.
 * Out: func->fields with offsets, func->frame_bytes; locals renamed where shadowing would hide
 *      them.
 *
 * There is one struct per function. After the head, fields are ordered by alignment, largest first.
 * A local may have a type that is declared in the function and has no name at file scope. Its field
 * is raw bytes of the right size and alignment, and the body accesses it through a cast. An emitted
 * _Static_assert compares our sizes with the compiler's.
 *
 * Under the address sanitizer each pinned local has a red zone before and after it. Woven code
 * poisons the zones when it takes a frame, so an access outside an array is reported. The runtime
 * frees such a frame with its poison.
 *
 * To restore `x` at a point, the name x must denote that local there. If an inner declaration hides
 * it, the inner one is renamed. If that is impossible (a typedef, an extern declaration), the outer
 * local is pinned, which needs no restoring. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* ---- names that hide others ---- */

/* One of several declarations of the same name in a function. */
typedef struct namesake {
    cw_decl *decl;
    long outer; /* index of the one whose scope contains it; -1: none */
} namesake;

typedef struct namesakes {
    namesake *items; /* by name, then by position */
    size_t count;
} namesakes;

static int by_name_and_place(const void *left, const void *right)
{
    const namesake *a = left, *b = right;
    int order = strcmp(a->decl->name, b->decl->name);
    if (order != 0)
        return order;
    return a->decl->name_at < b->decl->name_at ? -1 : a->decl->name_at > b->decl->name_at;
}

static bool is_in_scope(const cw_decl *decl, uint32_t at)
{
    return decl->name_at < at && at >= decl->scope_begin && at < decl->scope_end;
}

static namesakes namesakes_of(cw_unit *unit, const cw_func *func)
{
    namesakes all = { .items = cw_alloc(&unit->arena, (func->ndeclared + 1) * sizeof *all.items) };
    for (size_t i = 0; i < func->ndeclared; i++)
        if (func->declared[i]->kind != CW_D_LABEL && func->declared[i]->kind != CW_D_PARAM)
            all.items[all.count++].decl = func->declared[i];
    qsort(all.items, all.count, sizeof *all.items, by_name_and_place);
    for (size_t i = 0; i < all.count; i++) {
        long outer = (long)i - 1;
        if (i == 0 || strcmp(all.items[i - 1].decl->name, all.items[i].decl->name) != 0)
            outer = -1;
        while (outer >= 0 && !is_in_scope(all.items[outer].decl, all.items[i].decl->name_at))
            outer = all.items[outer].outer;
        all.items[i].outer = outer;
    }
    return all;
}

/* Orders by name, and for one name by position. */
static bool is_before(const cw_decl *decl, const char *name, uint32_t at)
{
    int order = strcmp(decl->name, name);
    return order < 0 || (order == 0 && decl->name_at < at);
}

/* The declaration that hides a local at a point; NULL: its name is free. */
static cw_decl *hidden_by(const namesakes *all, const cw_local *local, const cw_point *point)
{
    if (local->decl == NULL)
        return NULL;
    size_t behind; /* the first of its name after the point */
    CW_SEARCH(behind, all->count,
              !is_before(all->items[behind].decl, local->decl->name, point->at));
    long i = (long)behind - 1;
    if (i < 0 || strcmp(all->items[i].decl->name, local->decl->name) != 0)
        return NULL;
    for (; i >= 0 && all->items[i].decl->name_at > local->decl->name_at; i = all->items[i].outer)
        if (all->items[i].decl->rename == NULL && is_in_scope(all->items[i].decl, point->at))
            return all->items[i].decl;
    return NULL;
}

static void free_names(cw_unit *unit, cw_func *func)
{
    namesakes all = namesakes_of(unit, func);
    bool pinned = false;
    for (size_t p = 0; p < func->npoints; p++)
        for (size_t k = 0; k < func->points[p]->nlive; k++) {
            cw_local *local = func->points[p]->live[k];
            cw_decl *other;
            while (!local->pinned && (other = hidden_by(&all, local, func->points[p])) != NULL) {
                if (other->kind == CW_D_VARIABLE && !other->is_extern) {
                    other->rename = cw_format(&unit->arena, "%s__%zu", other->name,
                                              ++unit->next_order);
                    if (other->as_local != NULL)
                        other->as_local->name = other->rename;
                    continue;
                }
                local->pinned = pinned = true;
                local->saved = false;
                local->why_pinned = "its name is hidden at a suspension point";
                local->why_at = func->points[p]->at;
            }
        }
    if (pinned)
        cw_forget_pinned(func);
}

/* ---- fields ---- */

/* A name that is taken gets a number: the next one that was not tried yet. */
static const char *field_name(cw_unit *unit, cw_names *taken, const cw_local *local)
{
    const char *base = local->decl != NULL ? local->decl->name : local->name;
    const char *name = strcmp(base, "head") == 0 ? "head_" : base;
    cw_name *known = cw_names_find(taken, name, strlen(name));
    if (known != NULL) {
        unsigned n = known->number < 2 ? 2 : known->number;
        do
            name = cw_format(&unit->arena, "%s_%u", base, n++);
        while (cw_names_find(taken, name, strlen(name)) != NULL);
        known->number = n;
    }
    cw_names_add(taken, name, strlen(name));
    return name;
}

static void add_field(cw_unit *unit, cw_func *func, cw_names *taken, cw_local *local)
{
    local->field = field_name(unit, taken, local);
    local->bytes = cw_type_is_local(local->type);
    CW_PUSH(&unit->arena, func->fields, func->nfields, local);
}

/* A saved copy needs its type's alignment; a pinned local needs the alignment of its
 * declaration. */
static uint32_t alignment(const cw_local *local)
{
    int64_t align = local->type->align > 0 ? local->type->align : 1;
    if (local->pinned && local->decl != NULL && local->decl->align > align)
        align = local->decl->align;
    return (uint32_t)align;
}

/* A zone ends at a multiple of eight bytes, the sanitizer's granularity. */
enum { ZONE = 16, ZONE_END = 8 };

/* Bytes of a zone from an offset to the next object, which has this alignment. */
static uint32_t zone_bytes(uint32_t at, uint32_t align)
{
    uint32_t end = at + ZONE, step = align > ZONE_END ? align : ZONE_END;
    return (end + step - 1) / step * step - at;
}

/* Assigns offsets to the fields; returns the size of the frame. */
static uint32_t place_fields(const cw_unit *unit, cw_func *func, bool zones)
{
    uint32_t at = unit->head_bytes, widest = unit->head_bytes / 2;
    bool beside = false; /* after a pinned local */
    for (size_t i = 0; i < func->nfields; i++) {
        cw_local *local = func->fields[i];
        local->align = alignment(local);
        local->zone = zones && (beside || local->pinned) ? zone_bytes(at, local->align) : 0;
        at += local->zone;
        at = (at + local->align - 1) / local->align * local->align;
        local->offset = at;
        local->size = (uint32_t)local->type->size;
        at += local->size;
        widest = local->align > widest ? local->align : widest;
        beside = local->pinned;
    }
    func->last_zone = zones && beside ? zone_bytes(at, widest) : 0;
    at += func->last_zone;
    return (at + widest - 1) / widest * widest;
}

static void lay_out(cw_unit *unit, cw_func *func)
{
    cw_local **sorted = cw_alloc(&unit->arena, (func->nfields + 1) * sizeof *sorted);
    uint32_t largest = 1;
    size_t count = 0;
    for (size_t i = 0; i < func->nfields; i++)
        if (alignment(func->fields[i]) > largest)
            largest = alignment(func->fields[i]);
    for (uint32_t align = largest; align > 0; align /= 2) /* powers of two; stable */
        for (size_t i = 0; i < func->nfields; i++)
            if (alignment(func->fields[i]) == align)
                sorted[count++] = func->fields[i];
    func->fields = sorted;
    for (size_t i = 0; i < func->nfields; i++)
        func->fields[i]->field_index = i;
    func->bare_bytes = place_fields(unit, func, false);
    func->frame_bytes = unit->zones ? place_fields(unit, func, true) : func->bare_bytes;
}

/* What a function needs to which jumps come back, in any frame. */
static void add_jump_fields(cw_unit *unit, cw_func *func)
{
    const uint32_t pointer = unit->head_bytes / 2;
    cw_type *type = cw_type_builtin(unit, "struct co4_abi_jumps", 8 * pointer);
    type->align = pointer;
    func->jumps = cw_local_new(func, "co4_jumps", type);
    func->real = cw_local_new(func, "co4_real", cw_jump_buffer(func->catches));
    func->jumps->pinned = func->real->pinned = true;
    func->jumps->is_temp = func->real->is_temp = true;
    func->jumps->why_pinned = func->real->why_pinned = "for jumps to a setjmp";
}

/* ---- local types of one name ---- */

/* For each of the function's types: the number of positions where libclang sees its original name,
 * minus those where the text has `struct NAME` or the like. It is not 0 if libclang does not show
 * all of them (typeof). Stored at the first type of each name. */
static int *count_tag_names(const cw_unit *unit, const cw_func *func)
{
    cw_unit *owner = func->unit;
    int *counts = cw_alloc(&owner->arena, func->ntags * sizeof *counts);
    for (size_t i = 0; i < func->nnamed_tags; i++) {
        const char *said = func->named_tags[i].tag->said;
        size_t first = cw_first_tag(func, said, strlen(said));
        if (first < func->ntags)
            counts[first]++;
    }
    bool keyword = false;
    for (uint32_t at = func->begin; at < func->end;) {
        uint32_t end = cw_skip_word(unit, at);
        if (end == at) {
            uint32_t next = cw_skip_blank(unit, at);
            keyword &= next > at;
            at = next > at ? next : cw_skip_unit(unit, at);
            continue;
        }
        const char *word = unit->text + at;
        size_t first = keyword ? cw_first_tag(func, word, end - at) : func->ntags;
        if (first < func->ntags)
            counts[first]--;
        keyword = cw_lists("struct union enum", word, end - at);
        at = end;
    }
    return counts;
}

static int by_tag(const void *left, const void *right)
{
    const cw_named_tag *a = left, *b = right;
    uint32_t one = a->tag->begin, other = b->tag->begin;
    if (one == other) {
        one = a->at;
        other = b->at;
    }
    return (one > other) - (one < other);
}

/* Renames a local type at each of its uses. Returns false if not all of them are known. */
static bool rename_tag(cw_unit *unit, cw_func *func, size_t first, cw_tag *tag)
{
    if (func->tag_counts == NULL) {
        func->tag_counts = count_tag_names(unit, func);
        qsort(func->named_tags, func->nnamed_tags, sizeof *func->named_tags, by_tag);
    }
    if (func->tag_counts[first] != 0)
        return false;
    tag->name = cw_format(&unit->arena, "%s__%zu", tag->said, ++unit->next_order);
    size_t i;
    CW_SEARCH(i, func->nnamed_tags, func->named_tags[i].tag->begin >= tag->begin);
    for (; i < func->nnamed_tags && func->named_tags[i].tag == tag; i++) {
        uint32_t at = func->named_tags[i].at;
        cw_edit_add(unit, &unit->small, at, at + (uint32_t)strlen(tag->said), tag->name);
    }
    return true;
}

/* Woven code names the type of a pinned local or of a temporary where the object is. If the
 * function has two types of that name, the name could denote the wrong one: a type defined after
 * the local, or, for a temporary, after its own type. */
static void check_type_name(cw_unit *unit, cw_func *func, const cw_local *local)
{
    const cw_type *type = local->type;
    while (type->tag == NULL && type->inner != NULL && type->kind != CW_T_FUNCTION)
        type = type->inner;
    cw_tag *tag = type->kind == CW_T_ENUM ? NULL : type->tag;
    if (tag == NULL || !tag->local || tag->name == NULL || tag->name != tag->said)
        return; /* its name is unique */
    const size_t first = cw_first_tag(func, tag->said, strlen(tag->said));
    uint32_t from = local->decl != NULL ? local->decl->name_at : tag->begin;
    uint32_t to = local->decl != NULL ? local->decl->scope_end : UINT32_MAX;
    if (local->decl == NULL && tag->later_renamed)
        return;
    size_t i;
    CW_SEARCH(i, func->ntags - first,
              strcmp(func->tags[first + i]->said, tag->said) != 0 ||
                  func->tags[first + i]->begin > from);
    for (i += first; i < func->ntags; i++) {
        cw_tag *other = func->tags[i];
        if (strcmp(other->said, tag->said) != 0 || other->begin >= to)
            break;
        if (other == tag || other->name != other->said)
            continue;
        if (!rename_tag(unit, func, first, other))
            cw_diag(
                unit, CW_ERROR, other->begin, "give one of them another name",
                "two types of '%s' are called '%s %s', and one is needed across a suspension point",
                func->decl->name, other->keyword, other->name);
    }
    tag->later_renamed |= local->decl == NULL;
}

bool cw_frame(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        free_names(unit, func);
        cw_names taken = { 0 };
        if (func->catches != NULL)
            add_jump_fields(unit, func);
        if (func->keeps_args) {
            static const cw_type args = { .kind = CW_T_BUILTIN, .name = "co4_abi_args" };
            func->args = cw_local_new(func, "co4_args", cw_type_pointer_to(unit, &args));
            func->args->pinned = func->args->is_temp = true;
            func->args->why_pinned = "its variable arguments are used after a pause";
        }
        for (size_t k = 0; k < func->nlocals; k++) {
            cw_local *local = func->locals[k];
            if (local->pinned)
                func->takes_frame = true;
            if (local->saved && cw_type_is_const(local->type))
                local->unqualify = true;
            if (local->pinned || local->is_temp)
                check_type_name(unit, func, local);
            if (local->pinned || local->saved)
                add_field(unit, func, &taken, local);
            local->in_memory = local->saved && !local->pinned && local->decl != NULL &&
                               local->decl->is_register &&
                               (local->bytes || !cw_type_is_assignable(local->type));
        }
        for (size_t p = 0; p < func->npoints; p++) {
            cw_point *point = func->points[p];
            if (point->wide && !point->result->saved && !point->result->pinned)
                add_field(unit, func, &taken, point->result);
        }
        cw_names_free(&taken);
        lay_out(unit, func);
    }
    return unit->errors == 0;
}
