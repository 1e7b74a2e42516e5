/* library.c - --auto: the library of co4 that a link takes.
 *
 * Elsewhere than on Linux the library replaces fewer calls. What it has says its archive, so no
 * list of ours can differ from it. */
#include "auto/library.h"

#include <stdlib.h>
#include <string.h>

#include "auto/archive.h"
#include "command/complain.h"
#include "command/files.h"
#include "command/home.h"
#include "command/process.h"

/* "emscripten", or "wasm32-wasi" of wasm32-unknown-wasi; empty if the compiler does not say. */
static cw_buf target_of(const cw_command *command)
{
    cw_argv ask = { 0 };
    cw_buf out = { 0 }, err = { 0 }, name = { 0 };
    cw_command_ask_target(command, &ask);
    if (cw_run_words(&ask, &out, &err) == 0 && out.length > 1) {
        out.data[strcspn(out.data, "\r\n")] = '\0';
        const char *first = strchr(out.data, '-'), *last = strrchr(out.data, '-');
        if (strstr(out.data, "emscripten") != NULL)
            cw_puts(&name, "emscripten");
        else if (first != NULL)
            cw_printf(&name, "%.*s%s", (int)(first - out.data), out.data, last);
    }
    cw_buf_free(&out);
    cw_buf_free(&err);
    return name;
}

static const char *find(const cw_command *command)
{
    const char *path = cw_command_library(command);
    if (path != NULL)
        return path;
    cw_buf target = target_of(command);
    if (target.data == NULL)
        cw_complain("the compiler does not say its target, so no library of co4 can be chosen: "
                    "name its libco4.a");
    else
        path = cw_home_library_for(target.data);
    cw_buf_free(&target);
    return path;
}

static void add_name(void *to, const char *name, size_t length)
{
    cw_names_add(to, name, length);
}

bool cw_library_read(cw_library *library, const cw_command *command)
{
    library->path = find(command);
    if (library->path == NULL || !cw_file_read(library->path, &library->bytes))
        return false;
    cw_archive_names(library->bytes.data, library->bytes.length, add_name, &library->has);
    if (library->has.count > 0)
        return true;
    cw_complain("'%s' is no archive with a table of symbols", library->path);
    return false;
}

static bool has(const cw_library *library, const char *before, const char *name, const char *after)
{
    cw_buf symbol = { 0 };
    cw_printf(&symbol, "%s%s%s", before, name, after);
    bool found = cw_names_find(&library->has, symbol.data, symbol.length) != NULL;
    cw_buf_free(&symbol);
    return found;
}

void cw_library_limit(const cw_library *library, cw_plan *roots)
{
    size_t kept = 0;
    for (size_t i = 0; i < roots->count && library->has.count > 0; i++) {
        cw_plan_line *line = &roots->lines[i];
        bool ours = line->instead != NULL && strncmp(line->instead, "co4_", 4) == 0;
        bool lacks = line->word == CW_PLAN_WRAP ? !has(library, "__wrap_", line->name, "")
                                                : ours && !has(library, "", line->instead, "__co4");
        if (lacks && line->word == CW_PLAN_ROOT && line->through == NULL && line->hint != NULL)
            *line = (cw_plan_line){ CW_PLAN_WARN, line->name, NULL, NULL, line->hint };
        else if (lacks)
            continue;
        roots->lines[kept++] = *line;
    }
    if (library->has.count > 0)
        roots->count = kept;
    cw_plan_sort(roots);
}

void cw_library_free(cw_library *library)
{
    cw_names_free(&library->has);
    cw_buf_free(&library->bytes);
}
