/* tables.c - the description of a woven function: f__func and its tables.
 *
 * In:  points with their live locals, fields of the frame.
 * Out: text. A resume reads f__func, which has the points behind the description. The other tables
 *      are for backtraces, dumps and debuggers; --tables=none leaves them out.
 *
 * Purpose: the tables of a file would be larger than its code. A pointer in a constant needs a
 * relocation in a program that may be loaded anywhere, which is three times as large as itself. So
 * f__sites and f__fields have none: names are offsets in one text, f__text, which begins with the
 * function's name, and sets of live fields are indexes of f__live. Equal names and sets are stored
 * once. */
#include <stdlib.h>
#include <string.h>

#include "ast/func.h"
#include "ast/type.h"
#include "base/names.h"
#include "emit/emit.h"
#include "text/source_map.h"
#include "text/unit.h"

/* Writes the data of each point that a resume reads. */
static void put_point_table(const cw_func *func, const char *resume, const char *body, cw_buf *out)
{
    if (body != NULL)
        cw_printf(out, "    { { (void (*)(co4_fiber *, co4_frame *))(void (*)(void))%s, 0 }", body);
    else
        cw_printf(out, "    { { %s, 0 }", resume);
    for (size_t p = 0; p < func->npoints; p++) {
        const cw_point *point = func->points[p];
        cw_printf(out, ", { %s, %u }", resume, point->entry);
        if (point->wide)
            cw_printf(out, ", { 0, %u }", point->result->offset);
    }
    cw_puts(out, " }\n};\n");
}

