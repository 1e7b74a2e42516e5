/* home.c - finds co4's own header and library.
 *
 * Programs under --stress and --infer do not name them. Both are beside the folder of co4weave, in
 * include/ and lib/: of an installed copy, and of a build tree, where include/ is a link to that of
 * the sources. No path of the build is in the program, so an installed tree may be moved. */
#include "command/home.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/complain.h"

/* "…/bin/co4weave" -> "…"; "" if the system does not provide it. */
static const char *home_prefix(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    return path;
}

static char *find_file(const char *folder, const char *name)
{
    cw_buf path = { 0 };
    cw_printf(&path, "%s/%s/%s", home_prefix(), folder, name);
    if (access(path.data, R_OK) != 0)
        cw_buf_free(&path);
    return path.data;
}

char *cw_home_file(const char *folder, const char *name)
{
    char *file = find_file(folder, name);
    if (file == NULL)
        cw_complain("%s is not in %s/%s", name, home_prefix(), folder);
    return file;
}

const char *cw_home_library_or_null(void)
{
    static const char *library;
    if (library == NULL)
        library = find_file(CO4_LIB_FOLDER, "libco4.a");
    if (library == NULL)
        library = find_file("lib", "libco4.a");
    return library;
}

const char *cw_home_library(void)
{
    const char *library = cw_home_library_or_null();
    if (library == NULL)
        cw_complain("libco4.a is not in %s/lib", home_prefix());
    return library;
}

const char *cw_home_library_for(const char *target)
{
    static const char *const folders[][2] = { { CO4_LIB_FOLDER "/co4/", "" },
                                              { "lib/co4/", "" },
                                              { "targets/", "/lib" } };
    char *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof folders / sizeof *folders; i++) {
        cw_buf folder = { 0 };
        cw_printf(&folder, "%s%s%s", folders[i][0], target, folders[i][1]);
        library = find_file(folder.data, "libco4.a");
        cw_buf_free(&folder);
    }
    if (library == NULL)
        cw_complain("there is no libco4.a for %s in %s/lib/co4: build it with cmake/toolchains "
                    "(docs/targets.md), or name it in the command",
                    target, home_prefix());
    return library;
}

/* ---- the library that matches the sanitizer of a linked program ----
 *
 * Purpose: a sanitizer checks only code that was built with it. Beside libco4.a there may be
 * co4/address/libco4.a and co4/thread/libco4.a. A link with -fsanitize= uses one of these instead,
 * whether the command has a path or -lco4. If no such library is installed, the command stays
 * unchanged, and the linker names the missing symbol. */

/* Does a comma-separated list contain this word? */
static bool list_contains(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* "address", "thread", or NULL: the last sanitizer that the words request. */
static const char *sanitizer_of(const cw_argv *words)
{
    static const char *const names[] = { "address", "thread" };
    static const char on[] = "-fsanitize=", off[] = "-fno-sanitize=";
    const char *found = NULL;
    for (size_t i = 0; i < words->count; i++)
        for (size_t k = 0; k < 2; k++) {
            const char *word = words->items[i];
            if (strncmp(word, on, sizeof on - 1) == 0 &&
                list_contains(word + sizeof on - 1, names[k]))
                found = names[k];
            if (strncmp(word, off, sizeof off - 1) == 0 && found == names[k] &&
                (list_contains(word + sizeof off - 1, names[k]) ||
                 list_contains(word + sizeof off - 1, "all")))
                found = NULL;
        }
    return found;
}

/* "FOLDER/co4/SANITIZER" if the library is there, else NULL. The caller frees it. */
static char *find_beside(const char *folder, size_t length, const char *sanitizer)
{
    cw_buf path = { 0 };
    cw_printf(&path, "%.*s/co4/%s/libco4.a", (int)length, folder, sanitizer);
    if (access(path.data, R_OK) != 0) {
        cw_buf_free(&path);
        return NULL;
    }
    path.data[path.length - (sizeof "/libco4.a" - 1)] = '\0';
    return path.data;
}

/* The folder for -lco4: below one of the command's -L folders, else below that of our own
 * library. */
static char *find_searched(const cw_argv *words, const char *sanitizer)
{
    char *found = NULL;
    for (size_t i = 0; i < words->count && found == NULL; i++) {
        const char *word = words->items[i];
        if (strncmp(word, "-L", 2) != 0)
            continue;
        const char *folder = word[2] != '\0'        ? word + 2
                             : i + 1 < words->count ? words->items[i + 1]
                                                    : "";
        found = find_beside(folder, strlen(folder), sanitizer);
    }
    const char *own = found == NULL ? cw_home_library_or_null() : NULL;
    if (own != NULL)
        found = find_beside(own, strlen(own) - (sizeof "/libco4.a" - 1), sanitizer);
    return found;
}

static bool is_path_of_library(const char *word)
{
    static const char name[] = "libco4.a";
    size_t length = strlen(word);
    return length >= sizeof name - 1 && strcmp(word + length - (sizeof name - 1), name) == 0 &&
           (length == sizeof name - 1 || word[length - sizeof name] == '/');
}

/* -lco4 is searched in the order of the folders: ours precedes the first option. */
static void add_folder(cw_argv *words, const char *folder)
{
    cw_argv out = { 0 };
    bool added = false;
    for (size_t i = 0; i < words->count; i++) {
        if (!added && words->items[i][0] == '-') {
            cw_argv_add2(&out, "-L", folder);
            added = true;
        }
        cw_argv_add(&out, words->items[i]);
    }
    cw_argv_free(words);
    *words = out;
}

bool cw_use_sanitized(cw_argv *words)
{
    const char *sanitizer = sanitizer_of(words);
    cw_argv out = { 0 };
    char *below = NULL;
    bool changed = false;
    for (size_t i = 0; sanitizer != NULL && i < words->count; i++) {
        const char *word = words->items[i];
        char *folder = NULL;
        if (strcmp(word, "-lco4") == 0 && below == NULL)
            below = find_searched(words, sanitizer);
        if (is_path_of_library(word)) {
            const char *slash = strrchr(word, '/');
            folder = slash != NULL ? find_beside(word, (size_t)(slash - word), sanitizer)
                                   : find_beside(".", 1, sanitizer);
        }
        cw_argv_add2(&out, folder != NULL ? folder : word, folder != NULL ? "/libco4.a" : "");
        changed |= folder != NULL;
        free(folder);
    }
    if (below != NULL)
        add_folder(&out, below);
    changed |= below != NULL;
    free(below);
    if (changed) {
        cw_argv before = *words;
        *words = out;
        out = before;
    }
    cw_argv_free(&out);
    return changed;
}
