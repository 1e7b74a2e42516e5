/* report_json.c - --report=json: the same for programs, one JSON object for a unit, on one line. */
#include <stdio.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "report/report.h"
#include "text/source_map.h"
#include "text/unit.h"

static void put_point(cw_unit *unit, const cw_point *point, cw_buf *out)
{
    cw_site site = cw_site_of(unit, point->at);
    const char *comma = "";
    cw_printf(out, "{\"id\":%u,", point->id);
    cw_json_member(out, "file", site.file);
    cw_printf(out, ",\"line\":%u,\"column\":%u,", site.line, site.column);
    cw_json_member(out, "callee", point->callee);
    cw_puts(out, ",\"saves\":[");
    for (size_t k = 0; k < point->nlive; k++) {
        cw_puts(out, comma);
        cw_json_string(out, cw_local_name(point->live[k]));
        comma = ",";
    }
    cw_puts(out, "]}");
}

static void put_field(cw_unit *unit, const cw_local *local, cw_buf *out)
{
    cw_puts(out, "{");
    cw_json_member(out, "name", cw_local_name(local));
    cw_puts(out, ",");
    cw_json_member(out, "type", cw_type_write(unit, local->type, "", 0));
    cw_puts(out, ",");
    cw_json_member(out, "is",
                   local->is_param  ? "parameter"
                   : local->is_temp ? "temporary"
                                    : "local");
    cw_printf(out, ",\"bytes\":%u,\"offset\":%u,\"pinned\":%s,", local->size, local->offset,
              local->pinned ? "true" : "false");
    cw_json_member(out, "why",
                   local->pinned    ? local->why_pinned
                   : local->is_temp ? "it is computed before a pause in its expression"
                                    : "it is read after a pause");
    if (local->pinned && local->why_at != 0)
        cw_printf(out, ",\"why_line\":%u}", cw_place_of(unit, local->why_at).line);
    else
        cw_puts(out, ",\"why_line\":null}");
}

static void put_task(cw_unit *unit, cw_func *func, cw_buf *out)
{
    static const char *const kinds[] = { "exact", "unknown",
                                         "unbounded" }; /* ORDER cw_task_bound */
    const cw_task_bound *bound = cw_task_bound_of(unit, func);
    cw_json_member(out, "bound", kinds[bound->kind]);
    if (bound->kind == CW_EXACT)
        cw_printf(out, ",\"bytes\":%llu,", (unsigned long long)bound->bytes);
    else
        cw_puts(out, ",\"bytes\":null,");
    cw_json_member(out, "why", bound->why);
    cw_puts(out, ",\"deepest\":[");
    const char *comma = "";
    for (const cw_func *f = bound->kind == CW_EXACT ? func : NULL; f != NULL; f = f->bound->next) {
        cw_puts(out, comma);
        cw_json_string(out, f->decl->name);
        comma = ",";
    }
    cw_puts(out, "]");
}

static void put_function(cw_unit *unit, cw_func *func, cw_buf *out)
{
    cw_site site = cw_site_of(unit, cw_definition_of(func->decl));
    cw_puts(out, "{");
    cw_json_member(out, "name", func->decl->name);
    cw_puts(out, ",");
    cw_json_member(out, "file", site.file);
    cw_printf(out, ",\"line\":%u,\"frame_bytes\":%u,\"head_bytes\":%u,", site.line,
              func->npoints > 0 ? func->frame_bytes : 0, func->npoints > 0 ? unit->head_bytes : 0);
    cw_json_member(out, "frame_taken", func->npoints == 0 ? NULL : cw_frame_taken(func));
    cw_puts(out, ",\"budget\":");
    if (func->decl->budget != NULL)
        cw_printf(out, "%llu", (unsigned long long)func->decl->budget->bytes);
    else
        cw_puts(out, "null");
    cw_puts(out, ",\"points\":[");
    for (size_t i = 0; i < func->npoints; i++) {
        cw_puts(out, i > 0 ? "," : "");
        put_point(unit, func->points[i], out);
    }
    cw_puts(out, "],\"fields\":[");
    for (size_t i = 0; i < func->nfields; i++) {
        cw_puts(out, i > 0 ? "," : "");
        put_field(unit, func->fields[i], out);
    }
    cw_puts(out, "],\"task\":{");
    put_task(unit, func, out);
    cw_puts(out, "}}");
}

void cw_report_json(cw_unit *unit, FILE *to)
{
    cw_buf out = { 0 };
    const char *comma = "";
    cw_puts(&out, "{");
    cw_json_member(&out, "source", unit->options->source);
    cw_puts(&out, ",\"functions\":[");
    for (size_t i = 0; i < unit->nfuncs; i++) {
        if (!unit->funcs[i]->pausable)
            continue;
        cw_puts(&out, comma);
        put_function(unit, unit->funcs[i], &out);
        comma = ",";
    }
    cw_puts(&out, "]}\n");
    fwrite(out.data, 1, out.length, to);
    cw_buf_free(&out);
}