static int by_number(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Finds the numbers of the fields in use at a point: first those of `pinned`. */
static size_t find_kept(const cw_point *point, size_t *kept, size_t npinned)
{
    size_t count = npinned;
    for (size_t i = 0; i < point->nlive; i++)
        kept[count++] = point->live[i]->field_index;
    qsort(kept, count, sizeof *kept, by_number);
    return count;
}

/* The names in a function's tables, each once: its text. */
typedef struct names {
    cw_arena *arena;
    cw_names set; /* the number: 1 + the offset */
    const char **items;
    size_t count;
    uint32_t bytes;
} names;

/* Returns the offset of a name in the text. */
static uint32_t offset_of(names *n, const char *name)
{
    size_t length = strlen(name);
    cw_name *known = cw_names_add(&n->set, name, length);
    if (known->number == 0) {
        known->number = n->bytes + 1;
        CW_PUSH(n->arena, n->items, n->count, name);
        n->bytes += (uint32_t)length + 1;
    }
    return known->number - 1;
}

/* A struct of arrays: a single literal may not be this long under -pedantic. */
static void put_text(const cw_func *func, const names *n, cw_buf *out)
{
    cw_puts(out, "static const struct {");
    for (size_t i = 0; i < n->count; i++)
        cw_printf(out, " char n%zu[%zu];", i, strlen(n->items[i]) + 1);
    cw_printf(out, " } %s__text = { ", func->decl->name);
    for (size_t i = 0; i < n->count; i++) {
        cw_puts(out, i > 0 ? ", " : "");
        cw_put_quoted(out, n->items[i]);
    }
    cw_puts(out, " };\n");
}

/* The sets of live fields: of each the number, then the indices. */
typedef struct sets {
    cw_arena *arena;
    cw_names set; /* the number: 1 + the index */
    size_t *items, count;
} sets;

/* Returns the index of a set. */
static size_t index_of(sets *s, const size_t *fields, size_t nfields)
{
    size_t bytes = nfields * sizeof *fields;
    const cw_name *known = cw_names_find(&s->set, (const char *)fields, bytes);
    if (known != NULL)
        return known->number - 1;
    unsigned at = (unsigned)s->count;
    cw_names_add(&s->set, cw_strndup(s->arena, (const char *)fields, bytes), bytes)->number = at +
                                                                                              1;
    CW_PUSH(s->arena, s->items, s->count, nfields);
    for (size_t i = 0; i < nfields; i++)
        CW_PUSH(s->arena, s->items, s->count, fields[i]);
    return at;
}

static bool names_fields(const cw_unit *unit)
{
    const cw_options *options = unit->options;
    return options->tables == CW_TABLES_FULL ||
           (options->tables == CW_TABLES_AUTO && !options->spares_fields);
}

/* Writes each point's position and live fields. */
static void put_site_table(cw_unit *unit, const cw_func *func, names *n, cw_buf *out)
{
    const char *name = func->decl->name;
    sets s = { .arena = &unit->arena };
    size_t *pinned = cw_alloc(&unit->arena, (func->nfields + 1) * sizeof *pinned), npinned = 0;
    size_t *kept = cw_alloc(&unit->arena, (func->nfields + 1) * sizeof *kept);
    for (size_t i = 0; i < func->nfields; i++)
        if (func->fields[i]->pinned)
            pinned[npinned++] = i;
    index_of(&s, kept, 0);
    cw_printf(out, "static const co4_abi_site %s__sites[] = {\n", name);
    for (size_t p = 0; p < func->npoints; p++) {
        const cw_point *point = func->points[p];
        memcpy(kept, pinned, npinned * sizeof *kept);
        size_t live = names_fields(unit) ? find_kept(point, kept, npinned) : 0;
        cw_printf(out, "    { %u, %u, %zu },\n", cw_place_of(unit, point->at).line,
                  offset_of(n, point->callee), index_of(&s, kept, live));
        if (point->wide)
            cw_puts(out, "    { 0, 0, 0 }, /* of its second entry */\n");
    }
    cw_printf(out, "};\nstatic const unsigned short %s__live[] = { ", name);
    for (size_t i = 0; i < s.count; i++)
        cw_printf(out, "%s%zu", i > 0 ? ", " : "", s.items[i]);
    cw_puts(out, " };\n");
    cw_names_free(&s.set);
}

static void put_field_table(cw_unit *unit, const cw_func *func, names *n, cw_buf *out)
{
    cw_printf(out, "static const co4_abi_field %s__fields[] = {\n", func->decl->name);
    for (size_t i = 0; i < func->nfields; i++) {
        const cw_local *local = func->fields[i];
        uint32_t name = offset_of(n, cw_local_name(local));
        uint32_t type = offset_of(n, cw_type_write(unit, local->type, "", 0));
        cw_printf(out, "    { %u, %u, %u, %u, %d, %u },\n", name, type, local->offset, local->size,
                  local->pinned ? 1 : 0,
                  local->decl != NULL ? cw_place_of(unit, local->decl->name_at).line : 0);
    }
    cw_puts(out, "};\n");
}

unsigned cw_table_entries(const cw_func *func)
{
    unsigned count = 1;
    for (size_t i = 0; i < func->npoints; i++)
        count += func->points[i]->wide ? 2 : 1;
    return count;
}

/* The name as __FILE__ would have it: the last option that applies counts, as for compilers. */
static void put_file_name(const cw_options *options, const char *name, cw_buf *out)
{
    cw_buf mapped = { 0 };
    for (size_t i = options->nprefix_maps; i-- > 0 && mapped.data == NULL;) {
        const char *from = options->prefix_maps[i], *to = strrchr(from, '=');
        size_t length = to != NULL ? (size_t)(to - from) : 0;
        if (to != NULL && strncmp(name, from, length) == 0)
            cw_printf(&mapped, "%s%s", to + 1, name + length);
    }
    cw_put_quoted(out, mapped.data != NULL ? mapped.data : name);
    cw_buf_free(&mapped);
}

static void put_info(cw_unit *unit, const cw_func *func, names *n, cw_buf *out)
{
    const char *name = func->decl->name;
    cw_place place = cw_place_of(unit, func->begin);
    size_t nfields = names_fields(unit) ? func->nfields : 0;
    put_site_table(unit, func, n, out);
    if (nfields > 0)
        put_field_table(unit, func, n, out);
    put_text(func, n, out);
    cw_printf(out, "static const co4_abi_info %s__info = { ", name);
    put_file_name(unit->options, cw_file_name(unit, place.file), out);
    cw_printf(out, ", %u, %u, %s__sites, %s%s, %s__live, %zu };\n", place.line,
              cw_table_entries(func) - 1, name, nfields > 0 ? name : "",
              nfields > 0 ? "__fields" : "0", name, nfields);
}

bool cw_tables_unwind(const cw_func *func)
{
    return func->ncleanups > 0 || func->jumps != NULL || func->args != NULL;
}

void cw_tables_put(cw_unit *unit, const cw_func *func, const char *resume, const char *body,
                   cw_buf *out)
{
    const char *name = func->decl->name;
    cw_table_mode mode = unit->options->tables;
    bool informs = mode != CW_TABLES_NONE && (mode != CW_TABLES_AUTO || !unit->spares_tables);
    names n = { .arena = &unit->arena };
    offset_of(&n, name);
    if (informs)
        put_info(unit, func, &n, out);
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    cw_printf(out, "static const struct %s__func %s__func = { { sizeof(struct %s__frame), ", name,
              name, name);
    if (!cw_type_is_void(result))
        cw_printf(out, "sizeof(%s) | ", cw_type_write(unit, result, "", CW_WRITE_FILE_SCOPE));
    cw_printf(out, "(_Alignof(struct %s__frame) > 8 ? CO4_ABI_ALIGNED : 0), ", name);
    if (informs)
        cw_printf(out, "%s__text.n0, &%s__info, ", name, name);
    else
        cw_printf(out, "\"%s\", 0, ", name);
    cw_printf(out, cw_tables_unwind(func) ? "%s__unwind },\n" : "0 },\n", name);
    put_point_table(func, resume, body, out);
    cw_names_free(&n.set);
}
