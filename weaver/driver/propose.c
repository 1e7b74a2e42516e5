/* propose.c - --infer: prints the missing marks, and leaves the files unchanged.
 *
 * Purpose: files of one command share headers, so a mark that one file needs there may require more
 * in another. All files are examined again until no more marks are found: first for declarations
 * that stay plain, then for marks. Only the last round prints diagnostics. It sees the sources with
 * the patch applied, and reports the remaining errors.
 *
 * diff writes the patch. Its file names are relative to the current folder, or to its nearest
 * parent that contains all files: `patch` accepts neither absolute names nor `..`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/complain.h"
#include "command/files.h"
#include "command/process.h"
#include "driver/weave.h"

static int look_at_all(const cw_settings *settings, const cw_command *command)
{
    int status = CW_EXIT_DONE;
    for (size_t i = 0; i < command->nsources; i++) {
        cw_woven woven;
        cw_source_weave(settings, command, i, &woven);
        if (woven.outcome != CW_NOTHING && status == CW_EXIT_DONE)
            status = woven.status;
        cw_woven_free(&woven);
    }
    return status;
}

/* Appends the difference that the insertions make to their file, which the patch calls `name`. */
static bool put_diff(const cw_insertion *items, size_t count, const char *name, cw_buf *out)
{
    cw_buf text = { 0 }, changed = { 0 }, label = { 0 }, messages = { 0 };
    cw_temp temp = { 0 };
    const char *path = NULL;
    int status = -1;
    if (cw_file_read(items->file, &text) && cw_patch_apply(items, count, &text, &changed))
        path = cw_temp_file(&temp, "changed", changed.data, changed.length);
    if (path != NULL) {
        /* patch takes a name with blanks up to a tab */
        cw_printf(&label, "%s%s", name, strchr(name, ' ') != NULL ? "\t" : "");
        cw_argv words = { 0 };
        cw_argv_add_all(&words, "diff", "-u", "-L", label.data, "-L", label.data, items->file, path,
                        CW_ARGV_END);
        status = cw_run_words(&words, out, &messages);
        if (status > 1)
            cw_complain("diff: %s", messages.data != NULL ? messages.data : "failed");
    }
    cw_temp_remove(&temp);
    cw_buf_free(&text);
    cw_buf_free(&changed);
    cw_buf_free(&label);
    cw_buf_free(&messages);
    return status == 1;
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

/* Appends the whole patch. *levels: how many levels up the folder is to which its names are
 * relative. */
static bool put_patch(cw_patch *patch, cw_buf *out, size_t *levels)
{
    char *folder = getcwd(NULL, 0);
    bool done = true;
    *levels = 0;
    for (size_t i = 0; folder != NULL && i < patch->count; i++)
        *levels += climb(folder, patch->items[i].file);
    size_t above = folder != NULL ? strlen(folder) + 1 : 0;
    cw_patch_sort(patch);
    for (size_t i = 0, end; i < patch->count; i = end) {
        const cw_insertion *first = &patch->items[i];
        for (end = i; end < patch->count && strcmp(patch->items[end].file, first->file) == 0;)
            end++;
        done = put_diff(first, end - i, first->file + above, out) && done;
    }
    free(folder);
    return done;
}

int cw_propose(const cw_settings *settings, const cw_command *command)
{
    cw_patch patch = { 0 };
    cw_buf text = { 0 };
    cw_settings round = *settings;
    size_t before, levels;
    round.options.infer = &patch;
    round.options.quiet = true;
    patch.collecting = true;
    do {
        before = patch.kept.count;
        look_at_all(&round, command);
    } while (patch.kept.count > before);
    patch.collecting = false;
    do {
        before = patch.count;
        look_at_all(&round, command);
    } while (patch.count > before);
    round.options.quiet = false;
    int status = look_at_all(&round, command);
    if (!put_patch(&patch, &text, &levels))
        status = CW_EXIT_REFUSED;
    const char *output = settings->output != NULL && !settings->wraps ? settings->output : "-";
    if (text.length > 0 && !cw_file_write(output, text.data, text.length))
        status = CW_EXIT_REFUSED;
    if (levels > 0) {
        fputs("co4weave: not all of these files are below this folder: patch -d ", stderr);
        for (size_t i = 0; i < levels; i++)
            fputs(i > 0 ? "/.." : "..", stderr);
        fputs(" -p0\n", stderr);
    }
    if (text.length == 0 && status == CW_EXIT_DONE)
        fputs("co4weave: no marks are missing\n", stderr);
    cw_buf_free(&text);
    cw_patch_free(&patch);
    return status;
}
