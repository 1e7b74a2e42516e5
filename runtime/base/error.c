/* error.c - codes to names and texts: of the table in co4/error.h, of the system, and of libraries
 * and programs.
 *
 * Concurrency: `added` is a list that only grows, at its head. An element is complete before the
 * exchange that adds it. Its release pairs with the acquire of readers; it is constant then. */
#define _GNU_SOURCE /* strerrordesc_np */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"

static const struct row {
    int code;
    const char *name, *text;
} rows[] = {
#define ROW(name, value, text) { value, "CO4_" #name, text },
    CO4_ERROR_MAP(ROW)
#undef ROW
};

static co4_error_texts *_Atomic added;

static const struct row *row_of(int code)
{
    static const struct row ended = { 0, "CO4_ENDED", "a case of the select has ended" },
                            unknown = { 0, "CO4_E?", "unknown error" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return &rows[i];
    return code <= CO4_ENDED(0) ? &ended : &unknown;
}

static co4_error_texts *texts_with(int lowest, int highest)
{
    co4_error_texts *t = atomic_load_explicit(&added, memory_order_acquire);
    while (t && (t->highest < lowest || t->lowest > highest))
        t = t->co4_private.next;
    return t;
}

/* The text of an errno; NULL if there is none. Allowed in a signal handler. */
static const char *text_of_errno(int number)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    return strerrordesc_np(number);
#elif defined(__GLIBC__)
    (void)number;
    return NULL;
#else
    return strerror(number); /* constant strings */
#endif
}

const char *co4_strerror(int code)
{
    const co4_error_texts *more = texts_with(code, code);
    const char *text = more                                  ? more->text(code)
                       : code < -1 && code > CO4_ERROR_BASE_ ? text_of_errno(-code)
                                                             : NULL;
    return text ? text : row_of(code)->text;
}

const char *co4_errname(int code)
{
    return row_of(code)->name;
}

int co4_error_add(co4_error_texts *texts)
{
    if (!texts || !texts->text || texts->lowest > texts->highest ||
        texts->highest > CO4_ERROR_LAST_)
        return CO4_EINVAL;
    co4_error_texts *head = atomic_load_explicit(&added, memory_order_acquire);
    do {
        if (texts_with(texts->lowest, texts->highest))
            return CO4_EINVAL;
        texts->co4_private.next = head;
    } while (!atomic_compare_exchange_weak_explicit(&added, &head, texts, memory_order_acq_rel,
                                                    memory_order_acquire));
    return CO4_OK;
}
