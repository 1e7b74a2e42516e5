/* async_js.c - --auto: the functions of EM_ASYNC_JS(), of Emscripten.
 *
 * Their JavaScript begins an operation, and with Asyncify the call unwinds the stack until it is
 * done. Here the call returns at once, and leaves a promise: C waits for it in a call of its own,
 * which is a root. In preprocessed text such a function is known by the name of its import, which
 * its declaration has; only calls by its own name are changed. */
#include "text/async_js.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "base/names.h"
#include "text/text.h"

static const char import[] = "import_name(\"__asyncjs__";
static const char declarations[] =
    "int co4__js_settle(int); double co4__js_settle_double(double);\n";

typedef enum result { VOID, NUMBER, REAL } result;

typedef struct async {
    const char *name, *type; /* in the text */
    size_t length, type_length;
    const char *declared; /* its name in the declaration */
    result result;
} async;

typedef struct list {
    async *items;
    size_t count;
    cw_names names; /* each with its index */
} list;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool has_word(const char *at, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(at + i, word, n) == 0 && (i == 0 || !cw_is_word(at[i - 1])) &&
            (i + n == length || !cw_is_word(at[i + n])))
            return true;
    return false;
}

/* The function whose declaration has the import at `found`. Returns false if that is no declaration
 * as EM_ASYNC_JS() makes it. */
static bool read_declaration(const char *text, const char *found, async *a)
{
    const char *name = found + sizeof import - 1, *at = found, *begin;
    a->name = name;
    a->length = strcspn(name, "\"");
    while (at > text && *at != ';' && *at != '}' && *at != '{')
        at--; /* the statement begins behind this; lines of markers are no part of it */
    at += at > text;
    for (const char *line; (line = memchr(at, '\n', (size_t)(found - at))) != NULL;)
        at = line + 1;
    while (is_blank(*at))
        at++;
    for (begin = at; at < found; at++)
        if (strncmp(at, name, a->length) == 0 && (at == begin || !cw_is_word(at[-1])) &&
            !cw_is_word(at[a->length]))
            break;
    if (at >= found)
        return false;
    a->declared = at;
    a->type = begin;
    a->type_length = (size_t)(at - begin);
    bool pointer = memchr(begin, '*', a->type_length) != NULL;
    a->result = pointer                                   ? NUMBER
                : has_word(begin, a->type_length, "void") ? VOID
                : has_word(begin, a->type_length, "double") ||
                        has_word(begin, a->type_length, "float") ||
                        has_word(begin, a->type_length, "int64_t") ||
                        has_word(begin, a->type_length, "long long")
                    ? REAL
                    : NUMBER;
    return a->length > 0;
}

static list find_all(const char *text)
{
    list all = { 0 };
    for (const char *at = text; (at = strstr(at, import)) != NULL; at++) {
        async a = { 0 };
        if (!read_declaration(text, at, &a))
            continue;
        cw_names_add(&all.names, a.name, a.length)->number = (unsigned)all.count;
        CW_ADD(all.items, all.count, a);
    }
    return all;
}

static const async *find_async(const list *all, const char *word, size_t length)
{
    const cw_name *found = cw_names_find(&all->names, word, length);
    return found != NULL ? &all->items[found->number] : NULL;
}

/* Behind a string or a character. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    for (; *at != '\0' && *at != quote; at++)
        if (*at == '\\' && at[1] != '\0')
            at++;
    return *at != '\0' ? at + 1 : at;
}

/* A call that has begun: which, and how many parentheses were open before it. */
typedef struct call {
    const async *callee;
    size_t depth;
} call;

typedef struct copying {
    const list *all;
    cw_buf *out;
    call *calls; /* the innermost is the last */
    size_t ncalls, depth, braces;
    char before; /* the last character that is no blank */
} copying;

/* Copies a word, and begins a call if it is one. Returns what is behind. */
static const char *copy_word(copying *c, const char *at)
{
    const char *begin = at;
    while (cw_is_word(*at))
        at++;
    const async *a = find_async(c->all, begin, (size_t)(at - begin));
    const char *open = at;
    while (a != NULL && is_blank(*open))
        open++;
    bool is_use = a != NULL && a->declared != begin && c->braces > 0 && c->before != '.' &&
                  c->before != '>';
    if (is_use && *open != '(')
        fprintf(stderr,
                "co4weave: warning: '%.*s' of EM_ASYNC_JS() is used by a pointer: calls by it do "
                "not wait\n",
                (int)a->length, a->name);
    if (is_use && *open == '(') {
        call begun = { a, c->depth };
        CW_ADD(c->calls, c->ncalls, begun);
        cw_puts(c->out, "(");
        if (a->result != VOID)
            cw_printf(c->out, "(%.*s)co4__js_settle%s((%s)", (int)a->type_length, a->type,
                      a->result == REAL ? "_double" : "", a->result == REAL ? "double" : "int");
    }
    cw_put(c->out, begin, (size_t)(at - begin));
    return at;
}

static void copy_parenthesis(copying *c, char which)
{
    cw_put(c->out, &which, 1);
    if (which == '(') {
        c->depth++;
        return;
    }
    c->depth -= c->depth > 0;
    while (c->ncalls > 0 && c->calls[c->ncalls - 1].depth == c->depth) {
        const async *a = c->calls[--c->ncalls].callee;
        cw_puts(c->out, a->result == VOID ? ", (void)co4__js_settle(0))" : "))");
    }
}

static void copy_text(const list *all, const cw_buf *text, cw_buf *out)
{
    copying c = { .all = all, .out = out };
    for (const char *at = text->data, *end = at + text->length; at < end;) {
        const char *begin = at;
        if (cw_is_word(*at)) {
            at = copy_word(&c, at);
            c.before = at[-1];
            continue;
        }
        c.before = is_blank(*at) ? c.before : *at;
        c.braces += *at == '{';
        c.braces -= *at == '}' && c.braces > 0;
        if (*at == '(' || *at == ')') {
            copy_parenthesis(&c, *at++);
            continue;
        }
        at = *at == '"' || *at == '\'' ? skip_quoted(at) : at + 1;
        cw_put(out, begin, (size_t)(at - begin));
    }
    free(c.calls);
}

void cw_settle_async_js(cw_buf *text)
{
    if (text->data == NULL || strstr(text->data, import) == NULL)
        return;
    list all = find_all(text->data);
    cw_buf out = { 0 };
    cw_puts(&out, declarations);
    copy_text(&all, text, &out);
    cw_buf before = *text;
    *text = out;
    cw_buf_free(&before);
    cw_names_free(&all.names);
    free(all.items);
}
