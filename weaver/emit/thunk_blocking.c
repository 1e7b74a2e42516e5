/* thunk_blocking.c - the function of co4_blocking: a small pausable one. */
#include <stdbool.h>
#include <stddef.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "ast/write.h"
#include "base/buf.h"
#include "emit/render.h"
#include "emit/thunk_parts.h"
#include "text/unit.h"

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
