/* patch.c - insertions as a unified diff.
 *
 * File names are relative to the current folder, or to its nearest parent that contains all files:
 * `patch` accepts neither absolute names nor `..`. */
#include "text/patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/names.h"

enum { CONTEXT = 3 };

static char *copy(const char *text)
{
    char *made = strdup(text);
    if (made == NULL)
        abort();
    return made;
}

bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text)
{
    for (size_t i = 0; i < patch->count; i++) {
        const cw_insertion *known = &patch->items[i];
        if (known->line == line && known->column == column && strcmp(known->file, file) == 0 &&
            strcmp(known->text, text) == 0)
            return false;
    }
    cw_insertion *items = realloc(patch->items, (patch->count + 1) * sizeof *items);
    if (items == NULL)
        abort();
    patch->items = items;
    items[patch->count++] = (cw_insertion){ copy(file), line, column, copy(text) };
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

/* ---- the diff ---- */

typedef struct change {
    const char *file; /* relative to the folder of the patch */
    const cw_insertion *what;
} change;

static int by_place(const void *a_, const void *b_)
{
    const change *a = a_, *b = b_;
    int order = strcmp(a->file, b->file);
    if (order != 0)
        return order;
    if (a->what->line != b->what->line)
        return a->what->line < b->what->line ? -1 : 1;
    if (a->what->column != b->what->column)
        return a->what->column < b->what->column ? -1 : 1;
    return strcmp(a->what->text, b->what->text);
}

typedef struct text_lines {
    cw_buf text;
    size_t *at; /* count + 1 offsets */
    size_t count;
} text_lines;

static bool read_lines(const char *name, text_lines *lines)
{
    FILE *file = fopen(name, "rb");
    char bytes[4096];
    size_t got;
    *lines = (text_lines){ 0 };
    if (file == NULL)
        return false;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        cw_put(&lines->text, bytes, got);
    fclose(file);
    lines->at = calloc(lines->text.length + 2, sizeof *lines->at);
    if (lines->at == NULL)
        abort();
    for (size_t i = 0; i < lines->text.length; i++)
        if (lines->text.data[i] == '\n' || i + 1 == lines->text.length)
            lines->at[++lines->count] = i + 1;
    return true;
}

static void put_line(const text_lines *lines, size_t n, char sign, cw_buf *out)
{
    const char *text = lines->text.data + lines->at[n - 1];
    size_t length = lines->at[n] - lines->at[n - 1];
    cw_printf(out, "%c", sign);
    cw_put(out, text, length);
    if (length == 0 || text[length - 1] != '\n')
        cw_puts(out, "\n\\ No newline at end of file\n");
}

static bool is_line(const change *c)
{
    return c->what->text[strlen(c->what->text) - 1] == '\n';
}

/* Writes the changes of one line. Returns the number of lines added. */
static size_t put_changed(const text_lines *lines, const change *changes, size_t count, cw_buf *out)
{
    size_t n = changes[0].what->line, more = 0;
    cw_buf line = { 0 };
    size_t done = 0, length = lines->at[n] - lines->at[n - 1];
    const char *text = lines->text.data + lines->at[n - 1];
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        if (is_line(&changes[i])) {
            cw_printf(out, "+%s", changes[i].what->text);
            more++;
            continue;
        }
        size_t column = changes[i].what->column - 1;
        column = column > length ? length : column;
        cw_put(&line, text + done, column - done);
        cw_puts(&line, changes[i].what->text);
        done = column;
        same = false;
    }
    cw_put(&line, text + done, length - done);
    put_line(lines, n, same ? ' ' : '-', out);
    if (!same) {
        cw_printf(out, "+");
        cw_put(out, line.data, line.length);
        if (line.data[line.length - 1] != '\n')
            cw_puts(out, "\n\\ No newline at end of file\n");
    }
    cw_buf_free(&line);
    return more;
}

/* Writes one hunk: changes whose contexts touch. Returns the number of these changes. */
static size_t put_hunk(const text_lines *lines, const change *changes, size_t count, size_t *shift,
                       cw_buf *out)
{
    size_t used = 1, first = changes[0].what->line, more = 0;
    while (used < count && changes[used].what->line <= changes[used - 1].what->line + 2 * CONTEXT)
        used++;
    size_t last = changes[used - 1].what->line + CONTEXT;
    first = first > CONTEXT ? first - CONTEXT : 1;
    last = last < lines->count ? last : lines->count;
    cw_buf body = { 0 };
    for (size_t n = first, i = 0; n <= last; n++) {
        size_t same_line = i;
        while (same_line < used && changes[same_line].what->line == n)
            same_line++;
        if (same_line > i)
            more += put_changed(lines, changes + i, same_line - i, &body);
        else
            put_line(lines, n, ' ', &body);
        i = same_line;
    }
    size_t length = last - first + 1;
    cw_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", first, length, first + *shift, length + more);
    cw_puts(out, body.data);
    cw_buf_free(&body);
    *shift += more;
    return used;
}

/* Shortens a folder's name until the folder contains the file. Returns the number of levels
 * removed. */
static size_t climb(char *folder, const char *file)
{
    size_t levels = 0;
    for (;; levels++) {
        size_t length = strlen(folder);
        if (strncmp(file, folder, length) == 0 && file[length] == '/')
            return levels;
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            return levels;
        *slash = '\0';
    }
}

size_t cw_patch_write(const cw_patch *patch, cw_buf *out)
{
    change *changes = calloc(patch->count + 1, sizeof *changes);
    char *folder = getcwd(NULL, 0);
    size_t levels = 0;
    if (changes == NULL)
        abort();
    for (size_t i = 0; folder != NULL && i < patch->count; i++)
        levels += climb(folder, patch->items[i].file);
    size_t above = folder != NULL ? strlen(folder) + 1 : 0;
    for (size_t i = 0; i < patch->count; i++)
        changes[i] = (change){ patch->items[i].file + above, &patch->items[i] };
    qsort(changes, patch->count, sizeof *changes, by_place);
    for (size_t i = 0; i < patch->count;) {
        size_t end = i, shift = 0;
        text_lines lines;
        while (end < patch->count && strcmp(changes[end].file, changes[i].file) == 0)
            end++;
        if (read_lines(changes[i].what->file, &lines) &&
            changes[end - 1].what->line <= lines.count) {
            const char *tab = strchr(changes[i].file, ' ') != NULL ? "\t" : "";
            cw_printf(out, "--- %s%s\n+++ %s%s\n", changes[i].file, tab, changes[i].file, tab);
            for (size_t k = i; k < end;)
                k += put_hunk(&lines, changes + k, end - k, &shift, out);
        }
        free(lines.at);
        cw_buf_free(&lines.text);
        i = end;
    }
    free(folder);
    free(changes);
    return levels;
}
