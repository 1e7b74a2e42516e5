/* misuse.c - what the library says about a program on standard error. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/public.h"
#include "base/text.h"
#include "co4/sanitizer.h"
#include "core/task.h"
#include "platform/thread.h"

static void say(const char *what)
{
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: ");
    co4__put(&text, what);
    co4__put(&text, "\n");
    co4__text_end(&text);
}

void co4__advise(atomic_bool *reported, const char *what)
{
    if (!atomic_exchange_explicit(reported, true, memory_order_relaxed))
        say(what);
}

void co4__misuse(const char *what)
{
    say(what);
    if (CO4_SANITIZED || co4__local()->simulate.state)
        abort();
}
