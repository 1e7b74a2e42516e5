/* error.c - codes to names and texts: of the table in co4/error.h, of the system, and of libraries
 * and programs.
 *
 * Concurrency: `added` is a list that only grows, at its head. An element is complete before the
 * exchange that adds it. Its release pairs with the acquire of readers; it is constant then. */
#define _GNU_SOURCE /* strerrordesc_np, strerrorname_np */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"

static const co4_error_text own[] = {
#define ROW(name, code, text) { code, "CO4_" #name, text },
    CO4_ERROR_MAP(ROW)
#undef ROW
};

static co4_error_texts *_Atomic added;

static const co4_error_text *find_in(const co4_error_text *all, size_t count, int code)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].code == code)
            return &all[i];
    return NULL;
}

/* NULL: neither co4 nor a library has this code. */
static const co4_error_text *find_text(int code)
{
    static const co4_error_text ended = { 0, "CO4_ENDED", "a case of the select has ended" };
    const co4_error_text *row = find_in(own, sizeof own / sizeof *own, code);
    const co4_error_texts *t = atomic_load_explicit(&added, memory_order_acquire);
    for (; t && !row; t = t->co4_private.next)
        row = find_in(t->all, t->count, code);
    return row || code > CO4_ENDED(0) ? row : &ended;
}

static bool is_errno(int code)
{
    return code < -1 && code > CO4_ERROR_BASE_;
}

/* The text that the system has for an `errno`; NULL if there is none. May be called in a signal
 * handler. */
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

static const char *name_of_errno(int number)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    return strerrorname_np(number);
#else
    (void)number;
    return NULL;
#endif
}

const char *co4_strerror(int code)
{
    const co4_error_text *row = find_text(code);
    const char *text = row ? row->text : is_errno(code) ? text_of_errno(-code) : NULL;
    if (!text && code == -1)
        text = "-1 is no code: it may be the answer of a call of POSIX, and errno the reason";
    return text ? text : "unknown error";
}

const char *co4_errname(int code)
{
    const co4_error_text *row = find_text(code);
    const char *name = row ? row->name : is_errno(code) ? name_of_errno(-code) : NULL;
    return name ? name : "CO4_E?";
}

int co4_code_of_errno(int err)
{
    switch (err) {
    case ENOMEM:
        return CO4_ENOMEM;
    case EINVAL:
        return CO4_EINVAL;
    case EBADF:
        return CO4_ECLOSED;
    case ETIMEDOUT:
        return CO4_ETIMEDOUT;
    case ECANCELED:
        return CO4_ECANCELED;
    case EBUSY:
        return CO4_EBUSY;
    case EDEADLK:
        return CO4_EDEADLK;
    case EAGAIN:
        return CO4_EAGAIN;
    case EPERM:
        return CO4_EPERM;
    default:
        return err > 0 ? -err : CO4_EINVAL;
    }
}

static bool is_acceptable(const co4_error_texts *texts)
{
    if (!texts || !texts->all || texts->count == 0)
        return false;
    for (size_t i = 0; i < texts->count; i++) {
        const co4_error_text *row = &texts->all[i];
        if (!row->text || row->code > CO4_ERROR_LAST_ || find_text(row->code))
            return false;
    }
    return true;
}

int co4_error_add(co4_error_texts *texts)
{
    co4_error_texts *head = atomic_load_explicit(&added, memory_order_acquire);
    do {
        if (!is_acceptable(texts))
            return CO4_EINVAL;
        texts->co4_private.next = head;
    } while (!atomic_compare_exchange_weak_explicit(&added, &head, texts, memory_order_acq_rel,
                                                    memory_order_acquire));
    return CO4_OK;
}
