/* func.c - questions about a function, and its new locals. */
#include "ast/func.h"

#include <string.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "text/unit.h"

cw_func *cw_func_at(const cw_unit *unit, uint32_t at)
{
    size_t after; /* the first that begins after `at` */
    CW_SEARCH(after, unit->nfuncs, unit->funcs[after]->begin > at);
    return after > 0 && at < unit->funcs[after - 1]->end ? unit->funcs[after - 1] : NULL;
}

const char *cw_local_name(const cw_local *local)
{
    return local->decl != NULL ? local->decl->name : local->name;
}

cw_local *cw_local_new(cw_func *func, const char *name, const cw_type *type)
{
    cw_unit *unit = func->unit;
    cw_local *local = cw_alloc(&unit->arena, sizeof *local);
    local->name = name;
    local->type = type;
    local->index = func->nlocals;
    CW_PUSH(&unit->arena, func->locals, func->nlocals, local);
    return local;
}

size_t cw_first_tag(const cw_func *func, const char *name, size_t length)
{
    size_t i;
    CW_SEARCH(i, func->ntags, strncmp(func->tags[i]->said, name, length) >= 0);
    if (i < func->ntags && strncmp(func->tags[i]->said, name, length) == 0 &&
        func->tags[i]->said[length] == '\0')
        return i;
    return func->ntags;
}
