/* graph.c - --graph: which functions may wait in which, as a digraph for dot.
 *
 * A box is a pausable function, with the bytes of its frame. It is dashed if its definition is
 * elsewhere, and an ellipse if it is called through a pointer. Plain functions appear if they enter
 * pausable ones; the labels of their edges name the entry point. */
#include <stdio.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "report/report.h"
#include "text/unit.h"

/* Each node once: its name is its identity. */
typedef struct drawn {
    const char **names;
    size_t count;
} drawn;

static bool is_new(cw_unit *unit, drawn *nodes, const char *name)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (strcmp(nodes->names[i], name) == 0)
            return false;
    CW_PUSH(&unit->arena, nodes->names, nodes->count, name);
    return true;
}

static void put_node(cw_unit *unit, drawn *nodes, const char *name, const char *attributes,
                     cw_buf *out)
{
    if (!is_new(unit, nodes, name))
        return;
    cw_puts(out, "  ");
    cw_put_quoted(out, name);
    cw_printf(out, " [%s];\n", attributes);
}

static void put_edge(cw_unit *unit, const char *from, const char *to, uint32_t at,
                     const char *entry, cw_buf *out)
{
    cw_puts(out, "  ");
    cw_put_quoted(out, from);
    cw_puts(out, " -> ");
    cw_put_quoted(out, to);
    cw_printf(out, " [label=\"%s%s%u\"%s];\n", entry, *entry != '\0' ? ", line " : "line ",
              cw_place_of(unit, at).line, *entry != '\0' ? ", style=bold" : "");
}

static void put_callee(cw_unit *unit, drawn *nodes, const cw_decl *decl, const char *text,
                       cw_buf *out)
{
    if (decl == NULL)
        put_node(unit, nodes, text, "shape=ellipse", out);
    else if (decl->func == NULL)
        put_node(unit, nodes, decl->name, "shape=box, style=dashed", out);
}

static void put_entry(cw_unit *unit, drawn *nodes, const cw_node *node, cw_buf *out)
{
    static const char *const names[] = {
        [CW_ENTRY_RUN] = "co4_run",
        [CW_ENTRY_SPAWN] = "co4_spawn",
        [CW_ENTRY_SPAWN_ON] = "co4_runtime_spawn",
        [CW_ENTRY_START] = "co4_spawn",
        [CW_ENTRY_START_ON] = "co4_runtime_spawn",
        [CW_ENTRY_TASK] = "co4_task_create",
        [CW_ENTRY_CALL] = "co4_scope_run",
        [CW_ENTRY_GENERATE] = "co4_generate",
        [CW_ENTRY_BLOCKING] = "co4_blocking",
    };
    const cw_func *from = cw_func_at(unit, node->begin);
    const cw_node *callee = cw_strip(node->kids[cw_entry_has_runtime(node->entry)]);
    const cw_decl *decl = callee->kind == CW_REF && callee->decl->kind == CW_D_FUNCTION
                              ? callee->decl
                              : NULL;
    const char *text = cw_strndup(&unit->arena, unit->text + callee->begin,
                                  callee->end - callee->begin);
    const char *name = from != NULL ? from->decl->name : "(file scope)";
    put_node(unit, nodes, name, "shape=plaintext", out);
    put_callee(unit, nodes, decl, text, out);
    put_edge(unit, name, decl != NULL ? decl->name : text, node->begin, names[node->entry], out);
}

void cw_graph(cw_unit *unit, FILE *to)
{
    cw_buf out = { 0 };
    drawn nodes = { 0 };
    cw_puts(&out, "digraph ");
    cw_put_quoted(&out, unit->options->source != NULL ? unit->options->source : "");
    cw_puts(&out, " {\n");
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (!func->pausable)
            continue;
        const char *name = func->decl->name;
        cw_buf label = { 0 };
        cw_puts(&label, "shape=box, label=");
        cw_put_quoted(&label, func->npoints > 0
                                  ? cw_format(&unit->arena, "%s, %u bytes", name, func->frame_bytes)
                                  : name);
        put_node(unit, &nodes, name, label.data, &out);
        cw_buf_free(&label);
    }
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        for (size_t p = 0; p < func->npoints; p++) {
            const cw_point *point = func->points[p];
            const cw_decl *decl = cw_point_callee(point);
            if (cw_point_is_ours(point) || point->call->entry != CW_ENTRY_NONE)
                continue; /* the program makes no such call, or it is an entry: below */
            put_callee(unit, &nodes, decl, point->callee, &out);
            put_edge(unit, func->decl->name, decl != NULL ? decl->name : point->callee, point->at,
                     "", &out);
        }
    }
    for (size_t i = 0; i < unit->nentries; i++)
        put_entry(unit, &nodes, unit->entries[i], &out);
    cw_puts(&out, "}\n");
    fwrite(out.data, 1, out.length, to);
    cw_buf_free(&out);
}
