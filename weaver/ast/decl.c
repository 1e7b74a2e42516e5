/* decl.c - where a declaration is in the text. */
#include "ast/decl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/type.h"
#include "text/text.h"
#include "text/unit.h"

bool cw_decl_is_ours(const cw_decl *decl)
{
    return strncmp(decl->name, "co4_", 4) == 0;
}

uint32_t cw_definition_of(const cw_decl *decl)
{
    for (size_t i = 0; i < decl->nredecls; i++)
        if (decl->redecls[i].definition)
            return decl->redecls[i].name_at;
    return decl->name_at;
}

bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one)
{
    uint32_t at = cw_skip_blank(unit, one->name_at + (uint32_t)strlen(decl->name));
    while (unit->text[at] == ')')
        at = cw_skip_blank(unit, at + 1);
    return one->type != NULL && one->type->kind == CW_T_TYPEDEF && unit->text[at] != '(';
}
