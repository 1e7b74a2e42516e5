/* locale.c - the locale that uselocale() chooses, in a program without marks: a task has its own.
 *
 * The link turns uselocale() into the function below, in all objects and archives, so a program has
 * this file if it calls that. As a new thread, a task begins with the locale of the program. */
#define _GNU_SOURCE
#include <locale.h>

#include "posix/thread_part.h"

locale_t __real_uselocale(locale_t locale);
locale_t __wrap_uselocale(locale_t locale);

locale_t __wrap_uselocale(locale_t locale)
{
    return __real_uselocale(locale);
}

static void locale_comes(struct co4__thread_state *s)
{
    s->locale.outside = __real_uselocale(s->locale.own ? s->locale.own : LC_GLOBAL_LOCALE);
}

static void locale_goes(struct co4__thread_state *s)
{
    s->locale.own = __real_uselocale(s->locale.outside);
}

const struct co4__thread_part co4__part_locale = {
    co4__as_thread, NULL, locale_comes, locale_goes, NULL, NULL,
};
