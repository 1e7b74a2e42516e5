/* comments.c - puts the user's comments back into the preprocessed text.
 *
 * Purpose: compilers need comments, for they read "fall through" in one, and so do readers of woven
 * code. But a preprocessor that keeps comments (-C) changes the program. A directive after a
 * comment is no directive, `#x` contains the comment, and `a /x/ ## b` is not a token. So co4weave
 * preprocesses without comments, and restores them here.
 *
 * Invariants: a comment is inserted between two tokens, never into a directive, and the number of
 * lines stays the same. So the program stays the same, wherever a comment is inserted.
 *
 * How: the tokens of a source line are compared with the tokens that the preprocessor made of it.
 * If the lines are equal up to the comment, it follows its predecessor. If they are equal from the
 * comment on, it precedes its successor. A comment of several lines needs as many empty lines. A
 * comment that fits nowhere is dropped. Comments are written in the C90 form, in every dialect.
 *
 * Rejected: -CC, and comments found by libclang, which also reads preprocessed text. */
#include "text/comments.h"

#include <string.h>

#include "text/source_map.h"
#include "text/spell.h"
#include "text/unit.h"

typedef struct remark {
    uint32_t line, last; /* lines in the file, from 1 */
    size_t begin, end;
} remark;

/* The comments of a file, in order, without those inside directives. */
typedef struct remarks {
    const cw_source_file *file;
    remark *items;
    size_t count;
} remarks;

typedef struct token {
    const char *text;
    size_t begin, end;
} token;

typedef struct tokens {
    token *items;
    size_t count;
} tokens;

typedef struct insertion {
    uint32_t at;
    const char *text;
} insertion;

typedef struct work {
    cw_unit *unit;
    remarks *files;
    size_t nfiles;
    const char *last_name; /* of the marker looked up last */
    const remarks *last;
    insertion *insertions;
    size_t ninsertions;
    tokens source, text; /* of one line; the memory is reused */
} work;

/* ---- the comments of a file ---- */

/* Can the comment be written again as it is? It must not contain another beginning or end of a
 * comment. */
static bool is_plain_comment(const char *text, size_t length)
{
    for (size_t i = 2; i + 1 < length; i++)
        if ((text[i] == '/' && text[i + 1] == '*') ||
            (text[i] == '*' && text[i + 1] == '/' && i + 2 < length))
            return false;
    return true;
}

static void find_remarks(cw_unit *unit, remarks *r)
{
    const char *text = r->file->text;
    size_t length = r->file->length, next;
    uint32_t line = 1;
    bool fresh = true, directive = false; /* only blanks and comments since the line began */
    for (size_t at = 0; at < length; at = next) {
        next = cw_skip_token(text, at, length);
        if (cw_begins_comment(text, at, length)) {
            remark found = { line, line, at, next };
            for (size_t i = at; i < next; i++)
                found.last += text[i] == '\n';
            line = found.last;
            if (!directive && is_plain_comment(text + at, next - at) &&
                (text[at + 1] == '*' || found.last == found.line))
                CW_PUSH(&unit->arena, r->items, r->count, found);
            continue;
        }
        if (text[at] == '\n') {
            line++;
            fresh = true;
            directive = false;
        } else if (text[at] == '\\' && at + 1 < length && strchr("\r\n", text[at + 1]) != NULL) {
            next = at + (text[at + 1] == '\r' && text[at + 2] == '\n' ? 3 : 2);
            line++;
        } else if (strchr(" \t\r\f\v", text[at]) == NULL) {
            directive |= fresh && text[at] == '#';
            fresh = false;
            for (size_t i = at; i < next; i++)
                line += text[i] == '\n'; /* of a raw string */
        }
    }
}

