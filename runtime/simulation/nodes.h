/* nodes.h - several processes in one simulation: nodes.c explains it. */
#ifndef CO4_SIMULATION_NODES_H
#define CO4_SIMULATION_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "co4/test_network.h"
#include "io/network.h"
#include "simulation/coverage.h"

#define CO4__NODES      63 /* at most */
#define CO4__NODE_NAME  32
#define CO4__NODES_NONE UINT32_MAX

enum co4__node_state { CO4__NODE_DOWN, CO4__NODE_UP, CO4__NODE_ENDED };

struct co4__node {
    char name[CO4__NODE_NAME];
    bool is_server;   /* it ends with the last node that is none */
    bool crashed;     /* the process has ended by a crash of the machine */
    bool killed;      /* … or was ended by the script */
    bool has_begun;   /* its program is one of --auto=test */
    bool has_left;    /* the others have not noticed yet that its sockets are gone */
    int32_t state;    /* enum co4__node_state */
    uint32_t turn;    /* 1: it has the turn, or is to take it; what a process waits for */
    uint32_t command; /* CO4__SCRIPT_CRASH, CO4__SCRIPT_KILL, or 0: what it does in its turn */
    unsigned life;
    int64_t next;      /* when it goes on by itself */
    int64_t begins_at; /* its next life; CO4_NEVER: none is due */
    int64_t ahead;     /* ns that its wall clock is before the others */
    uint64_t digest, steps, choices;
    int64_t now, time; /* its clock's and that of all: as of its last turn, as these numbers */
    int64_t left_at;   /* when the process ended */
};

/* What a line of the script does, at a time. */
enum co4__script_what {
    CO4__SCRIPT_PART = 1, /* of two machines, or of one and all others */
    CO4__SCRIPT_HEAL,
    CO4__SCRIPT_CRASH, /* a machine: what is not on its disk is lost */
    CO4__SCRIPT_KILL,  /* a process */
    CO4__SCRIPT_CLOCK, /* a wall clock jumps */
    CO4__SCRIPT_DRIFT,
    CO4__SCRIPT_NETWORK,
    CO4__SCRIPT_END
};

struct co4__script_line {
    int64_t at, number; /* ns, parts of a million; of a crash: for how long the node is down */
    enum co4__script_what what;
    uint32_t a, b;  /* nodes; CO4__NODES_NONE: all */
    uint32_t order; /* of those of the same time */
    co4_test_network_options options;
};

/* In memory that all processes share; one at a time, the one that has the turn, reads and writes
 * it. The process that begins the others, the hub, has no turn, and is the last to hold it. */
struct co4__nodes {
    uint32_t count, holder; /* CO4__NODES_NONE: the hub */
    uint32_t begins;        /* the hub is asked to begin a life of this node */
    int32_t asks;           /* the descriptor by which it is asked */
    bool ends;              /* the script says so */
    uint64_t seed;
    int64_t now;
    struct co4__net_common *common;
    struct co4__script_line *lines;
    uint32_t nlines, line;         /* the next one */
    struct co4__coverage coverage; /* of programs that are executed */
    struct co4__node nodes[];
};

extern CO4__OWN struct co4__nodes *co4__nodes; /* NULL: there is one process */
extern CO4__OWN struct co4__node *co4__node;   /* this one; NULL in the hub */

/* A process begins as this node: its simulation is there. It waits for its turn. */
CO4__OWN void co4__node_begin(void (*ends)(enum co4__script_what how));
/* Notes how far the node is. */
CO4__OWN void co4__node_note(void);
/* The hub, when no node has the turn: gives it to one. Returns one whose life it has to begin
 * instead; CO4__NODES_NONE: none. */
CO4__OWN uint32_t co4__nodes_go_on(void);

#endif
