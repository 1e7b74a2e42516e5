/* structs.c - co4/nats_struct.h: what is decoded is what was encoded, or a code says what is
 * wrong. */
#include <co4.h>
#include <co4/nats.h>
#include <co4/nats_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    char kind;
    int32_t id; /* three bytes before it */
    char name[20];
    double weight;
};

static const co4_nats_field fields[] = { CO4_NATS_FIELD(struct job, kind),
                                         CO4_NATS_FIELD(struct job, id),
                                         CO4_NATS_FIELD(struct job, name),
                                         CO4_NATS_FIELD(struct job, weight) };
static const co4_nats_layout layout = CO4_NATS_LAYOUT(struct job, 3, fields);

struct pair {
    uint64_t a, b;
};
static const co4_nats_layout of_pair = CO4_NATS_LAYOUT_WHOLE(struct pair, 1);

enum { BYTES = CO4_NATS_STRUCT_BYTES(struct job) };

static void show(const char *what, int code)
{
    printf("%s: %s\n", what, co4_strerror(code));
}

/* Decodes into a value that must stay as it is. */
static void refused(const char *what, const co4_nats_layout *l, const void *data, size_t size)
{
    struct job j, as_before;
    memset(&j, 7, sizeof j);
    memcpy(&as_before, &j, sizeof j);
    int err = co4_nats_decode(l, data, size, &j);
    show(what, err);
    if (memcmp(&j, &as_before, sizeof j) != 0)
        printf("it has changed\n");
}

/* For ever so: other versions of the library read them. */
static void show_header(const char *what, const char *bytes)
{
    unsigned char first[8];
    uint32_t words[4];
    memcpy(first, bytes, sizeof first);
    memcpy(words, bytes + sizeof first, sizeof words);
    printf("%s: %.4s", what, (const char *)first);
    for (int i = 0; i < 4; i++)
        printf(" %08x", words[i]);
    printf("\n");
}

static void other_layouts(const char *bytes)
{
    co4_nats_layout l = layout;
    co4_nats_field others[4];
    l.version = 4;
    refused("another version", &l, bytes, BYTES);
    l = layout;
    l.name = "struct other";
    refused("another name", &l, bytes, BYTES);
    l = layout;
    l.size -= 8;
    l.count--;
    refused("another size", &l, bytes, BYTES);
    l = layout;
    memcpy(others, fields, sizeof others);
    l.fields = others;
    others[1].name = "number";
    refused("another field", &l, bytes, BYTES);
    others[1] = fields[1];
    others[1].at = 24;
    refused("elsewhere", &l, bytes, BYTES);
    others[1] = fields[1];
    others[1].size = 2;
    refused("smaller", &l, bytes, BYTES);
    others[1] = fields[1];
    l.count = 3;
    refused("one less", &l, bytes, BYTES);
    l = layout;
    l.fields = NULL;
    refused("no fields", &l, bytes, BYTES);
}

/* Each bit of a message counts. */
static void changed(const char *bytes)
{
    char other[BYTES];
    int found = 0, codes[8] = { 0 };
    struct job j;
    for (int i = 0; i < BYTES * 8; i++) {
        memcpy(other, bytes, BYTES);
        other[i / 8] ^= (char)(1 << i % 8);
        int err = co4_nats_decode(&layout, other, BYTES, &j);
        found += err != CO4_OK;
        if (err <= CO4_NATS_EMAGIC && err >= CO4_NATS_ECHECK)
            codes[CO4_NATS_EMAGIC - err]++;
    }
    printf("%d of %d:", found, BYTES * 8);
    for (int i = 0; i < 7; i++)
        printf(" %d", codes[i]);
    printf("\n");
    int right = 0;
    for (size_t n = 0; n < BYTES; n++)
        right += co4_nats_decode(&layout, bytes, n, &j) ==
                 (n < CO4_NATS_STRUCT_HEADER ? CO4_NATS_EMAGIC : CO4_NATS_ELENGTH);
    printf("cut off: %d of %d\n", right, BYTES);
    char longer[BYTES + 1] = { 0 };
    memcpy(longer, bytes, BYTES);
    refused("one byte more", &layout, longer, BYTES + 1);
    memcpy(other, bytes, BYTES);
    other[4] = bytes[5];
    other[5] = bytes[4];
    refused("the other order of bytes", &layout, other, BYTES);
    show("its version", co4_nats_version("struct job", other, BYTES));
}

static void wrong(const char *bytes)
{
    struct job j;
    char out[BYTES];
    co4_nats_layout l = layout;
    co4_nats_field bad[] = { { "x", sizeof(struct job), 1 } };
    memset(&j, 0, sizeof j);
    show("no room", co4_nats_encode(&layout, &j, out, BYTES - 1));
    show("no room at all", co4_nats_encode(&layout, &j, out, 3));
    show("no layout", co4_nats_encode(NULL, &j, out, BYTES));
    show("no value", co4_nats_encode(&layout, NULL, out, BYTES));
    show("no place", co4_nats_encode(&layout, &j, NULL, BYTES));
    l.size = 0;
    show("no size", co4_nats_encode(&l, &j, out, BYTES));
    l = layout;
    l.fields = bad;
    l.count = 1;
    show("a field outside", co4_nats_encode(&l, &j, out, BYTES));
    bad[0] = (co4_nats_field){ "x", 4, SIZE_MAX - 2 };
    show("a large field", co4_nats_encode(&l, &j, out, BYTES));
    show("a large field", co4_nats_decode(&l, bytes, BYTES, &j));
    show("no data", co4_nats_decode(&layout, NULL, BYTES, &j));
    show("no value", co4_nats_decode(&layout, bytes, BYTES, NULL));
    show("no name", co4_nats_version(NULL, bytes, BYTES));
    show("another name", co4_nats_version("other", bytes, BYTES));
    show("no message", co4_nats_version("struct job", "x", 1));
}

int main(void)
{
    struct job j, back;
    char *bytes = malloc(BYTES + 1), *twice = malloc(BYTES); /* not aligned; checked at its end */
    memset(bytes, 0xcc, BYTES + 1);                          /* what was there is not sent */
    memset(twice, 0x33, BYTES);
    memset(&j, 0x55, sizeof j);
    memset(&back, 0xaa, sizeof back);
    j.kind = 'k';
    j.id = -5;
    snprintf(j.name, sizeof j.name, "a name");
    j.weight = 0.5;
    show("encode", co4_nats_encode(&layout, &j, bytes + 1, BYTES));
    show("decode", co4_nats_decode(&layout, bytes + 1, BYTES, &back));
    printf("%c %d %s %g\n", back.kind, back.id, back.name, back.weight);
    memset((char *)&j + 1, 0x33, 3); /* between the members */
    show("encode", co4_nats_encode(&layout, &j, twice, BYTES));
    printf("the same bytes: %d\n", memcmp(bytes + 1, twice, BYTES) == 0);
    printf("version %d\n", co4_nats_version("struct job", twice, BYTES));
    char of_both[CO4_NATS_STRUCT_BYTES(struct pair)];
    struct pair p = { 1, UINT64_MAX }, q = { 0, 0 };
    show("whole", co4_nats_encode(&of_pair, &p, of_both, sizeof of_both));
    show("whole", co4_nats_decode(&of_pair, of_both, sizeof of_both, &q));
    printf("%d\n", p.a == q.a && p.b == q.b);
    show_header("a job", twice);
    show_header("a pair", of_both);
    other_layouts(twice);
    changed(twice);
    wrong(twice);
    free(bytes);
    free(twice);
    return 0;
}
