/* prescan.c - decides by the words of the text whether a unit needs weaving.
 *
 * Purpose: most units that include co4.h use nothing pausable. A parse by libclang costs more than
 * most compilers need for the whole unit. So this scan of the text comes first.
 *
 * Each file that includes co4.h contains marks: those of the functions that co4.h declares. A unit
 * uses nothing pausable if four conditions hold:
 *
 * - no marked declaration has a body or an initializer;
 * - no name that a marked declaration declares occurs outside marked declarations;
 * - the text uses no entry point;
 * - it calls no function of co4 that it does not declare (passes/library_calls.c refuses that).
 *
 * The scan errs in one direction only: a name that merely looks like a use costs a needless
 * parse. */
#include <string.h>

#include "base/names.h"
#include "text/unit.h"

/* Adds the names that a marked declaration may declare. Returns false if the declaration has a body
 * or an initializer, or if no name is recognised. */
static bool add_names(const cw_unit *unit, uint32_t at, cw_names *names)
{
    /* words of C's types: before the brackets of a pointer to a function they are no name */
    static const char type_words[] =
        "void char short int long float double unsigned const signed _Bool bool";
    bool any = false;
    for (uint32_t end; at < unit->length && unit->text[at] != ';'; at = end) {
        if (unit->text[at] == '{' || unit->text[at] == '=')
            return false;
        end = cw_skip_word(unit, at);
        if (end == at) {
            end = cw_skip_unit(unit, at);
            continue;
        }
        uint32_t next = cw_skip_blank(unit, end);
        bool closes = unit->text[next] == ')' && unit->text[cw_skip_blank(unit, next + 1)] == '(';
        bool reserved = end - at > 2 && memcmp(unit->text + at, "__", 2) == 0; /* __attribute__ */
        if (reserved || cw_lists(type_words, unit->text + at, end - at) ||
            !(unit->text[next] == '(' || unit->text[next] == '[' || closes))
            continue;
        cw_names_add(names, unit->text + at, end - at);
        any = true;
    }
    return any;
}

/* Does the text after the name of an entry point's marker belong to its declaration in mark.h? */
static bool is_declaration(const char *text)
{
    static const char *const lists[] = { "(void);", "(void) {", "(int call);",
                                         "(struct co4_runtime *rt, int call);" };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strncmp(text, lists[i], strlen(lists[i])) == 0)
            return true;
    return false;
}

/* The state of the scan outside marked declarations. */
typedef struct outside {
    int depth;     /* nesting of braces */
    bool assigned; /* a '=' since the last ';' */
    uint32_t name; /* the end of the last word, if it may be a function's name */
} outside;

/* Does the group at `at` contain the parameters of a function without a body? Such parameters need
 * no look: a pausable argument has a name, which occurs elsewhere in the text. The function's
 * result does need one. */
static bool are_parameters(const cw_unit *unit, const outside *o, uint32_t at)
{
    if (o->depth != 0 || o->assigned || o->name == 0 || cw_skip_blank(unit, o->name) != at)
        return false;
    at = cw_skip_blank(unit, cw_skip_group(unit, at));
    while (at + 1 < unit->length && memcmp(unit->text + at, "__", 2) == 0) { /* __attribute__ */
        at = cw_skip_blank(unit, cw_skip_word(unit, at));
        if (at < unit->length && unit->text[at] == '(')
            at = cw_skip_blank(unit, cw_skip_group(unit, at));
    }
    return at < unit->length && unit->text[at] == ';';
}

/* Returns the offset after the text at `at` that is not a word. */
static uint32_t skip_other(const cw_unit *unit, outside *o, uint32_t at)
{
    switch (unit->text[at]) {
    case '(':
        return are_parameters(unit, o, at) ? cw_skip_group(unit, at) : at + 1;
    case '{':
        o->depth++;
        break;
    case '}':
        o->depth--;
        break;
    case '=':
        o->assigned = true;
        break;
    case ';':
        o->assigned = false;
        break;
    default:
        break;
    }
    return cw_skip_unit(unit, at);
}

/* Does the text use one of the names, or an entry point? */
static bool is_mentioned(const cw_unit *unit, const cw_names *names)
{
    static const char entry[] = "co4_weave_"; /* mark.h */
    size_t mark = 0;
    bool declares = false; /* from a mark to the semicolon */
    outside o = { 0, false, 0 };
    for (uint32_t at = 0, end; at < unit->length; at = end) {
        for (; mark < unit->nmarks && unit->marks[mark].end <= at; mark++)
            declares = true;
        if (unit->text[at] == ';')
            declares = false;
        end = cw_skip_word(unit, at);
        if (end == at) {
            end = skip_other(unit, &o, at);
            continue;
        }
        const char *text = unit->text + at;
        o.name = end - at > 2 && memcmp(text, "__", 2) == 0 ? 0 : end;
        if (strncmp(text, entry, sizeof entry - 1) == 0 && !is_declaration(unit->text + end))
            return true;
        if (!declares && cw_names_find(names, text, end - at) != NULL)
            return true;
    }
    return false;
}

/* Is a function of co4 called, in some brackets, that no text outside of brackets names before? */
static bool calls_undeclared(const cw_unit *unit)
{
    static const char ours[] = "co4_";
    cw_names seen = { 0 };
    bool found = false;
    unsigned depth = 0;
    for (uint32_t at = 0, end; at < unit->length && !found; at = end) {
        const char *text = unit->text + at;
        end = cw_skip_word(unit, at);
        if (end == at) {
            depth += *text == '{' ? 1 : *text == '}' && depth > 0 ? -1U : 0;
            end = cw_skip_unit(unit, at);
        } else if (strncmp(text, ours, sizeof ours - 1) == 0) {
            if (depth == 0)
                cw_names_add(&seen, text, end - at);
            else
                found = unit->text[cw_skip_blank(unit, end)] == '(' &&
                        cw_names_find(&seen, text, end - at) == NULL;
        }
    }
    cw_names_free(&seen);
    return found;
}

bool cw_prescan(const cw_unit *unit)
{
    cw_names names = { 0 };
    bool found = false;
    for (size_t i = 0; i < unit->nmarks && !found; i++)
        found = !add_names(unit, unit->marks[i].end, &names);
    found = found || (names.count > 0 && is_mentioned(unit, &names)) || calls_undeclared(unit);
    cw_names_free(&names);
    return found;
}

bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end)
{
    static const char entry[] = "co4_weave_";
    cw_names names = { 0 };
    bool found = false;
    for (size_t i = 0; i < unit->nmarks && !found; i++) {
        size_t before = names.count;
        bool understood = add_names(unit, unit->marks[i].end, &names);
        found = !understood && names.count == before && unit->marks[i].end < end &&
                unit->marks[i].end > begin; /* a marked declaration that is not understood */
    }
    for (uint32_t at = begin, next; at < end && !found; at = next) {
        next = cw_skip_word(unit, at);
        if (next == at) {
            next = cw_skip_unit(unit, at);
            continue;
        }
        const char *text = unit->text + at;
        found = strncmp(text, entry, sizeof entry - 1) == 0 ||
                cw_names_find(&names, text, next - at) != NULL;
    }
    cw_names_free(&names);
    return found;
}
