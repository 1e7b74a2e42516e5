/* source_map.c - from the preprocessed text back to the user's source.
 *
 * Purpose: line markers give file and line. Columns differ as soon as the line contains a macro,
 * and arguments of a macro call that spans lines appear on its first line. So this file compares
 * the tokens of the text with the tokens of the source line. Both include the following lines until
 * the brackets are closed. The longest common subsequence pairs the tokens. A token of the text has
 * this position:
 *
 * - with a partner, the position of the partner;
 * - without one, it comes from a macro: the position of that macro's name, which is the nearest
 *   unpaired identifier at or before it in the source line.
 *
 * For a note, the definition of such a macro is searched in the files of the unit. */
#include "text/source_map.h"

#include <stdlib.h>
#include <string.h>

#include "text/spell.h"
#include "text/unit.h"

enum { MOST_TOKENS = 3000, MOST_LINES = 100, MOST_BYTES = 100 << 20 };

typedef struct token {
    const char *text;
    size_t length;
    uint32_t line, column; /* in the source, from 1 */
    uint32_t at;           /* offset in the preprocessed text */
} token;

typedef struct tokens {
    token *items;
    size_t count;
} tokens;

/* ---- files ---- */

const char *cw_file_name(cw_unit *unit, const char *quoted)
{
    char *name = cw_strdup(&unit->arena, quoted), *to = name;
    for (const char *from = quoted; *from != '\0'; from++) {
        if (*from == '\\' && from[1] != '\0')
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return name;
}

const cw_source_file *cw_source_file_of(cw_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->nsource_files; i++)
        if (strcmp(unit->source_files[i]->name, name) == 0)
            return unit->source_files[i];
    cw_source_file *file = cw_alloc(&unit->arena, sizeof *file);
    char *real = realpath(name, NULL);
    file->name = name;
    file->real = real != NULL ? cw_strdup(&unit->arena, real) : name;
    free(real);
    CW_PUSH(&unit->arena, unit->source_files, unit->nsource_files, file);
    cw_buf buf = { 0 };
    if (!cw_read_regular(name, MOST_BYTES, &buf))
        buf.length = 0;
    file->length = buf.length;
    file->text = cw_take(&unit->arena, &buf);
    for (size_t at = 0; at < file->length;) {
        CW_PUSH(&unit->arena, file->lines, file->nlines, at);
        const char *newline = memchr(file->text + at, '\n', file->length - at);
        at = newline != NULL ? (size_t)(newline - file->text) + 1 : file->length;
    }
    return file;
}

const char *cw_source_line(cw_unit *unit, const cw_source_file *file, uint32_t line)
{
    if (line == 0 || line > file->nlines)
        return NULL;
    const char *text = file->text + file->lines[line - 1];
    return cw_strndup(&unit->arena, text, strcspn(text, "\r\n"));
}

/* ---- tokens ---- */

/* Skips blanks, comments and spliced lines; `line_start` is updated to the line that `at` is in. */
static size_t skip_blanks(const char *text, size_t at, size_t length, uint32_t *line,
                          size_t *line_start)
{
    while (at < length) {
        size_t end = at;
        if (cw_begins_comment(text, at, length)) {
            end = cw_skip_token(text, at, length);
        } else if (strchr(" \t\r\n\f\v", text[at]) != NULL) {
            end = at + 1;
        } else if (text[at] == '\\' && at + 1 < length && strchr("\r\n", text[at + 1]) != NULL) {
            end = at + 1;
        } else {
            break;
        }
        for (; at < end; at++)
            if (text[at] == '\n') {
                ++*line;
                *line_start = at + 1;
            }
    }
    return at;
}

static void add_token(cw_unit *unit, tokens *list, token t, int *depth)
{
    *depth += *t.text == '(' ? 1 : *t.text == ')' && *depth > 0 ? -1 : 0;
    CW_PUSH(&unit->arena, list->items, list->count, t);
}

/* The tokens of the source line, and of the following lines while a bracket is open. */
static tokens source_tokens(cw_unit *unit, const cw_source_file *file, uint32_t first)
{
    tokens list = { 0 };
    uint32_t line = first, before = first;
    size_t at = file->lines[first - 1], line_start = at;
    for (int depth = 0; list.count < MOST_TOKENS; before = line) {
        at = skip_blanks(file->text, at, file->length, &line, &line_start);
        if (at >= file->length || (line > before && depth == 0) || line > first + MOST_LINES)
            break;
        size_t end = cw_skip_token(file->text, at, file->length);
        token t = { .text = file->text + at,
                    .length = end - at,
                    .line = line,
                    .column = (uint32_t)(at - line_start) + 1 };
        add_token(unit, &list, t, &depth);
        at = end;
    }
    return list;
}