static const remarks *remarks_of(work *w, const char *name)
{
    if (w->last_name != NULL && strcmp(w->last_name, name) == 0)
        return w->last;
    const cw_source_file *file = cw_source_file_of(w->unit, cw_file_name(w->unit, name));
    w->last_name = name;
    for (size_t i = 0; i < w->nfiles; i++)
        if (w->files[i].file == file)
            return w->last = &w->files[i];
    remarks fresh = { .file = file };
    find_remarks(w->unit, &fresh);
    CW_PUSH(&w->unit->arena, w->files, w->nfiles, fresh);
    return w->last = &w->files[w->nfiles - 1];
}

/* ---- where they are inserted ---- */

/* Appends the tokens of [begin, end), without comments. */
static void add_tokens(work *w, tokens *list, const char *text, size_t begin, size_t end)
{
    for (size_t at = begin, next; at < end; at = next) {
        next = cw_skip_token(text, at, end);
        if (cw_begins_comment(text, at, end) || strchr(" \t\r\n\f\v\\", text[at]) != NULL)
            continue;
        token t = { text, at, next };
        CW_PUSH(&w->unit->arena, list->items, list->count, t);
    }
}

static bool equal(const token *a, const token *b)
{
    return cw_same_token(a->text + a->begin, a->end - a->begin, b->text + b->begin,
                         b->end - b->begin);
}

/* Counts the tokens that are equal from the front, and from the back. */
static void compare_texts(const tokens *a, const tokens *b, size_t *front, size_t *back)
{
    size_t least = a->count < b->count ? a->count : b->count;
    for (*front = 0; *front < least && equal(&a->items[*front], &b->items[*front]);)
        ++*front;
    for (*back = 0;
         *back < least && equal(&a->items[a->count - 1 - *back], &b->items[b->count - 1 - *back]);)
        ++*back;
}

static void insert(work *w, size_t at, const char *text)
{
    insertion i = { (uint32_t)at, text };
    CW_PUSH(&w->unit->arena, w->insertions, w->ninsertions, i);
}

static bool is_directive(const cw_unit *unit, size_t line)
{
    uint32_t at = unit->lines[line];
    while (unit->text[at] == ' ' || unit->text[at] == '\t')
        at++;
    return unit->text[at] == '#';
}

static uint32_t line_end(const cw_unit *unit, size_t line)
{
    uint32_t at = unit->lines[line + 1];
    while (at > unit->lines[line] && strchr("\r\n", unit->text[at - 1]) != NULL)
        at--;
    return at;
}

static uint32_t first_token(const cw_unit *unit, size_t line)
{
    uint32_t at = unit->lines[line], end = line_end(unit, line);
    while (at < end && strchr(" \t\f\v", unit->text[at]) != NULL)
        at++;
    return at;
}

/* Is this line followed by enough empty lines for a comment of several lines? */
static bool has_room(const cw_unit *unit, size_t line, size_t more)
{
    for (size_t i = 1; i <= more; i++)
        if (line + i + 1 >= unit->nlines || is_directive(unit, line + i) ||
            (i < more && first_token(unit, line + i) < line_end(unit, line + i)))
            return false;
    return true;
}

/* Inserts at the end of a line: after one blank, or with the source's indentation if the line is
 * empty. */
static void append(work *w, const remarks *r, const remark *c, size_t line, const char *text)
{
    cw_unit *unit = w->unit;
    const char *from = r->file->text + r->file->lines[c->line - 1];
    size_t indent = strspn(from, " \t");
    bool alone = first_token(unit, line) == line_end(unit, line);
    if (alone && from + indent == r->file->text + c->begin)
        insert(w, unit->lines[line], cw_format(&unit->arena, "%.*s%s", (int)indent, from, text));
    else
        insert(w, line_end(unit, line), cw_format(&unit->arena, " %s", text));
}

static void insert_lines(work *w, const remarks *r, const remark *c, size_t line)
{
    cw_unit *unit = w->unit;
    const char *text = r->file->text + c->begin, *end = r->file->text + c->end;
    for (size_t i = 0; text < end; i++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline != NULL ? newline : end) - text);
        size_t kept = length - (newline != NULL && length > 0 && text[length - 1] == '\r');
        const char *piece = cw_strndup(&unit->arena, text, kept);
        if (i == 0)
            append(w, r, c, line, piece);
        else
            insert(w, newline != NULL ? line_end(unit, line + i) : first_token(unit, line + i),
                   newline != NULL ? piece : cw_format(&unit->arena, "%s ", piece));
        text += length + 1;
    }
}

