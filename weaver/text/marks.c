/* marks.c - finds the marks in the text: the attributes to which mark.h's words expand. */
#include <string.h>

#include "text/unit.h"

/* `pausable` and the other words of mark.h expand to an attribute that begins like this. It is not
 * `__attribute__`, because glibc defines that as empty for compilers it does not know. */
static const char attribute[] = "__attribute((annotate(\"co4_pausable";

/* Finds the marks in the preprocessor's output. Strings and comments, which may quote marks, are
 * skipped. */
void cw_find_marks(cw_unit *unit)
{
    unit->nmarks = 0;
    for (uint32_t at = 0; at < unit->length;) {
        /* a mark, or a string, a comment or a directive, which may quote one */
        at += (uint32_t)strcspn(unit->text + at, "_\"'/#");
        if (at >= unit->length)
            break;
        if (unit->text[at] == '_' &&
            strncmp(unit->text + at, attribute, sizeof attribute - 1) == 0) {
            cw_mark_at mark = { at, cw_skip_group(unit, at + sizeof "__attribute" - 1) };
            CW_PUSH(&unit->arena, unit->marks, unit->nmarks, mark);
        }
        at = cw_skip_unit(unit, at);
    }
}

size_t cw_first_mark(const cw_unit *unit, uint32_t at)
{
    size_t first;
    CW_SEARCH(first, unit->nmarks, unit->marks[first].begin >= at);
    return first;
}

bool cw_has_mark(const cw_unit *unit, uint32_t begin, uint32_t end)
{
    size_t first = cw_first_mark(unit, begin);
    return first < unit->nmarks && unit->marks[first].begin < end;
}

static const cw_mark_at *last_mark_before(const cw_unit *unit, uint32_t at)
{
    size_t after = cw_first_mark(unit, at);
    return after > 0 ? &unit->marks[after - 1] : NULL;
}

/* Offset of the `[[…]]` that ends before `at`, or `at` if there is none. */
static uint32_t before_square(const cw_unit *unit, uint32_t at)
{
    uint32_t begin = at;
    if (at < 2 || unit->text[at - 1] != ']')
        return at;
    for (int depth = 0; begin > 0;) {
        char c = unit->text[--begin];
        if (c == '"')
            while (begin > 0 && (unit->text[--begin] != '"' || unit->text[begin - 1] == '\\'))
                ;
        depth += c == ']';
        depth -= c == '[';
        if (depth == 0)
            break;
        if (c == ';' || c == '{' || c == '}')
            return at;
    }
    return unit->text[cw_skip_blank(unit, begin + 1)] == '[' ? begin : at;
}

/* Offset at which the marks and attributes of a declaration begin. libclang may leave them out of
 * its extent. */
uint32_t cw_with_marks(const cw_unit *unit, uint32_t begin)
{
    for (;;) {
        uint32_t at = begin;
        while (at > 0 && strchr(" \t\n", unit->text[at - 1]) != NULL)
            at--;
        uint32_t square = before_square(unit, at);
        const cw_mark_at *before = last_mark_before(unit, at);
        if (square < at)
            begin = square;
        else if (before != NULL && before->end == at)
            begin = before->begin;
        else
            return begin;
    }
}
