/* header.c - the headers of a woven function's parts, written from its type.
 *
 * In:  a definition; the small edits inside it.
 * Out: headers with another name and more parameters: of its entries, and of its body.
 *
 * Purpose: one function has up to four headers. In C's declarators name, parameters and result are
 * nested, as in `long (*row(int i))[4]`. So the declarator comes from the tree, by cw_type_write(),
 * the only writer of declarators. Storage classes and attributes, of the function and of its
 * parameters, come from the text, for types do not contain them.
 *
 * Invariants: the parameters of all headers have the user's names and types with the user's
 * meaning. A definition in the old style keeps its own header for the plain entry, for its callers
 * may have seen no prototype. All other headers are prototypes.
 *
 * Rejected: the user's text with small changes. It was right for the declarator itself, but not
 * beside types written from the tree, and an old-style definition has no such text. A parameter of
 * variably modified type is still copied: its sizes are expressions over earlier parameters. */
#include <string.h>

#include "ast/type.h"
#include "base/bug.h"
#include "base/names.h"
#include "emit/emit.h"
#include "passes/passes.h"
#include "text/unit.h"

/* Finds the parameter list; false if the declaration has none. */
static bool find_list(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one, cw_header *h)
{
    h->open = cw_parameter_list(unit, decl, one);
    h->close = h->open != 0 ? cw_skip_group(unit, h->open) - 1 : 0;
    return h->open != 0;
}

cw_header cw_header_of(const cw_unit *unit, const cw_func *func)
{
    cw_header h = { .func = func,
                    .type = func->decl->type,
                    .params = func->params,
                    .nparams = func->nparams,
                    .begin = func->begin };
    for (size_t i = 0; i < func->decl->nredecls; i++) {
        const cw_redecl *one = &func->decl->redecls[i];
        if (!one->definition)
            continue;
        h.name_at = one->name_at;
        if (!find_list(unit, func->decl, one, &h))
            cw_bug("emit", "no parameter list in the definition of '%s'", func->decl->name);
    }
    return h;
}

/* ---- storage classes and attributes, from the text ---- */

static const char storage_classes[] = "static extern inline __inline __inline__ _Noreturn";
/* These are part of a type, whose text contains them. */
static const char of_types[] = "vector_size mode ext_vector_type";
/* The weaver chooses these for the body; the entry keeps the user's. */
static const char inlining[] = "noinline always_inline";

typedef struct words {
    cw_unit *unit;
    bool storage, body;
    uint32_t hole, hole_end; /* skipped: the parameters */
    cw_buf front, rest;      /* C23's attributes, which come first, and all others */
} words;

/* Writes the attributes of a list, with their arguments. */
static void put_attributes(words *w, uint32_t from, uint32_t to, bool standard)
{
    cw_buf *out = standard ? &w->front : &w->rest;
    uint32_t at = from;
    for (cw_attribute a; cw_next_attribute(w->unit, at, to, &a); at = a.end) {
        if (cw_lists(of_types, a.name, a.length) ||
            (w->body && cw_lists(inlining, a.name, a.length)))
            continue;
        cw_puts(out, standard ? "[[" : "__attribute__((");
        cw_edit_apply(w->unit, &w->unit->small, a.begin, a.end, out);
        cw_puts(out, standard ? "]] " : ")) ");
    }
}

/* Returns the offset after a bracket. Brackets around a declarator have others after them; all
 * other brackets contain parameters, sizes or operands of typeof. */
static uint32_t past_bracket(const words *w, uint32_t at, uint32_t to)
{
    uint32_t end = cw_skip_group(w->unit, at), next = cw_skip_blank(w->unit, end);
    bool declarator = w->unit->text[at] == '(' && next < to &&
                      strchr("([", w->unit->text[next]) != NULL;
    return declarator || end > to ? at + 1 : end;
}

