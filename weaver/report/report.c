/* report.c - --report: what the frame of each pausable function contains, and why. */
#include "report/report.h"

#include <stdio.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "text/source_map.h"
#include "text/unit.h"

static void report_task(cw_unit *unit, cw_func *func, FILE *to)
{
    const cw_task_bound *bound = cw_task_bound_of(unit, func);
    if (bound->kind == CW_UNBOUNDED) {
        fprintf(to, "  in all  unbounded: %s\n", bound->why);
    } else if (bound->kind == CW_UNKNOWN) {
        fprintf(to, "  in all  unknown: %s\n", bound->why);
    } else {
        fprintf(to, "  in all  %llu bytes of frames at most", (unsigned long long)bound->bytes);
        const char *separator = ", with ";
        for (const cw_func *f = bound->next; f != NULL; f = f->bound->next, separator = ", ")
            if (f->npoints > 0)
                fprintf(to, "%s%s()", separator, f->decl->name);
        fputc('\n', to);
    }
}

const char *cw_frame_taken(const cw_func *func)
{
    return !func->takes_frame          ? "at the first pause"
           : func->frame_after != NULL ? "past the first return"
                                       : "at entry";
}

static void report_function(cw_unit *unit, cw_func *func, FILE *to)
{
    cw_place place = cw_place_of(unit, cw_definition_of(func->decl));
    fprintf(to, "%s:%u: %s(): ", cw_file_name(unit, place.file), place.line, func->decl->name);
    if (func->npoints == 0) {
        fputs("never pauses, no frame\n", to);
        return;
    }
    fprintf(to, "%zu suspension point%s, frame of %u bytes, taken %s\n", func->npoints,
            func->npoints == 1 ? "" : "s", func->frame_bytes, cw_frame_taken(func));
    for (size_t p = 0; p < func->npoints; p++) {
        const cw_point *point = func->points[p];
        fprintf(to, "  point %u  line %u: %s()", point->id, cw_place_of(unit, point->at).line,
                point->callee);
        const char *separator = ", saves ";
        for (size_t k = 0; k < point->nlive; k++) {
            fprintf(to, "%s%s", separator, cw_local_name(point->live[k]));
            separator = ", ";
        }
        fputc('\n', to);
    }
    for (size_t i = 0; i < func->nfields; i++) {
        const cw_local *local = func->fields[i];
        fprintf(to, "  %s %s: %s, %u bytes at %u", local->pinned ? "pinned" : "saved ",
                cw_local_name(local), cw_type_write(unit, local->type, "", 0), local->size,
                local->offset);
        if (local->pinned)
            fprintf(to, ", because %s", local->why_pinned);
        if (local->pinned && local->why_at != 0)
            fprintf(to, " (line %u)", cw_place_of(unit, local->why_at).line);
        if (!local->pinned && local->is_temp)
            fputs(", a value computed before a pause in its expression", to);
        fputc('\n', to);
    }
    report_task(unit, func, to);
}

void cw_report(cw_unit *unit, FILE *to)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        cw_place place = cw_place_of(unit, func->begin);
        if (func->pausable)
            report_function(unit, func, to);
        else if (func->left_plain != NULL)
            fprintf(to, "%s:%u: %s(): left plain: %s\n", cw_file_name(unit, place.file), place.line,
                    func->decl->name, func->left_plain);
    }
}
