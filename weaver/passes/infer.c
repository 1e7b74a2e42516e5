/* infer.c - --infer: finds the missing marks.
 *
 * In:  the loaded tree, with the user's marks.
 * Out: the missing ones as insertions into the user's files. They are also set in the tree, so that
 *      later passes see the source as it will be; what these still refuse needs more than a mark.
 *
 * Pausability spreads, until nothing changes, along the ways that mark.c would refuse:
 *
 * - a function that calls a pausable one is pausable; main is `pausable_or_plain`;
 * - a function that an entry point calls is pausable;
 * - if a function or pointer flows to another (argument, assignment, initializer), both are.
 *
 * A pointer that flows to a declaration that cannot be marked stays plain (keep.c). Pausable
 * functions that flow into it become `pausable_or_plain`. If a library's function flows into a
 * pausable pointer, a generated function replaces it and calls it. A function is marked in all its
 * declarations; a pointer with a function type from a typedef, at that typedef. Nothing is marked
 * in system headers, nor text that comes entirely from a macro.
 *
 * A file with a mark before `pausable` is defined gets an #include of co4/mark.h. The driver
 * includes that header before every file, so that such a mark is recognised. Directives that the
 * preprocessor left in the text (-dI) show where the files include it themselves. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/patch.h"
#include "text/unit.h"

typedef struct inferrer {
    cw_unit *unit;
    const cw_func *func; /* NULL at file scope */
    uint32_t known_from; /* offset after which `pausable` is defined */
    bool changed;
} inferrer;

/* ---- where marks are inserted ---- */

/* Adds an #include for a mark at `at`, in a file that does not have mark.h yet. Later text has it
 * from here. */
static void insert_include(inferrer *f, uint32_t at, const cw_source_file *file)
{
    static const char text[] = "#include <co4/mark.h>\n";
    if (at >= f->known_from)
        return;
    uint32_t line = cw_include_line(f->unit, file, cw_place_of(f->unit, at).line);
    cw_patch_define(f->unit->options->infer, file->real, line, text);
    f->known_from = at;
}

static void insert(inferrer *f, uint32_t at, const cw_site *site, const char *word)
{
    const cw_source_file *file = cw_source_file_of(f->unit, site->file);
    cw_patch_add(f->unit->options->infer, file->real, site->line, site->column, word);
    insert_include(f, at, file);
}

/* Marks a declaration wherever it is repeated, with the mark that one of its declarations already
 * has. Returns false if one of them cannot be marked. */
static bool mark_places(inferrer *f, cw_decl *decl)
{
    /* Is it called as a plain function by code that cannot be marked: by the C library, through
     * plain pointers? */
    bool plainly = decl->kind == CW_D_FUNCTION &&
                   (decl->kept_plain || strcmp(decl->name, "main") == 0);
    bool dual = decl->marked ? decl->dual : plainly;
    cw_unit *unit = f->unit;
    cw_site *sites = cw_alloc(&unit->arena, decl->nredecls * sizeof *sites);
    for (size_t i = 0; i < decl->nredecls; i++) {
        const cw_redecl *one = &decl->redecls[i];
        uint32_t at = cw_mark_point(unit, one->begin);
        if (!one->marked && !cw_is_open(unit, at, one->name_at, &sites[i]))
            return false;
    }
    for (size_t i = 0; i < decl->nredecls; i++) {
        cw_redecl *one = &decl->redecls[i];
        if (one->marked)
            continue;
        insert(f, cw_mark_point(unit, one->begin), &sites[i],
               dual ? "pausable_or_plain " : "pausable ");
        one->marked = true;
        one->dual = dual;
    }
    decl->marked = true;
    decl->dual = dual;
    f->changed = true;
    return true;
}

/* The typedef that needs the mark for an object of this type; NULL if there is none, or it is
 * marked. */
static cw_decl *unmarked_typedef(const cw_type *type)
{
    cw_decl *found = cw_function_typedef(type);
    return found != NULL && !found->marked ? found : NULL;
}

/* If a function is declared by a typedef, the typedef gets the mark. Returns false if one cannot be
 * marked. */
static bool mark_typedefs(inferrer *f, const cw_decl *function)
{
    for (size_t i = 0; i < function->nredecls; i++) {
        cw_redecl *one = &function->redecls[i];
        if (!cw_is_by_typedef(f->unit, function, one))
            continue;
        cw_decl *hidden = unmarked_typedef(one->type);
        if (hidden != NULL && !mark_places(f, hidden))
            return false;
        one->marked |= cw_type_is_pausable(one->type);
    }
    return true;
}

