/* decl.c - declarations of locals, rewritten where necessary.
 *
 * In:  locals with the decisions of escape, vla and frame.
 * Out: edits of declaration statements; text for the first part of a `for`.
 *
 * A declaration keeps its text unless one of its locals is pinned, loses its const or its register,
 * names itself in an initializer with a plan, or has a type of variable length. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "emit/emit.h"
#include "text/unit.h"

/* Does an initializer with a plan mention its own variable, as in `struct s *p = get(sizeof *p)`?
 * The plan precedes the declaration, but it needs the declarator first. The test uses the text, for
 * operands of typeof have no nodes. */
static bool names_itself(const cw_unit *unit, const cw_node *var)
{
    const cw_node *init = var->kids[0];
    size_t length = strlen(var->decl->name);
    if (init == NULL || init->plan == NULL || var->decl->as_local == NULL)
        return false;
    for (uint32_t at, end = init->begin; cw_next_word(unit, &at, &end, init->end);)
        if (end - at == length && memcmp(unit->text + at, var->decl->name, length) == 0)
            return true;
    return false;
}

bool cw_needs_rewriting(const cw_unit *unit, const cw_node *node)
{
    bool first = true, defines = false;
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        defines |= kid->kind == CW_OTHER_DECL; /* a type, which the plan may need */
        if (kid->kind == CW_OTHER_DECL && kid->decl != NULL && kid->decl->kept_lengths)
            return true;
        if (kid->kind != CW_VAR)
            continue;
        bool planned = kid->kids[0] != NULL && kid->kids[0]->plan != NULL;
        const cw_local *local = kid->decl->as_local;
        bool differs = local != NULL && (local->pinned || local->unqualify || local->in_memory);
        if (differs || names_itself(unit, kid) || (planned && (defines || !first)))
            return true;
        first = false;
    }
    return false;
}

static bool has_volatile(const cw_type *type)
{
    for (; type->kind == CW_T_TYPEDEF || type->kind == CW_T_ARRAY; type = type->inner)
        if (type->is_volatile)
            return true;
    return type->is_volatile;
}

/* Assigns the first value to a local that is already declared, or lives in the frame. */
static void emit_first_value(cw_emitter *e, const cw_local *local, const cw_node *init, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const char *ref = cw_local_ref(unit, local);
    const cw_type *bare = cw_type_bare(local->type);
    bool list = cw_strip(init)->kind == CW_INIT_LIST, array = bare->kind == CW_T_ARRAY;
    bool assigned = !array && cw_type_is_assignable(local->type);
    if (bare->kind == CW_T_ATOMIC && cw_type_bare(bare->inner)->kind == CW_T_RECORD) {
        /* an assignment would be an atomic access; and a compound literal is none to clang */
        cw_printf(out,
                  "{ %s = ", cw_type_write(unit, local->type, "co4_first", CW_WRITE_UNQUALIFIED));
        cw_render(unit, init, out);
        cw_printf(out, "; co4_abi_copy((void *)&%s, (const void *)&co4_first, sizeof %s); }", ref,
                  ref);
        return;
    }
    if (!list && assigned) {
        cw_printf(out, "%s = ", ref);
        cw_render(unit, init, out);
        cw_puts(out, ";");
        return;
    }
    unsigned how = CW_WRITE_UNQUALIFIED | (local->pausable ? CW_WRITE_PAUSABLE : 0);
    if (list && assigned) {
        cw_printf(out, "%s = (%s)", ref, cw_type_write(unit, local->type, "", how));
        cw_render(unit, init, out);
        cw_puts(out, ";");
        return;
    }
    bool wrap = !list; /* a string, or a struct with const members: { it } */
    const char *shape = !list && !array ? "[1]" : "";
    cw_printf(out, "co4_abi_copy((void *)&%s, %s&(%s)%s", ref,
              has_volatile(local->type) ? "(const void *)" : "",
              cw_type_write(unit, local->type, shape, how), wrap ? "{ " : "");
    cw_render(unit, init, out);
    cw_printf(out, "%s, sizeof %s);", wrap ? " }" : "", ref);
}

