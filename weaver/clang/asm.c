/* asm.c - the labels that an asm goto names, which libclang does not provide.
 *
 * In:  a function's body, read.
 * Out: the kids of each asm goto include the addresses of its labels, in their order.
 *
 * The labels are the words in the last part of the operands. A name means the same as in a goto:
 * the label of the innermost enclosing block that declares it by `__label__` (GNU), or else the
 * function's label. */
#include <string.h>

#include "ast/decl.h"
#include "text/unit.h"
#include "clang/loader.h"

#define LABELS_BEHIND 4 /* colons: outputs, inputs, clobbers, labels */

static bool is_word_at(const cw_unit *unit, uint32_t at, const char *word)
{
    return strncmp(unit->text + at, word, strlen(word)) == 0 &&
           !cw_is_word(unit->text[at + strlen(word)]);
}

/* Offset of the operands' bracket if the node is an asm goto, else 0. */
static uint32_t operands_of_goto(const cw_unit *unit, const cw_node *node)
{
    bool jumps = false;
    uint32_t at = node->begin;
    while (at < node->end && unit->text[at] != '(') {
        jumps |= is_word_at(unit, at, "goto") && !cw_is_word(unit->text[at - 1]);
        at = cw_skip_unit(unit, at);
    }
    return jumps && at < node->end ? at : 0;
}

/* Offset after the colon that precedes the labels, or `end` if there is none. */
static uint32_t labels_at(const cw_unit *unit, uint32_t bracket, uint32_t end)
{
    int colons = 0;
    uint32_t at = bracket + 1;
    while (at < end && colons < LABELS_BEHIND) {
        colons += unit->text[at] == ':';
        at = unit->text[at] == '(' || unit->text[at] == '[' ? cw_skip_group(unit, at)
                                                            : cw_skip_unit(unit, at);
    }
    return at;
}

/* The key of a name in a block: the block, then the name. */
static size_t key_in(loader *l, const cw_node *block, const char *name, size_t length,
                     const char **key)
{
    uint32_t begin = block != NULL ? block->begin : 0;
    char *both = cw_alloc(&l->unit->arena, sizeof begin + length);
    memcpy(both, &begin, sizeof begin);
    memcpy(both + sizeof begin, name, length);
    *key = both;
    return sizeof begin + length;
}

/* Reads, once, the labels that a block declares at its beginning as its own. Returns false if it
 * declares none. */
static bool declares_some(loader *l, cw_names *own, const cw_node *block)
{
    const cw_unit *unit = l->unit;
    uint32_t first = cw_skip_blank(unit, block->begin + 1), end = first, at;
    const char *key;
    if (!is_word_at(unit, first, "__label__"))
        return false;
    size_t length = key_in(l, block, "", 0, &key);
    if (cw_names_find(own, key, length) != NULL)
        return true;
    cw_names_add(own, key, length);
    while (is_word_at(unit, end, "__label__")) {
        end = cw_skip_word(unit, end);
        uint32_t limit = end;
        while (unit->text[limit] != ';')
            limit = cw_skip_unit(unit, limit);
        while (cw_next_word(unit, &at, &end, limit)) {
            length = key_in(l, block, unit->text + at, end - at, &key);
            cw_names_add(own, key, length);
        }
        end = cw_skip_blank(unit, limit + 1);
    }
    return true;
}

/* The key of a name at a node: that of the block to which the label belongs. */
static size_t key_of(loader *l, cw_names *own, const cw_node *node, const char *name, size_t length,
                     const char **key)
{
    for (const cw_node *block = node->parent; block != NULL; block = block->parent) {
        if (block->kind != CW_BLOCK || !declares_some(l, own, block))
            continue;
        size_t both = key_in(l, block, name, length, key);
        if (cw_names_find(own, *key, both) != NULL)
            return both;
    }
    return key_in(l, NULL, name, length, key);
}

void load_asm(loader *l, cw_node *node)
{
    node->jumps = operands_of_goto(l->unit, node) != 0;
    if (node->jumps)
        CW_PUSH(&l->unit->arena, l->asm_gotos, l->nasm_gotos, node);
}

void load_asm_labels(loader *l, cw_node *const *labels, size_t nlabels)
{
    cw_unit *unit = l->unit;
    cw_names known = { 0 }, own = { 0 };
    const char *key;
    for (size_t i = 0; l->nasm_gotos > 0 && i < nlabels; i++) {
        const char *name = labels[i]->decl->name;
        size_t length = key_of(l, &own, labels[i], name, strlen(name), &key);
        cw_names_add(&known, key, length)->number = (unsigned)i;
    }
    for (size_t i = 0; i < l->nasm_gotos; i++) {
        cw_node *jump = l->asm_gotos[i];
        uint32_t bracket = operands_of_goto(unit, jump), limit = cw_skip_group(unit, bracket);
        uint32_t at, end = labels_at(unit, bracket, limit);
        while (cw_next_word(unit, &at, &end, limit)) {
            size_t length = key_of(l, &own, jump, unit->text + at, end - at, &key);
            const cw_name *found = cw_names_find(&known, key, length);
            if (found == NULL)
                continue;
            cw_node *label = cw_alloc(&unit->arena, sizeof *label);
            *label = (cw_node){ .kind = CW_LABEL_ADDRESS,
                                .begin = at,
                                .end = end,
                                .decl = labels[found->number]->decl,
                                .parent = jump };
            load_add_kid(l, jump, label);
        }
    }
    cw_names_free(&known);
    cw_names_free(&own);
    l->nasm_gotos = 0;
}