/* Marks a pointer: at its typedef, else at its own declaration. */
static bool want_slot(inferrer *f, cw_decl *decl)
{
    cw_decl *hidden = decl->kind == CW_D_TYPEDEF ? NULL : unmarked_typedef(decl->type);
    if (cw_decl_is_pausable(decl) || decl->kept_plain || (hidden != NULL && hidden->kept_plain))
        return false;
    return mark_places(f, hidden != NULL ? hidden : decl);
}

/* Marks the corresponding parameters in the other declarations of its function. */
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
                    if (k < decl->redecls[n].nparams)
                        want_slot(f, decl->redecls[n].params[k]);
                return;
            }
    }
    mark_places(f, param);
}

/* Several declarators may share the specifiers before them. */
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
    if (decl == NULL || cw_decl_is_pausable(decl) || decl->dual)
        return;
    if (decl->kind == CW_D_FUNCTION) {
        if (mark_typedefs(f, decl))
            mark_places(f, decl);
    } else if (decl->kind == CW_D_PARAM && unmarked_typedef(decl->type) == NULL) {
        mark_param(f, decl);
    } else if (want_slot(f, decl)) {
        mark_neighbours(f, decl);
    }
}

/* ---- flows ---- */

static bool is_dual(const cw_node *node)
{
    const cw_node *bare = cw_strip(node);
    while (bare->kind == CW_UNARY)
        bare = cw_strip(bare->kids[0]);
    return bare->kind == CW_REF && bare->decl != NULL && bare->decl->dual &&
           !bare->decl->needs_block;
}

/* "static pausable int pausable_f(char *a1) { return f(a1); }"; NULL if it cannot be written. */
static const char *wrapper_text(cw_unit *unit, const cw_decl *decl, const char *name)
{
    const cw_type *type = cw_type_bare(decl->type);
    const char *params = "", *args = "";
    if (type->kind != CW_T_FUNCTION || type->variadic || !type->prototyped)
        return NULL;
    for (size_t i = 0; i < type->nparams; i++) {
        const char *param = cw_format(&unit->arena, "a%zu", i + 1), *comma = i > 0 ? ", " : "";
        if (!cw_can_be_written(type->params[i]))
            return NULL;
        args = cw_format(&unit->arena, "%s%s%s", args, comma, param);
        params = cw_format(&unit->arena, "%s%s%s", params, comma,
                           cw_type_write(unit, type->params[i], param, CW_WRITE_FILE_SCOPE));
    }
    const char *head = cw_format(&unit->arena, "%s(%s)", name, *params != '\0' ? params : "void");
    bool is_void = cw_type_is_void(type->inner);
    return cw_format(&unit->arena, "static pausable %s { %s%s(%s); }\n",
                     cw_type_write(unit, type->inner, head, CW_WRITE_FILE_SCOPE),
                     is_void ? "" : "return ", decl->name, args);
}

/* The line before which a function can be defined for a use at `at`: there the enclosing
 * declaration at file scope begins. */
static uint32_t line_before(inferrer *f, uint32_t at)
{
    cw_unit *unit = f->unit;
    uint32_t begin = f->func != NULL ? f->func->begin : at;
    for (size_t i = 0; f->func == NULL && i < unit->ndecls; i++)
        if (unit->decls[i]->begin <= at && at < unit->decls[i]->end)
            begin = unit->decls[i]->begin;
    return cw_place_of(unit, begin).line;
}

/* A library's function flows into a pausable pointer: a generated pausable function replaces it. */
static void wrap(inferrer *f, const cw_node *source, const cw_decl *decl)
{
    cw_unit *unit = f->unit;
    const cw_node *bare = cw_strip(source);
    while (bare->kind == CW_UNARY)
        bare = cw_strip(bare->kids[0]);
    cw_site site;
    const char *name = cw_format(&unit->arena, "pausable_%s", decl->name);
    const char *text = wrapper_text(unit, decl, name);
    if (bare->kind != CW_REF || text == NULL || !cw_is_open(unit, bare->begin, bare->begin, &site))
        return;
    const cw_source_file *file = cw_source_file_of(unit, site.file);
    cw_patch_add(unit->options->infer, file->real, site.line, site.column, "pausable_");
    cw_patch_define(unit->options->infer, file->real, line_before(f, bare->begin), text);
    insert_include(f, bare->begin, file);
    cw_decl *ours = cw_alloc(&unit->arena, sizeof *ours);
    *ours = *decl;
    ours->name = name;
    ours->marked = true;
    cw_strip(bare)->decl = ours;
    f->changed = true;
}

