/* emit.c - the pass that writes text.
 *
 * In:  plans, points with their live locals, frames.
 * Out: unit->out, the woven text.
 *
 * Each change is recorded as an edit, and all edits are applied once. The order is: the functions
 * of entry points, the small edits of the whole text, then, for each function, its statements
 * (stmt.c) and the text around its body (function.c). */
#include "emit/emit.h"

#include <string.h>

#include "ast/func.h"
#include "ast/type.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/unit.h"

/* Written for compilers that have the warning, as in abi.h. The unit begins with a marker, so one
 * more line changes no positions. */
static const char no_marker_warnings[] = "#pragma clang diagnostic ignored \"-Wgnu-line-marker\"\n";

/* Auto: functions whose pausing forms are found by the addresses of their plain ones: of this unit,
 * and of the C library, whose addresses it takes. Constructors of the program, in any unit, may
 * begin threads with them, and destructors may call them: the runtime's own are before 112. */
static void put_pair(cw_unit *unit, const char *plain, const char *woven, size_t count)
{
    cw_printf(&unit->out, "%s    { (co4_abi_code *)%s, (co4_abi_code *)%s },\n",
              count == 0 ? "\nstatic const co4_abi_pair co4_pairs[] = {\n" : "", plain, woven);
}

static const char *root_name(cw_unit *unit, const cw_decl *decl)
{
    return cw_format(&unit->arena, "%s__co4", decl->instead);
}

static void put_pairs(cw_unit *unit)
{
    size_t count = 0;
    for (size_t i = 0; i < unit->ndecls; i++)
        if (cw_unmarked_is_root_by_address(unit, unit->decls[i]))
            cw_printf(&unit->out, "\n%s;",
                      cw_type_write(unit, unit->decls[i]->type, root_name(unit, unit->decls[i]),
                                    CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE));
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_decl *decl = unit->funcs[i]->decl;
        if (!decl->stressed || !unit->funcs[i]->pausable ||
            !cw_plan_has(unit->options->plan, CW_PLAN_ADDRESS, decl->name))
            continue;
        put_pair(unit, decl->name, cw_woven_name(unit, decl), count++);
    }
    for (size_t i = 0; i < unit->ndecls; i++)
        if (cw_unmarked_is_root_by_address(unit, unit->decls[i]))
            put_pair(unit, unit->decls[i]->name, root_name(unit, unit->decls[i]), count++);
    if (count > 0)
        cw_puts(&unit->out,
                "};\nstatic co4_abi_pairs co4_pairs_here = { co4_pairs, sizeof co4_pairs / sizeof "
                "co4_pairs[0] };\n"
                "__attribute__((constructor(112))) static void co4_pairs_begin(void) { "
                "co4_abi_pairs_add(&co4_pairs_here); }\n"
                "__attribute__((destructor(112))) static void co4_pairs_end(void) { "
                "co4_abi_pairs_drop(&co4_pairs_here); }\n");
}

bool cw_emit(cw_unit *unit)
{
    cw_thunks(unit);
    cw_small_edits(unit);
    cw_share_resumes(unit);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!func->pausable)
            continue;
        cw_emitter e = { unit, func };
        unit->writing = func;
        for (size_t k = 0; k < func->nlocals; k++) /* names anonymous tags before text is copied */
            if (func->locals[k]->field != NULL || func->locals[k]->is_temp)
                cw_type_write(unit, func->locals[k]->type, "", 0);
        if (func->npoints > 0)
            cw_emit_stmt(&e, func->body);
        cw_function_wrap(unit, func);
        unit->writing = NULL;
    }
    if (unit->text[0] == '#' && strstr(unit->text, no_marker_warnings) != NULL)
        cw_puts(&unit->out, no_marker_warnings);
    cw_edit_apply_both(unit, 0, unit->length, &unit->out);
    put_pairs(unit);
    return true;
}
