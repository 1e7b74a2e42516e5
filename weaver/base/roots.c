/* roots.c - share/co4/posix.roots. The build puts its text into the program, so a co4weave that
 * stands alone has it too. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/plan.h"

static const char posix_roots[] =
#include "posix_roots.inc"
    ;

/* Lines that begin with a word are for programs in which this holds. */
static void put_lines(const char *lines, const cw_roots_for *what, cw_buf *out)
{
    const struct {
        const char *word;
        bool holds;
    } some[] = { { "threads ", what->threads },
                 { "test ", what->simulates },
                 { "races ", what->races },
                 { "js ", what->wasm } };
    for (const char *at = lines, *next; *at != '\0'; at = next) {
        next = at + strcspn(at, "\n");
        next += *next != '\0';
        bool holds = true;
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            size_t length = strlen(some[i].word);
            if (strncmp(at, some[i].word, length) != 0)
                continue;
            holds = some[i].holds;
            at += length;
        }
        if (holds)
            cw_put(out, at, (size_t)(next - at));
    }
}

bool cw_roots_read(cw_plan *roots, const char *file, char *more, cw_roots_for what)
{
    cw_buf text = { 0 };
    if (more != NULL)
        cw_printf(&text, "%s\n", more); /* the first, so that its lines are counted right */
    free(more);
    put_lines(posix_roots, &what, &text);
    return cw_plan_read(roots, file, text.data);
}
