/* script.h - the text that says which nodes a simulation has: script.c explains it. */
#ifndef CO4_SIMULATION_SCRIPT_H
#define CO4_SIMULATION_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "simulation/nodes.h"

/* A node's line. The words and addresses are in memory that stays. */
struct co4__script_node {
    char name[CO4__NODE_NAME];
    bool is_server;
    struct co4__net_address addresses[CO4__NET_ADDRESSES];
    unsigned naddresses, line;
    const char *texts[CO4__NET_ADDRESSES]; /* of them */
    char **words;                          /* the program and its arguments */
};

struct co4__script {
    struct co4__script_node *nodes;
    size_t nnodes;
    struct co4__script_line *lines; /* in the order of their times */
    size_t nlines;
};

/* Reads the file, and draws what the seed decides. The run ends with a message if something is
 * wrong. */
CO4__OWN void co4__script_read(struct co4__script *s, const char *file, uint64_t seed);

#endif
