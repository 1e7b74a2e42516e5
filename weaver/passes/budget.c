/* budget.c - pausable_max(bytes): limits the size of a frame.
 *
 * In:  laid out frames; the limits, as text that the loader read from marks.
 * Out: an error for each frame that is too large, with its contents; and for a limit that is not a
 *      number, or does not belong to a function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Reads a number of bytes in C's notation, perhaps in brackets. */
static bool read_number(const char *text, uint64_t *number)
{
    size_t open = strspn(text, " (");
    char *end;
    errno = 0;
    *number = strtoull(text + open, &end, 0);
    if (end == text + open || text[open] == '-' || errno != 0)
        return false;
    end += strspn(end, "uUlL");
    return end[strspn(end, " )")] == '\0';
}

/* The position of a local's declaration, or of the expression whose value a temporary holds. */
static uint32_t origin(const cw_func *func, const cw_local *local)
{
    if (local->decl != NULL)
        return local->decl->name_at;
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++) {
            const cw_event *event = &func->blocks[i]->events[j];
            if (event->kind == CW_DEF && event->local == local && event->node != NULL)
                return event->node->begin;
        }
    for (size_t i = 0; i < func->npoints; i++)
        if (func->points[i]->result == local)
            return func->points[i]->at;
    return local->why_at != 0 ? local->why_at : cw_definition_of(func->decl);
}

static void note_fields(cw_unit *unit, const cw_func *func)
{
    uint32_t used = unit->head_bytes;
    for (size_t i = 0; i < func->nfields; i++) {
        const cw_local *local = func->fields[i];
        uint32_t at = origin(func, local);
        const char *name = local->decl != NULL ? local->decl->name : "a temporary";
        used += local->size;
        if (local->pinned)
            cw_diag(unit, CW_NOTE, at, NULL, "%u bytes: %s, pinned because %s", local->size, name,
                    local->why_pinned);
        else
            cw_diag(unit, CW_NOTE, at, NULL, "%u bytes: %s, %s", local->size, name,
                    local->is_temp ? "computed before a pause in its expression"
                                   : "read after a pause");
    }
    uint32_t at = cw_definition_of(func->decl);
    cw_diag(unit, CW_NOTE, at, NULL, "%u bytes: the head of the frame", unit->head_bytes);
    if (func->bare_bytes > used)
        cw_diag(unit, CW_NOTE, at, NULL, "%u bytes: padding", func->bare_bytes - used);
}

static void check_decl(cw_unit *unit, cw_decl *decl)
{
    cw_budget *tightest = NULL;
    for (cw_budget *budget = decl->budget; budget != NULL; budget = budget->next) {
        if (decl->kind != CW_D_FUNCTION)
            cw_diag(unit, CW_ERROR, decl->name_at, "write pausable",
                    "'%s' is not a function: it has no frame for pausable_max to limit",
                    decl->name);
        else if (!read_number(budget->text, &budget->bytes))
            cw_diag(unit, CW_ERROR, decl->name_at, "write a number, or a macro that is one",
                    "pausable_max(%s): that is not a number of bytes", budget->text);
        else if (tightest == NULL || budget->bytes < tightest->bytes)
            tightest = budget;
    }
    decl->budget = tightest;
    const cw_func *func = decl->func;
    if (tightest == NULL || func == NULL || func->npoints == 0 ||
        func->bare_bytes <= tightest->bytes)
        return;
    uint32_t at = cw_definition_of(decl);
    cw_diag(unit, CW_ERROR, at, "keep fewer or smaller values across pauses; or raise the budget",
            "the frame of '%s' takes %u bytes, and pausable_max allows %llu", decl->name,
            func->bare_bytes, (unsigned long long)tightest->bytes);
    note_fields(unit, func);
}

bool cw_budget_check(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++)
        if (unit->decls[i]->budget != NULL)
            check_decl(unit, unit->decls[i]);
    for (size_t i = 0; i < unit->nfuncs; i++)
        for (size_t k = 0; k < unit->funcs[i]->ndeclared; k++)
            if (unit->funcs[i]->declared[k]->budget != NULL)
                check_decl(unit, unit->funcs[i]->declared[k]);
    return unit->errors == 0;
}
