/* call.c - the function that a call names. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "text/unit.h"

const cw_decl *cw_function_called(const cw_node *call)
{
    if (call->kind != CW_CALL)
        return NULL;
    const cw_node *callee = cw_strip(call->kids[0]);
    while (callee->kind == CW_CAST || (callee->kind == CW_UNARY && strchr("*&", callee->op[0])))
        callee = cw_strip(callee->kids[callee->nkids - 1]);
    return callee->kind == CW_REF && callee->decl != NULL && callee->decl->kind == CW_D_FUNCTION
               ? callee->decl
               : NULL;
}

const cw_type *cw_callee_type(const cw_node *callee)
{
    const cw_type *type = cw_type_bare(cw_strip(callee)->type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    return type;
}

const char *cw_va_function(const cw_node *call)
{
    static const char *const names[] = { "__builtin_va_start", "__builtin_va_copy",
                                         "__builtin_va_end", "__builtin_c23_va_start" };
    const cw_decl *callee = cw_function_called(call);
    for (size_t i = 0; callee != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(callee->name, names[i]) == 0)
            return names[i][10] == 'c' ? "va_start" : names[i] + sizeof "__builtin_" - 1;
    return NULL;
}

const char *cw_value_without_call(const cw_unit *unit, const cw_node *call)
{
    static const char push[] = "co4_abi_push_handler(&$b, $r, $a)";
    static const char pop[] = "co4_abi_pop_handler(&$b)";
    static const char *const names[][2] = { { "__sigsetjmp_cancel", "0" },
                                            { "__pthread_register_cancel", push },
                                            { "__pthread_register_cancel_defer", push },
                                            { "__pthread_unregister_cancel", pop },
                                            { "__pthread_unregister_cancel_restore", pop } };
    const cw_decl *callee = unit->options->plan != NULL ? cw_function_called(call) : NULL;
    for (size_t i = 0; callee != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(callee->name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* Linux has these on all processors but for old ones that glibc maps to them. */
enum { SETLKW = 7, SETLKW64 = 14, OFD_SETLKW = 38 };

bool cw_is_deadline_now(cw_unit *unit, const cw_node *node)
{
    static const char now[] = "-0x7fffffffffffffff-1"; /* as in co4/mark.h, without blanks */
    const char *text = cw_text_of(unit, cw_strip(node)), *at = now;
    for (; *text != '\0' && (*text == *at || *text == ' '); text++)
        at += *text != ' ';
    return *text == '\0' && *at == '\0';
}

/* Is the last argument the constant CO4_NOW, for a parameter named `deadline`? */
static bool has_deadline_now(cw_unit *unit, const cw_decl *callee, const cw_node *call)
{
    return callee->nparams > 0 && call->nkids == callee->nparams + 1 &&
           strcmp(callee->params[callee->nparams - 1]->name, "deadline") == 0 &&
           cw_is_deadline_now(unit, call->kids[call->nkids - 1]);
}

/* Whether the argument is a number that is written as one. */
static bool is_literal(cw_unit *unit, const cw_node *node, long *number)
{
    char *end;
    const cw_node *literal = cw_strip(node);
    if (literal->kind != CW_LITERAL)
        return false;
    *number = strtol(cw_text_of(unit, literal), &end, 0);
    return *end == '\0';
}

bool cw_call_never_waits(cw_unit *unit, const cw_node *call)
{
    const cw_decl *callee = cw_function_called(call);
    long number;
    if (callee != NULL && callee->needs_block)
        return has_deadline_now(unit, callee, call);
    if (callee == NULL || callee->func != NULL || call->nkids < 3)
        return false;
    return (strcmp(callee->name, "fcntl") == 0 || strcmp(callee->name, "fcntl64") == 0) &&
           is_literal(unit, call->kids[2], &number) && number != SETLKW && number != SETLKW64 &&
           number != OFD_SETLKW;
}

cw_jump cw_jump_of(const cw_node *call)
{
    static const struct {
        const char *name;
        cw_jump jump;
        size_t kids;
    } names[] = {
        { "setjmp", CW_SETJMP, 2 },      { "_setjmp", CW_SETJMP, 2 },
        { "sigsetjmp", CW_SETJMP, 3 },   { "__sigsetjmp", CW_SETJMP, 3 },
        { "longjmp", CW_LONGJMP, 3 },    { "_longjmp", CW_LONGJMP, 3 },
        { "siglongjmp", CW_LONGJMP, 3 }, { "__longjmp_chk", CW_LONGJMP, 3 },
    };
    const cw_decl *callee = cw_function_called(call);
    for (size_t i = 0; callee != NULL && callee->func == NULL && i < sizeof names / sizeof *names;
         i++)
        if (strcmp(callee->name, names[i].name) == 0 && call->nkids == names[i].kids &&
            cw_jump_buffer(call) != NULL)
            return names[i].jump;
    return CW_NO_JUMP;
}

const cw_type *cw_jump_buffer(const cw_node *call)
{
    const cw_type *type = call->nkids > 1 ? cw_strip(call->kids[1])->type : NULL;
    if (type == NULL)
        return NULL;
    if (cw_type_bare(type)->kind == CW_T_POINTER)
        type = cw_type_bare(type)->inner;
    return type->size > 0 ? type : NULL;
}

/* The expression that yields the function. Where an expression chooses one of several, the first
 * counts. */
static const cw_node *origin_of(const cw_node *node)
{
    for (;;) {
        node = cw_strip(node);
        const cw_node *last = node->kind == CW_STMT_EXPR ? cw_value_statement(node) : NULL;
        size_t kid = 0;
        if (last != NULL)
            node = last;
        else if (node->kind == CW_COND || node->kind == CW_COMMA)
            kid = 1;
        else if (node->kind == CW_GENERIC && node->chosen != 0)
            kid = node->chosen;
        else if (node->kind != CW_UNARY && node->kind != CW_INDEX && node->kind != CW_ASSIGN &&
                 node->kind != CW_ELVIS)
            return node;
        if (kid >= node->nkids || node->kids[kid] == NULL)
            return node;
        node = node->kids[kid];
    }
}

const cw_decl *cw_callee_decl(const cw_node *callee)
{
    const cw_node *node = origin_of(callee);
    const cw_decl *decl = node->kind == CW_REF || node->kind == CW_MEMBER ? node->decl : NULL;
    if (decl == NULL || decl->nparams == 0) /* perhaps through a typedef */
        for (const cw_type *type = decl != NULL ? decl->type : node->type;
             type != NULL && type->kind != CW_T_FUNCTION; type = type->inner)
            if (type->kind == CW_T_TYPEDEF && type->decl != NULL && type->decl->nparams > 0)
                return type->decl;
    return decl;
}
