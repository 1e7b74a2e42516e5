/* unread.c - the errors of the parse, and the parts of a unit that they make unreadable.
 *
 * Purpose: libclang does not read all that compilers do. If an error is inside a function in which
 * nothing pauses, that function stays unchanged, and the compiler checks it. Under stress the same
 * holds for declarations. Functions that name them, also indirectly through other declarations,
 * stay plain; the rest of the unit does not depend on them. Every other error in the user's code is
 * reported. Errors in system headers are left to the compiler.
 *
 * Invariant: a declaration that is not read has no mark, and nothing that is read names it. */
#include <stdlib.h>
#include <string.h>

#include "text/diag.h"
#include "text/unit.h"
#include "clang/loader.h"

/* ---- errors shown to the user ---- */

/* Offset of the name before the brackets that end before `at`, or `at` if there is none. */
static uint32_t name_before(const cw_unit *unit, uint32_t at)
{
    uint32_t p = at;
    int depth = 0;
    while (p > 0 && (depth > 0 || unit->text[p - 1] != ')') &&
           strchr(";{}", unit->text[p - 1]) == NULL)
        p--;
    for (; p > 0; p--) {
        char c = unit->text[p - 1];
        depth += c == ')';
        depth -= c == '(';
        if (depth == 0)
            break;
    }
    uint32_t end = p > 0 ? p - 1 : 0;
    while (end > 0 && strchr(" \t\n", unit->text[end - 1]) != NULL)
        end--;
    uint32_t begin = end;
    while (begin > 0 && cw_is_word(unit->text[begin - 1]))
        begin--;
    return begin < end ? begin : at;
}

void load_error(loader *l, uint32_t at, const char *text)
{
    l->unit->unparsable = true;
    cw_diag(l->unit, CW_ERROR, at,
            "write it in another way, or move it to a file in which nothing is pausable",
            "co4weave cannot read this: %s", text);
}

/* Names of GNU C's nested functions, in quotes. */
typedef struct nested_names {
    const char **items;
    size_t count;
} nested_names;

/* Reports an error. GNU C's nested functions get a message of their own; the unknown names that
 * follow from them are not reported. */
static void report(loader *l, uint32_t at, const char *text, nested_names *nested)
{
    cw_unit *unit = l->unit;
    bool defined = strcmp(text, "function definition is not allowed here") == 0;
    if (defined || strcmp(text, "illegal storage class on function") == 0) { /* `auto int f();` */
        uint32_t end = at;
        while (!defined && unit->text[end] != ';')
            end++;
        uint32_t name_at = name_before(unit, end);
        const char *name = cw_strndup(&unit->arena, unit->text + name_at,
                                      cw_skip_word(unit, name_at) - name_at);
        CW_PUSH(&unit->arena, nested->items, nested->count, cw_format(&unit->arena, "'%s'", name));
        unit->unparsable = true;
        cw_diag(unit, CW_ERROR, name_at,
                "move it out to file scope, and give it what it uses as arguments",
                "'%s' is a function inside a function, a GNU extension that is not woven", name);
        return;
    }
    for (size_t i = 0; i < nested->count; i++)
        if (strstr(text, nested->items[i]) != NULL)
            return;
    load_error(l, at, text);
}

/* ---- functions that libclang cannot read ---- */

static void find_definitions(loader *l, load_unread *u)
{
    for (size_t i = 0; i < u->tops->count; i++) {
        load_definition one = { 0 };
        if (clang_getCursorKind(u->tops->items[i]) != CXCursor_FunctionDecl ||
            !load_is_definition(l->unit, u->tops->items[i]))
            continue;
        load_extent(u->tops->items[i], &one.begin, &one.end);
        one.begin = cw_with_marks(l->unit, one.begin);
        CW_PUSH(&l->unit->arena, u->definitions, u->ndefinitions, one);
    }
}

static load_definition *definition_at(const load_unread *u, uint32_t at)
{
    size_t after;
    CW_SEARCH(after, u->ndefinitions, u->definitions[after].begin > at);
    return after > 0 && at < u->definitions[after - 1].end ? &u->definitions[after - 1] : NULL;
}

/* ---- declarations that libclang cannot read ---- */

struct naming {
    loader *l;
    load_unread *u;
};

static enum CXChildVisitResult add_names(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct naming *naming = data;
    if (load_is_seen_twice(cursor, parent))
        return CXChildVisit_Continue;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_FieldDecl && kind != CXCursor_ParmDecl && clang_isDeclaration(kind)) {
        const char *name = load_string(naming->l, clang_getCursorSpelling(cursor));
        if (*name != '\0')
            cw_names_add(&naming->u->names, name, strlen(name));
    }
    return kind == CXCursor_CompoundStmt ? CXChildVisit_Continue : CXChildVisit_Recurse;
}

/* The first name in [begin, end) that belongs to an unread part; NULL if there is none. */
static const char *unread_name(const loader *l, const load_unread *u, uint32_t begin, uint32_t end)
{
    const cw_unit *unit = l->unit;
    for (uint32_t at = begin, next; u->names.count > 0 && at < end; at = next) {
        next = cw_skip_word(unit, at);
        const cw_name *name = cw_names_find(&u->names, unit->text + at, next - at);
        if (name != NULL)
            return name->text;
        if (next == at)
            next = cw_skip_unit(unit, at);
    }
    return NULL;
}

/* Handles an error at file scope. Returns false if the error must be reported, because there are
 * marks. */
