/* render.c - expressions and declarations as woven code writes them.
 *
 * A node is written as its piece of text, with its kids in place and with small edits: a pausable
 * function has another name and one more argument, a pinned local lives in the frame. A value that
 * linearize has evaluated is written as its temporary. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "text/unit.h"

void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf)
{
    cw_edit_add(e->unit, &e->unit->large, begin, end, cw_take(&e->unit->arena, buf));
}

void cw_marker_to(cw_unit *unit, uint32_t at, cw_buf *out)
{
    cw_place place = cw_place_of(unit, at);
    cw_printf(out, "\n# %u \"%s\"%s\n", place.line, place.file, place.quiet ? " 3" : "");
}

void cw_layout_begin(const cw_unit *unit, cw_buf *out)
{
    if (unit->packs) /* tcc pushes only together with a value, which the next line resets */
        cw_puts(out, "\n#pragma pack(push, 8)\n#pragma pack()\n");
}

void cw_layout_end(const cw_unit *unit, cw_buf *out)
{
    if (unit->packs)
        cw_puts(out, "#pragma pack(pop)\n");
}

void cw_put_block_size(cw_unit *unit, const cw_local *local, cw_buf *out)
{
    const cw_type *element = local->seen;
    while (cw_type_bare(element)->kind == CW_T_VLA || cw_type_bare(element)->kind == CW_T_ARRAY)
        element = cw_type_bare(element)->inner;
    int64_t align = element->align > local->decl->align ? element->align : local->decl->align;
    cw_printf(out, "sizeof(%s), %lld", cw_type_write(unit, local->seen, "", 0), (long long)align);
}

const char *cw_zero(cw_unit *unit, const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    if (cw_type_is_void(type))
        return "";
    if (bare->kind == CW_T_POINTER || bare->kind == CW_T_ENUM ||
        (bare->kind == CW_T_BUILTIN && strchr(bare->name, '(') == NULL))
        return bare->kind == CW_T_ENUM
                   ? cw_format(&unit->arena, "(%s)0", cw_type_write(unit, type, "", 0))
                   : "0";
    if (bare->kind == CW_T_ATOMIC && /* clang has no compound literal of it */
        (bare->inner->tag == NULL || bare->inner->tag->name != NULL))
        return cw_zero(unit, bare->inner);
    return cw_format(&unit->arena, bare->size == 0 ? "(%s){}" : "(%s){ 0 }",
                     cw_type_write(unit, type, "", CW_WRITE_UNQUALIFIED));
}

const char *cw_return_zero(cw_unit *unit, const cw_type *type)
{
    const char *zero = cw_zero(unit, type);
    return *zero == '\0' ? "return;" : cw_format(&unit->arena, "return %s;", zero);
}

const char *cw_result_place(cw_unit *unit, const cw_type *type, const char *caller, unsigned how)
{
    const char *place = caller == NULL ? "co4_abi_result_of(co4)"
                                       : cw_format(&unit->arena, "co4_abi_wide_result(%s)", caller);
    return cw_format(&unit->arena, "*(%s)%s",
                     cw_type_write(unit, cw_type_pointer_to(unit, type), "", how), place);
}

const char *cw_clear_value(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    if (bare->kind != CW_T_RECORD)
        return "0";
    return bare->size == 0 ? "{}" : "{ 0 }";
}

void cw_put_assign(cw_unit *unit, const cw_type *type, const char *to, const char *from,
                   cw_buf *out)
{
    if (cw_type_is_assignable(type))
        cw_printf(out, "%s = %s;", to, from);
    else
        cw_printf(out, "co4_abi_copy(&%s, (%s){ %s }, sizeof %s);", to,
                  cw_type_write(unit, type, "[1]", CW_WRITE_UNQUALIFIED), from, to);
}

/* ---- variable arguments ---- */

bool cw_packs_arguments(const cw_node *call)
{
    return call->kind == CW_CALL && call->is_point && call->entry == CW_ENTRY_NONE &&
           !call->catches && !call->by_address && cw_callee_type(call->kids[0])->variadic &&
           cw_is_pausable(call->kids[0]);
}

static bool is_by_pointer(cw_unit *unit, const cw_type *type)
{
    const char *why = NULL;
    return cw_packing_of(unit, type, &why) == CW_PACKED_POINTER;
}