/* Computes the lengths in the local's type, where it is declared. */
static void put_lengths(cw_emitter *e, const cw_decl *decl, cw_buf *out)
{
    for (size_t i = 0; i < decl->nlengths; i++) {
        const cw_node *size = decl->lengths[i].size;
        cw_emit_plan(e, size, out);
        cw_marker_to(e->unit, size->begin, out);
        cw_printf(out, "%s = ", cw_local_ref(e->unit, decl->lengths[i].local));
        cw_render(e->unit, size, out);
        cw_puts(out, "; ");
    }
}

/* Allocates memory for an array. If that fails, the activation ends, as after a failed allocation
 * of its frame. */
static void put_block(cw_emitter *e, const cw_node *var, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_local *local = var->decl->as_local;
    cw_printf(out, "if ((co4_f->%s = co4_abi_block_take(co4, ", local->field);
    cw_put_block_size(unit, local, out);
    cw_puts(out, ")) == 0) { ");
    cw_put_return_cleanups(e, var->decl->name_at, out);
    cw_printf(out, "co4_abi_frame_drop(co4, co4_f); %s }",
              cw_return_zero(unit, e->func->decl->type->inner));
}

/* Its text in front of the initializer begins at `from`. `unused`: all of the declaration are. */
static void emit_declarator(cw_emitter *e, const cw_node *var, uint32_t from, bool unused,
                            cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_local *local = var->decl->as_local;
    const cw_node *init = var->kids[0];
    put_lengths(e, var->decl, out);
    if (local != NULL && local->seen != NULL && cw_type_bare(local->seen)->kind == CW_T_VLA)
        put_block(e, var, out);
    if (var->decl->cleanup == cw_pushed_handler && local != NULL)
        cw_printf(out, "co4_abi_no_handler(&%s); ", cw_local_ref(unit, local));
    bool own = names_itself(unit, var) && !local->pinned;
    if (own) {
        cw_marker_to(unit, var->decl->name_at, out);
        cw_printf(
            out, "%s;",
            cw_type_write(unit, var->decl->type, local->name,
                          CW_WRITE_UNQUALIFIED | (var->decl->marked ? CW_WRITE_PAUSABLE : 0)));
    }
    if (init != NULL && init->plan != NULL)
        cw_emit_plan(e, init, out);
    cw_marker_to(unit, var->decl->name_at, out);
    if (own) {
        emit_first_value(e, local, init, out);
        return;
    }
    if (local != NULL && local->pinned) {
        if (init != NULL)
            emit_first_value(e, local, init, out);
        return;
    }
    bool unqualify = local != NULL && local->unqualify;
    unsigned how = (unqualify ? CW_WRITE_UNQUALIFIED : 0) |
                   (var->decl->marked ? CW_WRITE_PAUSABLE : 0);
    const char *name = var->decl->rename != NULL ? var->decl->rename : var->decl->name;
    cw_puts(out, cw_type_write(unit, var->decl->type, name, how));
    if (unit->gnu &&
        (unused || cw_contains(unit, from, init != NULL ? init->begin : var->end, "unused")))
        cw_puts(out, " __attribute__((unused))");
    if (init != NULL) {
        cw_puts(out, " = ");
        cw_render(unit, init, out);
    }
    if (init == NULL && local != NULL && local->clear && local->saved)
        cw_printf(out, " = %s", cw_clear_value(local->type));
    cw_puts(out, ";");
}

/* Has the definition of this type moved to before the statement? */
static bool has_moved(const cw_unit *unit, const cw_node *kid)
{
    size_t i;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= kid->begin);
    return i < unit->ntags && unit->tags[i]->begin == kid->begin && unit->tags[i]->moved;
}

static uint32_t first_name(const cw_node *node)
{
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i]->kind == CW_VAR)
            return node->kids[i]->decl->name_at;
    return 0;
}

/* Moves the definitions in an operand of typeof before the declaration, which is written without
 * it, and those of its types in initializers (__auto_type). A child defines each other type. */
