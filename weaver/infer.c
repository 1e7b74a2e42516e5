/* infer.c - --infer: which marks are missing.
 *
 * In:  the loaded tree, with the marks that are written.
 * Out: the missing ones as insertions of text in the user's files, and set in the tree, so that the passes behind see the
 *      source as it will be: what they still refuse needs more than a mark.
 *
 * The colour spreads, until nothing changes, along the ways that mark.c would refuse:
 *
 *   - a function that calls a pausable one is pausable; main is not, it needs co4_run(), which is no mark
 *   - what an entry point calls is pausable
 *   - where a function or pointer flows to another, an argument, an assignment, an initializer, both are
 *
 * A function is marked in all its declarations; a pointer whose function type is behind a typedef, at that typedef.
 * Nothing is marked in system headers, nor what a macro wrote from beginning to end.
 *
 * A header that has to know the word `pausable` before it is defined gets an #include of co4/mark.h. */
#include "weaver.h"

#include <string.h>

typedef struct inferrer {
    cw_unit *unit;
    const cw_func *func; /* NULL at file scope */
    uint32_t known_from; /* offset from which on `pausable` is defined */
    bool changed;
} inferrer;

/* ---- where marks go ---- */

/* Behind the storage class, as marks are written in front of the type. */
static uint32_t insertion_point(const cw_unit *unit, uint32_t begin)
{
    static const char *const words[] = { "typedef",  "static",     "extern",    "inline",
                                         "__inline", "__inline__", "_Noreturn", NULL };
    for (uint32_t at = begin;;) {
        bool skipped = false;
        for (size_t i = 0; words[i] != NULL && !skipped; i++) {
            size_t length = strlen(words[i]);
            if (strncmp(unit->text + at, words[i], length) == 0 &&
                !cw_is_word(unit->text[at + length])) {
                at = cw_skip_blank(unit, at + (uint32_t)length);
                skipped = true;
            }
        }
        if (!skipped)
            return at;
    }
}

/* Can a word be inserted there? */
static bool is_open(cw_unit *unit, uint32_t at, uint32_t name_at, cw_site *site)
{
    if (cw_place_of(unit, at).system)
        return false;
    *site = cw_site_of(unit, at);
    if (cw_written(unit, site->file)->length == 0)
        return false;
    return site->macro == NULL || cw_site_of(unit, name_at).macro == NULL;
}

/* Where an #include goes in this file: before its first one; else behind its guard; else at its top. */
static uint32_t include_line(cw_unit *unit, const cw_written_file *file)
{
    uint32_t line = 1;
    for (uint32_t n = 1; n <= file->nlines; n++) {
        const char *text = cw_written_line(unit, file, n);
        text += strspn(text, " \t");
        if (*text != '#')
            continue;
        text++;
        text += strspn(text, " \t");
        if (strncmp(text, "include", 7) == 0)
            return n;
        if (line == 1 && (strncmp(text, "define", 6) == 0 || strncmp(text, "pragma once", 11) == 0))
            line = n + 1;
    }
    return line;
}

static void insert(inferrer *f, uint32_t at, const cw_site *site)
{
    cw_unit *unit = f->unit;
    cw_patch *patch = unit->options->infer;
    const cw_written_file *file = cw_written(unit, site->file);
    cw_patch_add(patch, file->real, site->line, site->column, "pausable ");
    if (at < f->known_from)
        cw_patch_add(patch, file->real, include_line(unit, file), 1, "#include <co4/mark.h>\n");
}

/* Marks a declaration in all its places. False: one of them cannot be. */
static bool mark_places(inferrer *f, cw_decl *decl)
{
    cw_unit *unit = f->unit;
    cw_site *sites = cw_alloc(&unit->arena, decl->nredecls * sizeof *sites);
    for (size_t i = 0; i < decl->nredecls; i++) {
        const cw_redecl *one = &decl->redecls[i];
        uint32_t at = insertion_point(unit, one->begin);
        if (!one->marked && !is_open(unit, at, one->name_at, &sites[i]))
            return false;
    }
    for (size_t i = 0; i < decl->nredecls; i++) {
        if (!decl->redecls[i].marked)
            insert(f, insertion_point(unit, decl->redecls[i].begin), &sites[i]);
        decl->redecls[i].marked = true;
    }
    decl->marked = true;
    f->changed = true;
    return true;
}

/* The typedef that has the function type in it, on the way from this type; NULL: none, or it is marked. */
static cw_decl *function_typedef(const cw_type *type)
{
    cw_decl *found = NULL;
    for (; type != NULL && type->kind != CW_T_FUNCTION; type = type->inner)
        if (type->kind == CW_T_TYPEDEF)
            found = type->decl;
    return type != NULL && found != NULL && !found->marked ? found : NULL;
}