/* "struct { … }": the head, each argument at the beginning of a slot, and a last word. The bytes
 * behind a small number are a member of their own, as C does not clear them: programs read an int
 * as a long, and get away with it where arguments are in registers. For the same reason the last
 * word is there, which is 0: they read an argument that may be missing.
 *
 * The alignment of a member counts for nothing where #pragma pack applies. So in a unit with such
 * pragmas the slots are filled up with members. */
static void put_packed_type(cw_unit *unit, const cw_packed *args, size_t count, unsigned scope,
                            cw_buf *out)
{
    uint32_t slot = unit->head_bytes / 2;
    /* The last argument that needed more alignment than all before it, and the bytes behind. */
    const char *base = "sizeof(co4_abi_args)";
    long long base_align = 1, bytes = 0;
    const char *aligned = unit->packs
                              ? ""
                              : cw_format(&unit->arena, " __attribute__((__aligned__(%u)))", slot);
    cw_printf(out, "{ co4_abi_args co4_head;");
    for (size_t i = 0; i < count; i++) {
        const cw_type *type = cw_type_unqualified(unit, cw_type_value(unit, args[i].type));
        unsigned how = scope | CW_WRITE_UNQUALIFIED | (args[i].pausable ? CW_WRITE_PAUSABLE : 0);
        bool by_pointer = is_by_pointer(unit, type);
        const char *name = cw_format(&unit->arena, by_pointer ? "*co4_%zu" : "co4_%zu", i + 1);
        const char *member = cw_type_is_vm(type) ? cw_format(&unit->arena, "const void *%s", name)
                                                 : cw_type_write(unit, type, name, how);
        unsigned size = by_pointer || cw_type_is_vm(type) ? slot : (unsigned)type->size;
        unsigned pad = size >= slot ? 0 : slot - size;
        if (unit->packs) {
            pad = (slot - size % slot) % slot;
            if (!by_pointer && type->align > slot) {
                long long align = type->align;
                if (align > base_align) {
                    cw_printf(out, " unsigned char co4_y%zu[(%lld - (%s + %lld) %% %lld) %% %lld];",
                              i + 1, align, base, bytes, align, align);
                    base = cw_format(&unit->arena, "((%s + %lld) / %lld * %lld)", base,
                                     bytes + align - 1, align, align);
                    base_align = align;
                    bytes = 0;
                } else {
                    long long gap = (align - bytes % align) % align;
                    cw_printf(out, " unsigned char co4_y%zu[%lld];", i + 1, gap);
                    bytes += gap;
                }
            }
            bytes += size + pad;
        }
        if (pad > 0 && unit->args_right)
            cw_printf(out, " unsigned char co4_z%zu[%u]%s; %s;", i + 1, pad, aligned, member);
        else if (pad > 0 && (unit->packs || cw_type_bare(type)->kind != CW_T_RECORD))
            cw_printf(out, " %s%s; unsigned char co4_z%zu[%u];", member, aligned, i + 1, pad);
        else
            cw_printf(out, " %s%s;", member, aligned);
    }
    cw_printf(out, " co4_abi_size co4_end%s;", aligned);
}

/* The table of arguments that are passed as pointers to copies; `tag` names the struct. */
static void put_copies(cw_unit *unit, const cw_packed *args, size_t count, size_t copies,
                       const char *tag, cw_buf *out)
{
    cw_printf(out, ", .co4_copies = { %zu", copies);
    for (size_t i = 0; i < count; i++)
        if (is_by_pointer(unit, args[i].type))
            cw_printf(out, ", __builtin_offsetof(%s, co4_%zu), sizeof(*((%s *)0)->co4_%zu)", tag,
                      i + 1, tag, i + 1);
    cw_puts(out, " }");
}