static void infer_flow(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                       const cw_type *type)
{
    inferrer *f = data;
    f->func = func;
    if (is_dual(source))
        return;
    bool pausable = decl != NULL ? cw_decl_is_pausable(decl) : cw_type_is_pausable(type);
    if (cw_is_pausable(source) && !pausable)
        want(f, decl != NULL ? decl : cw_function_typedef(type));
    if (cw_is_pausable(source) || !pausable)
        return;
    cw_decl *from = cw_flow_source(source);
    if (from != NULL && from->kind == CW_D_FUNCTION && !cw_can_be_marked(f->unit, from))
        wrap(f, source, from);
    else
        want(f, from);
}

static void infer_call(void *data, const cw_func *func, const cw_node *callee)
{
    inferrer *f = data;
    f->func = func;
    bool pauses = callee == NULL || cw_is_pausable(callee) ||
                  (is_dual(callee) && cw_flow_source(callee)->kept_plain);
    if (func != NULL && pauses)
        want(f, func->decl);
}

static void infer_entry(void *data, const cw_node *callee)
{
    if (!cw_is_pausable(callee) && !is_dual(callee))
        want(data, cw_flow_source(callee));
}

/* ---- marks that an earlier unit added to a shared file ---- */

static bool is_in_patch(const cw_patch *patch, const char *file, uint32_t line)
{
    for (size_t i = 0; i < patch->count; i++)
        if (patch->items[i].line == line && strcmp(patch->items[i].file, file) == 0)
            return true;
    return false;
}

/* The mark to be inserted before a declaration that begins at `begin`; NULL if none is known. */
static const char *known_mark(inferrer *f, uint32_t begin)
{
    const cw_patch *patch = f->unit->options->infer;
    uint32_t at = cw_mark_point(f->unit, begin);
    cw_place place = cw_place_of(f->unit, at);
    const cw_source_file *file = cw_source_file_of(f->unit, cw_file_name(f->unit, place.file));
    if (place.system || !is_in_patch(patch, file->real, place.line))
        return NULL;
    cw_site site = cw_site_of(f->unit, at);
    for (size_t k = 0; k < patch->count; k++)
        if (patch->items[k].line == site.line && patch->items[k].column == site.column &&
            strcmp(patch->items[k].file, file->real) == 0 &&
            strncmp(patch->items[k].text, "pausable", strlen("pausable")) == 0) {
            insert_include(f, at, file);
            return patch->items[k].text;
        }
    return NULL;
}

static void take_known(void *data, cw_decl *decl)
{
    inferrer *f = data;
    const char *mark;
    for (size_t i = 0; i < decl->nredecls; i++) {
        cw_redecl *one = &decl->redecls[i];
        if (one->marked || (mark = known_mark(f, one->begin)) == NULL)
            continue;
        decl->marked = one->marked = true;
        decl->dual = one->dual = strcmp(mark, "pausable_or_plain ") == 0;
    }
    if (decl->nredecls == 0 && !decl->marked)
        decl->marked = known_mark(f, decl->begin) != NULL;
}

/* A declaration may be marked in one place of several, by a word or by its typedef. Then the others
 * get the mark: half a patch may have been applied, or the typedef was marked just now. */
static void complete(inferrer *f, cw_decl *decl)
{
    bool any = false, all = true;
    for (size_t i = 0; i < decl->nredecls; i++) {
        cw_redecl *one = &decl->redecls[i];
        one->marked |= cw_is_by_typedef(f->unit, decl, one) && cw_type_is_pausable(one->type);
        any |= one->marked;
        all &= one->marked;
    }
    if (any && !all && mark_typedefs(f, decl))
        mark_places(f, decl);
    for (size_t n = 0; decl->kind == CW_D_FUNCTION && n < decl->nparams; n++)
        for (size_t i = 0; i < decl->nredecls; i++)
            if (n < decl->redecls[i].nparams && cw_decl_is_pausable(decl->redecls[i].params[n]))
                mark_param(f, decl->redecls[i].params[n]);
}

