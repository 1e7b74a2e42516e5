/* mentions.c - decides by the texts of a source and its headers whether it uses anything marked.
 *
 * Purpose: a header of co4 marks functions, so a source that includes one has marks. Most such
 * sources of a program use none of these functions. prescan.c finds that out in preprocessed text;
 * this file does it in the texts themselves, without a preprocessor.
 *
 * Invariants: errs in one direction only. Both sides of each condition count, but C++'s. A macro is
 * *tainted* if its text has a mark, a marked name or another tainted macro; also if it has `##`, if
 * any of these names is made of words of the texts. The source uses something marked if a tainted
 * macro or a marked name is outside macros and marked declarations, or if a marked declaration has
 * a body or a macro in it. Whatever is not understood counts as a use: braces that conditions or
 * macros leave open, strings over several lines, names that the system's macros paste. */
#define _GNU_SOURCE /* memmem */
#include "driver/mentions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/names.h"
#include "text/marks.h"
#include "text/prescan.h"
#include "text/spell.h"
#include "text/text.h"
#include "text/unit.h"

static const char mark[] = "co4_pausable"; /* the attribute's text, in mark.h */
static const char entry[] = "co4_weave_";

typedef struct definition {
    const char *name, *body;
    size_t name_length, length;
    bool marks, enters, pastes; /* its text has the mark, an entry point, `##` */
} definition;

enum { MARK = 1, TAINTED = 2 }; /* of a name */

typedef struct reader {
    cw_unit unit; /* its text: all texts without comments and directives */
    cw_buf text;
    definition *definitions;
    size_t ndefinitions;
    cw_names macros;  /* all that are defined */
    cw_names tainted; /* MARK or TAINTED */
    bool pastes;      /* macros with ## are tainted */
    bool odd;         /* something is not understood */
} reader;

/* ---- texts ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
    while (at < end && is_blank(text[at]))
        at++;
    return at;
}

static size_t skip_name(const char *text, size_t at, size_t end)
{
    while (at < end && cw_is_word(text[at]))
        at++;
    return at;
}

static bool is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* The offset after the string or character at `at`. One that its line does not end, or whose prefix
 * is no prefix but a part of a number, is not understood. */
static size_t skip_quoted(reader *r, const char *text, size_t at, size_t end)
{
    char quote = text[at];
    size_t first = at;
    while (first > 0 && cw_is_word(text[first - 1]))
        first--;
    bool prefix = is(text + first, at - first, "L") || is(text + first, at - first, "u") ||
                  is(text + first, at - first, "U") || is(text + first, at - first, "u8");
    r->odd |= first < at && !prefix; /* also a raw string */
    for (at++; at < end && text[at] != quote && text[at] != '\n'; at++)
        at += text[at] == '\\';
    r->odd |= at >= end || text[at] != quote;
    return at < end ? at + 1 : end;
}

/* Counts the braces that a piece of text without comments leaves open. */
static int open_braces(reader *r, const char *text, size_t length)
{
    int open = 0;
    for (size_t at = 0; at < length; at++) {
        char c = text[at];
        open += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (c == '"' || c == '\'')
            at = skip_quoted(r, text, at, length) - 1;
    }
    return open;
}

static void define(reader *r, const char *text, size_t length)
{
    size_t name = skip_name(text, 0, length), at = name;
    if (at < length && text[at] == '(')
        while (at < length && text[at++] != ')')
            ;
    const char *body = text + at;
    length -= at;
    definition d = { .name = text, .body = body, .name_length = name, .length = length };
    d.marks = memmem(body, length, mark, sizeof mark - 1) != NULL;
    d.enters = memmem(body, length, entry, sizeof entry - 1) != NULL;
    d.pastes = memmem(body, length, "##", 2) != NULL;
    r->odd |= name == 0 || open_braces(r, d.body, d.length) != 0;
    cw_names_add(&r->macros, text, name);
    CW_PUSH(&r->unit.arena, r->definitions, r->ndefinitions, d);
}

/* A comment is a blank. A string ends with its line: in directives, and in what a condition leaves
 * out, it may be odd. */
