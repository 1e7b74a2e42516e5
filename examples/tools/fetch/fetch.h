/* fetch.h - the downloads, for the files of this program. All tasks run on one thread. */
#ifndef FETCH_H
#define FETCH_H

#include <co4.h>
#include <co4/retry.h>
#include <co4/sync.h>
#include <stdbool.h>
#include <sys/types.h>

#include "http.h"

enum job_state { JOB_WAITS, JOB_RUNS, JOB_GOT, JOB_FAILED };

struct job {
    const char *text; /* its address, as it was given */
    struct url url;   /* where it is after redirects */
    char *path;       /* of the file */
    char *part;       /* of the file while it is not whole */
    bool begun;       /* `part` exists */
    enum job_state state;
    off_t have, total; /* total: -1: not known */
    char validator[VALIDATOR_MAX];
    int64_t retry_after;
    char why[200]; /* the last failure */
};

/* A server, and how many connections to it may be open. */
struct host {
    struct host *next;
    co4_sem permits;
    char name[];
};

struct fetch {
    struct job *jobs;
    int count;
    co4_retry policy;
    co4_sem permits; /* of all connections */
    int per_host;
    struct host *hosts;
    int64_t timeout; /* ns without progress */
    int64_t deadline;
    const char *folder;
    co4_scope *scope;           /* NULL: all is over */
    int early;                  /* the exit status of an end by a signal or the deadline */
    struct co4_tls_config *tls; /* NULL: none */
    const char *ca_file;
    bool terminal;
    int drawn; /* lines of bars */
};

/* Prints a line about a job. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void progress_say(struct fetch *f, const struct job *j, const char *format, ...);
/* Draws a bar for each file that is under way, ten times a second. */
pausable void progress_run(struct fetch *f);
void progress_end(struct fetch *f);

#endif
