/* loader.c - helpers that need the state of the loader. */
#include "clang/loader.h"

#include <stdbool.h>
#include <stddef.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "base/arena.h"
#include "text/unit.h"
#include "clang/libclang.h"

const char *load_string(loader *l, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = cw_strdup(&l->unit->arena, text != NULL ? text : "");
    clang_disposeString(string);
    return copy;
}

bool load_may_pause(const loader *l)
{
    return l->func != NULL && (l->func->decl->marked || cw_weaves_unmarked(l->unit->options));
}
