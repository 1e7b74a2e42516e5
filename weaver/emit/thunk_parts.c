/* thunk_parts.c - the pieces of text of which the functions of entry points consist. */
#include "emit/thunk_parts.h"

#include <string.h>

#include "ast/func.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "text/unit.h"

const cw_type *cw_thunk_parameters(const cw_thunk *t)
{
    return t->called != NULL ? t->called : t->type;
}

const char *cw_thunk_param(cw_unit *unit, const cw_thunk *t, size_t i)
{
    const cw_type *type = cw_type_value(unit, cw_thunk_parameters(t)->params[i]);
    return cw_type_write(unit, type, cw_format(&unit->arena, "co4_a%zu", i + 1),
                         CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED);
}

/* The argument as a parameter, by the name of its typedef: no declaration can spell the type to
 * which a va_list decays. */
static const char *argument(cw_unit *unit, const cw_thunk *t, size_t i)
{
    const cw_type *type = cw_thunk_parameters(t)->params[i];
    if (type->kind != CW_T_TYPEDEF || cw_type_value(unit, type) == type)
        return cw_thunk_param(unit, t, i);
    return cw_type_write(unit, type, cw_format(&unit->arena, "co4_a%zu", i + 1),
                         CW_WRITE_FILE_SCOPE);
}

const char *cw_thunk_pointer(cw_unit *unit, const cw_thunk *t)
{
    return cw_type_write(unit, cw_type_pointer_to(unit, t->type), "co4_callee",
                         CW_WRITE_FILE_SCOPE | (t->plain ? 0 : CW_WRITE_PAUSABLE));
}

const char *cw_thunk_declarator(cw_unit *unit, const cw_thunk *t, const char *suffix,
                                const char *before)
{
    cw_buf buf = { 0 };
    const char *separator = "";
    cw_printf(&buf, "%s__%s(", t->name, suffix);
    if (*before != '\0') {
        cw_puts(&buf, before);
        separator = ", ";
    }
    if (t->callee == NULL) {
        cw_printf(&buf, "%s%s", separator, cw_thunk_pointer(unit, t));
        separator = ", ";
    }
    for (size_t i = 0; i < cw_thunk_parameters(t)->nparams; i++) {
        cw_printf(&buf, "%s%s", separator, argument(unit, t, i));
        separator = ", ";
    }
    if (cw_thunk_parameters(t)->variadic) {
        cw_printf(&buf, "%sco4_abi_args *co4_va", separator);
        separator = ", ";
    }
    cw_puts(&buf, *separator == '\0' ? "void)" : ")");
    return cw_take(&unit->arena, &buf);
}

void cw_thunk_put_call(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    if (t->callee != NULL)
        cw_printf(out, "%s(co4", cw_woven_name(unit, t->callee));
    else
        cw_puts(out, "co4_callee(co4");
    for (size_t i = 0; t->own != NULL && i < t->own->nparams; i++)
        cw_printf(out, ", %s", t->own->params[i]->name);
    for (size_t i = 0; t->own == NULL && i < t->type->nparams; i++)
        cw_printf(out, ", co4_a%zu", i + 1);
    cw_puts(out, !t->type->variadic ? ")" : t->own != NULL ? ", &co4_va)" : ", co4_va)");
}

bool cw_thunk_is_wide(const cw_thunk *t)
{
    return cw_type_is_wide(t->type->inner);
}

/* Is the type that of a prepared call (CW_ENTRY_CALL)? */
static bool is_prepared_call(const cw_type *type)
{
    type = cw_type_bare(type);
    if (type->kind != CW_T_POINTER)
        return false;
    type = cw_type_bare(type->inner);
    return type->kind == CW_T_RECORD && type->tag->name != NULL &&
           strcmp(type->tag->name, "co4_call") == 0;
}

void cw_thunk_put_call_drops(const cw_thunk *t, const char *prefix, cw_buf *out)
{
    for (size_t i = 0; i < t->type->nparams; i++)
        if (is_prepared_call(t->type->params[i]))
            cw_printf(out, " co4_abi_call_drop(%sco4_a%zu);", prefix, i + 1);
    if (t->type->variadic && *prefix != '\0')
        cw_printf(out, " co4_abi_args_drop(%sco4_va);", prefix);
}

bool cw_thunk_owns(const cw_thunk *t)
{
    if (t->type->variadic)
        return true;
    for (size_t i = 0; i < t->type->nparams; i++)
        if (is_prepared_call(t->type->params[i]))
            return true;
    return false;
}

void cw_thunk_put_struct(cw_unit *unit, const cw_thunk *t, const char *frame, const char *what,
                         const char *more, bool value, cw_buf *out)
{
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s { /* a call of %s() %s */\n    co4_frame head;\n%s", frame, t->name,
              what, more);
    if (t->callee == NULL)
        cw_printf(out, "    %s;\n", cw_thunk_pointer(unit, t));
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, "    %s;\n", cw_thunk_param(unit, t, i));
    if (t->type->variadic)
        cw_puts(out, "    co4_abi_args *co4_va;\n");
    if (value)
        cw_printf(out, "    %s;\n",
                  cw_type_write(unit, cw_type_unqualified(unit, t->type->inner), "co4_value",
                                CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED));
    cw_puts(out, "};\n");
    cw_layout_end(unit, out);
}

void cw_thunk_put_func_struct(const char *frame, unsigned npoints, cw_buf *out)
{
    cw_printf(out,
              "struct %s_func { co4_abi_func func; co4_abi_point points[%u]; };\n"
              "static const struct %s_func %s_func;\n",
              frame, npoints, frame, frame);
}

void cw_thunk_put_func(cw_unit *unit, const cw_thunk *t, const char *resume, const char *frame,
                       const char *value, const char *unwind, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool wide = value != NULL && strcmp(value, "0") != 0;
    if (!wide)
        cw_thunk_put_func_struct(frame, 1 + (value != NULL), out);
    cw_printf(out, "static const struct %s_func %s_func = { { sizeof(struct %s), CO4_ABI_MADE",
              frame, frame, frame);
    if (!cw_type_is_void(result))
        cw_printf(out, " | sizeof(%s)%s", cw_type_write(unit, result, "", CW_WRITE_FILE_SCOPE),
                  wide                                   ? " | CO4_ABI_WIDE"
                  : !t->plain && cw_type_is_code(result) ? " | CO4_ABI_CODE"
                                                         : "");
    cw_printf(out,
              " | (_Alignof(struct %s) > 8 ? CO4_ABI_ALIGNED : 0), \"%s\", 0, %s }, { { %s, 0 }",
              frame, t->name, unwind, resume);
    if (value != NULL)
        cw_printf(out, ", { %s, 1 }", resume);
    if (wide)
        cw_printf(out, ", { 0, %s }", value);
    cw_puts(out, " } };\n");
}

/* offsetof without the macro of <stddef.h>, which the text may lack or redefine. */
const char *cw_thunk_offset(cw_unit *unit, const char *frame, const char *field)
{
    return cw_format(&unit->arena,
                     unit->gnu ? "__builtin_offsetof(struct %s, %s)"
                               : "(unsigned)(co4_abi_size)&((struct %s *)0)->%s",
                     frame, field);
}
