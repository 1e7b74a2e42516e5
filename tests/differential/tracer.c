/* tracer.c - linked into a woven program in front of co4_abi_save_small by --wrap: writes
 * the lines in which it has paused to the file that CO4_PAUSED names, one a line, each once. Lines
 * beyond LINES are left out. */
#include <co4/abi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1 << 17 };

static unsigned char paused[LINES];

/* The symbol has the version of the ABI in its name: abi.h. */
#define JOINED(a, b) a##b
#define JOIN(a, b)   JOINED(a, b)
#define REAL_SAVE    JOIN(__real_, co4_abi_save_small)
#define WRAPPED_SAVE JOIN(__wrap_, co4_abi_save_small)

void *REAL_SAVE(co4_fiber *co4, void *frame, const co4_abi_point *at);
void *WRAPPED_SAVE(co4_fiber *co4, void *frame, const co4_abi_point *at);

static void write_lines(void)
{
    const char *name = getenv("CO4_PAUSED");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (file == NULL)
        return;
    for (unsigned line = 0; line < LINES; line++)
        if (paused[line])
            fprintf(file, "%u\n", line);
    fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
    atexit(write_lines);
}

void *WRAPPED_SAVE(co4_fiber *co4, void *frame, const co4_abi_point *at)
{
    const co4_abi_info *info = co4_abi_func_of(at)->info;
    unsigned line = info != NULL && info->sites != NULL && at->id > 0 ? info->sites[at->id - 1].line
                                                                      : LINES;
    if (line < LINES) /* a co4_run is no place in the source */
        paused[line] = 1;
    return REAL_SAVE(co4, frame, at);
}
