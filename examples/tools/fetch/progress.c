/* progress.c - bars on a terminal; elsewhere a line for each event. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fetch.h"

enum { BARS_MAX = 16, WIDTH = 30 };

static void erase(struct fetch *f)
{
    if (f->drawn > 0)
        printf("\033[%dA\033[J", f->drawn);
    f->drawn = 0;
}

void progress_say(struct fetch *f, const struct job *j, const char *format, ...)
{
    va_list arguments;
    erase(f);
    printf("%s: ", j->text);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

static void draw_bar(const struct job *j)
{
    const char *name = strrchr(j->path, '/') + 1;
    int full = j->total > 0 ? (int)(j->have * WIDTH / j->total) : 0;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    if (j->total > 0)
        printf("%-24.24s [%s] %3d%%\n", name, bar, (int)(j->have * 100 / j->total));
    else
        printf("%-24.24s %lld bytes\n", name, (long long)j->have);
}

static void draw(struct fetch *f)
{
    int got = 0, failed = 0;
    erase(f);
    for (int i = 0; i < f->count; i++) {
        got += f->jobs[i].state == JOB_GOT;
        failed += f->jobs[i].state == JOB_FAILED;
        if (f->jobs[i].state == JOB_RUNS && f->drawn < BARS_MAX) {
            draw_bar(&f->jobs[i]);
            f->drawn++;
        }
    }
    printf("%d of %d files, %d failed\n", got, f->count, failed);
    f->drawn++;
    fflush(stdout);
}

pausable void progress_run(struct fetch *f)
{
    while (co4_sleep(100 * CO4_MS) == CO4_OK)
        draw(f);
}

void progress_end(struct fetch *f)
{
    erase(f);
    fflush(stdout);
}
