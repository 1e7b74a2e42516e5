/* program.h - --auto: the graph of a program, for graph.c, which makes it, and
 * report.c. */
#ifndef CW_AUTO_PROGRAM_H
#define CW_AUTO_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/format.h"
#include "base/names.h"

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
    size_t planned;    /* 1 + the unit whose plan has it already */
    unsigned unit;     /* in which it is defined */
    unsigned first;    /* 1 + the index of its first edge; 0: none */
    unsigned because;  /* 1 + the node because of which it pauses */
    bool marked, pauses;
    bool waits;       /* it pauses, and not only because a longjmp may give it up */
    bool jumps;       /* longjmp, where a function with a setjmp pauses */
    bool reaches;     /* a longjmp, then: it may end in one */
    bool entered;     /* a task begins with it */
    bool chosen;      /* it stays plain because the user has said so */
    bool wrapped;     /* --wrap: calls of it are calls of another function */
    bool weak;        /* its definition is, and no other is known */
    bool unread;      /* what it calls is not known */
    bool has_address; /* of a function: its address flows to a slot */
    bool calls_slots; /* of a function: it calls through a slot that pauses */
} cw_program_node;

typedef struct cw_program_unit {
    const char *source;
    char *summary;
    unsigned *nodes; /* all that its lines name */
    size_t nnodes;
    bool enters;    /* it has entry points */
    bool has_marks; /* or may have some: its source says what pauses in it */
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

#endif
