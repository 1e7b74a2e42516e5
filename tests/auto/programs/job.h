/* job.h - functions without marks that run several times at once: of the programs here, for tasks.c
 * and plain.c. */
#ifndef JOB_H
#define JOB_H

struct job {
    const char *name;
    int (*run)(int i);    /* called with 0 … count - 1 */
    int count;            /* 0: the end of the list */
    int (*beside)(int i); /* called by a thread meanwhile, with 1; NULL */
};

enum { MOST_AT_ONCE = 5000 };

extern const struct job jobs[];
extern const struct job *current;

int run_job(int i);
/* Before a job, in main; after it, `result` is the results of all calls, combined by |. */
void begin_job(const struct job *job);
void end_job(const struct job *job, int result);

#endif
