/* diag.c - diagnostics.
 *
 * Purpose: diagnostics are collected, and written at the end in the order of the text, each once:
 * passes read a unit in different orders, and a macro may contain the same call twice. There are
 * two forms (`--diagnostics=`):
 *
 *   text   the form of compilers, which editors understand:
 *
 *       relay.c:12:9: error: 'score' is pausable and may not be called from 'main', which is not
 *           return score(1);
 *                  ^~~~~
 *       relay.c:12:9: hint: enter it with co4_run(score(...))
 *
 *   json   one object a line for each diagnostic, with its notes inside
 *
 * We weave preprocessed text, but show the line as the user wrote it; source_map.c finds the
 * position. */
#include "text/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/unit.h"

/* If the position is inside a macro's expansion, adds a note with the position in the macro. */
static void add_expansion(cw_unit *unit, cw_diagnostic *d)
{
    cw_site site;
    if (d->site.macro == NULL || !cw_site_of_macro(unit, d->site.macro, d->at, &site))
        return;
    cw_diagnostic *note = cw_alloc(&unit->arena, sizeof *note);
    note->severity = CW_NOTE;
    note->site = site;
    note->message = cw_format(&unit->arena, "in the expansion of macro '%s'", d->site.macro);
    CW_PUSH(&unit->arena, d->notes, d->nnotes, note);
}

static cw_diagnostic *collect(cw_unit *unit, cw_severity severity, uint32_t at, const char *hint,
                              const char *format, va_list args)
{
    cw_diagnostic *d = cw_alloc(&unit->arena, sizeof *d);
    d->severity = severity;
    d->at = cw_skip_blank(unit, at);
    d->site = cw_site_of(unit, d->at);
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    d->message = cw_strdup(&unit->arena, message);
    d->hint = hint != NULL ? cw_strdup(&unit->arena, hint) : NULL;
    if (severity == CW_ERROR)
        unit->errors++;
    if (severity == CW_NOTE && unit->ndiagnostics > 0) {
        cw_diagnostic *last = unit->diagnostics[unit->ndiagnostics - 1];
        CW_PUSH(&unit->arena, last->notes, last->nnotes, d);
        return d;
    }
    add_expansion(unit, d);
    CW_PUSH(&unit->arena, unit->diagnostics, unit->ndiagnostics, d);
    return d;
}

void cw_diag(cw_unit *unit, cw_severity severity, uint32_t at, const char *hint, const char *format,
             ...)
{
    va_list args;
    va_start(args, format);
    collect(unit, severity, at, hint, format, args);
    va_end(args);
}

/* ---- warnings ---- */

const char *const cw_warning_names[] = {
    "blocking", "held-lock",  "thread-local", "void-pointer", "lost-task",     "shared-state",
    "time",     "unused-try", "code",         "endless",      "local-address", NULL
}; /* ORDER cw_warning */

static bool set_all(bool *flags, bool value)
{
    for (size_t i = 0; i < CW_NWARNINGS; i++)
        flags[i] = value;
    return true;
}

bool cw_warnings_read(cw_warnings *warnings, const char *word)
{
    static const struct {
        const char *prefix;
        bool error, value;
    } forms[] = {
        { "-Wco4-", false, false },
        { "-Wno-co4-", false, true },
        { "-Werror=co4-", true, true },
        { "-Wno-error=co4-", true, false },
    };
    if (strcmp(word, "-w") == 0)
        return set_all(warnings->off, true);
    if (strcmp(word, "-Werror") == 0) {
        set_all(warnings->error, true);
        warnings->error[CW_W_SHARED_STATE] = false; /* of sources that do not know of it */
        return true;
    }
    if (strcmp(word, "-Wno-error") == 0)
        return set_all(warnings->error, false);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].prefix);
        if (strncmp(word, forms[i].prefix, length) != 0)
            continue;
        for (size_t k = 0; k < CW_NWARNINGS; k++)
            if (strcmp(word + length, cw_warning_names[k]) == 0) {
                (forms[i].error ? warnings->error : warnings->off)[k] = forms[i].value;
                if (forms[i].error && forms[i].value)
                    warnings->off[k] = false; /* as in the compilers */
                return true;
            }
        return false;
    }
    return true;
}

bool cw_diag_warn(cw_unit *unit, cw_warning which, uint32_t at, const char *hint,
                  const char *format, ...)
{
    const cw_warnings *warnings = unit->options->warnings;
    at = cw_skip_blank(unit, at);
    if (warnings == NULL || warnings->off[which] || cw_place_of(unit, at).system)
        return false;
    bool error = warnings->error[which];
    va_list args;
    va_start(args, format);
    cw_diagnostic *d = collect(unit, error ? CW_ERROR : CW_WARNING, at, hint, format, args);
    va_end(args);
    d->option = cw_format(&unit->arena, "%sco4-%s", error ? "error=" : "", cw_warning_names[which]);
    return true;
}

/* ---- text ---- */

static const char *const severity_names[] = { "error", "warning", "note" };

