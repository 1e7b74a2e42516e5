/* home.c - finds co4's own header and library.
 *
 * Programs under --stress and --infer do not name them. Both are beside the folder of co4weave, in
 * include/ and lib/: of an installed copy, and of a build tree, where include/ is a link to that of
 * the sources. No path of the build is in the program, so an installed tree may be moved. */
#include "command/home.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/complain.h"

/* "…/bin/co4weave" -> "…"; "" if the system does not provide it. */
static const char *prefix(void)
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

static char *found(const char *folder, const char *name)
{
    static char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0 ? strdup(path) : NULL;
}

char *cw_home_header(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "include/co4/%s", name);
    char *file = found(prefix(), path);
    if (file == NULL)
        cw_complain("co4/%s is not in %s/include", name, prefix());
    return file;
}

const char *cw_home_library_or_null(void)
{
    static const char *library;
    if (library == NULL)
        library = found(prefix(), CO4_LIB_FOLDER "/libco4.a");
    if (library == NULL)
        library = found(prefix(), "lib/libco4.a");
    return library;
}

const char *cw_home_library(void)
{
    const char *library = cw_home_library_or_null();
    if (library == NULL)
        cw_complain("libco4.a is not in %s/lib", prefix());
    return library;
}