/* Declarations of a function by a typedef have their mark there. False: one cannot be marked. */
static bool mark_typedefs(inferrer *f, const cw_decl *function)
{
    for (size_t i = 0; i < function->nredecls; i++) {
        cw_redecl *one = &function->redecls[i];
        if (!cw_is_by_typedef(f->unit, function, one))
            continue;
        cw_decl *hidden = function_typedef(one->type);
        if (hidden != NULL && !mark_places(f, hidden))
            return false;
        one->marked |= cw_type_is_coloured(one->type);
    }
    return true;
}

/* The parameters that stand in this one's place in the other declarations of its function. */
static void mark_param(inferrer *f, cw_decl *param)
{
    cw_unit *unit = f->unit;
    for (size_t i = 0; i < unit->ndecls; i++) {
        const cw_decl *decl = unit->decls[i];
        for (size_t j = 0; j < decl->nredecls; j++)
            for (size_t k = 0; k < decl->redecls[j].nparams; k++) {
                if (decl->redecls[j].params[k] != param)
                    continue;
                for (size_t n = 0; n < decl->nredecls; n++)
                    if (k < decl->redecls[n].nparams && !decl->redecls[n].params[k]->marked)
                        mark_places(f, decl->redecls[n].params[k]);
                return;
            }
    }
    mark_places(f, param);
}

/* Several declarators may share the words in front of them. */
static void mark_neighbours(inferrer *f, const cw_decl *decl)
{
    cw_unit *unit = f->unit;
    cw_decl **lists[] = { unit->decls, f->func != NULL ? f->func->declared : NULL };
    size_t counts[] = { unit->ndecls, f->func != NULL ? f->func->ndeclared : 0 };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < counts[l]; i++) {
            cw_decl *other = lists[l][i];
            if (other != decl && other->kind == decl->kind && other->begin == decl->begin &&
                !other->marked)
                mark_places(f, other);
        }
}

static void want(inferrer *f, cw_decl *decl)
{
    if (decl == NULL || cw_decl_is_coloured(decl) || decl->mixed ||
        (decl->kind == CW_D_FUNCTION && strcmp(decl->name, "main") == 0))
        return;
    if (decl->kind == CW_D_FUNCTION) {
        if (mark_typedefs(f, decl))
            mark_places(f, decl);
        return;
    }
    cw_decl *hidden = decl->kind == CW_D_TYPEDEF ? NULL : function_typedef(decl->type);
    if (hidden != NULL)
        mark_places(f, hidden);
    else if (decl->kind == CW_D_PARAM)
        mark_param(f, decl);
    else if (mark_places(f, decl))
        mark_neighbours(f, decl);
}

/* ---- what flows where ---- */

static bool is_mixed(const cw_node *node)
{
    const cw_node *bare = cw_strip(node);
    while (bare->kind == CW_UNARY)
        bare = cw_strip(bare->kids[0]);
    return bare->kind == CW_REF && bare->decl != NULL && bare->decl->mixed;
}

/* The declaration, or the typedef of the type, that gives an expression its colour. */
static cw_decl *source_of(const cw_node *node)
{
    const cw_node *bare = cw_strip(node);
    while (bare->kind == CW_UNARY || bare->kind == CW_INDEX)
        bare = cw_strip(bare->kids[0]);
    if ((bare->kind == CW_REF || bare->kind == CW_MEMBER) && bare->decl != NULL)
        return bare->decl;
    return function_typedef(bare->type);
}

static void flow(inferrer *f, const cw_node *source, cw_decl *decl, const cw_type *type)
{
    if (source == NULL || !cw_is_function_like(type) ||
        !cw_is_function_like(cw_strip(source)->type) || is_mixed(source))
        return;
    bool coloured = decl != NULL ? cw_decl_is_coloured(decl) : cw_type_is_coloured(type);
    if (cw_is_coloured(source) && !coloured)
        want(f, decl != NULL ? decl : function_typedef(type));
    else if (!cw_is_coloured(source) && coloured)
        want(f, source_of(source));
}

static void flow_initializer(inferrer *f, const cw_node *list, cw_decl *decl, const cw_type *type)
{
    if (list->kind != CW_INIT_LIST) {
        flow(f, list, decl, type);
        return;
    }
    const cw_type *bare = cw_type_bare(type);
    size_t field = 0;
    for (size_t i = 0; i < list->nkids; i++) {
        const cw_node *kid = list->kids[i];
        const cw_node *value = kid->kind == CW_DESIGNATED ? kid->kids[kid->nkids - 1] : kid;
        if (bare->kind != CW_T_RECORD) {
            flow_initializer(f, value, decl, bare->inner != NULL ? bare->inner : bare);
            continue;
        }
        field = cw_field_filled(f->unit, bare->tag, kid, field);
        if (field < bare->tag->nfields) {
            cw_decl *member = bare->tag->fields[field++];
            flow_initializer(f, value, member, member->type);
        }
    }
}

