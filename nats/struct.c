/* struct.c - structs as messages.
 *
 * The header, in the order of bytes of the machine but for the magic:
 *   0  "co4S"              magic
 *   4  0x1234              two bytes: the order of bytes
 *   6  version             two bytes
 *   8  a hash of the name  four bytes
 *  12  the size            four bytes, of the struct
 *  16  a hash of the fields, their names, places and sizes; of none 0
 *  20  a CRC-32 of the 20 bytes before, and of the struct */
#include <string.h>

#include "public.h"

#include <stdbool.h>

enum { HEADER = CO4_NATS_STRUCT_HEADER, ORDER = 0x1234, REVERSED = 0x3412 };

static const char magic[4] = { 'c', 'o', '4', 'S' };

struct header {
    char magic[4];
    uint16_t order, version;
    uint32_t name, size, fields, check;
};

_Static_assert(sizeof(struct header) == HEADER, "no bytes between the members");

/* ---- hashes ---- */

/* FNV-1a */
static uint32_t add(uint32_t h, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static uint32_t add_number(uint32_t h, uint64_t n)
{
    for (int i = 0; i < 8; i++, n >>= 8) {
        unsigned char byte = (unsigned char)n;
        h = add(h, &byte, 1);
    }
    return h;
}

static uint32_t hash_of_name(const char *name)
{
    return add(2166136261u, name, strlen(name));
}

static uint32_t hash_of_fields(const co4_nats_layout *l)
{
    uint32_t h = l->fields ? 2166136261u : 0;
    for (size_t i = 0; l->fields && i < l->count; i++) {
        h = add(h, l->fields[i].name, strlen(l->fields[i].name) + 1);
        h = add_number(h, l->fields[i].at);
        h = add_number(h, l->fields[i].size);
    }
    return h;
}

/* The CRC-32 of zlib and Ethernet, with a table of 16 entries. */
static uint32_t crc(uint32_t c, const void *data, size_t size)
{
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    const unsigned char *p = data;
    c = ~c;
    for (size_t i = 0; i < size; i++) {
        c = table[(c ^ p[i]) & 15] ^ c >> 4;
        c = table[(c ^ (uint32_t)(p[i] >> 4)) & 15] ^ c >> 4;
    }
    return ~c;
}

/* ---- encode and decode ---- */

static bool is_layout(const co4_nats_layout *l)
{
    if (!l || !l->name || l->size == 0 || l->size > UINT32_MAX)
        return false;
    for (size_t i = 0; l->fields && i < l->count; i++) {
        const co4_nats_field *f = &l->fields[i];
        if (!f->name || f->at > l->size || f->size > l->size - f->at)
            return false;
    }
    return true;
}

static void copy(const co4_nats_layout *l, char *to, const char *from)
{
    if (!l->fields)
        memcpy(to, from, l->size);
    for (size_t i = 0; l->fields && i < l->count; i++)
        memcpy(to + l->fields[i].at, from + l->fields[i].at, l->fields[i].size);
}

static struct header header_of(const co4_nats_layout *l)
{
    struct header h = { .order = ORDER,
                        .version = l->version,
                        .name = hash_of_name(l->name),
                        .size = (uint32_t)l->size,
                        .fields = hash_of_fields(l) };
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

static uint32_t check_of(const struct header *h, const char *bytes, size_t size)
{
    return crc(crc(0, h, offsetof(struct header, check)), bytes, size);
}

int co4_nats_encode(const co4_nats_layout *l, const void *value, void *out, size_t room)
{
    if (!is_layout(l) || !value || !out)
        return CO4_EINVAL;
    if (room < HEADER || room - HEADER < l->size)
        return CO4_EFULL;
    char *bytes = (char *)out + HEADER;
    struct header h = header_of(l);
    memset(bytes, 0, l->size);
    copy(l, bytes, value);
    h.check = check_of(&h, bytes, l->size);
    memcpy(out, &h, sizeof h);
    return CO4_OK;
}

/* What is the same in all versions. */
static int begin(const char *name, const void *data, size_t size, struct header *h)
{
    if (size < HEADER || memcmp(data, magic, sizeof magic) != 0)
        return CO4_NATS_EMAGIC;
    memcpy(h, data, sizeof *h);
    if (h->order != ORDER)
        return h->order == REVERSED ? CO4_NATS_EORDER : CO4_NATS_EMAGIC;
    return h->name == hash_of_name(name) ? CO4_OK : CO4_NATS_EKIND;
}

/* Returns whether the bytes are a value of this layout. */
static int check(const co4_nats_layout *l, const void *data, size_t size)
{
    struct header h;
    int err = begin(l->name, data, size, &h);
    if (err != CO4_OK)
        return err;
    if (h.version != l->version)
        return CO4_NATS_EVERSION;
    if (h.size != l->size || size - HEADER != l->size)
        return CO4_NATS_ELENGTH;
    if (h.fields != hash_of_fields(l))
        return CO4_NATS_ELAYOUT;
    return h.check == check_of(&h, (const char *)data + HEADER, l->size) ? CO4_OK : CO4_NATS_ECHECK;
}

int co4_nats_decode(const co4_nats_layout *l, const void *data, size_t size, void *value)
{
    if (!is_layout(l) || !data || !value)
        return CO4_EINVAL;
    int err = check(l, data, size);
    if (err != CO4_OK)
        return co4__nats_code(err);
    copy(l, value, (const char *)data + HEADER);
    return CO4_OK;
}

int co4_nats_version(const char *name, const void *data, size_t size)
{
    struct header h;
    if (!name || !data)
        return CO4_EINVAL;
    int err = begin(name, data, size, &h);
    return err == CO4_OK ? h.version : co4__nats_code(err);
}
