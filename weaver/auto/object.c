/* object.c - --auto: reads objects.
 *
 * They are ELF, of 32 or 64 bits, in either byte order, or WebAssembly's (wasm.c). Nothing is
 * trusted: every offset is checked. */
#include "auto/object.h"

#include <stdlib.h>
#include <string.h>

#include "auto/record.h"
#include "auto/wasm.h"
#include "base/buf.h"

/* ---- ELF ------------------------------------------------------------------------------------- */

typedef struct object {
    const unsigned char *bytes;
    size_t length;
    uint64_t table, each, count; /* of sections */
    bool wide, big;              /* 64 bits; the most significant byte first */
} object;

/* The number of `size` bytes at an offset; 0 outside. */
static uint64_t number_at(const object *o, uint64_t at, unsigned size)
{
    uint64_t value = 0;
    if (at > o->length || size > o->length - at)
        return 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)o->bytes[at + i] << 8 * (o->big ? size - 1 - i : i);
    return value;
}

typedef struct section {
    uint64_t name, flags, offset, size;
} section;

static section section_at(const object *o, uint64_t index)
{
    uint64_t at = o->table + o->each * index;
    return o->wide ? (section){ number_at(o, at, 4), number_at(o, at + 8, 8),
                                number_at(o, at + 24, 8), number_at(o, at + 32, 8) }
                   : (section){ number_at(o, at, 4), number_at(o, at + 8, 4),
                                number_at(o, at + 16, 4), number_at(o, at + 20, 4) };
}

/* Reads the head of an ELF file. Returns false if it is none. */
static bool open_object(object *o, const char *bytes, size_t length)
{
    *o = (object){ .bytes = (const unsigned char *)bytes, .length = length };
    if (length < 52 || memcmp(bytes, "\177ELF", 4) != 0)
        return false;
    o->wide = bytes[4] == 2;
    o->big = bytes[5] == 2;
    o->table = o->wide ? number_at(o, 40, 8) : number_at(o, 32, 4);
    o->each = number_at(o, o->wide ? 58 : 46, 2);
    o->count = number_at(o, o->wide ? 60 : 48, 2);
    if (o->table == 0 || o->table > length || o->each == 0)
        return false;
    if (o->count == 0) /* more than 65,279: the first section has it */
        o->count = number_at(o, o->table + (o->wide ? 32 : 20), o->wide ? 8 : 4);
    return o->count <= (length - o->table) / o->each;
}

static bool is_inside(const object *o, const section *s)
{
    return s->offset <= o->length && s->size <= o->length - s->offset;
}

/* The contents of a section; NULL if there is none. */
static const char *section_of(const object *o, const char *name, size_t *size)
{
    uint64_t names_at = number_at(o, o->wide ? 62 : 50, 2);
    if (names_at == 0xffff)
        names_at = number_at(o, o->table + (o->wide ? 40 : 24), 4);
    section names = section_at(o, names_at);
    if (!is_inside(o, &names))
        return NULL;
    size_t bytes_of_name = strlen(name) + 1;
    for (uint64_t i = 0; i < o->count; i++) {
        section s = section_at(o, i);
        if (s.name > names.size || bytes_of_name > names.size - s.name || !is_inside(o, &s) ||
            memcmp(o->bytes + names.offset + s.name, name, bytes_of_name) != 0)
            continue;
        *size = (size_t)s.size;
        return (const char *)o->bytes + s.offset;
    }
    return NULL;
}

/* A text in a section; NULL outside, and without an end. */
static const char *text_at(const object *o, const section *names, uint64_t at)
{
    const char *text = (const char *)o->bytes + names->offset;
    bool whole = at < names->size && memchr(text + at, '\0', (size_t)(names->size - at)) != NULL;
    return whole ? text + at : NULL;
}

/* Calls `found` for each symbol that `wanted` chooses by its field `info` and its section, with the
 * first four bytes of what it names. */
