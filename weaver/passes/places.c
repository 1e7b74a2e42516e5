/* places.c - --infer: where marks are inserted, and the #include that they need. */
#include <string.h>

#include "ast/decl.h"
#include "passes/passes.h"
#include "text/unit.h"

/* Returns the offset after the storage class: marks are written before the type. */
uint32_t cw_mark_point(const cw_unit *unit, uint32_t begin)
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
bool cw_is_open(cw_unit *unit, uint32_t at, uint32_t name_at, cw_site *site)
{
    if (cw_place_of(unit, at).system)
        return false;
    *site = cw_site_of(unit, at);
    if (cw_source_file_of(unit, site->file)->length == 0)
        return false;
    return site->macro == NULL || cw_site_of(unit, name_at).macro == NULL;
}

bool cw_can_be_marked(cw_unit *unit, const cw_decl *decl)
{
    cw_site site;
    bool can = decl->nredecls > 0 ||
               cw_is_open(unit, cw_mark_point(unit, decl->begin), decl->name_at, &site);
    for (size_t i = 0; i < decl->nredecls && can; i++)
        can = cw_is_open(unit, cw_mark_point(unit, decl->redecls[i].begin),
                         decl->redecls[i].name_at, &site);
    return can;
}

/* Did the preprocessor include the file on this line? If so, a marker returns to the next line. */
static bool is_taken(const cw_unit *unit, const cw_source_file *file, uint32_t line)
{
    for (size_t i = 1; i < unit->nmarkers; i++)
        if (unit->markers[i].line == line + 1 &&
            strcmp(unit->markers[i].file, unit->markers[i - 1].file) != 0 &&
            strcmp(unit->markers[i].file, file->name) == 0)
            return true;
    return false;
}

/* The line in this file before which an #include goes, for a mark on line `mark`. Only lines before
 * the mark count. The first #include outside all conditions, except the file's guard, is best.
 * Otherwise it is the first one that the preprocessor included, otherwise the line after the guard,
 * or the top of the file. */
uint32_t cw_include_line(cw_unit *unit, const cw_source_file *file, uint32_t mark)
{
    uint32_t behind_guard = 1, taken = 0;
    int depth = 0, guard = 0;
    bool first = true;
    for (uint32_t n = 1; n <= file->nlines && n < mark; n++) {
        const char *text = cw_source_line(unit, file, n);
        text += strspn(text, " \t");
        if (*text != '#')
            continue;
        text++;
        text += strspn(text, " \t");
        if (strncmp(text, "if", 2) == 0) {
            depth++;
            guard += first && strncmp(text, "ifndef", 6) == 0;
        } else if (strncmp(text, "endif", 5) == 0) {
            depth--;
        } else if (strncmp(text, "include", 7) == 0) {
            if (depth == guard)
                return n;
            if (taken == 0 && is_taken(unit, file, n))
                taken = n;
        } else if (depth == guard && behind_guard == 1 &&
                   (strncmp(text, "define", 6) == 0 || strncmp(text, "pragma once", 11) == 0)) {
            behind_guard = n + 1;
        }
        first = false;
    }
    return taken != 0 ? taken : behind_guard;
}