static char *without_comments(reader *r, const cw_buf *text, size_t *length)
{
    const char *from = text->data;
    size_t end = text->length, to = 0;
    char *clean = cw_alloc(&r->unit.arena, end + 1);
    for (size_t at = 0; at < end;) {
        char c = from[at];
        size_t next = at + 1;
        if (c == '/' && cw_begins_comment(from, at, end)) {
            at = cw_skip_token(from, at, end);
            clean[to++] = ' ';
            continue;
        }
        if (c == '"' || c == '\'') {
            while (next < end && from[next] != '\n' && from[next] != c)
                next += from[next] == '\\' ? 2 : 1;
            next = next < end ? next + (from[next] == c) : end;
        }
        memcpy(clean + to, from + at, next - at);
        to += next - at;
        at = next;
    }
    clean[to] = '\0';
    *length = to;
    r->odd |= memmem(clean, to, "CONCAT", 6) != NULL;
    return clean;
}

/* Is it the condition `__cplusplus`, in one of its usual forms? */
static bool is_cpp(const char *word, size_t length, const char *rest, size_t rest_length)
{
    static const char name[] = "__cplusplus";
    if (!is(word, length, "ifdef") && !is(word, length, "if"))
        return false;
    if (is(word, length, "if")) {
        static const char defined[] = "defined";
        size_t at = sizeof defined - 1;
        if (rest_length < at || memcmp(rest, defined, at) != 0)
            return false;
        at += skip_blanks(rest + at, 0, rest_length - at);
        at += at < rest_length && rest[at] == '(';
        if (rest_length - at < sizeof name - 1 || memcmp(rest + at, name, sizeof name - 1) != 0)
            return false;
        at += sizeof name - 1;
        return at == rest_length || rest[at] == ')' || is_blank(rest[at]);
    }
    return rest_length >= sizeof name - 1 && memcmp(rest, name, sizeof name - 1) == 0;
}

typedef struct condition {
    int open;   /* braces, where it begins */
    bool skips; /* this side is C++'s */
} condition;

enum { MOST_CONDITIONS = 64 };

typedef struct place {
    condition conditions[MOST_CONDITIONS];
    size_t nconditions;
    int open;
    bool skips;
} place;

static void read_directive(reader *r, place *p, const char *line, size_t length)
{
    size_t begin = skip_blanks(line, 1, length), end = skip_name(line, begin, length);
    const char *word = line + begin;
    size_t word_length = end - begin, rest = skip_blanks(line, end, length);
    while (length > rest && is_blank(line[length - 1]))
        length--;
    bool begins = is(word, word_length, "if") || is(word, word_length, "ifdef") ||
                  is(word, word_length, "ifndef");
    bool ends = is(word, word_length, "endif");
    if (begins) {
        if (p->nconditions == MOST_CONDITIONS) {
            r->odd = true;
            return;
        }
        p->conditions[p->nconditions++] = (condition){ p->open, p->skips };
        p->skips |= is_cpp(word, word_length, line + rest, length - rest);
    } else if (ends || is(word, word_length, "else") || is(word, word_length, "elif") ||
               is(word, word_length, "elifdef") || is(word, word_length, "elifndef")) {
        if (p->nconditions == 0) {
            r->odd = true;
            return;
        }
        const condition *c = &p->conditions[p->nconditions - 1];
        r->odd |= p->open != c->open;
        p->skips = c->skips;
        p->nconditions -= ends;
    } else if (is(word, word_length, "define") && !p->skips) {
        define(r, line + rest, length - rest);
    }
}

static void read_text(reader *r, const cw_buf *text)
{
    size_t length = 0;
    place p = { .nconditions = 0 };
    const char *clean = without_comments(r, text, &length);
    for (size_t at = 0, end; at < length && !r->odd; at = end + 1) {
        const char *newline = memchr(clean + at, '\n', length - at);
        end = newline != NULL ? (size_t)(newline - clean) : length;
        size_t first = skip_blanks(clean, at, end);
        if (first < end && clean[first] == '#') {
            read_directive(r, &p, clean + first, end - first);
        } else if (!p.skips) {
            p.open += open_braces(r, clean + at, end - at);
            r->odd |= p.open < 0;
            cw_put(&r->text, clean + at, end - at);
            cw_puts(&r->text, "\n");
        }
    }
    r->odd |= p.open != 0 || p.nconditions != 0;
    cw_puts(&r->text, ";\n");
}

/* ---- macros --------------------------------------------------------------------------------- */

static unsigned taint_of(const reader *r, const char *word, size_t length)
{
    const cw_name *name = cw_names_find(&r->tainted, word, length);
    return name != NULL ? name->number : 0;
}

