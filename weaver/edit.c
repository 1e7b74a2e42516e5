/* edit.c - changes of the text, as data, applied once.
 *
 * An edit replaces [begin, end) by a text; begin == end inserts. There are two lists: small ones inside expressions and
 * declarations, which the emitter also applies to the pieces of text that it moves, and large ones of statements and functions.
 * An edit that covers others swallows them: its text was made from them. At one offset, insertions come first, in the
 * order in which they were added. */
#include "emit.h"

#include <stdlib.h>

void cw_edit_add(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, const char *text)
{
    cw_edit edit = { begin, end, text, unit->next_order++ };
    if (end < begin)
        cw_bug("edit", "an edit from %u to %u", begin, end);
    CW_PUSH(&unit->arena, edits->items, edits->count, edit);
    edits->sorted = false;
}

static int compare(const void *left, const void *right)
{
    const cw_edit *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    bool a_inserts = a->begin == a->end, b_inserts = b->begin == b->end;
    if (a_inserts != b_inserts)
        return a_inserts ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1; /* the outer one first */
    return a->order < b->order ? -1 : 1;
}

static void sort(cw_edits *edits)
{
    if (!edits->sorted && edits->count > 0)
        qsort(edits->items, edits->count, sizeof *edits->items, compare);
    edits->sorted = true;
}

static void apply(cw_unit *unit, const cw_edit *items, size_t count, uint32_t begin, uint32_t end,
                  cw_buf *out)
{
    uint32_t at = begin;
    for (size_t i = 0; i < count; i++) {
        const cw_edit *edit = &items[i];
        if (edit->begin < at || edit->end > end) /* swallowed, or outside */
            continue;
        cw_put(out, unit->text + at, edit->begin - at);
        cw_puts(out, edit->text);
        at = edit->end;
    }
    cw_put(out, unit->text + at, end - at);
}

static size_t first_at(const cw_edits *edits, uint32_t begin)
{
    size_t low = 0, high = edits->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edits->items[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cw_edit_apply(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, cw_buf *out)
{
    sort(edits);
    size_t from = first_at(edits, begin), to = first_at(edits, end);
    /* an insertion right at the end belongs to what follows */
    apply(unit, edits->items + from, to - from, begin, end, out);
}

void cw_edit_apply_both(cw_unit *unit, uint32_t begin, uint32_t end, cw_buf *out)
{
    cw_edits all = { 0 };
    uint32_t covered = 0;
    uint32_t limit = end == unit->length ? end + 1 : end; /* nothing follows the end of the text */
    sort(&unit->small);
    sort(&unit->large);
    size_t next = first_at(&unit->large, begin), after = first_at(&unit->large, limit);
    for (size_t i = next; i < after; i++)
        CW_PUSH(&unit->arena, all.items, all.count, unit->large.items[i]);
    /* a small edit inside a large one is part of the large one's text */
    for (size_t i = first_at(&unit->small, begin); i < first_at(&unit->small, limit); i++) {
        const cw_edit *edit = &unit->small.items[i];
        for (; next < after && unit->large.items[next].begin <= edit->begin; next++)
            if (unit->large.items[next].end > covered)
                covered = unit->large.items[next].end;
        if (edit->begin >= covered)
            CW_PUSH(&unit->arena, all.items, all.count, *edit);
    }
    sort(&all);
    apply(unit, all.items, all.count, begin, end, out);
}
