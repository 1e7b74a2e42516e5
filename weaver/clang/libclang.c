/* libclang.c - finds libclang and its functions when the first unit is parsed. */
#include "clang/libclang.h"

#include <dlfcn.h>

load_libclang_functions load_libclang;

/* Opens the file that was found when co4weave was built, else tries the names by which the system
 * knows that release. */
static void *find(const char **why)
{
    static const char *const paths[] = { CO4_LIBCLANG_PATHS };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        void *library = dlopen(paths[i], RTLD_LAZY | RTLD_LOCAL);
        if (library != NULL)
            return library;
        *why = dlerror();
    }
    return NULL;
}

bool load_libclang_open(const char **why)
{
    static bool open;
    if (open)
        return true;
    void *library = find(why);
    if (library == NULL)
        return false;
#define X(name)                                                                                    \
    *(void **)&load_libclang.name##_ = dlsym(library, #name);                                      \
    if (load_libclang.name##_ == NULL) {                                                           \
        *why = dlerror();                                                                          \
        return false;                                                                              \
    }
    LOAD_LIBCLANG_FUNCTIONS(X)
#undef X
    open = true;
    return true;
}