static void read_words(words *w, uint32_t from, uint32_t to)
{
    const cw_unit *unit = w->unit;
    for (uint32_t at = from; at < to;) {
        uint32_t end = cw_skip_word(unit, at), group = cw_skip_blank(unit, end);
        size_t mark = cw_first_mark(unit, at);
        bool marked = mark < unit->nmarks && unit->marks[mark].begin == at;
        if (at == w->hole || marked) {
            at = marked ? unit->marks[mark].end : w->hole_end;
        } else if (end > at && strncmp(unit->text + at, "__attribute", 11) == 0 &&
                   unit->text[group] == '(') {
            at = cw_skip_group(unit, group);
            put_attributes(w, group, at, false);
        } else if (unit->text[at] == '[' && unit->text[at + 1] == '[') {
            uint32_t begin = at;
            at = cw_skip_group(unit, at);
            put_attributes(w, begin, at, true);
        } else if (end > at) {
            if (w->storage && cw_lists(storage_classes, unit->text + at, end - at)) {
                cw_edit_apply(w->unit, &w->unit->small, at, end, &w->rest);
                cw_puts(&w->rest, " ");
            }
            at = end;
        } else {
            at = unit->text[at] == '(' || unit->text[at] == '[' ? past_bracket(w, at, to)
                                                                : cw_skip_unit(unit, at);
        }
    }
}

static const char *text_of(const cw_buf *buf)
{
    return buf->data != NULL ? buf->data : "";
}

/* ---- parameters ---- */

/* Finds the text of parameter i, between the commas. */
static void find_text(const cw_unit *unit, const cw_header *h, size_t i, uint32_t *begin,
                      uint32_t *end)
{
    *begin = h->open + 1;
    for (uint32_t at = *begin;;) {
        char c = unit->text[at];
        if (at >= h->close || (c == ',' && i == 0)) {
            *end = at;
            return;
        }
        if (c == ',') {
            *begin = at + 1;
            i--;
        }
        at = c == '(' || c == '[' || c == '{' ? cw_skip_group(unit, at) : cw_skip_unit(unit, at);
    }
}

/* A parameter as a body declares it: a resume passes zero. */
static const char *of_body(cw_unit *unit, const cw_decl *param, unsigned how)
{
    if (param->kept_lengths) /* a resume does not know them */
        return cw_format(&unit->arena, "const volatile void *%s", param->name);
    bool by_name = param->declared_type != NULL &&
                   param->declared_type->kind == CW_T_TYPEDEF; /* va_list */
    return cw_type_write(unit, by_name ? param->declared_type : param->type, param->name, how);
}

/* A parameter as callers know it, with its brackets, which compilers compare. */
static const char *of_entry(cw_unit *unit, const cw_header *h, size_t i, unsigned how)
{
    const cw_decl *param = h->params[i];
    const cw_type *type = param->type;
    if (h->func != NULL && h->func->old_style)
        type = h->type->params[i]; /* a prototype may have promoted it */
    else if (param->declared_type != NULL && (how & CW_WRITE_UNQUALIFIED) == 0 &&
             !(param->unnamed && param->sized))
        type = param->declared_type;
    return cw_type_write(unit, type, param->name, how);
}

/* Do its brackets contain what a type does not have: expressions, `static`? */
static bool is_copied(const cw_decl *param, cw_header_kind kind)
{
    if (param->unnamed) /* no resume and no other parameter needs what they say */
        return false;
    return kind == CW_HEADER_BODY
               ? cw_type_is_vm(param->type) && !param->kept_lengths
               : cw_type_is_vm(param->type) || param->sized || param->in_brackets;
}

static void put_parameter(cw_unit *unit, const cw_header *h, size_t i, cw_header_kind kind,
                          cw_buf *out)
{
    const cw_decl *param = h->params[i];
    bool old_style = h->func != NULL && h->func->old_style;
    uint32_t begin = 0, end = 0;
    if (!old_style)
        find_text(unit, h, i, &begin, &end);
    if (is_copied(param, kind) && !old_style) {
        begin = cw_skip_blank(unit, begin);
        cw_edit_apply(unit, &unit->small, begin, end, out);
        return;
    }
    unsigned how = CW_WRITE_FILE_SCOPE | (param->marked ? CW_WRITE_PAUSABLE : 0);
    if (param->as_local != NULL && param->as_local->unqualify)
        how |= CW_WRITE_UNQUALIFIED;
    words w = { .unit = unit };
    read_words(&w, begin, end);
    cw_printf(out, "%s%s", text_of(&w.front),
              kind == CW_HEADER_BODY ? of_body(unit, param, how) : of_entry(unit, h, i, how));
    if (w.rest.length > 0)
        cw_printf(out, " %.*s", (int)w.rest.length - 1, w.rest.data);
    if (param->unnamed && kind == CW_HEADER_BODY && unit->gnu)
        cw_puts(out, " __attribute__((unused))");
    cw_buf_free(&w.front);
    cw_buf_free(&w.rest);
}

