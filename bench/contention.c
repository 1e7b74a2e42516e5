/* contention.c - what 1 to 1,024 workers do beside each other that write to shared memory: a
 * simulation of cache lines.
 *
 *   co4contention [--line NS]    a row for each operation: millions a second that one of so many
 *                                workers does, and the line that is busiest
 *
 * Model: an operation computes for a while, then writes to lines, one after another. A line that
 * another worker wrote last is moved: --line nanoseconds (100), and it moves for one worker at a
 * time. A line of one's own costs nothing more. A lock's line stays with its holder while it works.
 *
 * All workers do the same all the time, and send to each other at random. This is the least
 * favourable case: tasks that exchange messages move to one worker. Lines are those of the table
 * "Contention" of docs/performance.md. The receiver also writes to its own lines: each worker
 * receives as much as it sends.
 *
 * Left out: lines that are read only, the distance of processors, the order of waiters. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 1024, OPERATIONS = 2000, MAGAZINE = 64, MOST_WRITES = 10 };

/* A line of each worker, or of the whole runtime. */
typedef enum line { MAILBOX, TASK, INBOX, HEAP, AWAKE, DEPOT, NLINES } line;

static const char *const line_names[] = { "mailbox",        "task",       "inbox",
                                          "heap of timers", "idle.awake", "depot" };

static bool is_global(line l)
{
    return l >= AWAKE;
}

typedef enum whose { OWN, OTHER } whose; /* a line of each worker */

typedef struct touch {
    line line;
    whose whose;
    unsigned every; /* operations of a worker */
    double holds;   /* ns */
} touch;

static const struct operation {
    const char *name;
    double computes; /* ns, of co4bench with one worker */
    touch touches[MOST_WRITES];
    unsigned count;
} operations[] = {
    { "a message to another worker",
      30,
      { { MAILBOX, OTHER, 1, 10 },
        { TASK, OTHER, 1, 0 },
        { INBOX, OTHER, 1, 0 },
        { INBOX, OWN, 1, 0 },
        { TASK, OWN, 1, 0 },
        { MAILBOX, OWN, 1, 10 } },
      6 },
    { "... that wakes it from its sleep",
      60,
      { { MAILBOX, OTHER, 1, 10 },
        { TASK, OTHER, 1, 0 },
        { INBOX, OTHER, 1, 0 },
        { AWAKE, OWN, 1, 0 },
        { INBOX, OWN, 1, 0 },
        { TASK, OWN, 1, 0 },
        { MAILBOX, OWN, 1, 10 },
        { AWAKE, OWN, 1, 0 } },
      8 },
    { "a spawn that stays", 35, { { TASK, OWN, 1, 0 } }, 1 },
    { "... placed elsewhere",
      50,
      { { INBOX, OTHER, 1, 0 },
        { TASK, OTHER, 1, 0 },
        { INBOX, OWN, 1, 0 },
        { TASK, OWN, 1, 0 },
        { DEPOT, OWN, MAGAZINE, 20 },
        { DEPOT, OWN, MAGAZINE, 20 } },
      6 },
    { "a timer", 100, { { HEAP, OWN, 1, 50 } }, 1 },
    { "... cancelled by another worker",
      150,
      { { HEAP, OTHER, 1, 50 },
        { TASK, OTHER, 1, 0 },
        { INBOX, OTHER, 1, 0 },
        { INBOX, OWN, 1, 0 },
        { HEAP, OWN, 1, 50 },
        { DEPOT, OWN, MAGAZINE, 20 },
        { DEPOT, OWN, MAGAZINE, 20 } },
      7 },
    { "a wake by another worker",
      40,
      { { TASK, OTHER, 1, 0 }, { INBOX, OTHER, 1, 0 }, { INBOX, OWN, 1, 0 }, { TASK, OWN, 1, 0 } },
      4 },
    { "a co4_run from a thread", 110, { { TASK, OWN, 1, 0 } }, 1 },
};

enum { NOPERATIONS = sizeof operations / sizeof *operations };

/* ---- random numbers ---- */

/* Splitmix (Steele, Lea, Flood 2014): the same numbers everywhere. */
static unsigned long long seed;

static unsigned below(unsigned n)
{
    unsigned long long x = seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ (x >> 31)) % n);
}

/* ---- workers, a heap by their time ---- */

static struct worker {
    double now;
    unsigned done;  /* operations */
    unsigned touch; /* the next of the current operation */
} workers[MOST_WORKERS];

