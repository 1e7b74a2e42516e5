/* deflate.c - --auto: makes the records of objects small, where there is zlib.
 *
 * Deflated bytes begin with a line that has their length before.
 *
 * zlib is loaded when a record is written or read: libclang needs it too, so it is there, and
 * processes that have nothing to do with records do not load it. The two functions have had these
 * types since zlib 1.0. */
#include "auto/deflate.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "command/complain.h"

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
