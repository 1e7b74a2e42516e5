/* label.c - labels, by position. */
#include "clang/label.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "base/arena.h"
#include "base/names.h"
#include "text/text.h"
#include "text/unit.h"
#include "clang/cursor.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* The label at an offset. Names do not identify labels: blocks may declare labels of their own
 * (GNU). */
cw_decl *load_label_at(loader *l, uint32_t at)
{
    cw_unit *unit = l->unit;
    uint32_t end = cw_skip_word(unit, at);
    const cw_name *known = cw_names_find(&l->labels, (const char *)&at, sizeof at);
    if (known != NULL)
        return l->func->declared[known->number];
    cw_decl *decl = cw_alloc(&unit->arena, sizeof *decl);
    decl->kind = CW_D_LABEL;
    decl->name = cw_strndup(&unit->arena, unit->text + at, end - at);
    decl->begin = at;
    decl->local = true;
    cw_names_add(&l->labels, (const char *)&decl->begin, sizeof decl->begin)->number =
        (unsigned)l->func->ndeclared;
    CW_PUSH(&unit->arena, l->func->declared, l->func->ndeclared, decl);
    return decl;
}

cw_decl *load_label(loader *l, CXCursor jump)
{
    load_cursors kids = load_children(jump);
    uint32_t at = 0;
    for (size_t i = 0; i < kids.count; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_LabelRef)
            at = load_offset(clang_getCursorLocation(clang_getCursorReferenced(kids.items[i])));
    free(kids.items);
    return load_label_at(l, at);
}
