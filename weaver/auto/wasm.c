/* wasm.c - --auto: objects of WebAssembly.
 *
 * Purpose: an object is a module with a section `linking`, whose parts say what its symbols are
 * (tool-conventions/Linking.md of WebAssembly). The record for the link is one more part there.
 * Linkers skip parts that they do not know, and write this section anew; a section of our own they
 * would copy into the program, with all of its source.
 *
 * Nothing is trusted: a reader stops at the first byte that is missing, and then all that it reads
 * is 0. */
#include "auto/wasm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bug.h"

enum {
    CUSTOM = 0, /* sections */
    IMPORTS = 2,
    CODE = 10,
    DATA = 11,
    SYMBOLS = 8, /* parts of `linking` */
    RECORD = 'c',
    VERSION = 2
};

/* ---- numbers and strings --------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end;
    bool failed;
} reader;

static void fail(reader *r)
{
    r->failed = true;
    r->at = r->end;
}

static unsigned byte_of(reader *r)
{
    if (r->at == r->end) {
        fail(r);
        return 0;
    }
    return (unsigned char)*r->at++;
}

/* A number of LEB128: seven bits a byte, the least significant first. */
static uint64_t number_of(reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = byte_of(r);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    fail(r);
    return 0;
}

/* The next `length` bytes, as a reader of their own. */
static reader take(reader *r, uint64_t length)
{
    if (length > (uint64_t)(r->end - r->at)) {
        fail(r);
        return (reader){ r->end, r->end, true };
    }
    reader part = { r->at, r->at + length, false };
    r->at = part.end;
    return part;
}

static reader string_of(reader *r)
{
    return take(r, number_of(r));
}

static bool is_string(const reader *string, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(string->end - string->at) == length && memcmp(string->at, text, length) == 0;
}

