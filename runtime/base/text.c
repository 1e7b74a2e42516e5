/* text.c - writes words and numbers for people, files and other programs, in small pieces.
 *
 * Purpose: each piece goes to a co4_writer function, which decides where it is written and how.
 *
 * Rejected: stdio. A thread that writes a dump must not wait for the lock of stdout, and some
 * systems have no stdio. */
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"

void co4__text_begin(struct co4__text *x, co4_writer *write, void *data)
{
    *x = (struct co4__text){ .write = write, .data = data };
}

static void flush(struct co4__text *x)
{
    if (x->n > 0 && x->write && x->err == CO4_OK)
        x->err = x->write(x->data, x->buffer, x->n);
    x->n = 0;
}

int co4__text_end(struct co4__text *x)
{
    flush(x);
    return x->err;
}

void co4__put_bytes(struct co4__text *x, const char *s, size_t n)
{
    for (; n > 0; n--) {
        if (x->n == sizeof x->buffer)
            flush(x);
        x->buffer[x->n++] = *s++;
    }
}

void co4__put(struct co4__text *x, const char *s)
{
    co4__put_bytes(x, s, strlen(s));
}

static void put_in_base(struct co4__text *x, uint64_t n, unsigned base)
{
    char digits[20];
    size_t i = sizeof digits;
    do
        digits[--i] = "0123456789abcdef"[n % base];
    while ((n /= base) > 0);
    co4__put_bytes(x, digits + i, sizeof digits - i);
}

void co4__put_number(struct co4__text *x, uint64_t n)
{
    put_in_base(x, n, 10);
}

void co4__put_signed(struct co4__text *x, int64_t n)
{
    if (n < 0)
        co4__put(x, "-");
    co4__put_number(x, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void co4__put_hex(struct co4__text *x, uint64_t n)
{
    co4__put(x, "0x");
    put_in_base(x, n, 16);
}

void co4__put_time(struct co4__text *x, int64_t ns)
{
    static const struct {
        int64_t one;
        const char *name;
    } units[] = { { CO4_SEC, "s" }, { CO4_MS, "ms" }, { CO4_US, "us" }, { 1, "ns" } };
    unsigned i = 0;
    if (ns < 0)
        ns = 0;
    while (i < 3 && ns < units[i].one)
        i++;
    co4__put_number(x, (uint64_t)(ns / units[i].one));
    int64_t tenth = ns % units[i].one * 10 / units[i].one;
    if (tenth > 0) {
        co4__put(x, ".");
        co4__put_number(x, (uint64_t)tenth);
    }
    co4__put(x, units[i].name);
}
