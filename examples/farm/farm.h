/* farm.h - what the files of the farm share. */
#ifndef FARM_H
#define FARM_H

#include <co4.h>
#include <co4/nats_stream.h>
#include <stdbool.h>
#include <stdint.h>

#include "picture.h"

/* Subjects and streams. A job that is done is deleted; what was drawn stays for a day. */
#define JOBS_STREAM  "FARM_JOBS"
#define JOBS_SUBJECT "farm.jobs" /* .<run>.<tile> */
#define DONE_STREAM  "FARM_DONE"
#define DONE_SUBJECT "farm.done" /* .<run>.<tile> */
#define NEWS_SUBJECT "farm.news" /* of workers, which may be lost */
#define WORKERS      "workers"   /* the consumer of the jobs */

enum { NAME = 64, MOST_WORKERS = 64, PORT_TEXT = 8 };

struct options {
    struct picture picture;
    const char *nats; /* NULL: a server of our own */
    const char *run, *out, *page, *name;
    const char *program; /* argv[0] */
    int workers, jobs;
    int64_t kill; /* every so many ns; 0: nothing is killed */
    bool quiet;
};

/* ---- the coordinator (coordinator.c) ---- */

struct worker_news {
    char name[NAME];
    long done, before; /* tiles; those that somebody else had stored before */
    int64_t seen;
};

/* Used by the tasks of one thread alone. */
struct farm {
    const struct options *o;
    co4_nats *c;
    int tiles, finished;
    bool *is_done;          /* of each tile */
    int *order;             /* the tiles that are done, in the order of their coming */
    unsigned char *picture; /* as in picture.h */
    long again;             /* how often a job was given once more */
    long twice;             /* results of tiles that were done already */
    long lost;              /* connections */
    bool up;
    int64_t began, ended;
    struct worker_news workers[MOST_WORKERS];
    int worker_count;
    co4_mailbox *over; /* int: it is over, with this exit status */
    char page[32];     /* the address of the page; or empty */
};

/* Draws the picture with what workers there are. Returns the exit status. */
pausable int coordinate(struct farm *f);
/* Tiles in a second, lately; seconds that are left, or -1; workers that were heard of lately. */
double farm_rate(const struct farm *f);
double farm_left(const struct farm *f);
int farm_workers(const struct farm *f);
/* Prints how far it is: to a terminal in one line that changes. Until it is cancelled. */
pausable int farm_progress(struct farm *f);

/* ---- the other parts ---- */

/* Draws tiles for any coordinator, until a signal comes. Returns the exit status. */
pausable int work(const struct options *o);
/* Runs a program until it ends, or the standard input does. Returns the exit status. */
pausable int keep(const char *const *argv);
/* Keeps a server and workers running, until it is cancelled (local.c). */
struct local;
pausable struct local *local_start(const struct options *o, char *url, size_t room);
pausable int local_keep(struct local *l);
void local_counts(const struct local *l, long *starts, long *kills);
pausable void local_end(struct local *l);
/* A page with the picture as far as it is drawn (page.c). Until it is cancelled. */
pausable int serve_page(struct farm *f, int listener);

/* Connects, and connects again for as long as it takes. NULL: it has said why not. */
pausable co4_nats *open_nats(const char *url, const char *name);

#endif
