/* thunk_run.c - the function of co4_run, the plain entry of a dual function; and the function of
 * co4_blocking. */
#include <string.h>

#include "ast/func.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "emit/thunk_parts.h"
#include "text/unit.h"

static const char *root_frame(cw_unit *unit, const cw_thunk *t)
{
    return cw_format(&unit->arena, "%s__root", t->name);
}

/* Before a run of a function with a wide result: the frame that receives it. */
static void put_root(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    const char *frame = root_frame(unit, t);
    if (!cw_thunk_is_wide(t))
        return;
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s { co4_frame head; %s; };\n", frame,
              cw_type_write(unit, result, "co4_value", CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED));
    cw_layout_end(unit, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out,
              "static void %s_resume(co4_fiber *co4, co4_frame *co4_head) { (void)co4; "
              "(void)co4_head; }\n",
              frame);
    cw_thunk_put_func_struct(frame, 3, out);
    cw_thunk_put_func(unit, t, cw_format(&unit->arena, "%s_resume", frame), frame,
                      cw_thunk_offset(unit, frame, "co4_value"), "0", out);
}

/* For a run that could not begin, or whose fiber ended without a result. A call with an int result
 * returns the error code. Any other result could be overlooked, and so could the int of a program
 * that does not know codes. There the call does not return, unless the caller asks
 * (co4_run_checked). */
static void put_nothing(cw_unit *unit, const cw_thunk *t, const char *fiber, cw_buf *out)
{
    const cw_type *result = cw_type_bare(t->type->inner);
    if (cw_weaves_unmarked(unit->options) || result->kind != CW_T_BUILTIN ||
        strcmp(result->name, "int") != 0)
        cw_printf(out, "co4_abi_run_lost(%s, \"%s\");", fiber, t->name);
    else
        cw_puts(out, "co4_r = co4_abi_run_code();");
}

/* The letter of the result's type: co4/abi.h. */
static char kind_of_result(const cw_thunk *t)
{
    const cw_type *result = cw_type_bare(t->type->inner);
    if (cw_type_is_void(result))
        return 'v';
    if (result->kind == CW_T_POINTER)
        return 'I';
    if (result->kind == CW_T_ENUM)
        return 'i';
    if (result->kind != CW_T_BUILTIN || result->size > 8)
        return 's';
    if (strcmp(result->name, "float") == 0 || strcmp(result->name, "double") == 0)
        return result->name[0];
    bool is_unsigned = strncmp(result->name, "unsigned", strlen("unsigned")) == 0 ||
                       strcmp(result->name, "_Bool") == 0;
    const char *letters = is_unsigned ? "BHIL" : "bhil";
    return result->size == 1   ? letters[0]
           : result->size == 2 ? letters[1]
           : result->size == 4 ? letters[2]
                               : letters[3];
}

static void put_drive(const cw_thunk *t, bool from_js, const char *compared, cw_buf *out)
{
    if (from_js)
        cw_printf(out, " if (co4_abi_host_drive(co4, \"%s\", '%c') %s 0) ", t->name,
                  kind_of_result(t), compared);
    else
        cw_printf(out, " if (co4_abi_run_drive(co4) %s 0) ", compared);
}

/* "{ … }": begins a fiber, calls, drives it to its end, returns the result. */
static void put_run_body(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result), wide = cw_thunk_is_wide(t);
    bool varargs = t->own != NULL && t->own->variadic;
    bool from_js = t->own != NULL && unit->options->from_js;
    const char *kind = from_js ? "host" : "run";
    const char *frame = root_frame(unit, t);
    unsigned scope = t->own != NULL ? 0
                                    : CW_WRITE_FILE_SCOPE; /* the user's parameters hide names */
    cw_puts(out, "{ ");
    if (varargs)
        cw_printf(out,
                  "co4_abi_args co4_va; co4_va.bytes = co4_va.copies = 0; "
                  "__builtin_va_start(co4_va.list, %s); ",
                  t->own->nparams > 0 ? t->own->params[t->own->nparams - 1]->name : "0");
    if (from_js)
        cw_printf(out, "co4_fiber *co4 = co4_abi_host_begin(\"%s\"); ", t->name);
    else
        cw_puts(out, "co4_fiber *co4 = co4_abi_run_begin(); ");
    if (!is_void)
        cw_printf(out, "%s = %s; ",
                  cw_type_write(unit, result, "co4_r", scope | CW_WRITE_UNQUALIFIED),
                  cw_zero(unit, result));
    cw_puts(out, "if (co4 == 0) { ");
    if (t->own == NULL)
        cw_thunk_put_call_drops(t, "", out);
    put_nothing(unit, t, "0", out);
    cw_printf(out, " return%s; } ", is_void ? "" : " co4_r");
    cw_buf call = { 0 };
    cw_thunk_put_call(unit, t, &call);
    if (is_void)
        cw_printf(out, "%s;", call.data);
    else
        cw_put_assign(unit, result, "co4_r", call.data, out);
    cw_buf_free(&call);
    cw_puts(out, " if (co4_abi_pausing(co4)) {");
    if (wide) {
        cw_printf(out, " struct %s co4_root = { .head = { .at = %s_func.points } };", frame, frame);
        cw_printf(out, " co4_abi_save(co4, &co4_root, &%s_func.points[1]);", frame);
    }
    if (!is_void) {
        put_drive(t, from_js, "==", out);
        cw_put_assign(unit, result, "co4_r",
                      wide ? "co4_root.co4_value" : cw_result_place(unit, result, NULL, scope),
                      out);
        cw_puts(out, " else { ");
        cw_put_assign(unit, result, "co4_r", cw_zero(unit, result), out);
        cw_puts(out, " ");
        put_nothing(unit, t, "co4", out);
        cw_puts(out, " }");
    } else {
        put_drive(t, from_js, "!=", out);
        cw_puts(out, "{ ");
        put_nothing(unit, t, "co4", out);
        cw_puts(out, " }");
    }
    cw_printf(out, " }%s co4_abi_%s_end(co4);%s }\n",
              varargs ? " __builtin_va_end(co4_va.list);" : "", kind,
              is_void ? "" : " return co4_r;");
}

