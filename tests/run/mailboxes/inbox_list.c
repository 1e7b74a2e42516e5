/* inbox_list.c - an inbox does what a plain list does.
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
static unsigned list[MOST], urgent, count, capacity;
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

static void insert(unsigned at, unsigned v)
{
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = v;
    count++;
}

static void take(unsigned at)
{
    urgent -= at < urgent;
    count--;
    memmove(list + at, list + at + 1, (count - at) * sizeof *list);
}

static void check(int ok, const char *what)
{
    if (ok)
        return;
    printf("%s: not as the list\n", what);
    exit(1);
}

struct wish {
    unsigned value;
    size_t size;
};

static int is_wished(void *arg, const void *msg)
{
    const struct wish *w = arg;
    return value_of(msg, w->size) == w->value;
}

static void put(co4_inbox *mb, size_t size, int is_urgent)
{
    unsigned v = size == 1 ? chance(256) : chance(1u << 30);
    fill(v, size);
    co4_inbox_wait_at at;
    co4_source *sending = is_urgent ? (co4_inbox_sending_urgent)(&at, mb, message, size)
                                    : (co4_inbox_sending)(&at, mb, message, size);
    int err = co4_await_until(sending, NULL, CO4_NOW);
    check(err == (count == capacity ? CO4_EEMPTY : CO4_OK), "put");
    if (err == CO4_OK)
        insert(is_urgent ? urgent++ : count, v);
}

static void get(co4_inbox *mb, size_t size)
{
    int err = (co4_await_until)(co4_inbox_source(mb), message, size, CO4_NOW);
    check(err == (count == 0 ? CO4_EEMPTY : CO4_OK), "get");
    if (err == CO4_OK) {
        check(value_of(message, size) == list[0], "get");
        take(0);
    }
}

static void remove_one(co4_inbox *mb, size_t size)
{
    struct wish w = { count > 0 ? list[chance(count)] : 0, size };
    unsigned at = 0;
    while (at < count && list[at] != w.value)
        at++;
    int err = (co4_inbox_remove)(mb, is_wished, &w, message, size);
    check(err == (count == 0 ? CO4_EEMPTY : CO4_OK), "remove");
    if (err == CO4_OK) {
        check(value_of(message, size) == w.value, "remove");
        take(at);
    }
}

static void drain(co4_inbox *mb, size_t size)
{
    co4_ring ring;
    check(co4_ring_init(&ring, size, MOST) == CO4_OK, "ring");
    check(co4_inbox_drain(mb, &ring) == CO4_OK && co4_ring_len(&ring) == count, "drain");
    for (unsigned i = 0; co4_ring_pop(&ring, message) == CO4_OK; i++)
        check(value_of(message, size) == list[i], "drain");
    count = urgent = 0;
    co4_ring_destroy(&ring);
}

static void step(co4_inbox *mb, size_t size, unsigned bias)
{
    unsigned what = chance(100);
    if (what < 40 + bias)
        put(mb, size, what % 3 == 0);
    else if (what < 90)
        get(mb, size);
    else if (what < 95)
        remove_one(mb, size);
    else if (what < 98) {
        unsigned to = 1 + chance(MOST);
        check(co4_inbox_set_capacity(mb, to) == (to < count ? CO4_EBUSY : CO4_OK), "set_capacity");
        if (to >= count)
            capacity = to;
    } else if (what == 98 && chance(20) == 0)
        drain(mb, size);
    check(co4_inbox_len(mb) == count, "len");
    check((co4_inbox_peek)(mb, message, size) == (count > 0 ? CO4_OK : CO4_EEMPTY), "peek");
    check(count == 0 || value_of(message, size) == list[0], "peek");
}

static void compare(size_t size)
{
    capacity = MOST;
    count = urgent = 0;
    seed = size;
    co4_inbox *mb = co4_inbox_create(size, capacity);
    for (unsigned i = 0; i < STEPS; i++)
        step(mb, size, i / 500 % 2 ? 4 : 18);
    while (count > 0)
        get(mb, size);
    check(co4_inbox_destroy(mb) == CO4_OK, "destroy");
    printf("%zu byte%s: as the list\n", size, size == 1 ? "" : "s");
}

int main(void)
{
    const size_t sizes[] = { 1, 4, 8, 12, 5000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(sizes[i]);
    return 0;
}
