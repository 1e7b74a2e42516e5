/* weave.c - the pipeline: a list of passes over one unit. */
#include "driver/weave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/node.h"
#include "emit/emit.h"
#include "passes/passes.h"
#include "report/report.h"
#include "text/comments.h"
#include "text/spell.h"
#include "text/unit.h"
#include "clang/load.h"

/* When a pass runs, and whether others follow. */
enum {
    COLLECT = 1, /* --infer, while it searches declarations that stay plain */
    INFER = 2,   /* --infer, once these are known */
    WEAVE = 4,
    ALWAYS = COLLECT | INFER | WEAVE | 32,
    /* after errors the next pass also runs, so that all errors of a unit appear in one run */
    GOES_ON = 8,
    SUMMARIZE = 32,  /* --auto: for the link step */
    LAST_UNUSED = 16 /* no pass follows if the unit uses nothing pausable */
};

static const struct cw_pass {
    const char *name;
    bool (*run)(cw_unit *unit);                      /* false: errors of the user, reported */
    void (*verify)(cw_unit *unit, const char *pass); /* NULL: no new invariants */
    unsigned flags;
    cw_dump_kind dump;
} passes[] = {
    /* libclang's tree -> ours */
    { "load", cw_load, cw_verify_tree, ALWAYS, CW_DUMP_TREE },
    /* --stress, --auto: marks what has no marks */
    { "unmarked", cw_unmarked, NULL, ALWAYS, CW_DUMP_TREE },
    /* suspension points at loops */
    { "loop_yields", cw_loop_yields, cw_verify_tree, ALWAYS, CW_DUMP_TREE },
    /* --auto=test: suspension points where a seed decides */
    { "decisions", cw_decisions, cw_verify_tree, WEAVE, CW_DUMP_TREE },
    /* --auto: what the whole program has to know of the unit */
    { "summary", cw_summarize, NULL, SUMMARIZE, CW_DUMP_TREE },
    /* finds the missing marks */
    { "infer", cw_infer, NULL, COLLECT | INFER, CW_DUMP_TREE },
    /* decides which functions and calls pause */
    { "mark", cw_mark, cw_verify_tree, INFER | WEAVE | GOES_ON, CW_DUMP_TREE },
    /* refuses code that cannot be woven */
    { "check", cw_check, NULL, INFER | WEAVE | LAST_UNUSED, CW_DUMP_TREE },
    /* finds the locals that need one address for life */
    { "escape", cw_escape, NULL, WEAVE, CW_DUMP_TREE },
    /* moves suspension points out of expressions */
    { "linearize", cw_linearize, cw_verify_points, WEAVE, CW_DUMP_TREE },
    /* control-flow graphs */
    { "cfg", cw_cfg, cw_verify_cfgs, WEAVE, CW_DUMP_CFG },
    /* the locals that each point saves */
    { "liveness", cw_liveness, NULL, WEAVE, CW_DUMP_LIVENESS },
    /* refuses uses of the C stack that a pause releases */
    { "stack_references", cw_stack_references, NULL, WEAVE, CW_DUMP_TREE },
    /* warnings about code that harms other tasks */
    { "warn", cw_warn, NULL, WEAVE, CW_DUMP_TREE },
    /* --auto: state that other tasks change while a function pauses */
    { "shared_state", cw_shared_state, NULL, WEAVE, CW_DUMP_TREE },
    /* frame structs */
    { "frame", cw_frame, cw_verify_frames, WEAVE, CW_DUMP_FRAME },
    /* one body or two */
    { "entries", cw_entries, NULL, WEAVE, CW_DUMP_TREE },
    /* where frames are taken */
    { "frame_placement", cw_frame_placement, NULL, WEAVE, CW_DUMP_TREE },
    /* checks the limits of frames */
    { "budget", cw_budget_check, NULL, WEAVE, CW_DUMP_TREE },
    /* text */
    { "emit", cw_emit, NULL, WEAVE, CW_DUMP_TEXT },
};

enum { NPASSES = sizeof passes / sizeof *passes };

bool cw_is_pass(const char *name)
{
    for (size_t i = 0; i < NPASSES; i++)
        if ((passes[i].flags & WEAVE) != 0 && strcmp(passes[i].name, name) == 0)
            return true;
    return false;
}

void cw_put_pass_names(cw_buf *out)
{
    for (size_t i = 0; i < NPASSES; i++)
        if ((passes[i].flags & WEAVE) != 0)
            cw_printf(out, " %s", passes[i].name);
}

/* Is anything in the user's files pausable, or entered? Headers that only declare pausable
 * functions do not count. */
static bool is_in_use(const cw_unit *unit)
{
    if (unit->nentries > 0 || cw_plan_has(unit->options->plan, CW_PLAN_LOCAL, "*"))
        return true;
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (unit->funcs[i]->pausable ||
            cw_plan_has(unit->options->plan, CW_PLAN_THROWS, unit->funcs[i]->decl->name))
            return true;
    for (size_t i = 0; i < unit->ndecls; i++)
        if (cw_unmarked_is_root_by_address(unit, unit->decls[i]))
            return true;
    for (size_t i = 0; i < unit->ninitializers; i++)
        if (unit->initializers[i]->decl != NULL && cw_decl_is_pausable(unit->initializers[i]->decl))
            return true;
    return false;
}