/* Is the text one mark, perhaps with arguments? */
static bool is_one_mark(const reader *r, const char *text, size_t length)
{
    size_t at = skip_blanks(text, 0, length), end = skip_name(text, at, length);
    if (taint_of(r, text + at, end - at) != MARK)
        return false;
    while (end < length &&
           (text[end] == '(' || text[end] == ')' || cw_is_word(text[end]) || is_blank(text[end])))
        end++;
    return end == length;
}

static unsigned taint_of_body(const reader *r, const definition *d)
{
    if (d->marks || is_one_mark(r, d->body, d->length))
        return MARK;
    if ((r->pastes && d->pastes) || d->enters)
        return TAINTED;
    for (size_t at = 0, next; at < d->length; at = next) {
        next = cw_skip_token(d->body, at, d->length);
        if (cw_is_word(d->body[at]) && taint_of(r, d->body + at, next - at) != 0)
            return TAINTED;
    }
    return 0;
}

/* Taints macros until nothing changes: a mark stays one. */
static void taint_macros(reader *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < r->ndefinitions; i++) {
            const definition *d = &r->definitions[i];
            unsigned old = taint_of(r, d->name, d->name_length);
            if (old == MARK)
                continue;
            unsigned taint = taint_of_body(r, d);
            if (taint == 0 || taint == old)
                continue;
            cw_names_add(&r->tainted, d->name, d->name_length)->number = taint;
            changed = true;
        }
    }
}

/* Is the word a macro, but no mark, and no function's name that is a macro for calls of itself? */
static bool is_other_macro(const reader *r, const char *word, size_t length)
{
    if (cw_names_find(&r->macros, word, length) == NULL || taint_of(r, word, length) == MARK)
        return false;
    for (size_t i = 0; i < r->ndefinitions; i++) {
        const definition *d = &r->definitions[i];
        if (d->name_length == length && memcmp(d->name, word, length) == 0 &&
            memmem(d->body, d->length, word, length) != NULL)
            return false;
    }
    return true;
}

/* Finds the marks in the text. A declaration that has another macro may declare anything. */
static void find_marks(reader *r)
{
    cw_unit *unit = &r->unit;
    for (uint32_t at = 0, end; at < unit->length; at = end) {
        end = cw_skip_word(unit, at);
        if (end == at) {
            end = cw_skip_unit(unit, at);
            continue;
        }
        if (taint_of(r, unit->text + at, end - at) != MARK)
            continue;
        cw_mark_at found = { .begin = at, .end = end };
        CW_PUSH(&unit->arena, unit->marks, unit->nmarks, found);
        for (uint32_t in = end, next; in < unit->length && unit->text[in] != ';'; in = next) {
            next = cw_skip_word(unit, in);
            r->odd |= next > in && is_other_macro(r, unit->text + in, next - in);
            next = next > in ? next : cw_skip_unit(unit, in);
        }
    }
}

/* ---- pasted names --------------------------------------------------------------------------- */

static void add_words(cw_names *words, const char *text, size_t length)
{
    for (size_t at = 0, end; at<length; at = end> at ? end : at + 1) {
        end = skip_name(text, at, length);
        if (end > at)
            cw_names_add(words, text + at, end - at);
    }
}

/* Is the name made of at least two of the words? `least`: 2, or 1 for the rest of a name. */
static bool is_made_of(const cw_names *words, const char *name, size_t length, int least)
{
    for (size_t first = 1; first <= length; first++) {
        if (cw_names_find(words, name, first) == NULL)
            continue;
        if (first == length ? least == 1 : is_made_of(words, name + first, length - first, 1))
            return true;
    }
    return false;
}

/* Is the word a parameter of the macro? */
static bool is_parameter(const definition *d, const char *word, size_t length)
{
    for (size_t at = d->name_length, end; d->name + at<d->body; at = end> at ? end : at + 1) {
        end = skip_name(d->name, at, (size_t)(d->body - d->name));
        if (end - at == length && memcmp(d->name + at, word, length) == 0)
            return true;
    }
    return length == sizeof "__VA_ARGS__" - 1 && memcmp(word, "__VA_ARGS__", length) == 0;
}

/* Adds the fixed operands of each `##`. Returns false if one has only parameters: it may paste
 * anything. */
static bool add_fixed(const definition *d, cw_names *fixed)
{
    const char *end = d->body + d->length;
    for (const char *at = d->body; (at = memmem(at, (size_t)(end - at), "##", 2)) != NULL;
         at += 2) {
        const char *last = at, *next = at + 2;
        while (last > d->body && is_blank(last[-1]))
            last--;
        const char *first = last;
        while (first > d->body && cw_is_word(first[-1]))
            first--;
        next += skip_blanks(next, 0, (size_t)(end - next));
        size_t length = skip_name(next, 0, (size_t)(end - next));
        bool left = first < last && !is_parameter(d, first, (size_t)(last - first));
        bool right = length > 0 && !is_parameter(d, next, length);
        if (left)
            cw_names_add(fixed, first, (size_t)(last - first));
        if (right)
            cw_names_add(fixed, next, length);
        if (!left && !right)
            return false;
    }
    return true;
}

