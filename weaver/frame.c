/* frame.c - the frame struct of each pausable function.
 *
 * In:  pinned and saved locals.
 * Out: func->fields with offsets, func->frame_bytes; names put straight where shadowing would get in the way.
 *
 * One struct per function: fields ordered by alignment, largest first, after the head. A local whose type has no name at file
 * scope, because the type is declared in the function, gets raw bytes of the right size and alignment, and the body reaches
 * it through a cast. The emitted _Static_assert checks our sizes against the compiler's.
 *
 * Restoring `x` at a point needs the name x to mean that local there. When an inner declaration hides it, the inner one is renamed;
 * when that cannot be (a typedef, an extern declaration), the outer local is pinned, which needs no restoring. */
#include "weaver.h"

#include <string.h>

/* Declarations that hide a local somewhere: few locals have any. */
typedef struct hiders {
    cw_decl **items;
    size_t count;
} hiders;

static hiders hiders_of(cw_unit *unit, const cw_func *func, const cw_local *local)
{
    hiders found = { 0 };
    for (size_t i = 0; local->decl != NULL && i < func->ndeclared; i++) {
        cw_decl *other = func->declared[i];
        if (other->name_at > local->decl->name_at && other->kind != CW_D_LABEL &&
            other->kind != CW_D_PARAM && strcmp(other->name, local->decl->name) == 0)
            CW_PUSH(&unit->arena, found.items, found.count, other);
    }
    return found;
}

/* One that hides the local at `point`; NULL: its name is free. */
static cw_decl *hidden_by(const hiders *all, const cw_point *point)
{
    for (size_t i = 0; i < all->count; i++) {
        cw_decl *other = all->items[i];
        if (other->rename == NULL && other->name_at < point->at &&
            point->at >= other->scope_begin && point->at < other->scope_end)
            return other;
    }
    return NULL;
}

static void free_names(cw_unit *unit, cw_func *func)
{
    hiders *all = cw_alloc(&unit->arena, (func->nlocals + 1) * sizeof *all);
    for (size_t k = 0; k < func->nlocals; k++)
        all[k] = hiders_of(unit, func, func->locals[k]);
    for (size_t p = 0; p < func->npoints; p++)
        for (size_t k = 0; k < func->nlocals; k++) {
            cw_local *local = func->locals[k];
            cw_decl *other;
            while (cw_bit(func->points[p]->live, k) &&
                   (other = hidden_by(&all[k], func->points[p])) != NULL) {
                if (other->kind == CW_D_VARIABLE && !other->is_extern) {
                    other->rename = cw_format(&unit->arena, "%s__%zu", other->name,
                                              ++unit->next_order);
                    if (other->as_local != NULL)
                        other->as_local->name = other->rename;
                    continue;
                }
                local->pinned = true;
                local->saved = false;
                local->why_pinned = "its name is hidden at a suspension point";
                local->why_at = func->points[p]->at;
                for (size_t q = 0; q < func->npoints; q++)
                    cw_bit_clear(func->points[q]->live, k);
            }
        }
}

static const char *field_name(cw_unit *unit, const cw_func *func, const cw_local *local)
{
    const char *base = local->decl != NULL ? local->decl->name : local->name;
    const char *name = strcmp(base, "head") == 0 ? "head_" : base;
    for (unsigned n = 2;; n++) {
        bool taken = false;
        for (size_t i = 0; i < func->nfields; i++)
            taken |= strcmp(func->fields[i]->field, name) == 0;
        if (!taken)
            return name;
        name = cw_format(&unit->arena, "%s_%u", base, n);
    }
}

static void add_field(cw_unit *unit, cw_func *func, cw_local *local)
{
    local->field = field_name(unit, func, local);
    local->bytes = cw_type_is_local(local->type);
    CW_PUSH(&unit->arena, func->fields, func->nfields, local);
}

/* A copy needs its type's alignment; what is pointed to, that of its declaration. */
static uint32_t alignment(const cw_local *local)
{
    int64_t align = local->type->align > 0 ? local->type->align : 1;
    if (local->pinned && local->decl != NULL && local->decl->align > align)
        align = local->decl->align;
    return (uint32_t)align;
}