static unsigned heap[MOST_WORKERS], nheap;

static void sink(unsigned at)
{
    for (unsigned least = at, kid; (kid = 2 * at + 1) < nheap; at = least) {
        for (unsigned k = kid; k < kid + 2 && k < nheap; k++)
            if (workers[heap[k]].now < workers[heap[least]].now)
                least = k;
        if (least == at)
            return;
        unsigned moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
    }
}

/* ---- lines ---- */

static struct state {
    double free; /* from then on it can move again */
    unsigned owner;
} lines[NLINES][MOST_WORKERS];

static double moving[NLINES]; /* the time in which such a line moved or was held */

static void write_to(struct worker *w, unsigned self, unsigned count, const touch *t, double move)
{
    unsigned other = count > 1 ? (self + 1 + below(count - 1)) % count : self;
    struct state *s = &lines[t->line][is_global(t->line) ? 0 : t->whose == OTHER ? other : self];
    double begins = w->now > s->free ? w->now : s->free;
    double ends = begins + (s->owner != self ? move : 0) + t->holds;
    moving[t->line] += ends - begins;
    s->owner = self;
    s->free = w->now = ends;
}

/* Does a part of an operation: it computes, or writes to a line. */
static void step(const struct operation *o, unsigned self, unsigned count, double move)
{
    struct worker *w = &workers[self];
    if (w->touch == o->count) {
        w->touch = 0;
        w->done++;
        w->now += o->computes;
        return;
    }
    const touch *t = &o->touches[w->touch++];
    if ((w->done + self) % t->every == 0)
        write_to(w, self, count, t, move);
}

/* Returns the millions of operations a second of one worker; *busiest: the line that moves for the
 * greatest share of the time, *share. */
static double simulate(const struct operation *o, unsigned count, double move, line *busiest,
                       double *share)
{
    double ended = 0;
    memset(workers, 0, sizeof workers);
    memset(lines, 0, sizeof lines);
    memset(moving, 0, sizeof moving);
    seed = count;
    nheap = count;
    for (unsigned i = 0; i < count; i++) {
        heap[i] = i;
        workers[i].now = below(1000); /* they do not begin in step */
        workers[i].touch = o->count;
        for (unsigned l = 0; l < NLINES; l++)
            lines[l][i].owner = i;
    }
    for (unsigned i = nheap; i-- > 0;)
        sink(i);
    while (workers[heap[0]].done < OPERATIONS) { /* the rest of them is as far, by time */
        step(o, heap[0], count, move);
        ended = workers[heap[0]].now > ended ? workers[heap[0]].now : ended;
        sink(0);
    }
    unsigned long done = 0;
    for (unsigned i = 0; i < count; i++)
        done += workers[i].done;
    *share = -1;
    for (unsigned l = 0; l < NLINES; l++) {
        double here = moving[l] / ended / (is_global((line)l) ? 1 : count);
        if (here > *share) {
            *share = here;
            *busiest = (line)l;
        }
    }
    return (double)done / count / ended * 1e3;
}

int main(int argc, char **argv)
{
    static const unsigned counts[] = { 1, 2, 16, 64, 256, 1024 };
    enum { NCOUNTS = sizeof counts / sizeof *counts };
    double move = 100;
    if (argc == 3 && strcmp(argv[1], "--line") == 0)
        move = atof(argv[2]);
    else if (argc > 1)
        return fprintf(stderr, "usage: co4contention [--line NS]\n"), 2;
    printf("| millions a second for each of so many workers |");
    for (unsigned k = 0; k < NCOUNTS; k++)
        printf(" %u |", counts[k]);
    printf(" the busiest line |\n|---|");
    for (unsigned k = 0; k <= NCOUNTS; k++)
        printf("---|");
    printf("\n");
    for (unsigned i = 0; i < NOPERATIONS; i++) {
        line busiest = MAILBOX;
        double share = 0;
        printf("| %s |", operations[i].name);
        for (unsigned k = 0; k < NCOUNTS; k++) {
            double rate = simulate(&operations[i], counts[k], move, &busiest, &share);
            printf(rate >= 0.995 ? " %.1f |" : " %.2g |", rate);
        }
        if (share > 0)
            printf(" %s, %.0f %% |\n", line_names[busiest], share * 100);
        else
            printf(" none |\n");
    }
    return 0;
}