void cw_put_packed(cw_unit *unit, const cw_packed *args, size_t count, unsigned scope, cw_buf *out)
{
    const char *tag = cw_format(&unit->arena, "struct co4_args_%zu", ++unit->next_order);
    int64_t align = unit->head_bytes / 2;
    size_t copies = 0;
    for (size_t i = 0; i < count; i++)
        copies += is_by_pointer(unit, args[i].type);
    for (size_t i = 0; i < count; i++)
        if (!is_by_pointer(unit, args[i].type) && args[i].type->align > align)
            align = args[i].type->align;
    cw_printf(out, "co4_abi_args_at(&(%s ", tag);
    put_packed_type(unit, args, count, scope, out);
    if (copies > 0)
        cw_printf(out, " co4_abi_u32 co4_copies[%zu];", 1 + 2 * copies);
    cw_puts(out, " }");
    if (unit->packs)
        cw_printf(out, " __attribute__((__aligned__(%lld)))", (long long)align);
    cw_puts(out, "){ ");
    for (size_t i = 0; i < count; i++) {
        const cw_type *one = cw_type_unqualified(unit, cw_type_value(unit, args[i].type));
        bool by_pointer = is_by_pointer(unit, one);
        cw_printf(out, ".co4_%zu = ", i + 1);
        if (by_pointer)
            cw_printf(out, "(%s){ %s }, ",
                      cw_type_write(unit, one, "[1]", scope | CW_WRITE_UNQUALIFIED), args[i].value);
        else
            cw_printf(out, "%s, ", args[i].value);
    }
    cw_puts(out, ".co4_end = 0");
    if (copies > 0)
        put_copies(unit, args, count, copies, tag, out);
    cw_printf(out, " }.co4_head, sizeof(%s), ", tag);
    if (copies > 0)
        cw_printf(out, "__builtin_offsetof(%s, co4_copies))", tag);
    else
        cw_puts(out, "0)");
}

/* The variable arguments among the kids of a call or an entry point; `first` is the callee. */
static void render_packed(cw_unit *unit, const cw_node *node, size_t first, cw_buf *out)
{
    size_t from = first + 1 + cw_callee_type(node->kids[first])->nparams;
    size_t count = node->nkids > from ? node->nkids - from : 0;
    cw_packed *args = cw_alloc(&unit->arena, (count + 1) * sizeof *args);
    for (size_t i = 0; i < count; i++) {
        const cw_node *kid = node->kids[from + i];
        cw_buf value = { 0 };
        cw_render(unit, kid, &value);
        args[i] = (cw_packed){ kid->type, cw_take(&unit->arena, &value),
                               cw_is_function_like(kid->type) && cw_is_pausable(kid) };
    }
    cw_put_packed(unit, args, count, 0, out);
}

static void render_packed_call(cw_unit *unit, const cw_node *call, cw_buf *out)
{
    size_t nparams = cw_callee_type(call->kids[0])->nparams;
    cw_render(unit, call->kids[0], out);
    cw_puts(out, call->has_points ? "(co4, " : "((co4_fiber *)0, ");
    for (size_t i = 1; i <= nparams && i < call->nkids; i++) {
        cw_render(unit, call->kids[i], out);
        cw_puts(out, ", ");
    }
    render_packed(unit, call, 0, out);
    cw_puts(out, ")");
}

/* ---- expressions ---- */

static void render_entry(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    size_t first = 0;
    const char *separator = "";
    cw_printf(out, "%s(", node->thunk);
    if (node->entry == CW_ENTRY_BLOCKING || node->by_address) {
        cw_puts(out, "co4");
        separator = ", ";
    } else if (cw_entry_has_runtime(node->entry)) {
        cw_render(unit, node->kids[0], out);
        separator = ", ";
        first = 1;
    } else if (node->entry == CW_ENTRY_SPAWN || node->entry == CW_ENTRY_START) {
        cw_puts(out, "(struct co4_runtime *)0");
        separator = ", ";
    }
    size_t end = node->nkids;
    if (node->thunk_packs)
        end = first + 1 + cw_callee_type(node->kids[first])->nparams;
    for (size_t i = first; i < end; i++) {
        if (i == first && !node->thunk_has_callee)
            continue;
        cw_puts(out, separator);
        cw_render(unit, node->kids[i], out);
        separator = ", ";
    }
    if (node->thunk_packs) {
        cw_puts(out, separator);
        render_packed(unit, node, first, out);
    }
    cw_puts(out, ")");
}

static void render_pieces(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    uint32_t at = node->begin;
    const char *va = cw_va_function(node);
    /* the parameter that va_start names is inside an edit (edits.c) */
    size_t nkids = va != NULL && strcmp(va, "va_start") == 0 ? 2 : node->nkids;
    for (size_t i = 0; i < nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid == NULL || kid->begin < at || kid->end > node->end)
            continue;
        cw_edit_apply(unit, &unit->small, at, kid->begin, out);
        if (kid->type != NULL)
            cw_render(unit, kid, out);
        else
            cw_edit_apply(unit, &unit->small, kid->begin, kid->end, out);
        at = kid->end;
    }
    cw_edit_apply(unit, &unit->small, at, node->end, out);
}

