/* plan.c - reads plans of --auto. */
#include "base/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"

static const char *const words[] = {
    [CW_PLAN_PAUSES] = "pauses", [CW_PLAN_POINTERS] = "pointers", [CW_PLAN_ADDRESS] = "address",
    [CW_PLAN_THROWS] = "throws", [CW_PLAN_BOTH] = "both",         [CW_PLAN_ONE_TASK] = "one-task",
    [CW_PLAN_LOCAL] = "local",   [CW_PLAN_YIELDS] = "yields",     [CW_PLAN_ROOT] = "root",
    [CW_PLAN_WARN] = "warn",     [CW_PLAN_WRAP] = "wrap",         [CW_PLAN_POINT] = "point",
    [CW_PLAN_HINT] = "hint",     [CW_PLAN_DECIDE] = "decide",
};
enum { NWORDS = sizeof words / sizeof *words };

static int compare(const void *one, const void *other)
{
    const cw_plan_line *a = one, *b = other;
    return a->word != b->word ? (a->word < b->word ? -1 : 1) : strcmp(a->name, b->name);
}

/* The next name of a line, which ends with a NUL then; NULL if there is none. */
static char *next_name(char **at)
{
    char *begin = *at + strspn(*at, " \t");
    size_t length = strcspn(begin, " \t\r");
    *at = begin + length + (begin[length] != '\0');
    begin[length] = '\0';
    return length > 0 ? begin : NULL;
}

static bool read_line(cw_plan_line *line, char *at, const char **hint)
{
    const char *word = next_name(&at);
    size_t i = 0;
    while (i < NWORDS && (word == NULL || strcmp(word, words[i]) != 0))
        i++;
    if (i == CW_PLAN_HINT) {
        *hint = *at != '\0' ? at : NULL;
        return true;
    }
    *line = (cw_plan_line){ .word = (cw_plan_word)i, .name = next_name(&at), .hint = *hint };
    bool replaces = i == CW_PLAN_ROOT || i == CW_PLAN_POINT;
    if (replaces)
        line->instead = next_name(&at);
    if (i == CW_PLAN_ROOT)
        line->through = next_name(&at);
    return i < NWORDS && line->name != NULL && (!replaces || line->instead != NULL) &&
           next_name(&at) == NULL;
}

void cw_plan_sort(cw_plan *plan)
{
    qsort(plan->lines, plan->count, sizeof *plan->lines, compare);
}

bool cw_plan_read(cw_plan *plan, const char *file, char *text)
{
    size_t room = 1;
    for (const char *c = text; *c != '\0'; c++)
        room += *c == '\n';
    *plan = (cw_plan){ text, cw_must(calloc(room, sizeof *plan->lines)), 0 };
    unsigned number = 0;
    const char *hint = NULL;
    for (char *at = text, *next; at != NULL; at = next) {
        next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        number++;
        if (at[strspn(at, " \t\r")] == '\0' || *at == '#')
            continue;
        cw_plan_line *line = &plan->lines[plan->count];
        if (!read_line(line, at, &hint)) {
            fprintf(stderr, "co4weave: %s:%u: not a line of a plan\n", file, number);
            return false;
        }
        plan->count += line->name != NULL;
    }
    cw_plan_sort(plan);
    return true;
}

void cw_plan_free(cw_plan *plan)
{
    free(plan->lines);
    free(plan->text);
    *plan = (cw_plan){ 0 };
}

static const cw_plan_line *find(const cw_plan *plan, cw_plan_word word, const char *name)
{
    const cw_plan_line key = { .word = word, .name = name };
    return plan == NULL || plan->count == 0
               ? NULL
               : bsearch(&key, plan->lines, plan->count, sizeof key, compare);
}

bool cw_plan_has(const cw_plan *plan, cw_plan_word word, const char *name)
{
    return find(plan, word, name) != NULL;
}

const cw_plan_line *cw_plan_root(const cw_plan *plan, const char *name)
{
    return find(plan, CW_PLAN_ROOT, name);
}

const char *cw_plan_hint(const cw_plan *plan, const char *name)
{
    const cw_plan_line *line = find(plan, CW_PLAN_ROOT, name);
    if (line == NULL)
        line = find(plan, CW_PLAN_WARN, name);
    return line != NULL ? line->hint : NULL;
}