static bool run_passes(cw_unit *unit)
{
    const cw_options *options = unit->options;
    unsigned mode = options->summary             ? SUMMARIZE
                    : options->infer == NULL     ? WEAVE
                    : options->infer->collecting ? COLLECT
                                                 : INFER;
    for (size_t i = 0; i < NPASSES; i++) {
        const struct cw_pass *pass = &passes[i];
        if ((pass->flags & mode) == 0)
            continue;
        if (!pass->run(unit)) {
            if ((pass->flags & GOES_ON) != 0)
                passes[i + 1].run(unit);
            return false;
        }
        if (pass->verify != NULL)
            pass->verify(unit, pass->name);
        if (options->dump != NULL && strcmp(options->dump, pass->name) == 0)
            cw_dump(unit, pass->dump, options->report_to);
        if ((pass->flags & LAST_UNUSED) != 0 && !is_in_use(unit))
            break;
    }
    return true;
}

static cw_outcome outcome_of(cw_unit *unit, bool ok, char **woven, size_t *woven_length)
{
    cw_buf messages = { 0 };
    cw_diags_write(unit, &messages);
    if (unit->unparsable) {
        *woven = messages.data;
        *woven_length = messages.length;
        return CW_UNPARSABLE;
    }
    if (messages.length > 0 && !unit->options->quiet)
        fwrite(messages.data, 1, messages.length, unit->options->messages);
    cw_buf_free(&messages);
    if (!ok)
        return CW_REFUSED;
    if (unit->out.data == NULL)
        return CW_NOTHING;
    *woven = unit->out.data;
    *woven_length = unit->out.length;
    return CW_WOVEN;
}

/* The text as the passes read it, in the unit's arena, with its marks. */
static void prepare(cw_unit *unit, const char *text, size_t length)
{
    unit->length = (uint32_t)length;
    unit->text = cw_strndup(&unit->arena, text,
                            length); /* ends with a NUL, which the caller's text may lack */
    cw_spell_plainly(unit);
    cw_find_marks(unit);
}

/* Does an option ask for more than weaving what is pausable? */
static bool asks_for_more(const cw_unit *unit)
{
    const cw_options *options = unit->options;
    return cw_weaves_unmarked(options) || options->dump != NULL ||
           (options->infer != NULL &&
            (options->infer->collecting || options->infer->count > 0 || unit->nmarks > 0));
}

bool cw_weave_parses(const cw_options *options, const char *text, size_t length)
{
    cw_unit unit = { .options = options };
    prepare(&unit, text, length);
    bool parses = asks_for_more(&unit) || cw_prescan(&unit);
    cw_arena_free(&unit.arena);
    return parses;
}

/* The number behind these words of abi.h; 0: they are not there. */
static uint32_t number_in(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at != NULL ? (uint32_t)strtoul(at + strlen(words), NULL, 10) : 0;
}

/* Runs the pipeline once. Returns false if, under stress, a function must stay plain; it is in
 * `plain` now. */
static bool weave_once(const cw_options *options, const char *text, size_t length,
                       cw_plain_list *plain, cw_outcome *outcome, char **woven,
                       size_t *woven_length)
{
    *outcome = CW_NOTHING;
    cw_unit unit = { .options = options, .plain = plain };
    prepare(&unit, text, length);
    unit.gnu = strstr(unit.text, "co4_abi_takes_attributes") != NULL;
    unit.for_size = strstr(unit.text, "co4_abi_optimizes_size") != NULL;
    unit.for_time = strstr(unit.text, "co4_abi_optimizes_time") != NULL;
    unit.spares_tables = strstr(unit.text, "co4_abi_spares_tables") != NULL;
    unit.pretty = strstr(unit.text, "co4_abi_names_are_pretty") != NULL;
    unit.zones = strstr(unit.text, "co4_abi_guard(") != NULL;
    unit.packs = strstr(unit.text, "#pragma pack") != NULL;
    unit.args_align = number_in(unit.text, "co4_abi_args_align[");
    unit.args_size = number_in(unit.text, "co4_abi_args_size[");
    unit.args_struct = number_in(unit.text, "co4_abi_args_struct[");
    unit.args_homogeneous = strstr(unit.text, "co4_abi_args_are_homogeneous") != NULL;
    unit.args_single = strstr(unit.text, "co4_abi_args_are_single") != NULL;
    unit.args_right = strstr(unit.text, "co4_abi_args_are_right") != NULL;
    unit.selects = strstr(unit.text, "_Generic") != NULL;
    cw_lines_scan(&unit);
    if (options->preprocessed) {
        cw_restore_comments(&unit);
        cw_find_marks(&unit);
    }
    if (options->infer != NULL)
        cw_take_includes(&unit);
    bool ok = run_passes(&unit);
    if (!ok && cw_weaves_unmarked(options) && !unit.unparsable &&
        cw_unmarked_leave_plain(&unit, plain)) {
        cw_arena_free(&unit.arena);
        return false;
    }
    if (ok && options->report && (unit.out.data != NULL || cw_weaves_unmarked(options)))
        (options->report_json ? cw_report_json : cw_report)(&unit, options->report_to);
    if (ok && options->graph && unit.out.data != NULL)
        cw_graph(&unit, options->report_to);
    *outcome = outcome_of(&unit, ok, woven, woven_length);
    if (*outcome != CW_WOVEN)
        cw_buf_free(&unit.out);
    cw_arena_free(&unit.arena);
    return true;
}

cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length)
{
    cw_plain_list plain = { 0 };
    cw_outcome outcome;
    *woven = NULL;
    *woven_length = 0;
    while (!weave_once(options, text, length, &plain, &outcome, woven, woven_length))
        ; /* each run weaves fewer functions */
    for (size_t i = 0; options->left_to != NULL && i < plain.count; i++)
        fprintf(options->left_to, "%s %s\n", plain.items[i].name, plain.items[i].why);
    cw_plain_list_free(&plain);
    return outcome;
}