static void move_types(cw_unit *unit, const cw_node *node, cw_buf *out)
{
    uint32_t name_at = first_name(node), behind = 0;
    size_t i;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= node->begin);
    if (name_at == 0 || i == unit->ntags || unit->tags[i]->begin >= node->end)
        return;
    cw_names known = { 0 }; /* of the children: addresses of tags in types, begins of definitions */
    for (size_t k = 0; k < node->nkids; k++) {
        const cw_node *kid = node->kids[k];
        if (kid->kind == CW_OTHER_DECL)
            cw_names_add(&known, (const char *)&kid->begin, sizeof kid->begin);
        for (const cw_type *type = kid->kind == CW_VAR ? kid->decl->type : NULL; type != NULL;
             type = type->inner)
            if (type->tag != NULL)
                cw_names_add(&known, (const char *)&type->tag, sizeof type->tag);
    }
    for (; i < unit->ntags && unit->tags[i]->begin < node->end; i++) {
        cw_tag *tag = unit->tags[i];
        if (tag->begin < behind || tag->end <= tag->begin)
            continue;
        if (cw_names_find(&known, (const char *)&tag->begin, sizeof tag->begin) != NULL)
            behind = tag->end;
        else if (!tag->moved && (tag->begin < name_at ||
                                 cw_names_find(&known, (const char *)&tag, sizeof tag) != NULL))
            behind = cw_move_type(unit, tag, out);
    }
    cw_names_free(&known);
}

static void emit_rewritten_decl(cw_emitter *e, const cw_node *node, cw_buf *out)
{
    cw_unit *unit = e->unit;
    for (size_t i = 0; i < node->nkids; i++) /* names anonymous tags before their text is copied */
        if (node->kids[i]->kind == CW_VAR)
            cw_type_write(unit, node->kids[i]->decl->type, "", CW_WRITE_UNQUALIFIED);
    move_types(unit, node, out);
    uint32_t name_at = first_name(node), from = name_at;
    bool unused = cw_contains(unit, node->begin, name_at, "unused");
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid->kind == CW_VAR) {
            emit_declarator(e, kid, from, unused, out);
            from = kid->end;
            continue;
        }
        if (kid->decl != NULL && kid->decl->kept_lengths) {
            put_lengths(e, kid->decl, out);
            continue;
        }
        if (has_moved(unit, kid))
            continue;
        cw_marker_to(unit, kid->begin, out);
        if (kid->decl != NULL && kid->decl->kind == CW_D_TYPEDEF && node->nkids > 1)
            cw_printf(out, "typedef %s",
                      cw_type_write(unit, kid->decl->type, kid->decl->name,
                                    kid->decl->marked ? CW_WRITE_PAUSABLE : 0));
        else
            cw_edit_apply(unit, &unit->small, kid->begin, kid->end, out);
        cw_puts(out, ";");
    }
}

void cw_emit_init_part(cw_emitter *e, const cw_node *init, cw_buf *out)
{
    cw_unit *unit = e->unit;
    if (init->type != NULL) {
        cw_emit_plan(e, init, out);
        return;
    }
    if (cw_needs_rewriting(unit, init)) {
        emit_rewritten_decl(e, init, out);
        return;
    }
    const cw_node *first = NULL;
    for (size_t i = 0; i < init->nkids && first == NULL; i++)
        if (init->kids[i]->kind == CW_VAR)
            first = init->kids[i]->kids[0];
    if (first != NULL && first->plan != NULL) {
        cw_emit_plan(e, first, out);
        cw_marker_to(unit, init->begin, out);
        cw_edit_apply(unit, &unit->small, init->begin, first->begin, out);
        cw_render(unit, first, out);
        cw_edit_apply(unit, &unit->small, first->end, init->end, out);
    } else {
        cw_edit_apply(unit, &unit->small, init->begin, init->end, out);
    }
}

void cw_emit_decl_stmt(cw_emitter *e, const cw_node *node)
{
    cw_buf buf = { 0 };
    if (cw_needs_rewriting(e->unit, node)) {
        emit_rewritten_decl(e, node, &buf);
        cw_marker_to(e->unit, node->end, &buf);
        cw_large_edit(e, node->begin, node->end, &buf);
        return;
    }
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *init = node->kids[i]->kind == CW_VAR ? node->kids[i]->kids[0] : NULL;
        if (init == NULL || init->plan == NULL)
            continue;
        cw_emit_init_part(e, node, &buf);
        cw_marker_to(e->unit, node->end, &buf);
        cw_large_edit(e, node->begin, node->end, &buf);
        return;
    }
}