static void put_number(cw_buf *out, uint64_t value)
{
    do {
        char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        cw_put(out, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char magic[8] = "\0asm\1\0\0";

bool cw_is_wasm(const char *bytes, size_t length)
{
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* The next section: its number, and what it has. Returns false at the end. */
static bool next_section(reader *file, unsigned *number, reader *section)
{
    if (file->at == file->end)
        return false;
    *number = byte_of(file);
    *section = string_of(file);
    return !file->failed;
}

/* The first section of that number, and of that name if it is a custom one. The result is empty,
 * and has failed, if there is none. */
static reader find_section(const char *bytes, size_t length, unsigned wanted, const char *name)
{
    unsigned number;
    reader none = { bytes, bytes, true }, section;
    if (!cw_is_wasm(bytes, length))
        return none;
    for (reader file = { bytes + sizeof magic, bytes + length, false };
         next_section(&file, &number, &section);) {
        if (number != wanted)
            continue;
        if (wanted != CUSTOM)
            return section;
        reader called = string_of(&section);
        if (is_string(&called, name))
            return section;
    }
    return none;
}

/* A part of the section `linking`. */
static reader find_part(const char *bytes, size_t length, unsigned wanted)
{
    unsigned number;
    reader linking = find_section(bytes, length, CUSTOM, "linking"), part;
    if (number_of(&linking) == VERSION)
        while (next_section(&linking, &number, &part))
            if (number == wanted)
                return part;
    return (reader){ bytes, bytes, true };
}

const char *cw_wasm_record(const char *bytes, size_t length, size_t *size)
{
    reader part = find_part(bytes, length, RECORD);
    *size = (size_t)(part.end - part.at);
    return part.failed ? NULL : part.at;
}

bool cw_wasm_add_record(const cw_buf *object, const cw_buf *record, cw_buf *out)
{
    reader linking = find_section(object->data, object->length, CUSTOM, "linking");
    if (linking.failed)
        return false;
    cw_buf section = { 0 };
    put_number(&section, strlen("linking"));
    cw_puts(&section, "linking");
    cw_put(&section, linking.at, (size_t)(linking.end - linking.at));
    cw_put(&section, &(char){ RECORD }, 1);
    put_number(&section, record->length);
    cw_put(&section, record->data, record->length);
    reader file = { object->data + sizeof magic, object->data + object->length, false };
    const char *head = file.at;
    unsigned number;
    for (reader any; next_section(&file, &number, &any) && any.end != linking.end;)
        head = file.at;
    cw_put(out, object->data, (size_t)(head - object->data));
    cw_put(out, &(char){ CUSTOM }, 1);
    put_number(out, section.length);
    cw_put(out, section.data, section.length);
    cw_put(out, linking.end, (size_t)(object->data + object->length - linking.end));
    cw_buf_free(&section);
    return true;
}

size_t cw_wasm_code(const char *bytes, size_t length)
{
    reader code = find_section(bytes, length, CODE, NULL);
    return (size_t)(code.end - code.at);
}

/* ---- what symbols name ----------------------------------------------------------------------- */

/* The strings of a section, by index. */
typedef struct table {
    reader *items;
    size_t count;
} table;

static void add_string(table *t, reader string)
{
    CW_ADD(t->items, t->count, string);
}

static void skip_limits(reader *r)
{
    bool has_most = number_of(r) & 1;
    number_of(r);
    if (has_most)
        number_of(r);
}

/* The names of the imports that are functions. */
static table imported_functions(const char *bytes, size_t length)
{
    enum { FUNCTION, TABLE, MEMORY, GLOBAL, EVENT };
    table found = { 0 };
    reader r = find_section(bytes, length, IMPORTS, NULL);
    for (uint64_t n = number_of(&r); n > 0 && !r.failed; n--) {
        string_of(&r);
        reader name = string_of(&r);
        switch (byte_of(&r)) {
        case FUNCTION:
            number_of(&r);
            if (!r.failed)
                add_string(&found, name);
            break;
        case TABLE:
            byte_of(&r);
            skip_limits(&r);
            break;
        case MEMORY:
            skip_limits(&r);
            break;
        case GLOBAL:
        case EVENT:
            byte_of(&r);
            number_of(&r);
            break;
        default:
            fail(&r);
        }
    }
    return found;
}

/* The constant that says where a segment will be. */
static void skip_place(reader *r)
{
    enum { END = 0x0b };
    byte_of(r); /* i32.const, i64.const or global.get */
    number_of(r);
    if (byte_of(r) != END)
        fail(r);
}

/* The bytes of the segments of data. */
static table segments_of(const char *bytes, size_t length)
{
    enum { PASSIVE = 1, HAS_MEMORY = 2 };
    table found = { 0 };
    reader r = find_section(bytes, length, DATA, NULL);
    for (uint64_t n = number_of(&r); n > 0 && !r.failed; n--) {
        uint64_t flags = number_of(&r);
        if (flags & HAS_MEMORY)
            number_of(&r);
        if (!(flags & PASSIVE))
            skip_place(&r);
        reader segment = string_of(&r);
        if (!r.failed)
            add_string(&found, segment);
    }
    return found;
}

/* The number that begins at an offset of a segment; 0 outside. */
static size_t number_in(const table *segments, uint64_t segment, uint64_t offset)
{
    size_t value = 0;
    if (segment >= segments->count)
        return 0;
    reader r = segments->items[segment];
    take(&r, offset);
    for (unsigned i = 0; i < 4; i++)
        value |= (size_t)byte_of(&r) << 8 * i;
    return r.failed ? 0 : value;
}

/* ---- symbols --------------------------------------------------------------------------------- */

typedef struct object {
    table functions, segments;
} object;

/* Reads a symbol. Returns false if it has no name of its own, or at damage. */
static bool read_symbol(reader *r, const object *o, cw_wasm_symbol *symbol)
{
    enum { FUNCTION, DATUM, GLOBAL, SECTION };                                 /* kinds */
    enum { LOCAL = 2, BINDING = 3, NEEDED = 0x10, NAMED = 0x40, TLS = 0x100 }; /* flags */
    unsigned kind = byte_of(r);
    uint64_t flags = number_of(r);
    *symbol = (cw_wasm_symbol){ .kind = kind == FUNCTION ? CW_WASM_FUNCTION
                                        : kind == DATUM  ? CW_WASM_DATA
                                                         : CW_WASM_OTHER,
                                .is_needed = flags & NEEDED,
                                .is_local = (flags & BINDING) == LOCAL,
                                .is_thread_local = flags & TLS };
    uint64_t index = kind != DATUM ? number_of(r) : 0;
    reader name = { r->end, r->end, true };
    if (kind == DATUM || (kind != SECTION && (!(flags & NEEDED) || (flags & NAMED))))
        name = string_of(r);
    else if (kind == FUNCTION && index < o->functions.count)
        name = o->functions.items[index];
    if (kind == DATUM && !(flags & NEEDED)) {
        uint64_t segment = number_of(r), offset = number_of(r);
        number_of(r);
        symbol->begin = number_in(&o->segments, segment, offset);
    }
    symbol->name = name.at;
    symbol->length = (size_t)(name.end - name.at);
    return !name.failed && !r->failed;
}

void cw_wasm_each_symbol(const char *bytes, size_t length,
                         void (*found)(void *to, const cw_wasm_symbol *symbol), void *to)
{
    reader r = find_part(bytes, length, SYMBOLS);
    object o = { imported_functions(bytes, length), segments_of(bytes, length) };
    cw_wasm_symbol symbol;
    for (uint64_t n = number_of(&r); n > 0 && !r.failed; n--)
        if (read_symbol(&r, &o, &symbol))
            found(to, &symbol);
    free(o.functions.items);
    free(o.segments.items);
}