static bool is_marker_line(const cw_unit *unit, size_t line)
{
    return unit->text[unit->lines[line]] == '#';
}

static bool same_line(const cw_unit *unit, const cw_place *place, size_t line)
{
    cw_place other = cw_place_of(unit, unit->lines[line]);
    return other.line == place->line && strcmp(other.file, place->file) == 0;
}

/* The tokens that the preprocessor made of one source line; markers may split the line. While a
 * bracket is open, the following lines are included, as in source_tokens(). Otherwise a token of
 * this line could be paired with one of theirs. */
static tokens text_tokens(cw_unit *unit, const cw_place *place)
{
    tokens list = { 0 };
    size_t first = cw_line_of(unit, place->line_at), last = first;
    int depth = 0;
    while (first > 0 && (is_marker_line(unit, first - 1) || same_line(unit, place, first - 1)))
        first--;
    while (last + 2 < unit->nlines &&
           (is_marker_line(unit, last + 1) || same_line(unit, place, last + 1)))
        last++;
    for (size_t i = first; i + 1 < unit->nlines && i <= last + MOST_LINES; i++) {
        if (i > last && depth == 0)
            break;
        if (is_marker_line(unit, i))
            continue;
        uint32_t line = 0;
        size_t at = unit->lines[i], end = unit->lines[i + 1], line_start = at;
        while (list.count < MOST_TOKENS &&
               (at = skip_blanks(unit->text, at, end, &line, &line_start)) < end) {
            size_t next = cw_skip_token(unit->text, at, end);
            token t = { .text = unit->text + at, .length = next - at, .at = (uint32_t)at };
            add_token(unit, &list, t, &depth);
            at = next;
        }
    }
    return list;
}

static bool equal(const token *a, const token *b)
{
    return cw_same_token(a->text, a->length, b->text, b->length);
}

/* Words weigh more than brackets and commas, which occur everywhere. */
static uint16_t weight(const token *t)
{
    return cw_is_word(*t->text) ? 3 : 1;
}

/* partner[i] is the index of the source token that is token i of the text, or -1. Computes a
 * longest common subsequence; the equal tokens at the front need no table. */
static long *pair(cw_unit *unit, const tokens *text, const tokens *source)
{
    long *partner = cw_alloc(&unit->arena, (text->count + 1) * sizeof *partner);
    size_t front = 0, rows, columns;
    for (size_t i = 0; i < text->count; i++)
        partner[i] = -1;
    for (; front < text->count && front < source->count &&
           equal(&text->items[front], &source->items[front]);
         front++)
        partner[front] = (long)front;
    rows = text->count - front;
    columns = source->count - front;
    uint16_t *length = calloc((rows + 1) * (columns + 1), sizeof *length);
    if (length == NULL)
        return partner;
#define LENGTH(i, j) length[(i) * (columns + 1) + (j)]
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            uint16_t down = LENGTH(i + 1, j), right = LENGTH(i, j + 1);
            LENGTH(i, j) = equal(&text->items[front + i], &source->items[front + j])
                               ? (uint16_t)(LENGTH(i + 1, j + 1) + weight(&text->items[front + i]))
                           : down > right ? down
                                          : right;
        }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
        if (equal(&text->items[front + i], &source->items[front + j]) &&
            LENGTH(i, j) == LENGTH(i + 1, j + 1) + weight(&text->items[front + i]))
            partner[front + i++] = (long)(front + j++);
        else if (LENGTH(i + 1, j) >= LENGTH(i, j + 1))
            i++;
        else
            j++;
    }
#undef LENGTH
    free(length);
    return partner;
}

/* ---- positions ---- */

/* The name, among the source tokens, of the macro from which token `at` comes; NULL if there is
 * none. */
static const token *macro_of(const tokens *text, const tokens *source, const long *partner,
                             size_t at)
{
    long before = source->count > 0 ? (long)source->count - 1 : -1;
    bool *paired = calloc(source->count + 1, sizeof *paired);
    for (size_t i = 0; paired != NULL && i < text->count; i++)
        if (partner[i] >= 0)
            paired[partner[i]] = true;
    for (size_t i = at; i < text->count; i++)
        if (partner[i] >= 0) {
            before = partner[i] - 1;
            break;
        }
    const token *found = NULL;
    for (long j = before; paired != NULL && found == NULL && j >= 0; j--)
        if (!paired[j] && cw_is_word(*source->items[j].text) &&
            (*source->items[j].text < '0' || *source->items[j].text > '9'))
            found = &source->items[j];
    free(paired);
    return found;
}

