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
                                        decls[i]->has_linkage ? decls[i]->symbol : "*");
}

/* What stands around a name says: that of a member, tag or label, of a declaration, or of a use. */
typedef enum use { USE, MEMBER, DECLARATION } use;

/* Text before a name: its last word, if it ends with one, and what comes before that. */
typedef struct before {
    uint32_t begin, end; /* the same, if it ends with something else */
    char last;           /* its last character; 0: there is none */
} before;

static uint32_t skip_back(const cw_unit *unit, uint32_t begin, uint32_t at, const char *what)
{
    while (at > begin && strchr(what, unit->text[at - 1]) != NULL)
        at--;
    return at;
}

static before before_name(const cw_unit *unit, uint32_t begin, uint32_t at)
{
    before b = { at, at, at > begin ? unit->text[at - 1] : '\0' };
    while (b.begin > begin && cw_is_word(unit->text[b.begin - 1]))
        b.begin--;
    return b;
}

static bool is_word_of(const cw_unit *unit, before b, const char *list)
{
    return cw_lists(list, unit->text + b.begin, b.end - b.begin);
}

/* The place of the bracket that belongs to the one before `at`; `begin` if there is none. */
static uint32_t opening_of(const cw_unit *unit, uint32_t begin, uint32_t at)
{
    for (int depth = 0; at > begin; at--) {
        depth += strchr(")]}", unit->text[at - 1]) != NULL;
        depth -= strchr("([{", unit->text[at - 1]) != NULL;
        if (depth == 0)
            return at - 1;
    }
    return begin;
}

static bool is_type_word(const cw_unit *unit, before b)
{
    static const char words[] =
        "void char short int long float double signed unsigned _Bool _Complex __int128 const "
        "volatile restrict __const __volatile__ __restrict __restrict__ __auto_type auto register "
        "static extern _Thread_local __thread struct union enum typedef";
    return is_word_of(unit, b, words) || cw_is_typeof(unit->text + b.begin, b.end - b.begin);
}

static bool is_name(const cw_unit *unit, before b)
{
    static const char others[] = "return sizeof else case do goto __extension__ alignof _Alignof "
                                 "__alignof__ if while for switch";
    return b.begin < b.end && strchr("0123456789", unit->text[b.begin]) == NULL &&
           !is_word_of(unit, b, others);
}

/* Does a comma before `at` stand in a declaration, outside of brackets? */
static bool is_in_declaration(const cw_unit *unit, uint32_t begin, uint32_t at)
{
    for (; at > begin; at--) {
        char c = unit->text[at - 1];
        before b = before_name(unit, begin, skip_back(unit, begin, at - 1, " \t\n"));
        if (c == '(' || c == '[' || (c == '{' && b.last != '\0' && strchr("=,({", b.last) != NULL))
            return false; /* of a call, or an initializer */
        if (c == ';' || c == '{' || (c == '}' && unit->text[cw_skip_blank(unit, at)] != ','))
            break;
        if (c == ')' || c == ']' || c == '}')
            at = opening_of(unit, begin, at) + 1;
    }
    uint32_t first = cw_skip_blank(unit, at), end = cw_skip_word(unit, first);
    before b = { first, end, ' ' };
    return is_type_word(unit, b) ||
           (is_name(unit, b) && cw_is_word(unit->text[cw_skip_blank(unit, end)]));
}

/* Of `word *name`: is that a declaration, and no product? A statement that begins so is none. */
static bool declares_pointer(const cw_unit *unit, uint32_t begin, before word)
{
    before b = before_name(unit, begin, skip_back(unit, begin, word.begin, " \t\n"));
    if (is_type_word(unit, word) || is_name(unit, b))
        return true;
    if (b.last == '(') { /* of a for, or a function's own parameter */
        before f = before_name(unit, begin, skip_back(unit, begin, b.end - 1, " \t\n"));
        before g = before_name(unit, begin, skip_back(unit, begin, f.begin, " \t\n*"));
        return is_word_of(unit, f, "for") || (f.begin < f.end && is_name(unit, g));
    }
    return b.last == '\0' || strchr(";{}", b.last) != NULL;
}

static use use_at(const cw_unit *unit, uint32_t begin, uint32_t at, uint32_t end)
{
    bool is_pointer = unit->text[skip_back(unit, begin, at, " \t\n") - 1] == '*';
    before b = before_name(unit, begin, skip_back(unit, begin, at, " \t\n*"));
    if (b.last == '.' || (b.last == '>' && unit->text[b.end - 2] == '-') ||
        is_word_of(unit, b, "goto struct union enum"))
        return MEMBER;
    if (unit->text[cw_skip_blank(unit, end)] == ':' && !is_pointer) {
        if (strchr(";{}:", b.last) != NULL || is_word_of(unit, b, "else do"))
            return MEMBER; /* a label, or GNU's designator */
        if (b.last == ',')
            return DECLARATION; /* perhaps that */
    }
    if (b.last == ')') {
        uint32_t open = opening_of(unit, begin, b.end);
        before f = before_name(unit, begin, skip_back(unit, begin, open, " \t\n"));
        return cw_is_typeof(unit->text + f.begin, f.end - f.begin) ? DECLARATION : USE;
    }
    if (b.last == ',')
        return is_in_declaration(unit, begin, b.end - 1) ? DECLARATION : USE;
    if (!is_name(unit, b))
        return USE;
    return !is_pointer || declares_pointer(unit, begin, b) ? DECLARATION : USE;
}

/* A name that the body also declares may mean either. */
static void look_at_text(cw_unit *unit, const cw_names *names, cw_func *func)
{
    for (uint32_t at, end = func->begin; cw_next_word(unit, &at, &end, func->end);) {
        const cw_name *found = cw_names_find(names, unit->text + at, end - at);
        use how = found == NULL        ? MEMBER
                  : at < func->body_at ? DECLARATION /* a parameter */
                                       : use_at(unit, func->body_at, at, end);
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
