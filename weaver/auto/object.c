/* object.c - --auto: reads objects and archives.
 *
 * Objects are ELF, of 32 or 64 bits, in either byte order. Archives are those of GNU ar, also thin
 * ones. Nothing is trusted: every offset is checked. */
#include "auto/object.h"

#include <stdlib.h>
#include <string.h>

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

const char *cw_object_section(const char *bytes, size_t length, const char *name, size_t *size)
{
    object o;
    if (!open_object(&o, bytes, length))
        return NULL;
    uint64_t names_at = number_at(&o, o.wide ? 62 : 50, 2);
    if (names_at == 0xffff)
        names_at = number_at(&o, o.table + (o.wide ? 40 : 24), 4);
    section names = section_at(&o, names_at);
    if (!is_inside(&o, &names))
        return NULL;
    size_t bytes_of_name = strlen(name) + 1;
    for (uint64_t i = 0; i < o.count; i++) {
        section s = section_at(&o, i);
        if (s.name > names.size || bytes_of_name > names.size - s.name || !is_inside(&o, &s) ||
            memcmp(bytes + names.offset + s.name, name, bytes_of_name) != 0)
            continue;
        *size = (size_t)s.size;
        return bytes + s.offset;
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

void cw_object_needs(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_symbol(bytes, length, is_needed, found, to);
}

void cw_object_locals(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_symbol(bytes, length, is_shared_local, found, to);
}

void cw_object_data(const char *bytes, size_t length, cw_symbol_found *found, void *to)
{
    each_symbol(bytes, length, is_data, found, to);
}

size_t cw_object_code(const char *bytes, size_t length)
{
    enum { EXECINSTR = 4 };
    object o;
    size_t code = 0;
    if (!open_object(&o, bytes, length))
        return 0;
    for (uint64_t i = 0; i < o.count; i++) {
        section s = section_at(&o, i);
        code += (s.flags & EXECINSTR) && is_inside(&o, &s) ? (size_t)s.size : 0;
    }
    return code;
}

/* ---- archives -------------------------------------------------------------------------------- */

enum { HEADER = 60, NAME = 16, SIZE_AT = 48, SIZE = 10 };

bool cw_archive_begin(const char *bytes, size_t length, bool *thin, size_t *at)
{
    *at = 8;
    *thin = length >= 8 && memcmp(bytes, "!<thin>\n", 8) == 0;
    return *thin || (length >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0);
}

/* The table of long names, which precedes the members that need it. */
static const char *long_names(const char *bytes, size_t length, size_t *size)
{
    for (size_t at = 8; at + HEADER <= length;) {
        size_t bytes_of = strtoul(bytes + at + SIZE_AT, NULL, 10);
        if (bytes_of > length - at - HEADER || bytes[at] != '/')
            return NULL;
        if (bytes[at + 1] == '/') {
            *size = bytes_of;
            return bytes + at + HEADER;
        }
        at += HEADER + bytes_of + bytes_of % 2;
    }
    return NULL;
}

bool cw_archive_next(const char *bytes, size_t length, bool thin, size_t *at, cw_member *member)
{
    while (*at + HEADER <= length) {
        const char *header = bytes + *at;
        bool table = header[0] == '/' &&
                     (header[1] == ' ' || header[1] == '/' || memcmp(header, "/SYM64/", 7) == 0);
        char digits[SIZE + 1] = "";
        memcpy(digits, header + SIZE_AT, SIZE);
        size_t size = strtoul(digits, NULL, 10), stored = thin && !table ? 0 : size;
        if (header[HEADER - 1] != '\n' || stored > length - *at - HEADER)
            return false;
        *at += HEADER + stored + stored % 2;
        if (table)
            continue;
        *member = (cw_member){ header, 0, thin ? NULL : header + HEADER, size };
        size_t room = NAME;
        if (header[0] == '/') {
            size_t names_size = 0, from = strtoul(header + 1, NULL, 10);
            const char *names = long_names(bytes, length, &names_size);
            if (names == NULL || from >= names_size)
                return false;
            member->name = names + from;
            room = names_size - from;
        }
        while (member->name_length < room && member->name[member->name_length] != '\n' &&
               !(member->name[member->name_length] == '/' &&
                 (member->name_length + 1 == room || header[0] != '/' ||
                  member->name[member->name_length + 1] == '\n')))
            member->name_length++;
        return true;
    }
    return false;
}