cw_site cw_site_of(cw_unit *unit, uint32_t at)
{
    cw_place place = cw_place_of(unit, at);
    cw_site site = { .file = cw_file_name(unit, place.file),
                     .line = place.line,
                     .column = place.column,
                     .place = place };
    uint32_t end = place.line_at;
    while (end < unit->length && unit->text[end] != '\n')
        end++;
    const cw_source_file *file = cw_source_file_of(unit, site.file);
    const char *line = cw_source_line(unit, file, place.line);
    const char *ours = cw_strndup(&unit->arena, unit->text + place.line_at, end - place.line_at);
    site.length = (uint32_t)(cw_skip_token(unit->text, at, unit->length) - at);
    if (line == NULL || strcmp(ours, line) == 0) {
        site.source = line != NULL ? line : ours;
        return site;
    }
    site.source = line;
    tokens text = text_tokens(unit, &place), source = source_tokens(unit, file, place.line);
    const long *partner = pair(unit, &text, &source);
    for (size_t i = 0; i < text.count; i++) {
        if (at < text.items[i].at || at >= text.items[i].at + text.items[i].length)
            continue;
        const token *seen = partner[i] >= 0 ? &source.items[partner[i]]
                                            : macro_of(&text, &source, partner, i);
        if (seen == NULL)
            break;
        if (partner[i] < 0)
            site.macro = cw_strndup(&unit->arena, seen->text, seen->length);
        site.line = seen->line;
        site.column = seen->column;
        site.length = (uint32_t)seen->length;
        site.source = cw_source_line(unit, file, seen->line);
        return site;
    }
    site.column = 1 + (uint32_t)strspn(line, " \t");
    return site;
}

/* ---- definitions of macros ---- */

/* Offset after the name in a `#define NAME` at the beginning of this line, else 0. */
static size_t defines(const char *line, const char *name)
{
    const char *p = line + strspn(line, " \t");
    if (*p++ != '#')
        return 0;
    p += strspn(p, " \t");
    if (strncmp(p, "define", 6) != 0)
        return 0;
    p += 6;
    size_t blank = strspn(p, " \t"), length = strlen(name);
    p += blank;
    if (blank == 0 || strncmp(p, name, length) != 0 || cw_is_word(p[length]))
        return 0;
    return (size_t)(p - line) + length;
}

/* Finds in this file the word after the macro's name in its definition, or else the name itself. */
static bool find_definition(cw_unit *unit, const cw_source_file *file, const char *macro,
                            const char *word, cw_site *site)
{
    for (uint32_t n = 1; n <= file->nlines; n++) {
        const char *line = cw_source_line(unit, file, n);
        size_t behind = defines(line, macro);
        if (behind == 0)
            continue;
        *site = (cw_site){ .file = file->name,
                           .line = n,
                           .column = (uint32_t)(behind - strlen(macro)) + 1,
                           .length = (uint32_t)strlen(macro),
                           .source = line };
        for (;; n++, behind = 0) {
            line = cw_source_line(unit, file, n);
            if (line == NULL)
                return true;
            for (const char *p = line + behind; (p = strstr(p, word)) != NULL; p++)
                if ((p == line || !cw_is_word(p[-1])) && !cw_is_word(p[strlen(word)])) {
                    site->line = n;
                    site->column = (uint32_t)(p - line) + 1;
                    site->length = (uint32_t)strlen(word);
                    site->source = line;
                    return true;
                }
            if (*line == '\0' || line[strlen(line) - 1] != '\\')
                return true;
        }
    }
    return false;
}

bool cw_site_of_macro(cw_unit *unit, const char *macro, uint32_t at, cw_site *site)
{
    const char *word = cw_strndup(&unit->arena, unit->text + at,
                                  cw_skip_token(unit->text, at, unit->length) - at);
    size_t now = unit->nmarkers; /* the last marker before `at`; nearer files first */
    while (now > 0 && unit->lines[unit->markers[now - 1].first] > at)
        now--;
    for (size_t i = now; i-- > 0;) {
        const cw_marker *marker = &unit->markers[i];
        bool seen = marker->system || *marker->file == '<';
        for (size_t j = i + 1; j < now && !seen; j++)
            seen = strcmp(unit->markers[j].file, marker->file) == 0;
        if (seen)
            continue;
        const char *name = cw_file_name(unit, marker->file);
        if (find_definition(unit, cw_source_file_of(unit, name), macro, word, site))
            return true;
    }
    return false;
}