/* Below the line: blanks as wide as the text before the column, then the caret. */
static void put_caret(const cw_site *site, bool color, cw_buf *out)
{
    const char *line = site->source;
    uint32_t column = 1;
    cw_printf(out, "    %s\n    ", line);
    for (; column < site->column && line[column - 1] != '\0'; column++) {
        char c = line[column - 1];
        if (((unsigned char)c & 0xC0) != 0x80) /* once for each UTF-8 character */
            cw_put(out, c == '\t' ? "\t" : " ", 1);
    }
    cw_puts(out, color ? "\033[1;32m^" : "^");
    for (uint32_t i = 1; i < site->length && column + i <= strlen(line); i++)
        if (((unsigned char)line[column - 1 + i] & 0xC0) != 0x80)
            cw_put(out, "~", 1);
    cw_puts(out, color ? "\033[0m\n" : "\n");
}

static void put_text(const cw_diagnostic *d, bool color, cw_buf *out)
{
    static const char *const colors[] = { "\033[1;31m", "\033[1;35m", "\033[1;36m" };
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    const cw_site *site = &d->site;
    cw_printf(out, "%s%s:%u:%u: %s%s:%s%s %s%s", bold, site->file, site->line, site->column,
              color ? colors[d->severity] : "", severity_names[d->severity], plain, bold,
              d->message, plain);
    if (d->option != NULL)
        cw_printf(out, " [-W%s]", d->option);
    cw_puts(out, "\n");
    put_caret(site, color, out);
    if (d->hint != NULL)
        cw_printf(out, "%s%s:%u:%u: %shint:%s %s\n", bold, site->file, site->line, site->column,
                  color ? "\033[1;32m" : "", plain, d->hint);
    for (size_t i = 0; i < d->nnotes; i++)
        put_text(d->notes[i], color, out);
}

static void put_inclusions(cw_unit *unit, const cw_inclusion *from, cw_buf *out)
{
    const char *lead = "In file included from";
    for (; from != NULL; from = from->from, lead = "                 from")
        cw_printf(out, "%s %s:%u%s\n", lead, cw_file_name(unit, from->file), from->line,
                  from->from != NULL ? "," : ":");
}

/* ---- JSON ---- */

static void put_json_site(const cw_site *site, cw_buf *out)
{
    cw_json_member(out, "file", site->file);
    cw_printf(out, ",\"line\":%u,\"column\":%u,\"end_column\":%u", site->line, site->column,
              site->column + site->length);
}

static void put_json_field(const char *name, const char *value, cw_buf *out)
{
    cw_puts(out, ",");
    cw_json_member(out, name, value);
}

static void put_json(cw_unit *unit, const cw_diagnostic *d, cw_buf *out)
{
    cw_puts(out, "{");
    put_json_site(&d->site, out);
    put_json_field("severity", severity_names[d->severity], out);
    put_json_field("message", d->message, out);
    put_json_field("hint", d->hint, out);
    put_json_field("option", d->option, out);
    cw_puts(out, ",\"notes\":[");
    for (size_t i = 0; i < d->nnotes; i++) {
        cw_puts(out, i > 0 ? ",{" : "{");
        put_json_site(&d->notes[i]->site, out);
        put_json_field("message", d->notes[i]->message, out);
        cw_puts(out, "}");
    }
    cw_puts(out, "],\"included_from\":[");
    for (const cw_inclusion *from = d->site.place.from; from != NULL; from = from->from) {
        cw_puts(out, from == d->site.place.from ? "{" : ",{");
        cw_json_member(out, "file", cw_file_name(unit, from->file));
        cw_printf(out, ",\"line\":%u}", from->line);
    }
    cw_puts(out, "]}\n");
}

/* ---- all diagnostics ---- */

static int by_place(const void *a_, const void *b_)
{
    const cw_diagnostic *const *a = a_, *const *b = b_;
    if ((*a)->at != (*b)->at)
        return (*a)->at < (*b)->at ? -1 : 1;
    return strcmp((*a)->message, (*b)->message);
}

static bool same(const cw_diagnostic *a, const cw_diagnostic *b)
{
    return a->site.line == b->site.line && a->site.column == b->site.column &&
           strcmp(a->site.file, b->site.file) == 0 && strcmp(a->message, b->message) == 0;
}

void cw_diags_write(cw_unit *unit, cw_buf *out)
{
    const cw_inclusion *from = NULL;
    if (unit->ndiagnostics > 0)
        qsort(unit->diagnostics, unit->ndiagnostics, sizeof *unit->diagnostics, by_place);
    for (size_t i = 0; i < unit->ndiagnostics; i++) {
        const cw_diagnostic *d = unit->diagnostics[i];
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = same(unit->diagnostics[j], d);
        if (known)
            continue;
        if (unit->options->json) {
            put_json(unit, d, out);
            continue;
        }
        if (d->site.place.from != from)
            put_inclusions(unit, d->site.place.from, out);
        from = d->site.place.from;
        put_text(d, unit->options->color, out);
    }
    unit->ndiagnostics = 0;
}
