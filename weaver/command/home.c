/* home.c - finds co4's own header and library.
 *
 * Programs under --stress and --infer do not name them. Both are beside the folder of co4weave, in
 * include/ and lib/: of an installed copy, and of a build tree, where include/ is a link to that of
 * the sources. No path of the build is in the program, so an installed tree may be moved. */
#include "command/home.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
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
