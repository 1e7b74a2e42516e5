/* fetch.h - the downloads, for the files of this program. All tasks run on one thread. */
#ifndef FETCH_H
#define FETCH_H

#include <co4.h>
#include <co4/http_client.h>
#include <co4/retry.h>
#include <stdbool.h>
#include <sys/types.h>

enum { VALIDATOR_MAX = 128 };
enum job_state { JOB_WAITS, JOB_RUNS, JOB_GOT, JOB_FAILED };

struct job {
    const char *text; /* its address, as it was given */
    char *path;       /* of the file */
    char *part;       /* of the file while it is not whole */
    bool begun;       /* `part` exists */
    enum job_state state;
    off_t have, total; /* total: -1: not known */
    char validator[VALIDATOR_MAX];
    int64_t retry_after;
    char why[200]; /* the last failure */
};

struct fetch {
    struct job *jobs;
    int count;
    co4_retry policy;
    co4_http_client_options options;
    co4_http_client *client;
    int64_t deadline;
    const char *folder;
    co4_scope *scope; /* NULL: all is over */
    int early;        /* the exit status of an end by a signal or the deadline */
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
