/* archive.c - --auto: reads archives, and writes copies of them.
 *
 * They are those of GNU ar, also thin ones. Nothing is trusted: every offset is checked. A copy is
 * no thin one. Of objects of WebAssembly it has a table of what they define, which linkers need,
 * and which GNU ar cannot make. */
#include "auto/archive.h"

#include <stdlib.h>
#include <string.h>

#include "auto/wasm.h"

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

/* The numbers of the table have the most significant byte first. */
static uint64_t number_of_table(const char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

void cw_archive_names(const char *bytes, size_t length,
                      void (*found)(void *to, const char *name, size_t length), void *to)
{
    bool thin;
    size_t at;
    if (!cw_archive_begin(bytes, length, &thin, &at) || length - at < HEADER)
        return;
    const char *head = bytes + at, *table = head + HEADER;
    size_t each = memcmp(head, "/SYM64/ ", 8) == 0 ? 8 : memcmp(head, "/ ", 2) == 0 ? 4 : 0;
    size_t size = strtoul(head + SIZE_AT, NULL, 10); /* what follows the digits is no digit */
    if (each == 0 || size > length - at - HEADER || size < each)
        return;
    uint64_t count = number_of_table(table, each);
    if (count > (size - each) / each)
        return;
    const char *name = table + each + count * each, *end = table + size;
    for (; count > 0; count--) {
        const char *after = memchr(name, '\0', (size_t)(end - name));
        if (after == NULL)
            return;
        found(to, name, (size_t)(after - name));
        name = after + 1;
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The head of a member: a name, other fields that no linker reads, the size of what follows. */
static void put_head(cw_buf *out, const char *name, size_t size)
{
    cw_printf(out, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", size);
}

static void put_padded(cw_buf *out, const char *bytes, size_t length)
{
    cw_put(out, bytes, length);
    if (length % 2 != 0)
        cw_puts(out, "\n");
}

static void put_number(cw_buf *out, size_t value)
{
    const char bytes[4] = { (char)(value >> 24), (char)(value >> 16), (char)(value >> 8),
                            (char)value };
    cw_put(out, bytes, sizeof bytes);
}

/* A symbol of the member that is about to be added. */
static void note_symbol(void *to, const cw_wasm_symbol *symbol)
{
    cw_archive_copy *copy = to;
    if (symbol->is_needed || symbol->is_local)
        return;
    put_number(&copy->offsets, copy->members.length);
    cw_put(&copy->symbols, symbol->name, symbol->length);
    cw_put(&copy->symbols, "", 1);
}

void cw_archive_copy_add(cw_archive_copy *copy, const cw_member *like, const char *bytes,
                         size_t length)
{
    enum { LONGEST = 15 };
    cw_buf head = { 0 };
    const char *name = like->name;
    size_t name_length = like->name_length;
    for (size_t k = 0; k < like->name_length; k++) /* of a thin archive: a path */
        if (like->name[k] == '/') {
            name = like->name + k + 1;
            name_length = like->name_length - k - 1;
        }
    if (name_length <= LONGEST) {
        cw_printf(&head, "%.*s/", (int)name_length, name);
    } else {
        cw_printf(&head, "/%zu", copy->names.length);
        cw_printf(&copy->names, "%.*s/\n", (int)name_length, name);
    }
    cw_wasm_each_symbol(bytes, length, note_symbol, copy);
    put_head(&copy->members, head.data, length);
    put_padded(&copy->members, bytes, length);
    cw_buf_free(&head);
}

/* The table: how many symbols, where the member of each begins, their names. */
static void put_table(const cw_archive_copy *copy, cw_buf *out)
{
    size_t size = 4 + copy->offsets.length + copy->symbols.length;
    size_t names = copy->names.length > 0 ? HEADER + copy->names.length + copy->names.length % 2
                                          : 0;
    size_t begin = out->length + HEADER + size + size % 2 + names;
    put_head(out, "/", size);
    put_number(out, copy->offsets.length / 4);
    for (size_t i = 0; i < copy->offsets.length; i += 4)
        put_number(out, begin + (size_t)number_of_table(copy->offsets.data + i, 4));
    put_padded(out, copy->symbols.data, copy->symbols.length); /* all before it is even */
}

void cw_archive_copy_end(cw_archive_copy *copy, bool table, cw_buf *out)
{
    cw_puts(out, "!<arch>\n");
    if (table)
        put_table(copy, out);
    if (copy->names.length > 0) {
        put_head(out, "//", copy->names.length);
        put_padded(out, copy->names.data, copy->names.length);
    }
    cw_put(out, copy->members.data, copy->members.length);
    cw_buf_free(&copy->members);
    cw_buf_free(&copy->names);
    cw_buf_free(&copy->offsets);
    cw_buf_free(&copy->symbols);
}