static void render_plainly(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    if (node->kind == CW_ENTRY || node->entry == CW_ENTRY_BLOCKING || node->by_address)
        render_entry(unit, node, out);
    else if (cw_packs_arguments(node))
        render_packed_call(unit, node, out);
    else if (node->kind == CW_COMMA && node->tail_only)
        cw_render(unit, node->kids[1], out);
    else
        render_pieces(unit, node, out);
}

/* Is the node written as `a, b`, without brackets? Its precedence is lower than that of any
 * operator before it. */
static bool is_open_comma(const cw_node *node)
{
    while (node->kind == CW_IMPLICIT && node->kids[0]->temp == NULL)
        node = node->kids[0];
    return node->kind == CW_COMMA && !node->tail_only;
}

/* Writes a value that lives in the frame: it is evaluated in place, and stored there. */
static void render_stored(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    const cw_local *storage = node->storage;
    const cw_type *pointer = cw_type_pointer_to(unit, node->type);
    cw_printf(out, "(*(%s)co4_abi_copy(&co4_f->%s, ", cw_type_write(unit, pointer, "", 0),
              storage->field);
    if (node->kind == CW_COMPOUND_LITERAL) {
        cw_puts(out, "&");
        render_plainly(unit, node, out);
    } else {
        bool comma = is_open_comma(node);
        cw_printf(out, "(%s){ %s", cw_type_write(unit, storage->type, "[1]", CW_WRITE_UNQUALIFIED),
                  comma ? "(" : "");
        render_plainly(unit, node, out);
        cw_puts(out, comma ? ") }" : " }");
    }
    cw_printf(out, ", sizeof co4_f->%s))", storage->field);
}

void cw_render_itself(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    if (node->storage != NULL)
        render_stored(unit, node, out);
    else
        render_plainly(unit, node, out);
}

void cw_render(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    if (node->temp != NULL && node->temp->seen != NULL)
        cw_printf(out, "((%s)%s)", cw_type_write(unit, node->temp->seen, "", 0),
                  cw_local_ref(unit, node->temp));
    else if (node->temp != NULL) {
        if (out->length > 0 && cw_is_word(out->data[out->length - 1]))
            cw_puts(out, " "); /* __real__({ ... }): the brackets are gone */
        cw_puts(out, cw_local_ref(unit, node->temp));
    } else if (node->done)
        cw_puts(out, "(void)0");
    else
        cw_render_itself(unit, node, out);
}

void cw_render_value(cw_unit *unit, const cw_node *node, const cw_local *to, cw_buf *out)
{
    bool itself = to != NULL && node->temp == to;
    bool comma = (itself || (node->temp == NULL && !node->done)) && is_open_comma(node);
    cw_puts(out, comma ? "(" : "");
    if (itself)
        cw_render_itself(unit, node, out);
    else
        cw_render(unit, node, out);
    cw_puts(out, comma ? ")" : "");
}

void cw_put_copy(cw_unit *unit, const cw_local *local, bool save, cw_buf *out)
{
    const char *field = cw_format(&unit->arena, "co4_f->%s", local->field);
    if (!local->bytes)
        cw_put_assign(unit, local->type, save ? field : local->name, save ? local->name : field,
                      out);
    else /* an array of -1 elements: the compiler's layout of the type differs from libclang's */
        cw_printf(
            out,
            "co4_abi_copy(%s%s, %s%s, sizeof %s * sizeof(char[sizeof %s == sizeof %s ? 1 : -1]));",
            save ? "" : "&", save ? field : local->name, save ? "&" : "",
            save ? local->name : field, local->name, local->name, field);
}

/* ---- thread-locals ---- */

const char *cw_local_of_task(cw_unit *unit, const char *name)
{
    return cw_format(&unit->arena, "(*(__typeof__(%s) *)co4_abi_local((co4_abi_address)&%s))", name,
                     name);
}

static void put_uses(cw_unit *unit, const cw_node *node, uint32_t *at, cw_buf *out)
{
    if (node->kind == CW_REF && node->decl != NULL && node->decl->of_task) {
        cw_put(out, unit->text + *at, node->begin - *at);
        cw_puts(out, cw_local_of_task(unit, node->decl->name));
        *at = node->end;
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_evaluates(node, i))
            put_uses(unit, node->kids[i], at, out);
}

void cw_put_param_size(cw_unit *unit, const cw_node *size, cw_buf *out)
{
    uint32_t at = size->begin;
    put_uses(unit, size, &at, out);
    cw_put(out, unit->text + at, size->end - at);
}
