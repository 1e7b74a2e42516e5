/* thread_locals.c - --auto: thread-locals of which each task has its own copy.
 *
 * In:  the loaded tree; the plan of the unit, which names them.
 * Out: `of_task` of their declarations; the emitter writes their uses as co4_abi_local() (abi.h),
 *      in all functions of the unit. For a function whose body libclang cannot read: the words in
 *      it that name thread-locals, by the text alone. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

static void choose(const cw_unit *unit, cw_decl *const *decls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        decls[i]->of_task = decls[i]->thread_local_ &&
                            cw_plan_has(unit->options->plan, CW_PLAN_LOCAL,
                                        decls[i]->has_linkage ? decls[i]->name : "*");
}

/* What the word before a name says: that of a declaration, of a member, or of a use. */
typedef enum use { USE, MEMBER, DECLARATION } use;

static use use_at(const cw_unit *unit, uint32_t begin, uint32_t at)
{
    static const char before_uses[] = "return sizeof else case do goto __extension__ typeof "
                                      "__typeof__ __typeof alignof _Alignof __alignof__";
    while (at > begin && strchr(" \t\n*", unit->text[at - 1]) != NULL)
        at--;
    if (at > begin &&
        (unit->text[at - 1] == '.' || (unit->text[at - 1] == '>' && unit->text[at - 2] == '-')))
        return MEMBER;
    uint32_t end = at;
    while (at > begin && cw_is_word(unit->text[at - 1]))
        at--;
    bool name = at < end && strchr("0123456789", unit->text[at]) == NULL;
    return name && !cw_lists(before_uses, unit->text + at, end - at) ? DECLARATION : USE;
}

/* A name that the body also declares may mean either. */
static void look_at_text(cw_unit *unit, const cw_names *names, cw_func *func)
{
    for (uint32_t at, end = func->begin; cw_next_word(unit, &at, &end, func->end);) {
        const cw_name *found = cw_names_find(names, unit->text + at, end - at);
        use how = found == NULL        ? MEMBER
                  : at < func->body_at ? DECLARATION /* a parameter */
                                       : use_at(unit, func->body_at, at);
        if (how == MEMBER)
            continue;
        cw_decl *decl = unit->decls[found->number];
        if (how == DECLARATION) {
            if (decl->of_task)
                cw_diag_warn(unit, CW_W_SHARED_STATE, at, "move it to a function of its own",
                             "co4weave cannot read '%s', in which '%s' may be the thread-local or "
                             "another variable: here it is the thread's, not the task's",
                             func->decl->name, decl->name);
            func->nnamed_locals = 0;
            return;
        }
        cw_named_local named = { at, decl };
        CW_PUSH(&unit->arena, func->named_locals, func->nnamed_locals, named);
    }
}

void cw_find_locals_of_tasks(cw_unit *unit)
{
    cw_names names = { 0 };
    choose(unit, unit->decls, unit->ndecls);
    for (size_t i = 0; i < unit->ndecls; i++)
        if (unit->decls[i]->thread_local_)
            cw_names_add(&names, unit->decls[i]->name, strlen(unit->decls[i]->name))->number =
                (unsigned)i;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        choose(unit, unit->funcs[i]->declared, unit->funcs[i]->ndeclared);
        if (unit->funcs[i]->unread)
            look_at_text(unit, &names, unit->funcs[i]);
    }
    cw_names_free(&names);
}