static const char *as_c90(cw_unit *unit, const char *text, size_t length)
{
    while (length > 2 && strchr(" \t\r", text[length - 1]) != NULL)
        length--;
    return text[1] == '*' ? cw_strndup(&unit->arena, text, length)
                          : cw_format(&unit->arena, "/*%.*s */", (int)length - 2, text + 2);
}

/* Restores the comments of one source line, which became the lines [from, to] of the text. */
static void restore_line(work *w, const remarks *r, uint32_t line, size_t from, size_t to)
{
    cw_unit *unit = w->unit;
    const cw_source_file *file = r->file;
    size_t at, front, back; /* the first comment that ends on this line or after it */
    CW_SEARCH(at, r->count, r->items[at].last >= line);
    if (at >= r->count || r->items[at].line > line || line > file->nlines)
        return;
    size_t begin = file->lines[line - 1];
    size_t end = line < file->nlines ? file->lines[line] : file->length;
    if (r->items[at].line < line) /* it begins on an earlier line, which restored it */
        begin = r->items[at++].end;
    w->source.count = w->text.count = 0;
    add_tokens(w, &w->source, file->text, begin, end);
    for (size_t i = from; i <= to; i++)
        if (!is_directive(unit, i))
            add_tokens(w, &w->text, unit->text, unit->lines[i], unit->lines[i + 1]);
    compare_texts(&w->source, &w->text, &front, &back);
    for (size_t before = 0; at < r->count && r->items[at].line == line; at++) {
        const remark *c = &r->items[at];
        while (before < w->source.count && w->source.items[before].begin < c->begin)
            before++;
        size_t behind = w->source.count - before;
        if (c->last > line) {
            if (has_room(unit, to, c->last - line))
                insert_lines(w, r, c, to);
            continue;
        }
        const char *text = as_c90(unit, file->text + c->begin, c->end - c->begin);
        if (before > 0 && before <= front)
            insert(w, w->text.items[before - 1].end, cw_format(&unit->arena, " %s", text));
        else if (behind > 0 && behind <= back)
            insert(w, w->text.items[w->text.count - behind].begin,
                   cw_format(&unit->arena, "%s ", text));
        else if (behind == 0 || w->text.count == 0)
            append(w, r, c, to, text);
    }
}

static void apply(work *w)
{
    cw_unit *unit = w->unit;
    cw_buf out = { 0 };
    uint32_t at = 0;
    for (size_t i = 0; i < w->ninsertions; i++) {
        if (w->insertions[i].at < at)
            continue;
        cw_put(&out, unit->text + at, w->insertions[i].at - at);
        cw_puts(&out, w->insertions[i].text);
        at = w->insertions[i].at;
    }
    cw_put(&out, unit->text + at, unit->length - at);
    unit->length = (uint32_t)out.length;
    unit->text = cw_take(&unit->arena, &out);
}

void cw_restore_comments(cw_unit *unit)
{
    work w = { .unit = unit };
    for (size_t i = 0, next; i + 1 < unit->nlines; i = next) {
        next = i + 1;
        cw_place place = cw_place_of(unit, unit->lines[i]);
        if (place.system || *place.file == '<' || is_directive(unit, i))
            continue;
        size_t last = i;
        for (; next + 1 < unit->nlines; next++) { /* markers may split a line */
            if (is_directive(unit, next))
                continue;
            cw_place other = cw_place_of(unit, unit->lines[next]);
            if (other.line != place.line || strcmp(other.file, place.file) != 0)
                break;
            last = next;
        }
        next = last + 1;
        restore_line(&w, remarks_of(&w, place.file), place.line, i, last);
    }
    if (w.ninsertions > 0) {
        apply(&w);
        cw_lines_scan(unit);
    }
}
