/* decl.c - where a declaration is in the text. */
#include "ast/decl.h"

#include <string.h>

#include "ast/type.h"
#include "base/names.h"
#include "text/unit.h"

const char cw_pushed_handler[] = "co4_abi_run_handler";

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

/* Offset after the name in a declarator. Without a name it is after the stars of the innermost
 * "(*". */
static uint32_t past_name(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one)
{
    if (*decl->name != '\0')
        return one->name_at + (uint32_t)strlen(decl->name);
    uint32_t at = one->begin;
    while (at < one->end &&
           !(unit->text[at] == '(' && unit->text[cw_skip_blank(unit, at + 1)] == '*'))
        at = cw_skip_unit(unit, at);
    while (at < one->end && (unit->text[at] == '*' || unit->text[at] == '('))
        at = cw_skip_blank(unit, at + 1);
    return at;
}

uint32_t cw_parameter_list(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one)
{
    static const char labels[] = "asm __asm __asm__";
    uint32_t at = cw_skip_blank(unit, past_name(unit, decl, one));
    while (at < unit->length && unit->text[at] != '(') {
        uint32_t end = cw_skip_word(unit, at), open = cw_skip_blank(unit, end);
        if (unit->text[at] == ')')
            at++;
        else if (unit->text[at] == '[') /* a length, or an attribute of C23 */
            at = cw_skip_group(unit, at);
        else if (end == at || cw_lists(labels, unit->text + at, end - at))
            return 0;
        else if (strncmp(unit->text + at, "__attribute", 11) == 0 && unit->text[open] == '(')
            at = cw_skip_group(unit, open);
        else /* a qualifier */
            at = end;
        at = cw_skip_blank(unit, at);
    }
    return at < unit->length ? at : 0;
}

bool cw_is_without_prototype(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one)
{
    const cw_type *type = cw_type_bare(one->type);
    uint32_t open = cw_parameter_list(unit, decl, one);
    if (!type->prototyped)
        return true;
    return open != 0 && (type->nparams > 0 || type->variadic) &&
           unit->text[cw_skip_blank(unit, open + 1)] == ')';
}

bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one)
{
    return one->type != NULL && one->type->kind == CW_T_TYPEDEF &&
           cw_parameter_list(unit, decl, one) == 0;
}
