/* moved_types.c - types that an expression with a suspension point defines.
 *
 * Woven code has the steps of such an expression in front of it, and they may need its types. So
 * emit/steps.c moves their definitions to before the statement. There the tag or an enumerator
 * would hide another of its name: one that the expression names before the definition, or a local
 * that a suspension point of the expression saves. Such a type is refused.
 *
 * Rejected: to rename the type. libclang does not show each place that names one, such as those in
 * typeof. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Locals of a function by name. */
typedef struct locals {
    const cw_func *func; /* NULL: not read yet */
    cw_names names;      /* value: index in func->declared, from 1, of the last */
    size_t *before;      /* for each of func->declared the same, of the one before it */
} locals;

/* An expression, and the text that a type in it is moved over: that of its statement before it. */
typedef struct place {
    cw_unit *unit;
    const cw_func *func;
    const cw_node *expr;
    locals locals;
    uint32_t begin, read; /* the statement's text up to `read` has these words: */
    cw_names words;       /* value: AS_TAG, AS_NAME */
    bool keyword, member; /* in front of `read` */
    cw_names values;      /* key: the bytes of the address of a tag; see read_outside() */
    const cw_node **blocks;
    size_t nblocks;
} place;

enum { AS_TAG = 1, AS_NAME = 2 };

/* What the expression has outside of the blocks of its statement expressions: the tags of values
 * there, and those blocks, in order. */
static void read_outside(place *p, const cw_node *node)
{
    if (node == NULL)
        return;
    for (const cw_type *type = node->type; type != NULL; type = type->inner)
        if (type->tag != NULL)
            cw_names_add(&p->values, (const char *)&type->tag, sizeof type->tag);
    if (node->kind == CW_STMT_EXPR) {
        CW_PUSH(&p->unit->arena, p->blocks, p->nblocks, node);
        return;
    }
    for (size_t i = 0; i < node->nkids; i++)
        read_outside(p, node->kids[i]);
}

/* Is the definition in the block of a statement expression, and stays there? It does not if a
 * value outside the block has its type. */
static bool stays_in_block(const place *p, const cw_tag *tag)
{
    size_t i;
    CW_SEARCH(i, p->nblocks, p->blocks[i]->end > tag->begin);
    return i < p->nblocks && p->blocks[i]->begin <= tag->begin &&
           cw_names_find(&p->values, (const char *)&tag, sizeof tag) == NULL;
}

/* Collects the words from the statement's beginning up to `to`, and how they are used: as a tag or,
 * without a tag's keyword, as anything else. The name of a member does not count, nor does a
 * definition: two in one place are no silent mistake, and frame.c renames one of them where it
 * can. */
static void read_words(place *p, uint32_t begin, uint32_t to)
{
    const cw_unit *unit = p->unit;
    if (p->begin != begin) { /* another statement */
        cw_names_free(&p->words);
        p->begin = p->read = begin;
        p->keyword = p->member = false;
    }
    for (uint32_t end; p->read < to; p->read = end) {
        uint32_t at = p->read;
        end = cw_skip_blank(unit, at);
        if (end > at)
            continue;
        end = cw_skip_word(unit, at);
        if (end == at) {
            char c = unit->text[at];
            end = cw_skip_unit(unit, at);
            p->member = c == '.' || (c == '>' && at > 0 && unit->text[at - 1] == '-');
            p->keyword = false;
            continue;
        }
        if (!p->member && !(p->keyword && unit->text[cw_skip_blank(unit, end)] == '{'))
            cw_names_add(&p->words, unit->text + at, end - at)->number |= p->keyword ? AS_TAG
                                                                                     : AS_NAME;
        p->keyword = cw_lists("struct union enum", unit->text + at, end - at);
        p->member = false;
    }
}

static bool names(const place *p, const char *name, size_t length, unsigned how)
{
    const cw_name *word = cw_names_find(&p->words, name, length);
    return word != NULL && (word->number & how) != 0;
}

