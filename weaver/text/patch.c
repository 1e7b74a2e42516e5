/* patch.c - insertions into files, and texts with their insertions made. */
#include "text/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bug.h"

bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text)
{
    for (size_t i = 0; i < patch->count; i++) {
        const cw_insertion *known = &patch->items[i];
        if (known->line == line && known->column == column && strcmp(known->file, file) == 0 &&
            strcmp(known->text, text) == 0)
            return false;
    }
    cw_insertion new = { cw_must(strdup(file)), line, column, cw_must(strdup(text)) };
    CW_ADD(patch->items, patch->count, new);
    return true;
}

void cw_patch_define(cw_patch *patch, const char *file, uint32_t line, const char *text)
{
    for (size_t i = 0; i < patch->count; i++) {
        cw_insertion *known = &patch->items[i];
        if (strcmp(known->text, text) == 0 && strcmp(known->file, file) == 0) {
            known->line = known->line < line ? known->line : line;
            return;
        }
    }
    cw_patch_add(patch, file, line, 1, text);
}

/* A declaration that stays plain, as one key. */
static char *kept_name(const char *file, uint32_t line, const char *name)
{
    cw_buf buf = { 0 };
    cw_printf(&buf, "%u %s %s", line, name, file);
    return buf.data;
}

void cw_patch_keep(cw_patch *patch, const char *file, uint32_t line, const char *name)
{
    char *key = kept_name(file, line, name);
    if (cw_names_add(&patch->kept, key, strlen(key))->text != key)
        free(key); /* it was already known */
}

bool cw_patch_keeps(const cw_patch *patch, const char *file, uint32_t line, const char *name)
{
    char *key = kept_name(file, line, name);
    bool keeps = cw_names_find(&patch->kept, key, strlen(key)) != NULL;
    free(key);
    return keeps;
}

void cw_patch_free(cw_patch *patch)
{
    for (size_t i = 0; i < patch->kept.room; i++)
        free((char *)patch->kept.items[i].text);
    cw_names_free(&patch->kept);
    for (size_t i = 0; i < patch->count; i++) {
        free(patch->items[i].file);
        free(patch->items[i].text);
    }
    free(patch->items);
    *patch = (cw_patch){ 0 };
}

/* ---- texts with their insertions ---- */

static bool is_line(const cw_insertion *what)
{
    return what->text[strlen(what->text) - 1] == '\n';
}

static int by_place(const void *a_, const void *b_)
{
    const cw_insertion *a = a_, *b = b_;
    int order = strcmp(a->file, b->file);
    if (order != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (is_line(a) != is_line(b))
        return is_line(a) ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return strcmp(a->text, b->text);
}

void cw_patch_sort(cw_patch *patch)
{
    if (patch->count > 0)
        qsort(patch->items, patch->count, sizeof *patch->items, by_place);
}

bool cw_patch_apply(const cw_insertion *items, size_t count, const cw_buf *text, cw_buf *out)
{
    size_t used = 0, line = 1;
    for (size_t begin = 0; begin < text->length; line++) {
        const char *newline = memchr(text->data + begin, '\n', text->length - begin);
        size_t end = newline != NULL ? (size_t)(newline - text->data) + 1 : text->length;
        size_t done = begin;
        for (; used < count && items[used].line == line; used++) {
            size_t at = begin + items[used].column - 1;
            at = at < end ? at : end;
            cw_put(out, text->data + done, at - done);
            cw_puts(out, items[used].text);
            done = at;
        }
        cw_put(out, text->data + done, end - done);
        begin = end;
    }
    return used == count;
}
