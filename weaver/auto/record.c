/* record.c - --auto: what a compilation adds to its object, for the link.
 *
 * A record is a line with its version, and that of the interface whose headers the text has. Then
 * come strings: a line with a letter and the number of bytes, the bytes and a newline. It ends with
 * `e 0`. Texts are deflated if their letter is a capital. */
#include "auto/record.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "command/complain.h"

/* ---- deflated texts ----
 *
 * Deflated bytes begin with a line that has their length before.
 *
 * zlib is loaded when a record is written or read: libclang needs it too, so it is there, and
 * processes that have nothing to do with records do not load it. The two functions have had these
 * types since zlib 1.0. */

typedef int deflate_function(unsigned char *to, unsigned long *room, const unsigned char *from,
                             unsigned long length, int level);
typedef int inflate_function(unsigned char *to, unsigned long *room, const unsigned char *from,
                             unsigned long length);

static bool find_in_zlib(const char *name, void *to, size_t size)
{
    static void *library;
    if (library == NULL)
        library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    memcpy(to, &found, size);
    return found != NULL;
}

bool cw_deflate(const char *bytes, size_t length, cw_buf *out)
{
    deflate_function *deflate;
    unsigned long room = length + length / 1000 + 64;
    if (!find_in_zlib("compress2", &deflate, sizeof deflate))
        return false;
    unsigned char *small = cw_must(malloc(room));
    bool ok = deflate(small, &room, (const unsigned char *)bytes, length, 1) == 0;
    if (ok) {
        cw_printf(out, "%zu\n", length);
        cw_put(out, (const char *)small, room);
    }
    free(small);
    return ok;
}

bool cw_inflate(const char *bytes, size_t length, cw_buf *out)
{
    inflate_function *inflate;
    const char *line = memchr(bytes, '\n', length);
    unsigned long long said = strtoull(bytes, NULL, 10);
    if (line == NULL || said / 2048 > length) /* zlib makes nothing that much smaller */
        return false;
    if (!find_in_zlib("uncompress", &inflate, sizeof inflate)) {
        cw_complain("a record is compressed, and libz.so.1, which reads it, is not installed");
        return false;
    }
    unsigned long room = (unsigned long)said;
    unsigned char *whole = malloc(room + 1);
    if (whole == NULL)
        return false;
    bool ok = inflate(whole, &room, (const unsigned char *)line + 1,
                      length - (size_t)(line + 1 - bytes)) == 0 &&
              room == said;
    if (ok)
        cw_put(out, (const char *)whole, room);
    free(whole);
    return ok;
}

/* ---- records ---- */

static const char any_head[] = "co4 auto ";
static const char head[] = "co4 auto 2 abi " CO4_ABI "\n";
static const char damaged[] = "has a damaged record, or is of objects that were linked in part";

static void put_string(char letter, const char *text, size_t length, cw_buf *out)
{
    cw_printf(out, "%c %zu\n", letter, length);
    cw_put(out, text, length);
    cw_puts(out, "\n");
}

static void put_deflated(char letter, const cw_buf *text, cw_buf *out)
{
    cw_buf small = { 0 };
    if (text->length > 0 && cw_deflate(text->data, text->length, &small))
        put_string((char)(letter - 'a' + 'A'), small.data, small.length, out);
    else
        put_string(letter, text->data, text->length, out);
    cw_buf_free(&small);
}

void cw_auto_record_write(const cw_auto_record *record, cw_buf *out)
{
    cw_puts(out, head);
    put_string('f', record->folder.data, record->folder.length, out);
    for (size_t i = 0; i < record->words.count; i++)
        put_string('w', record->words.items[i], strlen(record->words.items[i]), out);
    put_string('s', record->source.data, record->source.length, out);
    put_deflated('g', &record->summary, out);
    put_deflated('t', &record->text, out);
    put_string('e', "", 0, out);
}

static bool take_string(cw_auto_record *record, char letter, const char *text, size_t length)
{
    cw_buf *to = letter == 'f'                    ? &record->folder
                 : letter == 's'                  ? &record->source
                 : letter == 'g' || letter == 'G' ? &record->summary
                 : letter == 't' || letter == 'T' ? &record->text
                                                  : NULL;
    if (letter == 'w') {
        char *word = strndup(text, length);
        if (word != NULL)
            cw_argv_add(&record->words, word);
        free(word);
        return word != NULL;
    }
    if (to == NULL || to->data != NULL)
        return false;
    cw_puts(to, "");
    if (letter == 'G' || letter == 'T')
        return cw_inflate(text, length, to);
    cw_put(to, text, length);
    return true;
}

static bool read_strings(cw_auto_record *record, const char *at, const char *end)
{
    while (end - at > 2) {
        char letter = *at, *after;
        size_t length = strtoul(at + 2, &after, 10);
        if (at[1] != ' ' || after >= end || *after != '\n' || length >= (size_t)(end - after) - 1)
            return false;
        if (letter == 'e')
            return end - after < 4 && record->folder.data != NULL && record->words.count > 0 &&
                   record->source.data != NULL && record->summary.data != NULL &&
                   record->text.data != NULL;
        if (!take_string(record, letter, after + 1, length))
            return false;
        at = after + 1 + length + 1;
    }
    return false;
}

const char *cw_auto_record_read(cw_auto_record *record, const char *bytes, size_t length)
{
    *record = (cw_auto_record){ 0 };
    if (length < sizeof any_head || memcmp(bytes, any_head, sizeof any_head - 1) != 0)
        return damaged;
    if (length < sizeof head || memcmp(bytes, head, sizeof head - 1) != 0)
        return "was compiled with another version of co4weave; compile it again";
    cw_buf copy = { 0 }; /* ends with a NUL, for strtoul */
    cw_put(&copy, bytes, length);
    bool ok = read_strings(record, copy.data + sizeof head - 1, copy.data + length);
    cw_buf_free(&copy);
    if (ok)
        return NULL;
    cw_auto_record_free(record);
    return damaged;
}

void cw_auto_record_free(cw_auto_record *record)
{
    cw_buf_free(&record->folder);
    cw_argv_free(&record->words);
    cw_buf_free(&record->source);
    cw_buf_free(&record->summary);
    cw_buf_free(&record->text);
}
