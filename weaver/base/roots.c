/* roots.c - share/co4/posix.roots. The build puts its text into the program, so a co4weave that
 * stands alone has it too. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/plan.h"

static const char posix_roots[] =
#include "posix_roots.inc"
    ;

static void put_lines(const char *lines, bool threads, cw_buf *out)
{
    static const char word[] = "threads ";
    for (const char *at = lines, *next; *at != '\0'; at = next) {
        next = at + strcspn(at, "\n");
        next += *next != '\0';
        bool special = strncmp(at, word, sizeof word - 1) == 0;
        if (special)
            at += sizeof word - 1;
        if (!special || threads)
            cw_put(out, at, (size_t)(next - at));
    }
}

bool cw_roots_read(cw_plan *roots, const char *file, char *more, bool threads)
{
    cw_buf text = { 0 };
    if (more != NULL)
        cw_printf(&text, "%s\n", more); /* the first, so that its lines are counted right */
    free(more);
    put_lines(posix_roots, threads, &text);
    return cw_plan_read(roots, file, text.data);
}
