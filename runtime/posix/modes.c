/* modes.c - the modes and exceptions of floating point, in a program without marks: a task has its
 * own.
 *
 * The link turns the calls that change them into the functions below, in all objects and archives,
 * so a program has this file if it calls one. As a thread does, a task begins with those of its
 * creator. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>

#include "posix/thread_part.h"
#include "posix/wraps.h"

CO4__WRAPS(fesetround, (int mode));
CO4__WRAPS(fesetenv, (const fenv_t *modes));
CO4__WRAPS(feupdateenv, (const fenv_t *modes));
CO4__WRAPS(feholdexcept, (fenv_t * modes));
CO4__MAY_WRAP(fesetmode, (const femode_t *modes));
CO4__MAY_WRAP(feenableexcept, (int exceptions));
CO4__MAY_WRAP(fedisableexcept, (int exceptions));
CO4__WRAPS(feclearexcept, (int exceptions));
CO4__WRAPS(feraiseexcept, (int exceptions));
CO4__MAY_WRAP(fesetexcept, (int exceptions));
CO4__WRAPS(fesetexceptflag, (const fexcept_t *flags, int exceptions));

int __wrap_fesetround(int mode)
{
    return __real_fesetround(mode);
}

int __wrap_fesetenv(const fenv_t *modes)
{
    return __real_fesetenv(modes);
}

int __wrap_feupdateenv(const fenv_t *modes)
{
    return __real_feupdateenv(modes);
}

int __wrap_feholdexcept(fenv_t *modes)
{
    return __real_feholdexcept(modes);
}

int __wrap_fesetmode(const femode_t *modes)
{
    return __real_fesetmode(modes);
}

int __wrap_feenableexcept(int exceptions)
{
    return __real_feenableexcept(exceptions);
}

int __wrap_fedisableexcept(int exceptions)
{
    return __real_fedisableexcept(exceptions);
}

int __wrap_feclearexcept(int exceptions)
{
    return __real_feclearexcept(exceptions);
}

int __wrap_feraiseexcept(int exceptions)
{
    return __real_feraiseexcept(exceptions);
}

int __wrap_fesetexcept(int exceptions)
{
    return __real_fesetexcept(exceptions);
}

int __wrap_fesetexceptflag(const fexcept_t *flags, int exceptions)
{
    return __real_fesetexceptflag(flags, exceptions);
}

static bool modes_begin(struct co4__thread_state *s)
{
    fegetenv(&s->modes.own);
    return true;
}

static void modes_come(struct co4__thread_state *s)
{
    fegetenv(&s->modes.outside);
    __real_fesetenv(&s->modes.own);
}

static void modes_go(struct co4__thread_state *s)
{
    fegetenv(&s->modes.own);
    __real_fesetenv(&s->modes.outside);
}

const struct co4__thread_part co4__part_modes = {
    co4__as_thread, modes_begin, modes_come, modes_go, NULL, NULL,
};
