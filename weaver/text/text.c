/* text.c - the preprocessed text: its line markers and its lexical structure.
 *
 * The preprocessor leaves `# 12 "relay.c" 2 3` (flag 3: system header) or `#line 12 "relay.c"`. The
 * markers give the user's file and line for any offset. The rest of the weaver asks only three
 * lexical questions: what is blank, where a string ends, and where the matching bracket is. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "text/unit.h"

uint32_t cw_skip_word(const cw_unit *unit, uint32_t at)
{
    while (cw_is_word(unit->text[at]))
        at++;
    return at;
}

bool cw_next_word(const cw_unit *unit, uint32_t *at, uint32_t *end, uint32_t limit)
{
    for (*at = *end; *at < limit; *at = cw_skip_unit(unit, *at)) {
        *end = cw_skip_word(unit, *at);
        if (*end > *at)
            return true;
    }
    return false;
}

bool cw_contains(const cw_unit *unit, uint32_t from, uint32_t to, const char *what)
{
    size_t length = strlen(what);
    for (; from + length <= to; from++)
        if (strncmp(unit->text + from, what, length) == 0)
            return true;
    return false;
}

bool cw_is_typeof(const char *word, size_t length)
{
    static const char words[] = "typeof __typeof __typeof__ typeof_unqual __typeof_unqual__";
    return cw_lists(words, word, length);
}

/* ---- line markers ---- */

/* Reads the flags after a marker's file name. '1' enters the file, '2' returns to it. '3' marks
 * text of a system header, or text from a macro that a system header defines. So whether the file
 * itself is a system header is known from the flags at the entry and the return alone. */
static void read_flags(cw_unit *unit, const char *flags, const cw_marker *before, cw_marker *marker)
{
    bool enters = false, returns = false;
    for (; *flags != '\n' && *flags != '\0'; flags++) {
        enters |= *flags == '1';
        returns |= *flags == '2';
        marker->quiet |= *flags == '3';
    }
    if (enters) {
        cw_inclusion *from = cw_alloc(&unit->arena, sizeof *from);
        from->file = before->file;
        from->line = before->line + (uint32_t)(unit->nlines - before->first) - 1;
        from->from = before->from;
        from->system = before->system;
        marker->from = from;
        marker->system = marker->quiet;
    } else if (before->from != NULL &&
               (returns || strcmp(marker->file, before->from->file) == 0)) { /* tcc has no '2' */
        marker->system = before->from->system;
        marker->from = before->from->from;
    } else if (strcmp(marker->file, before->file) != 0) {
        marker->system = marker->quiet;
    }
}

/* Reads a marker at `at`, the offset of a '#'. Returns false if it is another directive. */
static bool read_marker(cw_unit *unit, uint32_t at, cw_marker *marker)
{
    const cw_marker before = *marker;
    const char *p = unit->text + at + 1;
    while (*p == ' ' || *p == '\t')
        p++;
    if (strncmp(p, "line", 4) == 0)
        p += 4;
    while (*p == ' ' || *p == '\t')
        p++;
    if (!isdigit((unsigned char)*p))
        return false;
    char *end;
    marker->line = (uint32_t)strtoul(p, &end, 10);
    p = end;
    while (*p == ' ' || *p == '\t')
        p++;
    if (*p == '"') {
        const char *name = ++p;
        while (*p != '"' && *p != '\n' && *p != '\0')
            p += *p == '\\' && p[1] != '\0' && p[1] != '\n' ? 2 : 1;
        marker->file = cw_strndup(&unit->arena, name, (size_t)(p - name));
        /* some preprocessors, tcc's for example, do not mark system headers */
        marker->quiet = strncmp(marker->file, "/usr/include/", 13) == 0 ||
                        strncmp(marker->file, "/usr/lib/", 9) == 0;
        read_flags(unit, *p == '"' ? p + 1 : p, &before, marker);
    }
    return true;
}