static void flow_arguments(inferrer *f, const cw_node *call)
{
    const cw_decl *callee = cw_callee_decl(call->kids[0]);
    const cw_type *type = cw_type_bare(cw_strip(call->kids[0])->type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    for (size_t i = 0; i + 1 < call->nkids; i++) {
        if (callee != NULL && i < callee->nparams)
            flow(f, call->kids[i + 1], callee->params[i], callee->params[i]->type);
        else if (type->kind == CW_T_FUNCTION && i < type->nparams)
            flow(f, call->kids[i + 1], NULL, type->params[i]);
    }
}

static void visit(inferrer *f, const cw_node *node, bool entered)
{
    if (node == NULL || node->kind == CW_SIZEOF)
        return;
    const cw_node *call = cw_blocking_call(node);
    if (call != NULL) { /* that pauses, and its call does not */
        if (f->func != NULL)
            want(f, f->func->decl);
        visit(f, call, false);
        return;
    }
    call = cw_entry_call(node);
    if (call != NULL) {
        if (call->kind == CW_CALL && !cw_is_coloured(call->kids[0]) && !is_mixed(call->kids[0]))
            want(f, source_of(call->kids[0]));
        visit(f, call, true);
        return;
    }
    switch (node->kind) {
    case CW_CALL:
        if (!entered && f->func != NULL && cw_is_coloured(node->kids[0]))
            want(f, f->func->decl);
        flow_arguments(f, node);
        break;
    case CW_ASSIGN: {
        const cw_node *target = cw_strip(node->kids[0]);
        bool named = (target->kind == CW_REF || target->kind == CW_MEMBER) && target->decl != NULL;
        flow(f, node->kids[1], named ? target->decl : source_of(target), target->type);
        break;
    }
    case CW_VAR:
        if (node->kids[0] != NULL)
            flow_initializer(f, node->kids[0], node->decl, node->decl->type);
        break;
    case CW_COMPOUND_LITERAL:
        if (node->nkids > 0)
            flow_initializer(f, node->kids[node->nkids - 1], NULL, node->type);
        break;
    case CW_RETURN:
        if (f->func != NULL)
            flow(f, node->kids[0], NULL, f->func->decl->type->inner);
        break;
    case CW_COND:
        if (node->nkids == 3 && cw_is_function_like(cw_strip(node->kids[1])->type)) {
            flow(f, node->kids[1], source_of(node->kids[2]), node->kids[2]->type);
            flow(f, node->kids[2], source_of(node->kids[1]), node->kids[1]->type);
        }
        break;
    default:
        break;
    }
    for (size_t i = 0; i < node->nkids; i++)
        visit(f, node->kids[i], false);
}

/* ---- marks that an earlier unit found missing in a file that both have ---- */

static bool is_in_patch(const cw_patch *patch, const char *file, uint32_t line)
{
    for (size_t i = 0; i < patch->count; i++)
        if (patch->items[i].line == line && strcmp(patch->items[i].file, file) == 0)
            return true;
    return false;
}

static void take_known(inferrer *f, cw_decl *decl)
{
    const cw_patch *patch = f->unit->options->infer;
    for (size_t i = 0; i < decl->nredecls && !decl->marked; i++) {
        uint32_t at = insertion_point(f->unit, decl->redecls[i].begin);
        cw_place place = cw_place_of(f->unit, at);
        const cw_written_file *file = cw_written(f->unit, cw_file_name(f->unit, place.file));
        if (place.system || !is_in_patch(patch, file->real, place.line))
            continue;
        cw_site site = cw_site_of(f->unit, at);
        for (size_t k = 0; k < patch->count; k++)
            if (patch->items[k].line == site.line && patch->items[k].column == site.column &&
                strcmp(patch->items[k].file, file->real) == 0)
                decl->marked = true;
    }
    if (decl->marked && patch->count > 0) {
        bool all = true;
        for (size_t i = 0; i < decl->nredecls; i++)
            all = all && decl->redecls[i].marked;
        if (!all && !decl->mixed)
            mark_places(f, decl);
    }
}

/* Where mark.h begins: before it, `pausable` means nothing. */
static uint32_t mark_header(const cw_unit *unit)
{
    static const char name[] = "co4/mark.h";
    for (size_t i = 0; i < unit->nmarkers; i++) {
        size_t length = strlen(unit->markers[i].file);
        if (length >= sizeof name - 1 &&
            strcmp(unit->markers[i].file + length - (sizeof name - 1), name) == 0)
            return unit->lines[unit->markers[i].first];
    }
    return UINT32_MAX;
}

void cw_infer(cw_unit *unit)
{
    inferrer f = { .unit = unit, .known_from = mark_header(unit) };
    for (size_t i = 0; i < unit->ndecls; i++)
        take_known(&f, unit->decls[i]);
    do {
        f.changed = false;
        f.func = NULL;
        for (size_t i = 0; i < unit->ninitializers; i++)
            visit(&f, unit->initializers[i], false);
        for (size_t i = 0; i < unit->nfuncs; i++) {
            f.func = unit->funcs[i];
            visit(&f, f.func->body, false);
        }
    } while (f.changed);
}
