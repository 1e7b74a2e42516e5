/* edit.c - edits of the text, collected as data and applied once.
 *
 * Invariants: an edit replaces [begin, end) by a text; with begin == end it inserts. There are two
 * lists. Small edits are inside expressions and declarations; the emitter also applies them to the
 * pieces of text that it moves. Large edits replace statements and functions. An edit that covers
 * others replaces them: its text already contains their effect. At one offset, insertions come
 * first, in the order in which they were added. */
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "text/unit.h"

void cw_edit_add(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, const char *text)
{
    cw_edit edit = { begin, end, text, unit->next_order++ };
    if (end < begin)
        cw_bug("edit", "an edit from %u to %u", begin, end);
    if (!edits->open)
        edits->runs[edits->nruns++] = (cw_edit_run){ 0 };
    edits->open = true;
    cw_edit_run *run = &edits->runs[edits->nruns - 1];
    CW_PUSH(&unit->arena, run->items, run->count, edit);
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
        return a->end > b->end ? -1 : 1; /* the outer edit first */
    return a->order < b->order ? -1 : 1;
}

static void sort_items(cw_edit *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, compare);
}

/* Merges the last two runs. */
static void merge(cw_unit *unit, cw_edits *edits)
{
    cw_edit_run *to = &edits->runs[edits->nruns - 2], *from = to + 1;
    cw_edit *items = cw_alloc(&unit->arena, (to->count + from->count) * sizeof *items);
    size_t i = 0, j = 0, count = 0;
    while (i < to->count || j < from->count)
        items[count++] = j == from->count ||
                                 (i < to->count && compare(&to->items[i], &from->items[j]) <= 0)
                             ? to->items[i++]
                             : from->items[j++];
    *to = (cw_edit_run){ items, count };
    edits->nruns--;
}

/* Edits are added between two applications. So runs are sorted one by one, and merged when their
 * sizes are similar. */
static void sort(cw_unit *unit, cw_edits *edits)
{
    if (!edits->open)
        return;
    cw_edit_run *last = &edits->runs[edits->nruns - 1];
    sort_items(last->items, last->count);
    edits->open = false;
    while (edits->nruns > 1 &&
           edits->runs[edits->nruns - 2].count < 2 * edits->runs[edits->nruns - 1].count)
        merge(unit, edits);
}

static void apply(cw_unit *unit, const cw_edit *items, size_t count, uint32_t begin, uint32_t end,
                  cw_buf *out)
{
    uint32_t at = begin;
    for (size_t i = 0; i < count; i++) {
        const cw_edit *edit = &items[i];
        if (edit->begin < at || edit->end > end) /* covered by an outer edit, or outside */
            continue;
        cw_put(out, unit->text + at, edit->begin - at);
        cw_puts(out, edit->text);
        at = edit->end;
    }
    cw_put(out, unit->text + at, end - at);
}

static size_t first_at(const cw_edit_run *run, uint32_t begin)
{
    size_t first;
    CW_SEARCH(first, run->count, run->items[first].begin >= begin);
    return first;
}

/* All edits that begin in [begin, end), in order. */
static cw_edit_run edits_in(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end)
{
    cw_edit_run all = { 0 };
    size_t from = 0;
    sort(unit, edits);
    for (size_t r = 0; r < edits->nruns; r++) {
        const cw_edit_run *run = &edits->runs[r];
        size_t first = first_at(run, begin), after = first_at(run, end);
        from += after > first;
        if (from == 1 && after > first) { /* usually there is only one run */
            all = (cw_edit_run){ run->items + first, after - first };
            continue;
        }
        if (after == first)
            continue;
        cw_edit *items = cw_alloc(&unit->arena, (all.count + after - first) * sizeof *items);
        if (all.count > 0)
            memcpy(items, all.items, all.count * sizeof *items);
        memcpy(items + all.count, run->items + first, (after - first) * sizeof *items);
        all = (cw_edit_run){ items, all.count + after - first };
    }
    if (from > 1)
        sort_items(all.items, all.count);
    return all;
}

void cw_edit_apply(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, cw_buf *out)
{
    cw_edit_run all = edits_in(unit, edits, begin, end);
    /* an insertion right at the end belongs to the text that follows */
    apply(unit, all.items, all.count, begin, end, out);
}

void cw_edit_apply_both(cw_unit *unit, uint32_t begin, uint32_t end, cw_buf *out)
{
    uint32_t covered = 0;
    uint32_t limit = end == unit->length ? end + 1 : end; /* nothing follows the end of the text */
    cw_edit_run large = edits_in(unit, &unit->large, begin, limit);
    cw_edit_run small = edits_in(unit, &unit->small, begin, limit);
    cw_edit_run all = { 0 };
    for (size_t i = 0; i < large.count; i++)
        CW_PUSH(&unit->arena, all.items, all.count, large.items[i]);
    /* a small edit inside a large one is part of the large one's text */
    for (size_t i = 0, next = 0; i < small.count; i++) {
        const cw_edit *edit = &small.items[i];
        for (; next < large.count && large.items[next].begin <= edit->begin; next++)
            if (large.items[next].end > covered)
                covered = large.items[next].end;
        if (edit->begin >= covered)
            CW_PUSH(&unit->arena, all.items, all.count, *edit);
    }
    sort_items(all.items, all.count);
    apply(unit, all.items, all.count, begin, end, out);
}