/* If the unit has no other type of this name, code that names it before means this one. */
static void check_tag(const place *p, const cw_tag *tag)
{
    if (tag->has_namesake && names(p, tag->said, strlen(tag->said), AS_TAG))
        cw_diag(p->unit, CW_ERROR, tag->begin, "give it another name",
                "'%s %s' is defined in an expression that may pause, and hides a type of that name "
                "that is named before it",
                tag->keyword, tag->said);
}

static bool is_local(place *p, const char *name, size_t length)
{
    locals *l = &p->locals;
    const cw_func *func = p->func;
    if (l->func == NULL) {
        l->func = func;
        l->before = cw_alloc(&p->unit->arena, func->ndeclared * sizeof *l->before);
        for (size_t i = 0; i < func->ndeclared; i++) {
            const char *said = func->declared[i]->name;
            cw_name *last = cw_names_add(&l->names, said, strlen(said));
            l->before[i] = last->number;
            last->number = (unsigned)i + 1;
        }
    }
    const cw_name *last = cw_names_find(&l->names, name, length);
    for (size_t i = last != NULL ? last->number : 0; i > 0; i = l->before[i - 1]) {
        const cw_decl *decl = func->declared[i - 1];
        bool in_sight = decl->kind == CW_D_PARAM
                            ? decl->func == func
                            : decl->kind == CW_D_VARIABLE && decl->name_at < p->expr->begin &&
                                  decl->scope_begin <= p->expr->begin &&
                                  decl->scope_end > p->expr->begin;
        if (in_sight)
            return true;
    }
    return false;
}

static void check_enumerator(place *p, uint32_t at, uint32_t end)
{
    const char *name = p->unit->text + at;
    size_t length = end - at;
    if (names(p, name, length, AS_NAME))
        cw_diag(p->unit, CW_ERROR, at, "give it another name",
                "'%.*s' is defined in an expression that may pause, and hides what that name means "
                "before it",
                (int)length, name);
    else if (is_local(p, name, length))
        cw_diag(p->unit, CW_ERROR, at, "give it another name",
                "'%.*s' is defined in an expression that may pause, and hides a local that a pause "
                "in it saves",
                (int)length, name);
}

static void check_enumerators(place *p, const cw_tag *tag)
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
                check_enumerator(p, next, end);
            first = false;
            at = end;
            continue;
        }
        first = unit->text[next] == ',';
        at = unit->text[next] == '(' ? cw_skip_group(unit, next) : cw_skip_unit(unit, next);
    }
}

static void check_expression(place *p, const cw_node *expr, uint32_t begin)
{
    const cw_unit *unit = p->unit;
    size_t i;
    p->expr = expr;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= expr->begin);
    if (i == unit->ntags || unit->tags[i]->begin >= expr->end)
        return;
    cw_names_free(&p->values);
    p->nblocks = 0;
    read_outside(p, expr);
    uint32_t behind = 0; /* the end of the outermost definition around the next */
    for (; i < unit->ntags && unit->tags[i]->begin < expr->end; i++) {
        const cw_tag *tag = unit->tags[i];
        if (tag->end <= tag->begin)
            continue;
        if (tag->begin >= behind) {
            if (stays_in_block(p, tag))
                continue;
            read_words(p, begin, tag->begin);
            behind = tag->end;
        }
        check_tag(p, tag);
        if (*tag->keyword == 'e')
            check_enumerators(p, tag);
    }
}

/* `begin` is where the statement begins. */
static void check_tree(place *p, const cw_node *node, uint32_t begin, bool inside)
{
    if (node == NULL || !node->has_points)
        return;
    bool is_expr = node->type != NULL;
    if (is_expr && !inside)
        check_expression(p, node, begin);
    if (node->kind == CW_DECL_STMT)
        begin = node->begin;
    bool still_inside = is_expr && node->kind != CW_STMT_EXPR;
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid != NULL)
            check_tree(p, kid,
                       node->kind == CW_DECL_STMT || node->kind == CW_VAR ? begin : kid->begin,
                       still_inside);
    }
}

void cw_check_moved_types(cw_unit *unit, const cw_func *func)
{
    place p = { .unit = unit, .func = func };
    if (unit->ntags > 0)
        check_tree(&p, func->body, func->body->begin, false);
    cw_names_free(&p.words);
    cw_names_free(&p.values);
    cw_names_free(&p.locals.names);
}
