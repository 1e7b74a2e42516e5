/* pull_tasks.c - many documents of pull.h at once, a task each, on one worker.
 *
 *     pull_tasks DOCUMENT TASKS
 *
 * Each task has a pipe. The main thread writes a piece to each, the last one first, then the next
 * piece, and so on: all tasks wait within their documents. Prints the sum, which must be that of
 * all. */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pull.h"

enum { PIECES = 20 };

static unsigned long *sums;
static int *out; /* the descriptors that the main thread writes to */
static atomic_int ended;

static pausable void parse(int i, int fd)
{
    sums[i] = pull(fd);
    close(fd);
    atomic_fetch_add(&ended, 1);
}

static char *read_file(const char *name, size_t *length)
{
    FILE *f = fopen(name, "rb");
    char *bytes = malloc(1 << 20);
    *length = f != NULL && bytes != NULL ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f != NULL)
        fclose(f);
    return bytes;
}

static int feed(const char *document, size_t length, int tasks)
{
    for (size_t piece = 0; piece < PIECES; piece++) {
        size_t begin = length * piece / PIECES, end = length * (piece + 1) / PIECES;
        for (int i = tasks - 1; i >= 0; i--)
            if (write(out[i], document + begin, end - begin) != (ssize_t)(end - begin))
                return 0;
        if (piece == PIECES - 2 && atomic_load(&ended) != 0)
            return 0; /* a document has no end yet */
    }
    for (int i = 0; i < tasks; i++)
        close(out[i]);
    return 1;
}

int main(int argc, char **argv)
{
    int tasks = argc > 2 ? atoi(argv[2]) : 1, good = 0;
    size_t length;
    char *document = read_file(argv[1], &length);
    sums = calloc((size_t)tasks, sizeof *sums);
    out = calloc((size_t)tasks, sizeof *out);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (length == 0 || sums == NULL || out == NULL || rt == NULL)
        return 2;
    for (int i = 0; i < tasks; i++) {
        int ends[2];
        if (pipe(ends) != 0)
            return 2;
        out[i] = ends[1];
        co4_runtime_spawn(rt, parse(i, ends[0]));
    }
    co4_runtime_start(rt);
    if (!feed(document, length, tasks)) {
        fprintf(stderr, "a document ended too soon, or its pipe failed\n");
        return 1;
    }
    co4_runtime_join(rt);
    for (int i = 0; i < tasks; i++)
        good += sums[i] == sums[0];
    printf("%lx\n", good == tasks ? sums[0] : 0);
    free(sums);
    free(out);
    free(document);
    return co4_runtime_destroy(rt) == CO4_OK && good == tasks ? 0 : 1;
}