/* ---- headers ---- */

static const char *parameters(cw_unit *unit, const cw_header *h, const char *more,
                              cw_header_kind kind)
{
    const char *separator = *more != '\0' ? ", " : "";
    cw_buf buf = { 0 };
    cw_puts(&buf, more);
    for (size_t i = 0; i < h->nparams; i++) {
        cw_puts(&buf, separator);
        put_parameter(unit, h, i, kind, &buf);
        separator = ", ";
    }
    if (h->type->variadic)
        cw_printf(&buf, "%s%s", separator, *more != '\0' ? "co4_abi_args *co4_va" : "...");
    else if (buf.length == 0 && h->type->prototyped)
        cw_puts(&buf, "void");
    return cw_take(&unit->arena, &buf);
}

static void put(cw_unit *unit, const cw_header *h, const char *prefix, const char *declarator,
                cw_header_kind kind, cw_buf *out)
{
    const cw_func *func = h->func;
    words w = { .unit = unit,
                .storage = kind != CW_HEADER_BODY,
                .body = kind == CW_HEADER_BODY,
                .hole = h->open,
                .hole_end = h->close + 1 };
    read_words(&w, h->begin, func->old_style ? h->open : func->body_at);
    cw_printf(out, "%s%s%s%s", text_of(&w.front), prefix, text_of(&w.rest),
              cw_type_write(unit, h->type->inner, declarator, CW_WRITE_FILE_SCOPE));
    cw_buf_free(&w.front);
    cw_buf_free(&w.rest);
}

void cw_header_put(cw_unit *unit, const cw_header *h, const char *prefix, const char *name,
                   const char *more, cw_header_kind kind, cw_buf *out)
{
    put(unit, h, prefix, cw_format(&unit->arena, "%s(%s)", name, parameters(unit, h, more, kind)),
        kind, out);
}

void cw_header_put_plain(cw_unit *unit, const cw_header *h, const char *prefix, cw_buf *out)
{
    if (!h->func->old_style) {
        cw_header_put(unit, h, prefix, h->func->decl->name, "", CW_HEADER_ENTRY, out);
        return;
    }
    cw_puts(out, prefix);
    cw_edit_apply(unit, &unit->small, h->begin, h->func->body_at, out);
}

void cw_header_declare_plain(cw_unit *unit, const cw_header *h, cw_buf *out)
{
    const cw_decl *decl = h->func->decl;
    if (!h->func->old_style)
        cw_header_put_plain(unit, h, "", out);
    else if (decl->redecls[0].definition) /* otherwise it is declared, perhaps with a prototype */
        put(unit, h, "", cw_format(&unit->arena, "%s()", decl->name), CW_HEADER_ENTRY, out);
    else
        return;
    cw_puts(out, ";");
}

const char *cw_header_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl)
{
    const char *name = cw_woven_name(unit, decl);
    const cw_type *type = cw_type_bare(redecl->type);
    cw_header h = { .type = type,
                    .params = redecl->params,
                    .nparams = redecl->nparams,
                    .name_at = redecl->name_at };
    if (cw_is_without_prototype(unit, decl, redecl))
        return cw_type_write(unit, type->inner, cw_format(&unit->arena, "%s()", name),
                             CW_WRITE_FILE_SCOPE);
    if (decl->instead != NULL || !find_list(unit, decl, redecl, &h))
        return cw_type_write(unit, redecl->type, name, CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE);
    return cw_type_write(unit, type->inner,
                         cw_format(&unit->arena, "%s(%s)", name,
                                   parameters(unit, &h, "co4_fiber *", CW_HEADER_ENTRY)),
                         CW_WRITE_FILE_SCOPE);
}
