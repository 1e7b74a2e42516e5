/* program.h - --auto: the graph of a program, for graph.c, which makes it, and
 * report.c. */
#ifndef CW_AUTO_PROGRAM_H
#define CW_AUTO_PROGRAM_H

#include <string.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/plan.h"

typedef struct cw_program_edge {
    unsigned from, to;
    unsigned next; /* 1 + the index of the next edge from the same node */
} cw_program_edge;

typedef struct cw_program_node {
    const char *key;
    const char *place; /* of a function: FILE:LINE; NULL: not defined in the program */
    const char *plain; /* the reason why it stays plain; NULL */
    const char *vary;  /* one that a unit has which calls it; NULL */
    const char *root;  /* the pausing function that replaces it; NULL */
    bool blocks;       /* it is none of the program's, and blocks the thread */
    size_t planned;    /* 1 + the unit whose plan has it already */
    unsigned unit;     /* in which it is defined */
    unsigned first;    /* 1 + the index of its first edge; 0: none */
    unsigned because;  /* 1 + the node because of which it pauses */
    bool marked, pauses;
    bool waits;       /* it pauses, and not only because a longjmp or a cancellation ends it */
    bool jumps;       /* longjmp, where a function with a setjmp pauses */
    bool reaches;     /* a longjmp, then: it may end in one */
    bool entered;     /* a task begins with it */
    bool starts;      /* … that pthread_create makes */
    bool in_handler;  /* of a function: a handler of signals may call it */
    bool handler;     /* … and is one */
    const char *once; /* then: the reason why it has one form; NULL */
    bool spins;       /* of a function: it waits in a loop, without a call */
    bool has_atomics, has_accesses; /* of a function: decisions.c */
    bool decides;                   /* before calls of it a seed decides what runs next */
    bool chosen;                    /* it stays plain because the user has said so */
    bool wrapped;                   /* --wrap: calls of it are calls of another function */
    bool weak;                      /* its definition is, and no other is known */
    bool unread;                    /* what it calls is not known */
    bool has_address;               /* of a function: its address flows to a slot */
    bool calls_slots;               /* of a function: it calls through a slot that pauses */
    const char *used;               /* of a thread-local: FILE:LINE */
    size_t frame;                   /* of a woven function: the bytes of its frame */
} cw_program_node;

typedef struct cw_program_unit {
    const char *source;
    char *summary;
    unsigned *nodes; /* all that its lines name */
    size_t nnodes;
    unsigned *addresses; /* functions whose addresses flow to a slot here */
    size_t naddresses;
    bool enters;     /* it has entry points */
    bool has_marks;  /* or may have some: its source says what pauses in it */
    bool has_locals; /* it defines or uses thread-locals */
} cw_program_unit;

struct cw_graph_of_program {
    cw_arena arena;
    cw_names names;
    cw_program_node *nodes; /* 1 + index is the number of a name */
    size_t nnodes;
    cw_program_edge *edges;
    size_t nedges;
    cw_program_unit *units;
    size_t nunits;
    bool has_tasks;      /* a source has marks: others start none, so that there is the first one */
    bool begins_threads; /* pthread_create and thrd_create make tasks */
    bool decides_atomics, decides_accesses; /* "yields atomic", "yields access" of the roots */
    bool calls_back;                        /* roots that call their parameters have their edges */
    bool throws_by_address; /* plain code behind a pointer may end in a jump: any of a shared
                             * library may call back what jumps */
};

/* The node of a key; NULL: the program does not name it. */
cw_program_node *cw_program_find(const struct cw_graph_of_program *program, const char *key, ...)
    CW_PRINTF(2, 3);

static inline bool cw_key_is_function(const char *key)
{
    return key[0] == 'f' || key[0] == 's';
}

/* The name after "f:", or, with the number of a unit before it, after "s3:". */
static inline const char *cw_key_name(const char *key)
{
    return strchr(key, ':') + 1;
}

/* ---- graph.c: --auto: which functions of a whole program pause ---- */

typedef struct cw_graph_of_program cw_program;

cw_program *cw_program_new(void);
void cw_program_free(cw_program *program);

/* The summary outlives the program; its lines are cut at their ends. A line `U` says that the
 * source may have marks. */
void cw_program_add_unit(cw_program *program, const char *source, char *summary);
/* A function of a unit has to stay plain after all. */
void cw_program_refuse(cw_program *program, size_t index, const char *name, const char *why);
/* After all units, and again when functions have been refused. Of the plan the roots count.
 * `plain`: functions that stay plain. */
void cw_program_solve(cw_program *program, const cw_plan *roots, char *const *plain, size_t nplain);
/* The plan of the index-th unit. Returns false if nothing in it pauses: then it needs none. */
bool cw_program_plan(cw_program *program, size_t index, cw_buf *out);
/* The linker's --wrap: calls of the function are calls of __wrap_NAME, and those of __real_NAME are
 * its own. Call it after all units are added. */
void cw_program_wrap(cw_program *program, const char *name);

/* --auto=threads, after all units: functions to which threads may be given begin tasks. Returns
 * false if the program begins no threads; or if it does with some what no task takes: all stay
 * threads then, *place is where, and *why says it. */
bool cw_program_begin_threads(cw_program *program, const char **place, const char **why);
/* Does a source start tasks, or threads that are some? Call it after that. */
bool cw_program_has_tasks(const cw_program *program);
/* A plain object defines or uses this thread-local: tasks share it. After all units. */
void cw_program_share(cw_program *program, const char *name);
/* Has the program a function of this name, or does it call one? */
bool cw_program_has(const cw_program *program, const char *function);

/* ---- report.c: --auto: what a user hears of a program's graph ---- */

/* The frame of a function in a unit has so many bytes. */
void cw_program_frame(cw_program *program, size_t index, const char *name, size_t length,
                      size_t bytes);
/* "f calls g / g calls read, a root": why a function pauses, or that it does not. With ":all" after
 * the function: each step of all shortest ways. */
void cw_program_why(const cw_program *program, const char *asked, cw_buf *out);
/* Functions that pause, pointers that lead to them, functions that stay plain. */
void cw_program_report(const cw_program *program, cw_buf *out);
/* Adds up for each unit how many functions it has, and how many of them pause. */
void cw_program_count(const cw_program *program, size_t *functions, size_t *pausing);
/* Where plain code waits and blocks its thread, though the user has not asked for it: at most
 * `most` places, with paths; and what replaces a root and calls it. Returns how many there are.
 * `word`: "warning" or "error". */
size_t cw_program_blocks(const cw_program *program, const char *word, size_t most, cw_buf *out);
/* Functions that a source with marks declares as pausable ones, and that stay plain where they are
 * defined. Returns how many there are. */
size_t cw_program_lacks(const cw_program *program, cw_buf *out);

/* Thread-locals that tasks share, as code outside the program does. Returns how many there are. */
size_t cw_program_shares(const cw_program *program, const char *word, cw_buf *out);

#endif