static void lay_out(cw_unit *unit, cw_func *func)
{
    for (size_t i = 1; i < func->nfields; i++) /* insertion sort: stable, and frames are small */
        for (size_t j = i; j > 0 && alignment(func->fields[j - 1]) < alignment(func->fields[j]);
             j--) {
            cw_local *swap = func->fields[j];
            func->fields[j] = func->fields[j - 1];
            func->fields[j - 1] = swap;
        }
    uint32_t at = unit->head_bytes, widest = unit->head_bytes / 2;
    for (size_t i = 0; i < func->nfields; i++) {
        cw_local *local = func->fields[i];
        uint32_t align = alignment(local);
        at = (at + align - 1) / align * align;
        local->offset = at;
        local->size = (uint32_t)local->type->size;
        local->align = align;
        at += local->size;
        widest = align > widest ? align : widest;
    }
    func->frame_bytes = (at + widest - 1) / widest * widest;
}

/* How often the text of a function says `struct NAME` and the like. */
static size_t count_tag_names(const cw_unit *unit, const cw_func *func, const char *name)
{
    size_t count = 0, length = strlen(name);
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
        count += keyword && end - at == length && memcmp(word, name, length) == 0;
        keyword = (end - at == 6 && memcmp(word, "struct", 6) == 0) ||
                  (end - at == 5 && memcmp(word, "union", 5) == 0) ||
                  (end - at == 4 && memcmp(word, "enum", 4) == 0);
        at = end;
    }
    return count;
}

/* Gives a local type another name wherever it is meant; false: libclang does not show all those places (typeof). */
static bool rename_tag(cw_unit *unit, const cw_func *func, cw_tag *tag)
{
    size_t known = 0;
    for (size_t i = 0; i < func->nnamed_tags; i++)
        known += strcmp(func->named_tags[i].name, tag->name) == 0;
    if (known != count_tag_names(unit, func, tag->name))
        return false;
    const char *name = cw_format(&unit->arena, "%s__%zu", tag->name, ++unit->next_order);
    for (size_t i = 0; i < func->nnamed_tags; i++) {
        uint32_t at = func->named_tags[i].at;
        if (func->named_tags[i].tag == tag)
            cw_edit_add(unit, &unit->small, at, at + (uint32_t)strlen(tag->name), name);
    }
    tag->name = name;
    return true;
}

/* Woven code names the type of a pinned local or of a temporary where it stands. When the function has two
 * types of that name, it could mean the other. */
static void check_type_name(cw_unit *unit, const cw_func *func, const cw_local *local)
{
    const cw_type *type = local->type;
    while (type->tag == NULL && type->inner != NULL && type->kind != CW_T_FUNCTION)
        type = type->inner;
    const cw_tag *tag = type->kind == CW_T_ENUM ? NULL : type->tag;
    for (size_t i = 0; tag != NULL && tag->local && tag->name != NULL && i < unit->ntags; i++) {
        const cw_tag *other = unit->tags[i];
        bool later = local->decl != NULL ? other->begin > local->decl->name_at &&
                                               other->begin < local->decl->scope_end
                                         : other->begin > tag->begin;
        if (other == tag || !later || !other->local || other->name == NULL ||
            strcmp(other->name, tag->name) != 0 || other->begin < func->begin ||
            other->begin >= func->end)
            continue;
        if (!rename_tag(unit, func, unit->tags[i]))
            cw_diag(
                unit, CW_ERROR, other->begin, other->end, "give one of them another name",
                "two types of '%s' are called '%s %s', and one is needed across a suspension point",
                func->decl->name, other->keyword, other->name);
    }
}

bool cw_frame(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        free_names(unit, func);
        for (size_t k = 0; k < func->nlocals; k++) {
            cw_local *local = func->locals[k];
            if (local->pinned)
                func->takes_frame = true;
            if (local->saved && cw_type_is_const(local->type))
                local->unqualify = true;
            if (local->pinned || local->is_temp)
                check_type_name(unit, func, local);
            if (local->pinned || local->saved)
                add_field(unit, func, local);
        }
        for (size_t p = 0; p < func->npoints; p++) {
            cw_point *point = func->points[p];
            if (point->wide && !point->result->saved && !point->result->pinned)
                add_field(unit, func, point->result);
        }
        lay_out(unit, func);
    }
    return unit->errors == 0;
}