typedef struct pastes {
    cw_names words, fixed;
    bool any; /* a macro pastes two parameters */
} pastes;

/* Is the name made of words, and has one of the fixed operands in it? */
static bool is_pasted(const pastes *p, const char *name, size_t length)
{
    bool has_fixed = p->any;
    for (size_t i = 0; !has_fixed && i < p->fixed.room; i++)
        has_fixed = p->fixed.items[i].text != NULL &&
                    memmem(name, length, p->fixed.items[i].text, p->fixed.items[i].length) != NULL;
    return has_fixed && is_made_of(&p->words, name, length, 2);
}

/* Can a macro paste a marked name, a tainted macro, an entry point or the mark? */
static bool can_be_pasted(const reader *r, const cw_names *names)
{
    static const char *const others[] = { "co4_pausable", "co4_pausable_or_plain",
                                          "co4_pausable_max" };
    const cw_names *const sets[] = { names, &r->tainted };
    pastes p = { .any = false };
    bool can = false;
    add_words(&p.words, r->text.data, r->text.length);
    for (size_t i = 0; i < r->ndefinitions; i++) {
        add_words(&p.words, r->definitions[i].body, r->definitions[i].length);
        if (r->definitions[i].pastes)
            p.any |= !add_fixed(&r->definitions[i], &p.fixed);
    }
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        for (size_t i = 0; !can && i < sets[k]->room; i++)
            can = sets[k]->items[i].text != NULL &&
                  is_pasted(&p, sets[k]->items[i].text, sets[k]->items[i].length);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        can = can || is_pasted(&p, others[k], strlen(others[k]));
    for (size_t i = 0; !can && i < p.words.room; i++) { /* all entry points are among the words */
        const cw_name *word = &p.words.items[i];
        can = word->text != NULL && word->length > sizeof entry - 1 &&
              memcmp(word->text, entry, sizeof entry - 1) == 0 &&
              is_pasted(&p, word->text, word->length);
    }
    cw_names_free(&p.words);
    cw_names_free(&p.fixed);
    return can;
}

/* ---- all of it ------------------------------------------------------------------------------ */

bool cw_may_mention_marks(const cw_buf *texts, size_t count, const char *const *defines,
                          size_t ndefines)
{
    reader r = { .odd = false };
    cw_names names = { 0 };
    for (size_t i = 0; i < ndefines; i++) {
        char *copy = cw_strdup(&r.unit.arena, defines[i]);
        char *equals = strchr(copy, '=');
        if (equals != NULL)
            *equals = ' ';
        define(&r, copy, strlen(copy));
    }
    for (size_t i = 0; i < count && !r.odd; i++)
        read_text(&r, &texts[i]);
    r.unit.text = r.text.data != NULL ? r.text.data : "";
    r.unit.length = (uint32_t)r.text.length;
    r.odd |= memmem(r.unit.text, r.unit.length, mark, sizeof mark - 1) != NULL;
    if (!r.odd) {
        taint_macros(&r);
        find_marks(&r);
    }
    bool found = r.odd || !cw_prescan_names(&r.unit, &names);
    for (size_t i = 0; !found && i < names.room; i++)
        if (names.items[i].text != NULL &&
            taint_of(&r, names.items[i].text, names.items[i].length) == 0)
            cw_names_add(&r.tainted, names.items[i].text, names.items[i].length)->number = TAINTED;
    if (!found) {
        taint_macros(&r);
        r.pastes = can_be_pasted(&r, &names);
        if (r.pastes)
            taint_macros(&r);
        for (size_t i = 0; i < r.tainted.room; i++)
            if (r.tainted.items[i].text != NULL && r.tainted.items[i].number == TAINTED)
                cw_names_add(&names, r.tainted.items[i].text, r.tainted.items[i].length);
        found = cw_prescan_mentions(&r.unit, &names);
    }
    cw_names_free(&names);
    cw_names_free(&r.macros);
    cw_names_free(&r.tainted);
    cw_buf_free(&r.text);
    cw_arena_free(&r.unit.arena);
    return found;
}