void cw_lines_scan(cw_unit *unit)
{
    unit->nlines = unit->nmarkers = 0;
    cw_marker now = { .line = 1,
                      .file = unit->options->source != NULL ? unit->options->source : "<input>" };
    CW_PUSH(&unit->arena, unit->markers, unit->nmarkers, now);
    for (uint32_t at = 0; at < unit->length;) {
        const char *line = unit->text + at;
        const char *newline = memchr(line, '\n', unit->length - at);
        CW_PUSH(&unit->arena, unit->lines, unit->nlines, at);
        uint32_t first = at + (uint32_t)strspn(line, " \t");
        if (unit->text[first] == '#' && read_marker(unit, first, &now)) {
            now.first = unit->nlines;
            CW_PUSH(&unit->arena, unit->markers, unit->nmarkers, now);
        }
        at = newline == NULL ? unit->length : (uint32_t)(newline - unit->text) + 1;
    }
    CW_PUSH(&unit->arena, unit->lines, unit->nlines, unit->length);
}

size_t cw_line_of(const cw_unit *unit, uint32_t at)
{
    size_t after; /* first line that begins after `at` */
    CW_SEARCH(after, unit->nlines, unit->lines[after] > at);
    return after > 0 ? after - 1 : 0;
}

cw_place cw_place_of(const cw_unit *unit, uint32_t at)
{
    size_t line = cw_line_of(unit, at);
    size_t after;
    CW_SEARCH(after, unit->nmarkers, unit->markers[after].first > line);
    const cw_marker *marker = &unit->markers[after > 0 ? after - 1 : 0];
    return (cw_place){ .file = marker->file,
                       .line = marker->line +
                               (uint32_t)(line > marker->first ? line - marker->first : 0),
                       .column = at - unit->lines[line] + 1,
                       .system = marker->system,
                       .quiet = marker->quiet,
                       .from = marker->from,
                       .line_at = unit->lines[line] };
}

/* ---- lexical structure ---- */

static bool at_line_start(const cw_unit *unit, uint32_t at)
{
    while (at > 0 && (unit->text[at - 1] == ' ' || unit->text[at - 1] == '\t'))
        at--;
    return at == 0 || unit->text[at - 1] == '\n';
}

static uint32_t skip_line(const cw_unit *unit, uint32_t at)
{
    const char *end = memchr(unit->text + at, '\n', unit->length - at);
    return end != NULL ? (uint32_t)(end - unit->text) : unit->length;
}

uint32_t cw_skip_blank(const cw_unit *unit, uint32_t at)
{
    for (; at < unit->length;) {
        char c = unit->text[at];
        if (isspace((unsigned char)c))
            at++;
        else if (c == '#' && at_line_start(unit, at))
            at = skip_line(unit, at);
        else if (c == '/' && at + 1 < unit->length &&
                 (unit->text[at + 1] == '*' || unit->text[at + 1] == '/'))
            at = cw_skip_unit(unit, at);
        else
            break;
    }
    return at;
}

uint32_t cw_skip_unit(const cw_unit *unit, uint32_t at)
{
    char c = unit->text[at];
    if (c == '"' || c == '\'') {
        for (at++; at < unit->length && unit->text[at] != c; at++)
            if (unit->text[at] == '\\')
                at++;
        return at < unit->length ? at + 1 : unit->length;
    }
    if (c == '/' && at + 1 < unit->length && unit->text[at + 1] == '/')
        return skip_line(unit, at);
    if (c == '/' && at + 1 < unit->length && unit->text[at + 1] == '*') {
        for (at += 2; at + 1 < unit->length; at++) {
            const char *star = memchr(unit->text + at, '*', unit->length - at - 1);
            if (star == NULL)
                break;
            at = (uint32_t)(star - unit->text);
            if (unit->text[at + 1] == '/')
                return at + 2;
        }
        return unit->length;
    }
    if (c == '#' && at_line_start(unit, at))
        return skip_line(unit, at);
    return at + 1;
}

uint32_t cw_skip_group(const cw_unit *unit, uint32_t at)
{
    int depth = 0;
    while (at < unit->length) {
        char c = unit->text[at];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return at + 1;
        at = cw_skip_unit(unit, at);
    }
    return at;
}

bool cw_does_something(const cw_unit *unit, uint32_t begin, uint32_t end)
{
    for (uint32_t at = begin; at < end; at = cw_skip_unit(unit, at)) {
        char c = unit->text[at], next = unit->text[at + 1];
        bool steps = (c == '+' && next == '+') || (c == '-' && next == '-');
        bool assigns = c == '=' && next != '=' && strchr("=!<>", unit->text[at - 1]) == NULL;
        bool calls = c == '(' && cw_is_word(unit->text[at - 1]);
        if (steps || assigns || calls)
            return true;
    }
    return false;
}
