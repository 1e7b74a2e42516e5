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

#include "base/array.h"
#include "posix/decides.h"
#include "simulation/disk.h"
#include "simulation/faults.h"
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

/* Whose choices and faults a line has: "@NODE", "@NODE/LIFE", "@/LIFE"; "" for the first life of a
 * process without nodes. */
static const char *owner(void)
{
    static char name[CO4__NODE_NAME + 16];
    unsigned life = co4__disk_life();
    const char *node = co4__node ? co4__node->name : "";
    if (life > 1)
        snprintf(name, sizeof name, "@%s/%u", node, life);
    else
        snprintf(name, sizeof name, "%s%s", *node ? "@" : "", node);
    return name;
}

static int write_of_owner(void *data, const char *text, size_t bytes)
{
    static bool is_within;
    const char *name = owner();
    int err = CO4_OK;
    if (!is_within && bytes > 0 && *name) {
        char words[CO4__NODE_NAME + 24];
        err = co4_write_fd(data, words, (size_t)snprintf(words, sizeof words, "%s ", name));
    }
    is_within = bytes > 0 && text[bytes - 1] != '\n';
    return err == CO4_OK ? co4_write_fd(data, text, bytes) : err;
}

/* Returns where lines go; NULL: nowhere. */
static co4_writer *writer_of(const char *variable, co4_writer *writer, void **data)
{
    const char *file = getenv(variable);
    /* one file of all lives, and of all nodes: the hub has made it empty */
    int how = co4__node || co4__disk_life() > 1 ? O_APPEND : O_TRUNC;
    int fd = file ? __real_open(file, O_WRONLY | O_CREAT | how | O_CLOEXEC, 0666) : -1;
    if (file && fd < 0)
        co4__simulation_refuses(file, strerror(errno));
    *data = (void *)(intptr_t)fd;
    return fd >= 0 ? writer : NULL;
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
    size_t count;
};

static bool add_line(struct schedule *s, co4_test_switch line)
{
    co4_test_switch *more = co4__array_grow(s->lines, s->count, sizeof *more);
    if (!more)
        return false;
    s->lines = more;
    s->lines[s->count++] = line;
    return true;
}

static void take_fault(const char *file, const char *text)
{
    char kind[16], more;
    unsigned long long number;
    const char *wrong = sscanf(text, "fault %15s %llu %c", kind, &number, &more) == 2
                            ? co4__faults_add(kind, number)
                            : "a fault has a kind and a number";
    if (wrong)
        co4__simulation_refuses(file, wrong);
}

static void take_switch(struct schedule *s, const char *file, const char *text)
{
    co4_test_switch line;
    char more;
    if (sscanf(text, "%llu %u %c", &line.choice, &line.task, &more) != 2 ||
        line.choice <= (s->count > 0 ? s->lines[s->count - 1].choice : 0))
        co4__simulation_refuses(file, "a line is not a choice, above the last one, and a thread");
    if (!add_line(s, line))
        co4__simulation_refuses(file, strerror(ENOMEM));
}

/* Takes the lines that are this process's. */
static void read_schedule(struct schedule *s, const char *file)
{
    FILE *f = fopen(file, "re");
    char *line = NULL;
    size_t room = 0, length = strlen(owner());
    if (!f)
        co4__simulation_refuses(file, strerror(errno));
    while (co4__simulation_line(f, file, &line, &room)) {
        const char *text = line;
        line[strcspn(line, "\r\n")] = '\0';
        bool of_others = *text == '@' && (length == 0 || strncmp(text, owner(), length) != 0 ||
                                          text[length] != ' ');
        if (of_others || *text == '\0')
            continue;
        text += *text == '@' ? length + 1 : 0;
        if (strcmp(line, "faults") == 0)
            co4__faults_listed();
        else if (length > 0 && text == line)
            continue;
        else if (text == line && getenv("CO4_TEST_NODES") && strncmp(text, "fault ", 6) != 0)
            co4__simulation_refuses(file, "a choice needs the name of a node, as @a 5 2");
        else if (strncmp(text, "fault ", 6) == 0)
            take_fault(file, text);
        else
            take_switch(s, file, text);
    }
    free(line);
    fclose(f);
}

void co4__simulation_options(co4_test_options *options, uint64_t seed)
{
    const char *file = getenv("CO4_TEST_SCHEDULE");
    struct schedule schedule = { NULL, 0 }; /* its lines stay for the rest of the process */
    *options = (co4_test_options){ .seed = seed, .step_ns = STEP_NS };
    read_strategy(options, getenv("CO4_TEST_STRATEGY"));
    options->trace = writer_of("CO4_TEST_TRACE", co4__node ? write_of_node : co4_write_fd,
                               &options->trace_data);
    options->choices = writer_of("CO4_TEST_CHOICES", write_of_owner, &options->choices_data);
    co4__faults_begin(options->choices, options->choices_data);
    if (file || seed == 0)
        options->strategy = CO4_TEST_SCHEDULE; /* an empty one */
    if (file)
        read_schedule(&schedule, file);
    options->schedule = schedule.lines;
    options->nschedule = schedule.count;
}
