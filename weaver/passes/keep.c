/* keep.c - --infer: pointers that stay plain, and functions that are called as plain ones.
 *
 * Purpose: a pointer that flows to a declaration without room for a mark (a parameter of
 * pthread_create) cannot be marked. Neither can a pointer that receives values from such a pointer.
 * A pausable function that flows into one must be `pausable_or_plain`. A library's function that
 * flows into a pausable pointer does not make the pointer plain: infer.c generates a pausable
 * function around it.
 *
 * Invariants: pointers between which values flow are all pausable or all plain. So a pointer that
 * stays plain keeps all connected pointers plain, in both directions. Declarations that are already
 * marked do not change: mark.c reports those that do not fit. This file reads no mark that infer.c
 * adds, so the result does not depend on the order of units.
 *
 * Rejected: one pass that decides while it adds marks. A mark cannot be removed once another unit
 * depends on it. */
#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/patch.h"
#include "text/unit.h"

typedef struct keeper {
    cw_unit *unit;
    bool changed;
} keeper;

static void record(keeper *k, uint32_t at, const char *name)
{
    cw_place place = cw_place_of(k->unit, at);
    if (place.system)
        return;
    const cw_source_file *file = cw_source_file_of(k->unit, cw_file_name(k->unit, place.file));
    cw_patch_keep(k->unit->options->infer, file->real, place.line, name);
}

static void keep(keeper *k, cw_decl *decl)
{
    if (decl == NULL || decl->kept_plain || cw_decl_is_pausable(decl))
        return;
    decl->kept_plain = true;
    k->changed = true;
    if (decl->nredecls == 0)
        record(k, decl->name_at, decl->name);
    for (size_t i = 0; i < decl->nredecls; i++)
        record(k, decl->redecls[i].name_at, decl->name);
}

/* The declaration whose mark decides about a pointer: the typedef with its function type, else its
 * own. */
static cw_decl *slot_of(cw_decl *decl, const cw_type *type)
{
    cw_decl *hidden = cw_function_typedef(decl != NULL && decl->type != NULL ? decl->type : type);
    return hidden != NULL ? hidden : decl;
}

static bool is_plain(keeper *k, const cw_decl *slot)
{
    return slot == NULL ||
           (!cw_decl_is_pausable(slot) && (slot->kept_plain || !cw_can_be_marked(k->unit, slot)));
}

static void connect(keeper *k, const cw_node *source, cw_decl *target)
{
    const cw_node *bare = cw_strip(source);
    while (bare->kind == CW_UNARY)
        bare = cw_strip(bare->kids[0]);
    if (!cw_is_function_like(bare->type)) /* a null pointer */
        return;
    if (bare->kind == CW_COND && bare->nkids == 3) {
        connect(k, bare->kids[1], target);
        connect(k, bare->kids[2], target);
        return;
    }
    if (bare->kind == CW_COMMA) {
        connect(k, bare->kids[1], target);
        return;
    }
    cw_decl *from = cw_flow_source(bare);
    if (from != NULL && from->kind == CW_D_FUNCTION) {
        if (is_plain(k, target))
            keep(k, from);
        return;
    }
    cw_decl *slot = slot_of(from, bare->type);
    if (is_plain(k, slot))
        keep(k, target);
    else if (is_plain(k, target))
        keep(k, slot);
}

static void flows(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                  const cw_type *type)
{
    (void)func;
    connect(data, source, slot_of(decl, type));
}

/* ---- between units ---- */

static void recall(void *unit_, cw_decl *decl)
{
    cw_unit *unit = unit_;
    size_t places = decl->nredecls > 0 ? decl->nredecls : 1;
    for (size_t i = 0; i < places && *decl->name != '\0' && !cw_decl_is_pausable(decl); i++) {
        cw_place place = cw_place_of(unit,
                                     decl->nredecls > 0 ? decl->redecls[i].name_at : decl->name_at);
        if (place.system)
            continue;
        const cw_source_file *file = cw_source_file_of(unit, cw_file_name(unit, place.file));
        decl->kept_plain |= cw_patch_keeps(unit->options->infer, file->real, place.line,
                                           decl->name);
    }
}

/* Parameters at one position of a function's declarations are the same parameter. */
static void connect_params(keeper *k)
{
    for (size_t i = 0; i < k->unit->ndecls; i++) {
        const cw_decl *decl = k->unit->decls[i];
        for (size_t n = 0; decl->nredecls > 1 && n < decl->nparams; n++) {
            bool plain = false;
            for (size_t j = 0; j < decl->nredecls; j++)
                if (n < decl->redecls[j].nparams &&
                    cw_is_function_like(decl->redecls[j].params[n]->type))
                    plain |= slot_of(decl->redecls[j].params[n], NULL)->kept_plain;
            for (size_t j = 0; plain && j < decl->nredecls; j++)
                if (n < decl->redecls[j].nparams)
                    keep(k, slot_of(decl->redecls[j].params[n], NULL));
        }
    }
}

void cw_keep_plain(cw_unit *unit)
{
    static const cw_flow_visitor visitor = { .flows = flows };
    keeper k = { unit, false };
    cw_each_markable(unit, recall, unit);
    if (!unit->options->infer->collecting)
        return;
    do {
        k.changed = false;
        cw_flows(unit, &visitor, &k);
        connect_params(&k);
    } while (k.changed);
}