static bool leave_unread(loader *l, load_unread *u, uint32_t at, const char *text)
{
    cw_unit *unit = l->unit;
    if (!cw_weaves_unmarked(unit->options))
        return false;
    const char *why = cw_format(&unit->arena, "co4weave cannot read what it names: %s", text);
    bool found = false;
    uint32_t rest = at; /* libclang's reading of the rest is equally unreliable */
    while (rest < unit->length && strchr(";}", unit->text[rest]) == NULL)
        rest = cw_skip_unit(unit, rest);
    for (size_t i = 0; i < u->tops->count; i++) {
        uint32_t begin, end;
        load_extent(u->tops->items[i], &begin, &end);
        bool ended = end > begin && unit->text[end - 1] == '}' && /* a body, which has no ';' */
                     clang_getCursorKind(u->tops->items[i]) == CXCursor_FunctionDecl;
        if (begin > rest || (ended && end <= at))
            continue;
        /* an initializer that libclang cannot read is no longer part of the declaration */
        while (end < at && strchr(";}", unit->text[end]) == NULL)
            end = cw_skip_unit(unit, end);
        if (end < at)
            continue;
        if (cw_has_mark(unit, cw_with_marks(unit, begin), end))
            return false;
        u->why[i] = why;
        found = true;
    }
    if (!found && cw_prescan(unit))
        return false;
    if (!found)
        u->all = cw_format(&unit->arena, "co4weave cannot read its file: %s", text);
    return true;
}

/* Marks declarations as unread that name unread ones, until nothing changes. Returns false if one
 * of them is pausable. */
static bool spread_unread(loader *l, load_unread *u)
{
    cw_unit *unit = l->unit;
    for (size_t i = 0; i < u->tops->count; i++) {
        uint32_t begin, end;
        CXCursor top = u->tops->items[i];
        load_extent(top, &begin, &end);
        bool defines = clang_getCursorKind(top) == CXCursor_FunctionDecl &&
                       load_is_definition(unit, top);
        const char *name = u->why[i] == NULL ? unread_name(l, u, begin, end) : NULL;
        if (name != NULL)
            u->why[i] = cw_format(&unit->arena, "co4weave cannot read '%s'", name);
        if (u->all != NULL)
            u->why[i] = u->all;
        if (u->why[i] == NULL)
            continue;
        if (cw_has_mark(unit, cw_with_marks(unit, begin), end) &&
            !cw_place_of(unit, begin).system) {
            cw_diag(unit, CW_ERROR, begin, "move it to a file in which nothing is pausable", "%s",
                    u->why[i]);
            return false;
        }
        load_definition *d = defines ? definition_at(u, begin) : NULL;
        if (d != NULL && d->unread == NULL)
            d->unread = u->why[i];
        load_cursors kids = load_children(top);
        for (size_t k = 0; d != NULL && k < kids.count; k++)
            if (clang_getCursorKind(kids.items[k]) == CXCursor_CompoundStmt)
                load_extent(kids.items[k], &end, &(uint32_t){ 0 });
        free(kids.items);
        if (d == NULL || unread_name(l, u, begin, end) != NULL) { /* its header names it */
            struct naming naming = { l, u };
            add_names(top, top, &naming);
            clang_visitChildren(top, add_names, &naming);
        }
    }
    return true;
}

/* Reports the error that typed.h makes of a pointer to another type, at the call that it belongs
 * to. Returns false if it is another error. The compiler would say less, in more lines; it is asked
 * if there are other errors, too. */
static bool report_another_type(loader *l, load_unread *u, uint32_t at, const char *text)
{
    static const char call[] = "co4_mailbox_";
    if (strstr(text, "co4__the_mailbox_has_messages_of_another_type") == NULL)
        return false;
    uint32_t begin = at;
    while (begin > 0 && strncmp(l->unit->text + begin, call, sizeof call - 1) != 0)
        begin--;
    u->refused = true;
    cw_diag(l->unit, CW_ERROR, begin > 0 ? begin : at,
            "give it the address of a message of the type that CO4_MAILBOX_OF names",
            "the mailbox has messages of another type");
    return true;
}

static void error_at(loader *l, load_unread *u, uint32_t at, const char *text, nested_names *nested)
{
    if (report_another_type(l, u, at, text))
        return;
    load_definition *d = definition_at(u, at);
    if (cw_place_of(l->unit, at).quiet)
        return; /* in a system header, or from a macro of one */
    /* a function that contains nothing to weave stays unchanged, and the compiler checks it */
    bool stays = d != NULL &&
                 (d->unread != NULL || (l->unit->options->infer == NULL &&
                                        !cw_mentions_marked(l->unit, d->begin, d->end)));
    if (stays) {
        if (d->unread == NULL)
            d->unread = cw_format(&l->unit->arena, "co4weave cannot read it: %s", text);
    } else if (d != NULL || !leave_unread(l, u, at, text)) {
        report(l, at, text, nested);
    }
}

load_unread load_errors(loader *l, const load_cursors *tops)
{
    load_unread u = { .tops = tops };
    nested_names nested = { 0 };
    u.why = cw_alloc(&l->unit->arena, tops->count * sizeof *u.why);
    find_definitions(l, &u);
    unsigned count = clang_getNumDiagnostics(l->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(l->tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            error_at(l, &u, load_offset(clang_getDiagnosticLocation(diagnostic)),
                     load_string(l, clang_getDiagnosticSpelling(diagnostic)), &nested);
        clang_disposeDiagnostic(diagnostic);
    }
    bool any = u.all != NULL;
    for (size_t i = 0; i < tops->count; i++)
        any |= u.why[i] != NULL;
    if (any && !spread_unread(l, &u))
        l->unit->unparsable = true;
    cw_names_free(&u.names);
    return u;
}

bool load_is_read(const load_unread *u, size_t top, const char **why)
{
    uint32_t at = load_offset(clang_getCursorLocation(u->tops->items[top]));
    const load_definition *d = definition_at(u, at);
    *why = d != NULL ? d->unread : NULL;
    return d != NULL || u->why[top] == NULL;
}
