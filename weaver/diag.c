/* diag.c - what the user reads.
 *
 * The compilers' own form, so that editors find the place:
 *
 *   relay.c:12:9: error: 'score' is pausable and may not be called from 'main', which is not
 *       return score(1);
 *              ^~~~~
 *   relay.c:12:9: hint: mark 'main' pausable, or enter with co4_run(score(...))
 *
 * We weave preprocessed text, but show the line as the user wrote it. Columns differ when a macro stands on the line: then
 * the word we point at is looked up in the written line, the n-th occurrence of n. */
#include "weaver.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The line of the file as written; NULL when the file cannot be read. Allocated in the arena. */
static const char *written_line(cw_unit *unit, const char *file, uint32_t line)
{
    FILE *f = fopen(file, "r");
    if (f == NULL)
        return NULL;
    cw_buf buf = { 0 };
    uint32_t now = 1;
    int c;
    while (now < line && (c = getc(f)) != EOF)
        if (c == '\n')
            now++;
    while ((c = getc(f)) != EOF && c != '\n')
        cw_put(&buf, &(char){ (char)c }, 1);
    fclose(f);
    const char *text = now == line && buf.length > 0 ? cw_strdup(&unit->arena, buf.data) : NULL;
    cw_buf_free(&buf);
    return text;
}

static const char *preprocessed_line(cw_unit *unit, uint32_t line_at)
{
    uint32_t end = line_at;
    while (end < unit->length && unit->text[end] != '\n')
        end++;
    return cw_strndup(&unit->arena, unit->text + line_at, end - line_at);
}

/* Offset in `line` of the n-th occurrence of a word, or of its last when there are fewer; -1: none. */
static long find_word(const char *line, const char *word, size_t length, unsigned n)
{
    long found = -1;
    for (const char *p = line; (p = strstr(p, word)) != NULL; p += length) {
        bool whole = !cw_is_word(*word) ||
                     ((p == line || !cw_is_word(p[-1])) && !cw_is_word(p[length]));
        if (!whole)
            continue;
        found = p - line;
        if (n-- == 1)
            break;
    }
    return found;
}

/* Length of the token at `at`. */
static uint32_t token_length(const cw_unit *unit, uint32_t at)
{
    uint32_t end = at;
    while (end < unit->length && cw_is_word(unit->text[end]))
        end++;
    return end > at ? end - at : 1;
}

static uint32_t written_column(cw_unit *unit, const cw_place *place, uint32_t at, const char *line)
{
    uint32_t length = token_length(unit, at);
    const char *word = cw_strndup(&unit->arena, unit->text + at, length);
    const char *ours = preprocessed_line(unit, place->line_at);
    if (strcmp(ours, line) == 0)
        return place->column;
    unsigned n = 0;
    long last = -1;
    do {
        n++;
        last = find_word(ours, word, length, n);
    } while (last >= 0 && (uint32_t)last + 1 < place->column && n < 1000);
    long found = find_word(line, word, length, n);
    return found >= 0 ? (uint32_t)found + 1 : place->column;
}

void cw_diag(cw_unit *unit, cw_severity severity, uint32_t begin, uint32_t end, const char *hint,
             const char *format, ...)
{
    static const char *const names[] = { "error", "warning", "note" };
    static const char *const colors[] = { "\033[1;31m", "\033[1;35m", "\033[1;36m" };
    FILE *out = unit->options->messages;
    bool color = unit->options->color;
    if (severity == CW_ERROR)
        unit->errors++;

    begin = cw_skip_blank(unit, begin);
    cw_place place = cw_place_of(unit, begin);
    const char *line = written_line(unit, place.file, place.line);
    uint32_t column = place.column;
    if (line == NULL)
        line = preprocessed_line(unit, place.line_at);
    else
        column = written_column(unit, &place, begin, line);

    if (color)
        fprintf(out, "\033[1m%s:%u:%u: %s%s:\033[0m\033[1m ", place.file, place.line, column,
                colors[severity], names[severity]);
    else
        fprintf(out, "%s:%u:%u: %s: ", place.file, place.line, column, names[severity]);
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fprintf(out, "%s\n    %s\n    ", color ? "\033[0m" : "", line);
    for (uint32_t i = 1; i < column && line[i - 1] != '\0'; i++)
        fputc(line[i - 1] == '\t' ? '\t' : ' ', out);
    fputs(color ? "\033[1;32m^" : "^", out);
    uint32_t width = token_length(unit, begin);
    if (end > begin && end - begin < width)
        width = end - begin;
    for (uint32_t i = 1; i < width; i++)
        fputc('~', out);
    fputs(color ? "\033[0m\n" : "\n", out);
    if (hint != NULL)
        fprintf(out, "%s:%u:%u: hint: %s\n", place.file, place.line, column, hint);
}
