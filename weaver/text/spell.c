/* spell.c - the tokens of C text, and their plain spelling.
 *
 * Purpose: all later readers of a unit's text only skip words, strings and comments. C has further
 * kinds of tokens, and libclang does not read all of them. This file replaces such tokens once,
 * before any other file reads the text.
 *
 * Invariants: a token begins where the previous one ends. Lines stay the same, and columns where
 * possible.
 *
 * Rejected: readers that know digit separators, raw strings and digraphs. There are thirty such
 * readers. */
#include "text/spell.h"

#include <ctype.h>
#include <string.h>

#include "text/unit.h"

/* ---- kinds of tokens ---- */

/* The character that a universal character name at `p` denotes, or 0 if there is none. */
static uint32_t universal(const char *p, size_t *length)
{
    if (p[0] != '\\' || (p[1] != 'u' && p[1] != 'U'))
        return 0;
    size_t digits = p[1] == 'u' ? 4 : 8;
    uint32_t character = 0;
    for (size_t i = 0; i < digits; i++) {
        const char *known = "0123456789abcdef";
        const char *digit = p[2 + i] != '\0' ? strchr(known, tolower((unsigned char)p[2 + i]))
                                             : NULL;
        if (digit == NULL)
            return 0;
        character = character * 16 + (uint32_t)(digit - known);
    }
    *length = 2 + digits;
    return character >= 0x80 && character <= 0x10ffff ? character : 0;
}

static size_t put_utf8(char *out, uint32_t c)
{
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = more; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[more] | c);
    return more + 1;
}

/* The bracket that a digraph at `p` denotes, or 0 if there is none. */
static char digraph(const char *p)
{
    static const char *const pairs[] = { "<%{", "%>}", "<:[", ":>]" };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p[0] == pairs[i][0] && p[1] == pairs[i][1])
            return pairs[i][2];
    return 0;
}

/* Returns the offset after the raw string literal at `at`, which begins with `R"` after an optional
 * prefix; `at` if there is none. */
static size_t skip_raw_string(const char *text, size_t at, size_t length, size_t *open,
                              size_t *delimiter)
{
    size_t p = at;
    if (length - at > 2 && text[p] == 'u' && text[p + 1] == '8')
        p += 2;
    else if (text[p] == 'u' || text[p] == 'U' || text[p] == 'L')
        p++;
    if (p + 1 >= length || text[p] != 'R' || text[p + 1] != '"')
        return at;
    size_t name = p + 2, end = name;
    while (end < length && end - name <= 16 && strchr(" ()\\\t\v\f\n\"", text[end]) == NULL)
        end++;
    if (end >= length || text[end] != '(')
        return at;
    *open = end + 1;
    *delimiter = end - name;
    for (end++; end + *delimiter + 1 < length; end++)
        if (text[end] == ')' && memcmp(text + end + 1, text + name, *delimiter) == 0 &&
            text[end + 1 + *delimiter] == '"')
            return end + *delimiter + 2;
    return at;
}

/* A preprocessing number, as the standard defines it: `1'000`, `.5e+3`, `0x1p-3f`. */
static size_t skip_number(const char *text, size_t at, size_t length)
{
    for (; at < length; at++) {
        char c = text[at];
        if ((c == '+' || c == '-') && strchr("eEpP", text[at - 1]) != NULL)
            continue;
        if (c == '\'' && at + 1 < length && text[at + 1] != '\'' && cw_is_word(text[at + 1]))
            continue;
        if (c != '.' && !cw_is_word(c))
            break;
    }
    return at;
}

static bool begins_number(const char *text, size_t at, size_t length)
{
    return isdigit((unsigned char)text[at]) ||
           (text[at] == '.' && at + 1 < length && isdigit((unsigned char)text[at + 1]));
}

bool cw_begins_comment(const char *text, size_t at, size_t length)
{
    return text[at] == '/' && at + 1 < length && (text[at + 1] == '/' || text[at + 1] == '*');
}

static size_t skip_comment(const char *text, size_t at, size_t length)
{
    if (text[at + 1] == '/') {
        for (; at < length && text[at] != '\n'; at++)
            if (text[at] == '\\' && at + 1 < length)
                at += text[at + 1] == '\r' && at + 2 < length ? 2 : 1;
        return at < length ? at : length;
    }
    for (at += 2; at + 1 < length; at++) {
        const char *star = memchr(text + at, '*', length - at - 1);
        if (star == NULL)
            break;
        at = (size_t)(star - text);
        if (text[at + 1] == '/')
            return at + 2;
    }
    return length;
}

size_t cw_skip_token(const char *text, size_t at, size_t length)
{
    size_t end = at, open, delimiter;
    if (cw_begins_comment(text, at, length))
        return skip_comment(text, at, length);
    if (text[at] == '"' || text[at] == '\'') {
        for (end++; end < length && text[end] != text[at] && text[end] != '\n'; end++)
            if (text[end] == '\\' && end + 1 < length)
                end++;
        return end < length ? end + (text[end] != '\n') : length;
    }
    if (begins_number(text, at, length))
        return skip_number(text, at, length);
    if ((end = skip_raw_string(text, at, length, &open, &delimiter)) > at)
        return end;
    while (end < length && cw_is_word(text[end]))
        end++;
    return end > at ? end : at + 1;
}

bool cw_same_token(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > 0 && b_length > 0 && isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
        size_t i = 0, j = 0;
        for (;; i++, j++) {
            i += i < a_length && a[i] == '\'';
            j += j < b_length && b[j] == '\'';
            if (i >= a_length || j >= b_length)
                return i >= a_length && j >= b_length;
            if (a[i] != b[j])
                return false;
        }
    }
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

