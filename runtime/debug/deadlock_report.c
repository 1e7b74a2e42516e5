/* deadlock_report.c - a deadlock is reported on standard error, with a dump of all tasks. */
#include "debug/deadlock_report.h"

#include "base/public.h"
#include "base/text.h"
#include "debug/task_view.h"
#include "platform/deadlock.h"

void co4__report_deadlock(const char *call, const char *function)
{
    struct co4__text text;
    if (!co4__deadlock_is_detected())
        return;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: deadlock: ");
    co4__put(&text, call);
    if (function) {
        co4__put(&text, " of ");
        co4__put(&text, co4__name_in_source(function));
        co4__put(&text, "()");
    }
    co4__put(&text, " waits for an event that cannot happen: CO4_EDEADLK\n");
    co4__text_end(&text);
    co4_dump(NULL, co4_write_fd, (void *)2);
}
