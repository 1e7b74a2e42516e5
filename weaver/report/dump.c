/* dump.c - --dump=PASS: the unit after a pass.
 *
 * Purpose: one notation shows what each pass has found:
 *
 *   function relay at 12, pausable
 *     block 10..80
 *       call* score …            a suspension point, with its point's number once linearized
 *
 * The list of passes selects the parts that a pass prints. */
#include <stdio.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "report/report.h"
#include "text/source_map.h"
#include "text/unit.h"

/* ORDER cw_kind */
static const char kind_names[] =
    "literal string ref member call unary binary assign compound-assign and-or comma "
    "conditional elvis cast implicit paren index compound-literal init-list designated sizeof "
    "statement-expression generic builtin label-address entry pause other-expression block "
    "declaration variable other-declaration expression if while do for switch case default "
    "label goto computed-goto break continue return asm empty attributed other-statement";

static void dump_steps(cw_unit *unit, const cw_step *step, int depth, FILE *to)
{
    static const char *const names[] = { "evaluate", "truth", "discard", "point", "block", "if" };
    for (; step != NULL; step = step->next) {
        fprintf(to, "%*s> %s", depth * 2, "", names[step->kind]);
        if (step->point != NULL)
            fprintf(to, " %u", step->point->id);
        if (step->negate)
            fputs(" not", to);
        if (step->temp != NULL)
            fprintf(to, " %s", step->temp->name);
        if (step->node != NULL)
            fprintf(to, " %.*s", (int)(step->node->end - step->node->begin),
                    unit->text + step->node->begin);
        fputc('\n', to);
        dump_steps(unit, step->then, depth + 1, to);
        if (step->otherwise != NULL)
            fprintf(to, "%*s> else\n", depth * 2, "");
        dump_steps(unit, step->otherwise, depth + 1, to);
    }
}

static void dump_node(cw_unit *unit, const cw_node *node, int depth, FILE *to)
{
    if (node == NULL)
        return;
    dump_steps(unit, node->plan, depth, to);
    size_t length = 0;
    const char *name = cw_next_listed(kind_names, &length);
    for (int i = 0; i < (int)node->kind; i++)
        name = cw_next_listed(name, &length);
    fprintf(to, "%*s%.*s%s", depth * 2, "", (int)length, name, node->is_point ? "*" : "");
    if (node->op[0] != '\0')
        fprintf(to, " %s", node->op);
    if (node->decl != NULL)
        fprintf(to, " %s", node->decl->name);
    if (node->temp != NULL)
        fprintf(to, " = %s", node->temp->name);
    if (node->type != NULL && node->kind != CW_VAR && !cw_type_is_vm(node->type) &&
        !cw_type_has(node->type, CW_T_OTHER))
        fprintf(to, " : %s", cw_type_write(unit, node->type, "", 0));
    fprintf(to, "  %u..%u\n", node->begin, node->end);
    for (size_t i = 0; i < node->nkids; i++)
        dump_node(unit, node->kids[i], depth + 1, to);
}

static void dump_blocks(const cw_func *func, bool live, FILE *to)
{
    static const char *const names[] = { "use", "define", "touch", "forget", "point" };
    for (size_t i = 0; i < func->nblocks; i++) {
        const cw_block *block = func->blocks[i];
        fprintf(to, "  block %zu ->", block->id);
        for (size_t j = 0; j < block->nnext; j++)
            fprintf(to, " %zu", block->next[j]->id);
        fputc('\n', to);
        for (size_t j = 0; j < block->nevents; j++) {
            const cw_event *event = &block->events[j];
            if (event->kind >= CW_CALLED)
                continue; /* irrelevant for liveness */
            fprintf(to, "    %s ", names[event->kind]);
            if (event->kind != CW_POINT) {
                fprintf(to, "%s\n", event->local->name);
                continue;
            }
            fprintf(to, "%u", event->point->id);
            for (size_t k = 0; live && k < event->point->nlive; k++)
                fprintf(to, " %s", event->point->live[k]->name);
            fputc('\n', to);
        }
    }
}

void cw_dump(cw_unit *unit, cw_dump_kind kind, FILE *to)
{
    if (kind == CW_DUMP_TEXT) {
        if (unit->out.data != NULL)
            fputs(unit->out.data, to);
        return;
    }
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        const char *file = cw_file_name(unit, cw_place_of(unit, func->begin).file);
        if (!func->pausable && unit->options->source != NULL &&
            strcmp(file, unit->options->source) != 0)
            continue; /* helpers in headers */
        fprintf(to, "function %s at %u%s\n", func->decl->name, func->begin,
                func->pausable ? ", pausable" : "");
        if (kind == CW_DUMP_CFG || kind == CW_DUMP_LIVENESS)
            dump_blocks(func, kind == CW_DUMP_LIVENESS, to);
        else if (kind == CW_DUMP_FRAME)
            for (size_t j = 0; j < func->nfields; j++)
                fprintf(to, "  %4u %4u %s%s\n", func->fields[j]->offset, func->fields[j]->size,
                        func->fields[j]->field, func->fields[j]->pinned ? ", pinned" : "");
        else
            dump_node(unit, func->body, 1, to);
    }
}