void cw_thunk_put_run(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    put_root(unit, t, out);
    cw_marker_to(unit, t->home, out);
    /* With a stack address of its own, by which the runtime recognises runs that a jump skipped. */
    cw_printf(out, "%sstatic %s ", unit->gnu ? "__attribute__((__noinline__)) " : "",
              cw_type_write(unit, cw_type_unqualified(unit, t->type->inner),
                            cw_thunk_declarator(unit, t, "run", ""), CW_WRITE_FILE_SCOPE));
    put_run_body(unit, t, out);
}

static cw_thunk plain_entry(const cw_func *func)
{
    return (cw_thunk){ .callee = func->decl,
                       .type = cw_type_bare(func->decl->type),
                       .name = func->decl->name,
                       .own = func,
                       .home = cw_definition_of(func->decl) };
}

void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const cw_thunk t = plain_entry(func);
    put_root(unit, &t, out);
}

void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const cw_thunk t = plain_entry(func);
    put_run_body(unit, &t, out);
}

/* ---- co4_blocking: a small pausable function ---- */

/* "struct f__job": the frame, and the call that another thread makes with it. */
static void put_job(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result);
    const char *frame = cw_format(&unit->arena, "%s__job", t->name);
    cw_thunk_put_struct(unit, t, frame, "by another thread", "    co4_abi_job job;\n", !is_void,
                        out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static void %s_call(void *co4_p) { struct %s *co4_j = (struct %s *)co4_p; ",
              frame, frame, frame);
    cw_buf call = { 0 };
    cw_printf(&call, "%s(", t->callee != NULL ? t->callee->name : "co4_j->co4_callee");
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(&call, "%sco4_j->co4_a%zu", i == 0 ? "" : ", ", i + 1);
    cw_puts(&call, ")");
    if (is_void)
        cw_printf(out, "%s;", call.data);
    else
        cw_put_assign(unit, result, "co4_j->co4_value", call.data, out);
    cw_buf_free(&call);
    cw_puts(out, " }\n");
}

static void put_job_resume(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    cw_printf(out, "static void %s__job_resume(co4_fiber *co4, co4_frame *co4_head) { ", t->name);
    if (!cw_type_is_void(result)) {
        cw_put_assign(
            unit, result,
            cw_result_place(unit, result, cw_thunk_is_wide(t) ? "co4_head->caller" : NULL,
                            CW_WRITE_FILE_SCOPE),
            cw_format(&unit->arena, "((struct %s__job *)(void *)co4_head)->co4_value", t->name),
            out);
        cw_puts(out, " ");
    }
    cw_puts(out, "co4_abi_frame_drop(co4, co4_head); }\n");
    cw_thunk_put_func(unit, t, cw_format(&unit->arena, "%s__job_resume", t->name),
                      cw_format(&unit->arena, "%s__job", t->name), "0", "0", out);
}

void cw_thunk_put_blocking(cw_unit *unit, const cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result);
    const char *fails = cw_return_zero(unit, result);
    put_job(unit, t, out);
    put_job_resume(unit, t, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static %s",
              cw_type_write(unit, result,
                            cw_thunk_declarator(unit, t, "blocking", "co4_fiber *co4"),
                            CW_WRITE_FILE_SCOPE));
    cw_printf(
        out,
        " { struct %s__job *co4_j = (struct %s__job *)co4_abi_frame_take(co4, &%s__job_func.func); "
        "if (co4_j == 0) %s ",
        t->name, t->name, t->name, fails);
    if (t->callee == NULL)
        cw_puts(out, "co4_j->co4_callee = co4_callee; ");
    for (size_t i = 0; i < t->type->nparams; i++) {
        cw_put_assign(unit, cw_type_value(unit, t->type->params[i]),
                      cw_format(&unit->arena, "co4_j->co4_a%zu", i + 1),
                      cw_format(&unit->arena, "co4_a%zu", i + 1), out);
        cw_puts(out, " ");
    }
    cw_printf(out,
              "if (co4_abi_blocking(co4, &co4_j->job, %s__job_call, co4_j)) "
              "{ co4_abi_save(co4, co4_j, &%s__job_func.points[1]); %s } ",
              t->name, t->name, fails);
    if (!is_void)
        cw_printf(out, "%s = co4_j->co4_value; ",
                  cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
    cw_printf(out, "co4_abi_frame_drop(co4, co4_j);%s }\n", is_void ? "" : " return co4_r;");
}