/* ---- the plain spelling ---- */

bool cw_says(const char *text, size_t length, const char *word)
{
    size_t wanted = strlen(word);
    for (size_t at = 0, next; at < length; at = next) {
        next = cw_skip_token(text, at, length);
        if (next - at == wanted && memcmp(text + at, word, wanted) == 0)
            return true;
    }
    return false;
}

/* Might the text need another spelling? The answer is only a hint. */
static bool has_other_spellings(const char *text)
{
    static const char *const signs[] = { "\\U", "\\u", "<%", "%>", "<:", ":>", "R\"", "*/" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]) != NULL)
            return true;
    for (const char *quote = text; (quote = strchr(quote, '\'')) != NULL; quote++)
        if (quote > text && isxdigit((unsigned char)quote[-1]) /* 8: also u8'a' */)
            return true;
    return false;
}

/* May the token at `at` be another than a plain one, or begin or end a line? Anything that this
 * denies is written as it is. */
static bool may_differ(const char *text, size_t at, bool fresh)
{
    char c = text[at];
    return fresh || c == '\n' || c == '/' || c == '\\' || c == '<' || c == '%' || c == ':' ||
           c == 'u' || c == 'U' || c == 'L' || c == 'R' || c == '.' || isdigit((unsigned char)c);
}

/* As cw_skip_token(), where may_differ() denies. */
static size_t skip_plain(const char *text, size_t at, size_t length)
{
    if (text[at] == '"' || text[at] == '\'')
        return cw_skip_token(text, at, length);
    size_t end = at;
    while (end < length && cw_is_word(text[end]))
        end++;
    return end > at ? end : at + 1;
}

/* Writes a raw string as one ordinary string a line. libclang 14 reads those, and they contain no
 * unescaped `"`. */
static void put_raw_string(cw_buf *out, const char *text, size_t begin, size_t end, size_t open,
                           size_t delimiter)
{
    size_t quote = begin;
    while (text[quote] != 'R')
        quote++;
    cw_put(out, text + begin, quote - begin);
    cw_puts(out, "\"");
    for (size_t at = open; at < end - delimiter - 2; at++) {
        if (text[at] == '\n')
            cw_puts(out, "\\n\"\n\"");
        else if (text[at] == '\t' || text[at] == '\v' || text[at] == '\f' || text[at] == '\r')
            cw_printf(out, "\\%03o", text[at]);
        else
            cw_printf(out, strchr("\"\\?", text[at]) != NULL ? "\\%c" : "%c", text[at]);
    }
    cw_puts(out, "\"");
}

/* Writes the digits without separators, then blanks in place of these: columns stay the same. */
static void put_number(cw_buf *out, const char *text, size_t begin, size_t end)
{
    size_t separators = 0;
    for (size_t at = begin; at < end; at++) {
        if (text[at] == '\'')
            separators++;
        else
            cw_put(out, text + at, 1);
    }
    while (separators-- > 0)
        cw_puts(out, " ");
}

/* Removes the comments before a '#', which begins a directive: in preprocessed text it is in the
 * first column. */
static void drop_remarks(cw_buf *out, size_t from)
{
    for (size_t i = from; i < out->length; i++)
        if (out->data[i] != '\n')
            out->data[i] = ' ';
    while (out->length > from && out->data[out->length - 1] != '\n')
        out->length--;
}

void cw_spell_plainly(cw_unit *unit)
{
    if (!has_other_spellings(unit->text))
        return;
    const char *text = unit->text;
    cw_buf out = { 0 };
    size_t line = 0, open, delimiter; /* where the line begins in the output */
    /* since the line began: only blanks and comments; comments */
    bool fresh = true, remarked = false;
    for (size_t at = 0, next; at < unit->length; at = next) {
        size_t length;
        if (!may_differ(text, at, fresh)) {
            size_t begin = at;
            do
                at = skip_plain(text, at, unit->length);
            while (at < unit->length && !may_differ(text, at, false));
            cw_put(&out, text + begin, at - begin);
            next = at;
            continue;
        }
        uint32_t character = universal(text + at, &length);
        char bracket = digraph(text + at);
        next = cw_skip_token(text, at, unit->length);
        if (fresh && text[at] == '#') {
            if (remarked)
                drop_remarks(&out, line);
            while (next < unit->length && text[next] != '\n')
                next++;
            cw_put(&out, text + at, next - at);
        } else if (character != 0) {
            char bytes[4];
            cw_put(&out, bytes, put_utf8(bytes, character));
            next = at + length;
        } else if (bracket != 0) {
            cw_printf(&out, "%c ", bracket); /* columns stay the same */
            next = at + 2;
        } else if (strncmp(text + at, "u8'", 3) == 0) {
            /* C23's u8'a', which libclang 14 does not read. Its type is unsigned char. */
            next = cw_skip_token(text, at + 2, unit->length);
            cw_printf(&out, "((unsigned char)%.*s)", (int)(next - at) - 2, text + at + 2);
        } else if (begins_number(text, at, unit->length)) {
            put_number(&out, text, at, next);
        } else if (skip_raw_string(text, at, unit->length, &open, &delimiter) > at) {
            put_raw_string(&out, text, at, next, open, delimiter);
        } else {
            cw_put(&out, text + at, next - at);
        }
        if (text[at] == '\n') {
            fresh = true;
            remarked = false;
            line = out.length;
        } else if (cw_begins_comment(text, at, unit->length)) {
            remarked = true;
        } else if (strchr(" \t\r\f\v", text[at]) == NULL) {
            fresh = false;
        }
    }
    unit->length = (uint32_t)out.length;
    unit->text = cw_take(&unit->arena, &out);
}
