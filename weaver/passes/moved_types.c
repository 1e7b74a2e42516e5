/* moved_types.c - types that an expression with a suspension point defines.
 *
 * Woven code has the steps of such an expression in front of it, and they may need its types. So
 * emit/steps.c moves their definitions to before the statement. There the tag or an enumerator
 * would hide another of its name: one that the expression names before the definition, or a local
 * that a suspension point of the expression saves. Such a type is refused.
 *
 * Rejected: to rename the type. libclang does not show each place that names one, such as those in
 * typeof. */
#include "passes/moved_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/arena.h"
#include "text/diag.h"
#include "text/text.h"
#include "text/unit.h"

/* An expression, and the text that a type in it is moved over: that of its statement before it. */
typedef struct place {
    cw_unit *unit;
    const cw_func *func;
    const cw_node *expr;
    uint32_t begin;
} place;

static bool has_tag(const cw_type *type, const cw_tag *tag)
{
    for (; type != NULL; type = type->inner)
        if (type->tag == tag)
            return true;
    return false;
}

/* Is the definition in the block of a statement expression, and stays there? It does not if a
 * value outside the block has its type. */
static bool stays_in_block(const cw_node *node, const cw_tag *tag, bool *has_value)
{
    if (node == NULL)
        return false;
    *has_value |= has_tag(node->type, tag);
    if (node->kind == CW_STMT_EXPR)
        return tag->begin >= node->begin && tag->begin < node->end;
    bool inside = false;
    for (size_t i = 0; i < node->nkids; i++)
        inside |= stays_in_block(node->kids[i], tag, has_value);
    return inside;
}

static bool is_word(const cw_unit *unit, uint32_t at, uint32_t end, const char *word)
{
    return strlen(word) == end - at && strncmp(unit->text + at, word, end - at) == 0;
}

static bool is_keyword_of_tag(const cw_unit *unit, uint32_t at, uint32_t end)
{
    return is_word(unit, at, end, "struct") || is_word(unit, at, end, "union") ||
           is_word(unit, at, end, "enum");
}

/* Does the text name a type by this tag, or, without a tag's keyword, anything else? The name of a
 * member does not count, nor does a definition: two in one place are no silent mistake, and frame.c
 * renames one of them where it can. */
static bool names(const cw_unit *unit, uint32_t from, uint32_t to, const char *name, bool as_tag)
{
    bool keyword = false, member = false;
    for (uint32_t at = from, end; at < to; at = end) {
        uint32_t next = cw_skip_blank(unit, at);
        end = next;
        if (next > at)
            continue;
        end = cw_skip_word(unit, at);
        if (end == at) {
            char c = unit->text[at];
            end = cw_skip_unit(unit, at);
            member = c == '.' || (c == '>' && at > 0 && unit->text[at - 1] == '-');
            keyword = false;
            continue;
        }
        if (!member && keyword == as_tag && is_word(unit, at, end, name) &&
            !(as_tag && unit->text[cw_skip_blank(unit, end)] == '{'))
            return true;
        keyword = is_keyword_of_tag(unit, at, end);
        member = false;
    }
    return false;
}

/* Has the unit another type of this name? If not, code that names it before means this one. */
static bool has_namesake(const cw_unit *unit, const cw_tag *tag)
{
    for (size_t i = 0; i < unit->ntags; i++)
        if (unit->tags[i] != tag && unit->tags[i]->said != NULL &&
            strcmp(unit->tags[i]->said, tag->said) == 0)
            return true;
    return false;
}

static void check_tag(const place *p, const cw_tag *tag, uint32_t moved)
{
    if (tag->said != NULL && names(p->unit, p->begin, moved, tag->said, true) &&
        has_namesake(p->unit, tag))
        cw_diag(p->unit, CW_ERROR, tag->begin, "give it another name",
                "'%s %s' is defined in an expression that may pause, and hides a type of that name "
                "that is named before it",
                tag->keyword, tag->said);
}

static const cw_decl *local_named(const place *p, const char *name)
{
    for (size_t i = 0; i < p->func->ndeclared; i++) {
        const cw_decl *decl = p->func->declared[i];
        bool in_sight = decl->kind == CW_D_PARAM
                            ? decl->func == p->func
                            : decl->kind == CW_D_VARIABLE && decl->name_at < p->expr->begin &&
                                  decl->scope_begin <= p->expr->begin &&
                                  decl->scope_end > p->expr->begin;
        if (in_sight && strcmp(decl->name, name) == 0)
            return decl;
    }
    return NULL;
}

static void check_enumerator(const place *p, uint32_t at, uint32_t end, uint32_t moved)
{
    const char *name = cw_strndup(&p->unit->arena, p->unit->text + at, end - at);
    if (names(p->unit, p->begin, moved, name, false))
        cw_diag(p->unit, CW_ERROR, at, "give it another name",
                "'%s' is defined in an expression that may pause, and hides what that name means "
                "before it",
                name);
    else if (local_named(p, name) != NULL)
        cw_diag(p->unit, CW_ERROR, at, "give it another name",
                "'%s' is defined in an expression that may pause, and hides a local that a pause "
                "in it saves",
                name);
}

static void check_enumerators(const place *p, const cw_tag *tag, uint32_t moved)
{
    const cw_unit *unit = p->unit;
    uint32_t at = tag->begin;
    while (at < tag->end && unit->text[at] != '{')
        at = unit->text[at] == '(' ? cw_skip_group(unit, at) : cw_skip_unit(unit, at);
    bool first = true; /* after '{' or ',' */
    for (at++; at < tag->end;) {
        uint32_t next = cw_skip_blank(unit, at), end = cw_skip_word(unit, next);
        if (end > next) {
            if (first)
                check_enumerator(p, next, end, moved);
            first = false;
            at = end;
            continue;
        }
        first = unit->text[next] == ',';
        at = unit->text[next] == '(' ? cw_skip_group(unit, next) : cw_skip_unit(unit, next);
    }
}

static void check_expression(const place *p)
{
    cw_unit *unit = p->unit;
    size_t i;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= p->expr->begin);
    uint32_t moved = 0, behind = 0; /* the outermost definition around the next */
    for (; i < unit->ntags && unit->tags[i]->begin < p->expr->end; i++) {
        const cw_tag *tag = unit->tags[i];
        bool has_value = false;
        if (tag->end <= tag->begin)
            continue;
        if (tag->begin >= behind) {
            if (stays_in_block(p->expr, tag, &has_value) && !has_value)
                continue;
            moved = tag->begin;
            behind = tag->end;
        }
        check_tag(p, tag, moved);
        if (*tag->keyword == 'e')
            check_enumerators(p, tag, moved);
    }
}

/* `begin` is where the statement begins. */
static void check_tree(cw_unit *unit, const cw_func *func, const cw_node *node, uint32_t begin,
                       bool inside)
{
    if (node == NULL || !node->has_points)
        return;
    bool is_expr = node->type != NULL;
    if (is_expr && !inside)
        check_expression(&(place){ unit, func, node, begin });
    if (node->kind == CW_DECL_STMT)
        begin = node->begin;
    bool still_inside = is_expr && node->kind != CW_STMT_EXPR;
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid != NULL)
            check_tree(unit, func, kid,
                       node->kind == CW_DECL_STMT || node->kind == CW_VAR ? begin : kid->begin,
                       still_inside);
    }
}

void cw_check_moved_types(cw_unit *unit, const cw_func *func)
{
    if (unit->ntags > 0)
        check_tree(unit, func, func->body, func->body->begin, false);
}
