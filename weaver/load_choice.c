/* load_choice.c - which operand a _Generic or a __builtin_choose_expr evaluates.
 *
 * libclang shows all of them and does not say. So the text is parsed once more, with a question in front of each:
 *
 *     _Generic(x, int: f(x), default: 0)
 *     (((char (*)[_Generic(x, int: 1, default: 2)])0), _Generic(x, int: f(x), default: 0))
 *
 * The type of the cast has the answer. Only units whose pausable functions have such expressions pay for it. Where there
 * is no answer, `chosen` stays 0, and check.c refuses what it has to know it for. */
#include "load.h"

#include <stdlib.h>

typedef struct mark {
    uint32_t at;
    const cw_node *opens; /* NULL: one ends here */
} mark;

static int by_place(const void *left, const void *right)
{
    const mark *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->opens != NULL) - (b->opens != NULL); /* what ends here ends first */
}

static void put_question(const cw_unit *unit, const cw_node *node, cw_buf *out)
{
    cw_puts(out, "(((char (*)[");
    if (unit->text[node->begin + 1] == 'G') {
        uint32_t at = node->begin;
        for (size_t i = 1; i < node->nkids; i++) {
            cw_put(out, unit->text + at, node->kids[i]->begin - at);
            cw_printf(out, "%zu", i);
            at = node->kids[i]->end;
        }
        cw_put(out, unit->text + at, node->end - at);
    } else {
        cw_put(out, unit->text + node->kids[0]->begin, node->kids[0]->end - node->kids[0]->begin);
        cw_puts(out, " ? 1 : 2");
    }
    cw_puts(out, "])0), ");
}

static size_t answer(CXTranslationUnit tu, uint32_t at)
{
    CXFile file = clang_getFile(tu, "co4weave-unit.c");
    CXCursor cursor = clang_getCursor(tu, clang_getLocationForOffset(tu, file, at));
    CXType type = clang_getPointeeType(clang_getCursorType(cursor));
    return type.kind == CXType_ConstantArray ? (size_t)clang_getArraySize(type) : 0;
}

void load_choices(loader *l, CXIndex index)
{
    cw_unit *unit = l->unit;
    size_t count = l->nchoices;
    if (count == 0)
        return;
    mark *marks = cw_alloc(&unit->arena, 2 * count * sizeof *marks);
    uint32_t *asked = cw_alloc(&unit->arena, count * sizeof *asked);
    for (size_t i = 0; i < count; i++) {
        marks[2 * i] = (mark){ l->choices[i]->begin, l->choices[i] };
        marks[2 * i + 1] = (mark){ l->choices[i]->end, NULL };
    }
    qsort(marks, 2 * count, sizeof *marks, by_place);
    cw_buf text = { 0 };
    uint32_t at = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        cw_put(&text, unit->text + at, marks[i].at - at);
        at = marks[i].at;
        if (marks[i].opens == NULL) {
            cw_puts(&text, ")");
            continue;
        }
        for (size_t j = 0; j < count; j++)
            if (l->choices[j] == marks[i].opens)
                asked[j] = (uint32_t)text.length + 2;
        put_question(unit, marks[i].opens, &text);
    }
    cw_put(&text, unit->text + at, unit->length - at);
    CXTranslationUnit tu = load_parse(unit, index, text.data, text.length);
    for (size_t i = 0; tu != NULL && i < count; i++) {
        size_t chosen = answer(tu, asked[i]);
        l->choices[i]->chosen = chosen < l->choices[i]->nkids ? chosen : 0;
    }
    if (tu != NULL)
        clang_disposeTranslationUnit(tu);
    cw_buf_free(&text);
}
