/* mailbox_moves.c - a mailbox does what a plain list does, in whatever state its memory is.
 * expect: 1 byte: as the list
 * expect: 4 bytes: as the list
 * expect: 8 bytes: as the list
 * expect: 12 bytes: as the list
 * expect: 5000 bytes: as the list */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <co4.h>

enum { MOST = 1000, STEPS = 6000 };

/* The messages that should be there, oldest first: the first byte or four of each. */
static unsigned list[MOST], count, capacity;
static unsigned char message[5000];
static uint64_t seed;

static unsigned chance(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static unsigned value_of(const unsigned char *m, size_t size)
{
    unsigned v = 0;
    memcpy(&v, m, size < sizeof v ? size : sizeof v);
    for (size_t i = sizeof v; i < size; i++)
        if (m[i] != (unsigned char)(m[0] + i))
            abort();
    return v;
}

static void fill(unsigned v, size_t size)
{
    memcpy(message, &v, size < sizeof v ? size : sizeof v);
    for (size_t i = sizeof v; i < size; i++)
        message[i] = (unsigned char)(message[0] + i);
}

static void check(int ok, const char *what)
{
    if (ok)
        return;
    printf("%s: not as the list\n", what);
    exit(1);
}

static void put(co4_mailbox *mb, size_t size)
{
    unsigned v = size == 1 ? chance(256) : chance(1u << 30);
    fill(v, size);
    int err = (co4_mailbox_send_until)(mb, message, size, CO4_NOW);
    check(err == (count == capacity ? CO4_EFULL : CO4_OK), "put");
    if (err == CO4_OK)
        list[count++] = v;
}

static void get(co4_mailbox *mb, size_t size)
{
    int err = (co4_mailbox_receive_until)(mb, message, size, CO4_NOW);
    check(err == (count == 0 ? CO4_EEMPTY : CO4_OK), "get");
    if (err == CO4_OK) {
        check(value_of(message, size) == list[0], "get");
        memmove(list, list + 1, --count * sizeof *list);
    }
}

static void step(co4_mailbox *mb, size_t size, unsigned bias)
{
    unsigned what = chance(100);
    if (what < 40 + bias)
        put(mb, size);
    else if (what < 99)
        get(mb, size);
    else
        check(co4_mailbox_reserve(mb, chance(MOST)) == CO4_OK, "reserve");
    check(co4_mailbox_len(mb) == count, "len");
}

static void compare(size_t size)
{
    capacity = MOST;
    count = 0;
    seed = size;
    co4_mailbox *mb = co4_mailbox_create(size, capacity);
    for (unsigned i = 0; i < STEPS; i++)
        step(mb, size, i / 500 % 2 ? 4 : 18);
    while (count > 0)
        get(mb, size);
    check(co4_mailbox_destroy(mb) == CO4_OK, "destroy");
    printf("%zu byte%s: as the list\n", size, size == 1 ? "" : "s");
}

int main(void)
{
    const size_t sizes[] = { 1, 4, 8, 12, 5000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(sizes[i]);
    return 0;
}