static void each_symbol(const char *bytes, size_t length,
                        bool (*wanted)(unsigned info, unsigned in), cw_symbol_found *found,
                        void *to)
{
    enum { RELOCATABLE = 1, SYMBOLS = 2 }; /* types of objects, of sections */
    object o;
    if (!open_object(&o, bytes, length) || number_at(&o, 16, 2) != RELOCATABLE)
        return;
    const unsigned each = o.wide ? 24 : 16;
    for (uint64_t i = 0; i < o.count; i++) {
        uint64_t head = o.table + o.each * i;
        section s = section_at(&o, i);
        section names = section_at(&o, number_at(&o, head + (o.wide ? 40 : 24), 4));
        if (number_at(&o, head + 4, 4) != SYMBOLS || !is_inside(&o, &s) || !is_inside(&o, &names))
            continue;
        for (uint64_t at = each; at + each <= s.size; at += each) { /* the first one is empty */
            unsigned info = (unsigned)number_at(&o, s.offset + at + (o.wide ? 4 : 12), 1);
            unsigned in = (unsigned)number_at(&o, s.offset + at + (o.wide ? 6 : 14), 2);
            const char *name = text_at(&o, &names, number_at(&o, s.offset + at, 4));
            uint64_t value = number_at(&o, s.offset + at + (o.wide ? 8 : 4), o.wide ? 8 : 4);
            if (wanted(info, in) && name != NULL)
                found(to, name, (size_t)number_at(&o, section_at(&o, in).offset + value, 4));
        }
    }
}

static bool is_needed(unsigned info, unsigned in)
{
    (void)info;
    return in == 0;
}

static bool is_shared_local(unsigned info, unsigned in)
{
    enum { TLS = 6 };
    (void)in;
    return (info & 0xf) == TLS && info >> 4 != 0;
}

static bool is_data(unsigned info, unsigned in)
{
    enum { OBJECT = 1, RESERVED = 0xff00 };
    return (info & 0xf) == OBJECT && in != 0 && in < RESERVED;
}

static size_t code_of(const object *o)
{
    enum { EXECINSTR = 4 };
    size_t code = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        section s = section_at(o, i);
        code += (s.flags & EXECINSTR) && is_inside(o, &s) ? (size_t)s.size : 0;
    }
    return code;
}

/* ---- symbols of WebAssembly ------------------------------------------------------------------ */

typedef struct choice {
    bool (*wanted)(const cw_wasm_symbol *symbol);
    cw_symbol_found *found;
    void *to;
    cw_buf name;
} choice;

static void choose(void *to, const cw_wasm_symbol *symbol)
{
    choice *c = to;
    if (!c->wanted(symbol))
        return;
    c->name.length = 0;
    cw_put(&c->name, symbol->name, symbol->length);
    c->found(c->to, c->name.data, symbol->begin);
}

static void each_chosen(const char *bytes, size_t length,
                        bool (*wanted)(const cw_wasm_symbol *symbol), cw_symbol_found *found,
                        void *to)
{
    choice c = { wanted, found, to, { 0 } };
    cw_wasm_each_symbol(bytes, length, choose, &c);
    cw_buf_free(&c.name);
}

static bool wasm_needs(const cw_wasm_symbol *symbol)
{
    return symbol->is_needed;
}

static bool wasm_shares_local(const cw_wasm_symbol *symbol)
{
    return symbol->is_thread_local && !symbol->is_local;
}

static bool wasm_has_data(const cw_wasm_symbol *symbol)
{
    return symbol->kind == CW_WASM_DATA && !symbol->is_needed;
}

/* ---- objects of either kind ------------------------------------------------------------------ */

const char *cw_object_record(const char *bytes, size_t length, size_t *size)
{
    object o;
    if (cw_is_wasm(bytes, length))
        return cw_wasm_record(bytes, length, size);
    return open_object(&o, bytes, length) ? section_of(&o, CW_AUTO_SECTION, size) : NULL;
}

void cw_object_needs(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_chosen(bytes, length, wasm_needs, found, to);
    each_symbol(bytes, length, is_needed, found, to);
}

void cw_object_locals(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_chosen(bytes, length, wasm_shares_local, found, to);
    each_symbol(bytes, length, is_shared_local, found, to);
}

void cw_object_data(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_chosen(bytes, length, wasm_has_data, found, to);
    each_symbol(bytes, length, is_data, found, to);
}

size_t cw_object_code(const char *bytes, size_t length)
{
    object o;
    return open_object(&o, bytes, length) ? code_of(&o) : cw_wasm_code(bytes, length);
}
