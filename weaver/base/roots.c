/* roots.c - share/co4/posix.roots. The build puts its text into the program, so a co4weave that
 * stands alone has it too. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/plan.h"

static const char posix_roots[] =
#include "posix_roots.inc"
    ;

bool cw_roots_read(cw_plan *roots, const char *file, char *more)
{
    cw_buf text = { 0 };
    if (more != NULL)
        cw_printf(&text, "%s\n", more); /* the first, so that its lines are counted right */
    free(more);
    cw_puts(&text, posix_roots);
    return cw_plan_read(roots, file, text.data);
}
