/* options.c - what the environment asks of a run of --auto=test; docs/simulation.md lists it.
 *
 * Files are opened by the run itself: many runs may follow each other in one server. */
#define _GNU_SOURCE
#include "simulation/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "posix/decides.h"
#include "simulation/disk.h"
#include "simulation/nodes.h"
#include "simulation/run.h"

#define STEP_NS 1000

/* A line of a node begins with its name. */
static int write_of_node(void *data, const char *text, size_t bytes)
{
    static bool is_within;
    char name[CO4__NODE_NAME + 2];
    size_t length = (size_t)snprintf(name, sizeof name, "%s ", co4__node->name);
    int err = !is_within && bytes > 0 ? co4_write_fd(data, name, length) : CO4_OK;
    is_within = bytes > 0 && text[bytes - 1] != '\n';
    return err == CO4_OK ? co4_write_fd(data, text, bytes) : err;
}

/* Returns where lines go; NULL: nowhere. */
static co4_writer *writer_of(const char *variable, void **data)
{
    const char *file = getenv(variable);
    /* one file of all lives, and of all nodes: the hub has made it empty */
    int how = co4__node || co4__disk_life() > 1 ? O_APPEND : O_TRUNC;
    int fd = file ? __real_open(file, O_WRONLY | O_CREAT | how | O_CLOEXEC, 0666) : -1;
    if (file && fd < 0)
        co4__simulation_refuses(file, strerror(errno));
    *data = (void *)(intptr_t)fd;
    return !file ? NULL : co4__node ? write_of_node : co4_write_fd;
}

/* "random", "pos", "pct", "pct:DEPTH", "pct:DEPTH,LENGTH" */
static void read_strategy(co4_test_options *o, const char *text)
{
    char more;
    if (!text || strcmp(text, "random") == 0)
        o->strategy = CO4_TEST_RANDOM;
    else if (strcmp(text, "pos") == 0)
        o->strategy = CO4_TEST_POS;
    else if (strncmp(text, "pct", 3) == 0)
        o->strategy = CO4_TEST_PCT;
    else
        co4__simulation_refuses("CO4_TEST_STRATEGY", "not random, pos, pct or pct:DEPTH,LENGTH");
    if (o->strategy == CO4_TEST_PCT && text[3] != '\0' &&
        sscanf(text, "pct:%u,%llu%c", &o->depth, &o->length, &more) != 2 &&
        sscanf(text, "pct:%u%c", &o->depth, &more) != 1)
        co4__simulation_refuses(text, "not pct:DEPTH,LENGTH");
}

struct schedule {
    co4_test_switch *lines;
    size_t count, room;
};

static bool add_line(struct schedule *s, co4_test_switch line)
{
    if (s->count == s->room) {
        size_t room = s->room > 0 ? 2 * s->room : 64;
        co4_test_switch *more = realloc(s->lines, room * sizeof *more);
        if (!more)
            return false;
        s->lines = more;
        s->room = room;
    }
    s->lines[s->count++] = line;
    return true;
}

/* Lines of a choice and the number of a thread; they stay for the rest of the process. */
static void read_schedule(co4_test_options *o, const char *file)
{
    FILE *f = fopen(file, "re");
    struct schedule s = { NULL, 0, 0 };
    co4_test_switch line = { 0, 0 };
    unsigned long long last = 0;
    int read = EOF;
    if (!f)
        co4__simulation_refuses(file, strerror(errno));
    while ((read = fscanf(f, "%llu %u", &line.choice, &line.task)) == 2 && line.choice > last) {
        last = line.choice;
        if (!add_line(&s, line))
            co4__simulation_refuses(file, strerror(ENOMEM));
    }
    fclose(f);
    if (read != EOF)
        co4__simulation_refuses(file, "a line is not a choice, above the last one, and a thread");
    o->strategy = CO4_TEST_SCHEDULE;
    o->schedule = s.lines;
    o->nschedule = s.count;
}

void co4__simulation_options(co4_test_options *options, uint64_t seed)
{
    const char *schedule = getenv("CO4_TEST_SCHEDULE");
    *options = (co4_test_options){ .seed = seed, .step_ns = STEP_NS };
    read_strategy(options, getenv("CO4_TEST_STRATEGY"));
    if (seed == 0)
        options->strategy = CO4_TEST_SCHEDULE; /* an empty one */
    if (schedule)
        read_schedule(options, schedule);
    options->trace = writer_of("CO4_TEST_TRACE", &options->trace_data);
    options->choices = writer_of("CO4_TEST_CHOICES", &options->choices_data);
}