/* Does the marker enter a header of co4, in the folder of this mark.h? */
static bool is_of_co4(cw_unit *unit, const cw_marker *marker, const char *header)
{
    const char *slash = strrchr(marker->file, '/');
    bool whole = slash != NULL && strcmp(slash, "/co4.h") == 0;
    if (!whole && strstr(marker->file, "/co4/") == NULL)
        return false;
    const char *real = cw_source_file_of(unit, cw_file_name(unit, marker->file))->real;
    size_t folder = strlen(header) - strlen(whole ? "co4/mark.h" : "mark.h");
    return strncmp(real, header, folder) == 0 && strchr(real + folder, '/') == NULL;
}

/* Offset at which the sources include mark.h: before it, `pausable` has no meaning for them.
 * Includes before all files come from the driver or from the command line. */
static uint32_t mark_header(cw_unit *unit)
{
    size_t i = 0;
    while (i < unit->nmarkers && !cw_lists_end_of("co4/mark.h", unit->markers[i].file))
        i++;
    if (i == unit->nmarkers)
        return UINT32_MAX;
    const char *header = cw_source_file_of(unit, cw_file_name(unit, unit->markers[i].file))->real;
    while (i < unit->nmarkers && *unit->markers[i].file != '<' &&
           strcmp(unit->markers[i].file, unit->options->source) != 0)
        i++;
    if (i == unit->nmarkers)
        return UINT32_MAX;
    /* A compiler may skip a file that it has included before, without a marker. The directive is
     * there. */
    uint32_t from = unit->lines[unit->markers[i].first], at = UINT32_MAX;
    while (i < unit->nmarkers && !is_of_co4(unit, &unit->markers[i], header))
        i++;
    if (i < unit->nmarkers)
        at = unit->lines[unit->markers[i].first];
    for (size_t k = 0; k < unit->nincludes; k++)
        if (unit->includes[k] >= from && unit->includes[k] < at)
            at = unit->includes[k];
    return at;
}

/* The name in an #include that the preprocessor left at `at`, the offset of its '#'; NULL for any
 * other line. */
static const char *included_name(const cw_unit *unit, uint32_t at, size_t *length)
{
    static const char *const words[] = { "include_next", "include", "import" };
    const char *text = unit->text + at + 1;
    text += strspn(text, " \t");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            text += strlen(words[i]);
            text += strspn(text, " \t");
            *length = strcspn(text + 1, *text == '<' ? ">\n" : "\"\n");
            return *text == '<' || *text == '"' ? text + 1 : NULL;
        }
    return NULL;
}

void cw_take_includes(cw_unit *unit)
{
    static const char mark[] = "co4/mark.h";
    const size_t size = sizeof mark - 1;
    char *text = (char *)(uintptr_t)unit->text; /* our copy */
    for (uint32_t at = 0; at < unit->length; at += (uint32_t)strcspn(text + at, "\n") + 1) {
        size_t length = 0;
        const char *name = text[at] == '#' ? included_name(unit, at, &length) : NULL;
        if (name == NULL)
            continue;
        if (length >= size && memcmp(name + length - size, mark, size) == 0 &&
            (length == size || name[length - size - 1] == '/'))
            CW_PUSH(&unit->arena, unit->includes, unit->nincludes, at);
        memset(text + at, ' ', strcspn(text + at, "\n"));
    }
}

/* Adds includes for the user's marks in files that do not include mark.h. */
static void include_for_marks(inferrer *f)
{
    cw_unit *unit = f->unit;
    for (size_t i = 0; i < unit->nmarks && unit->marks[i].begin < f->known_from; i++) {
        cw_place place = cw_place_of(unit, unit->marks[i].begin);
        const cw_source_file *file = cw_source_file_of(unit, cw_file_name(unit, place.file));
        if (!place.system && file->length > 0)
            insert_include(f, unit->marks[i].begin, file);
    }
}

bool cw_infer(cw_unit *unit)
{
    static const cw_flow_visitor visitor = { infer_flow, infer_call, infer_entry, NULL, false };
    inferrer f = { .unit = unit, .known_from = mark_header(unit) };
    cw_keep_plain(unit);
    if (unit->options->infer->collecting)
        return true;
    include_for_marks(&f);
    cw_each_markable(unit, take_known, &f);
    do {
        f.changed = false;
        for (size_t i = 0; i < unit->ndecls; i++)
            complete(&f, unit->decls[i]);
        cw_flows(unit, &visitor, &f);
    } while (f.changed);
    return true;
}
