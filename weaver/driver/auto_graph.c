/* auto_graph.c - --auto: which functions of a whole program pause.
 *
 * Nodes are functions and slots, places of pointers to functions (passes/summary.c). An edge leads
 * from what pauses to what pauses because of it: from a function to its callers, from a function to
 * the slots that may hold its address, from a slot to slots and to the functions that call through
 * it. All that the roots reach pauses. The search is breadth-first, so `--why` shows a shortest
 * path. It takes time in proportion to the edges. */
#include "driver/auto_graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/names.h"

typedef struct edge {
    unsigned to, next; /* `next`: 1 + the index of the next edge from the same node */
} edge;

typedef struct node {
    const char *key;
    const char *place; /* of a function: FILE:LINE; NULL: not defined in the program */
    const char *plain; /* the reason why it stays plain; NULL */
    const char *root;  /* the pausing function that replaces it; NULL */
    size_t planned;    /* 1 + the unit whose plan has it already */
    unsigned unit;     /* in which it is defined */
    unsigned first;    /* 1 + the index of its first edge; 0: none */
    unsigned because;  /* 1 + the node because of which it pauses */
    bool marked, pauses;
    bool unread;      /* what it calls is not known */
    bool has_address; /* of a function: its address flows to a slot */
    bool calls_slots; /* of a function: it calls through a slot that pauses */
} node;

typedef struct unit {
    const char *source;
    char *summary;
    unsigned *nodes; /* all that its lines name */
    size_t nnodes;
    bool enters;    /* it has entry points */
    bool has_marks; /* or may have some: its source says what pauses in it */
} unit;

struct cw_graph_of_program {
    cw_arena arena;
    cw_names names;
    node *nodes; /* 1 + index is the number of a name */
    size_t nnodes, nodes_room;
    edge *edges;
    size_t nedges, edges_room;
    unit *units;
    size_t nunits, units_room;
};

static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room == 0 ? 64 : 2 * *room;
    items = realloc(items, *room * size);
    if (items == NULL)
        abort();
    return items;
}

cw_program *cw_program_new(void)
{
    cw_program *p = calloc(1, sizeof *p);
    if (p == NULL)
        abort();
    return p;
}

void cw_program_free(cw_program *p)
{
    for (size_t i = 0; i < p->nunits; i++)
        free(p->units[i].nodes);
    cw_names_free(&p->names);
    cw_arena_free(&p->arena);
    free(p->nodes);
    free(p->edges);
    free(p->units);
    free(p);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Keys of these belong to their unit. */
static bool is_of_unit(const char *key)
{
    return key[0] == 's' || key[0] == 'w' || key[0] == 'q';
}

static bool is_key(const char *word)
{
    return word[0] != '\0' && word[1] == ':';
}

static bool is_function(const char *key)
{
    return key[0] == 'f' || key[0] == 's';
}

/* The name after "f:", or, with the number of a unit before it, after "s3:". */
static const char *name_of(const char *key)
{
    return strchr(key, ':') + 1;
}

static unsigned node_of(cw_program *p, size_t index, const char *key)
{
    if (is_of_unit(key))
        key = cw_format(&p->arena, "%c%zu%s", key[0], index, key + 1);
    cw_name *name = cw_names_add(&p->names, key, strlen(key));
    if (name->number == 0) {
        p->nodes = grown(p->nodes, p->nnodes, &p->nodes_room, sizeof *p->nodes);
        p->nodes[p->nnodes] = (node){ .key = key };
        name->number = (unsigned)++p->nnodes;
    }
    return name->number - 1;
}

static void add_edge(cw_program *p, unsigned from, unsigned to)
{
    p->edges = grown(p->edges, p->nedges, &p->edges_room, sizeof *p->edges);
    p->edges[p->nedges] = (edge){ to, p->nodes[from].first };
    p->nodes[from].first = (unsigned)++p->nedges;
}

static char *word_at(char **at)
{
    char *begin = *at;
    size_t length = strcspn(begin, " ");
    *at = begin + length + (begin[length] != '\0');
    begin[length] = '\0';
    return begin;
}

static void mention(unit *u, size_t *room, unsigned n)
{
    u->nodes = grown(u->nodes, u->nnodes, room, sizeof *u->nodes);
    u->nodes[u->nnodes++] = n;
}

static void read_line(cw_program *p, size_t index, size_t *room, char *line)
{
    char *at = line;
    char what = *word_at(&at);
    char *key = word_at(&at);
    if (what == 'U')
        p->units[index].has_marks = true;
    if (!is_key(key) || strchr("DPNMECGF", what) == NULL)
        return;
    unsigned one = node_of(p, index, key);
    mention(&p->units[index], room, one);
    if (what == 'D') {
        p->nodes[one].place = at;
        p->nodes[one].unit = (unsigned)index;
        return;
    }
    if (what == 'M')
        p->nodes[one].marked = true;
    if (what == 'E')
        p->units[index].enters = true;
    if (what == 'M' || what == 'E')
        return;
    if (what == 'P' || what == 'N') {
        p->nodes[one].unread = what == 'N';
        p->nodes[one].plain = at;
        return;
    }
    key = word_at(&at);
    if (!is_key(key))
        return;
    unsigned other = node_of(p, index, key);
    mention(&p->units[index], room, other);
    if (what == 'F') {
        p->nodes[one].has_address |= is_function(p->nodes[one].key);
        add_edge(p, one, other);
    } else {
        add_edge(p, other, one);
    }
}

void cw_program_add_unit(cw_program *p, const char *source, char *summary)
{
    size_t index = p->nunits, room = 0;
    p->units = grown(p->units, p->nunits, &p->units_room, sizeof *p->units);
    p->units[p->nunits++] = (unit){ .source = source, .summary = summary };
    for (char *at = summary, *next; at != NULL && *at != '\0'; at = next) {
        next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        read_line(p, index, &room, at);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

static void leave_plain(cw_program *p, char *const *plain, size_t nplain)
{
    for (size_t i = 0; i < p->nnodes; i++)
        for (size_t k = 0; k < nplain && is_function(p->nodes[i].key); k++)
            if (strcmp(name_of(p->nodes[i].key), plain[k]) == 0)
                p->nodes[i].plain = "it is in the list of --plain";
}

/* Sources that know marks use them: their other functions may call what blocks a thread. */
static void leave_unmarked(cw_program *p)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        node *n = &p->nodes[i];
        if (n->place != NULL && !n->marked && n->plain == NULL && p->units[n->unit].has_marks)
            n->plain = "its source has marks, and it has none";
    }
}

void cw_program_refuse(cw_program *p, size_t index, const char *name, const char *why)
{
    for (int own = 0; own < 2; own++) {
        const char *key = own ? cw_format(&p->arena, "s%zu:%s", index, name)
                              : cw_format(&p->arena, "f:%s", name);
        const cw_name *found = cw_names_find(&p->names, key, strlen(key));
        node *n = found != NULL ? &p->nodes[found->number - 1] : NULL;
        if (n != NULL && n->place != NULL && n->unit == index)
            n->plain = cw_strdup(&p->arena, why);
    }
}

void cw_program_solve(cw_program *p, const cw_plan *roots, char *const *plain, size_t nplain)
{
    unsigned *queue = malloc((p->nnodes + 1) * sizeof *queue);
    size_t begin = 0, end = 0;
    if (queue == NULL)
        abort();
    leave_plain(p, plain, nplain);
    leave_unmarked(p);
    for (size_t i = 0; i < p->nnodes; i++) {
        node *n = &p->nodes[i];
        n->root = n->key[0] == 'f' && n->place == NULL ? cw_plan_root(roots, name_of(n->key))
                                                       : NULL;
        n->pauses = n->root != NULL || n->marked;
        n->calls_slots = false;
        n->because = 0;
        n->planned = 0;
        if (n->pauses)
            queue[end++] = (unsigned)i;
    }
    while (begin < end) {
        unsigned from = queue[begin++];
        for (unsigned e = p->nodes[from].first; e != 0; e = p->edges[e - 1].next) {
            node *to = &p->nodes[p->edges[e - 1].to];
            if (to->plain != NULL || (is_function(to->key) && to->place == NULL))
                continue;
            to->calls_slots |= is_function(to->key) && !is_function(p->nodes[from].key);
            if (to->pauses)
                continue;
            to->pauses = true;
            to->because = from + 1;
            queue[end++] = p->edges[e - 1].to;
        }
    }
    free(queue);
}

/* ---- results --------------------------------------------------------------------------------- */

bool cw_program_plan(cw_program *p, size_t index, cw_buf *out)
{
    const unit *u = &p->units[index];
    bool any = u->enters;
    for (size_t i = 0; i < u->nnodes; i++) {
        node *n = &p->nodes[u->nodes[i]];
        if (!n->pauses || !is_function(n->key) || n->planned == index + 1)
            continue;
        n->planned = index + 1;
        const char *name = name_of(n->key);
        if (n->root != NULL) {
            cw_printf(out, "root %s %s\n", name, n->root);
            continue;
        }
        bool here = n->unit == index;
        any |= here;
        if (n->marked)
            continue;
        cw_printf(out, "pauses %s\n", name);
        if (here && n->calls_slots)
            cw_printf(out, "pointers %s\n", name);
        if (here && n->has_address)
            cw_printf(out, "address %s\n", name);
    }
    return any;
}

static const char *shown(const node *n)
{
    switch (n->key[0]) {
    case 'm':
        return "member";
    case 'v':
    case 'w':
        return "variable";
    case 'p':
    case 'q':
        return "parameter";
    case 't':
        return "any pointer of type";
    default:
        return "function";
    }
}

bool cw_program_why(const cw_program *p, const char *function, cw_buf *out)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        const node *n = &p->nodes[i];
        if (!n->pauses || !is_function(n->key) || strcmp(name_of(n->key), function) != 0)
            continue;
        for (const node *next; n->because != 0; n = next) {
            next = &p->nodes[n->because - 1];
            cw_printf(out, "%s %s %s %s %s\n", shown(n), name_of(n->key),
                      !is_function(n->key)     ? "may hold"
                      : is_function(next->key) ? "calls"
                                               : "calls through",
                      shown(next), name_of(next->key));
        }
        cw_printf(out, "%s is a root: %s\n", name_of(n->key), n->root != NULL ? n->root : "?");
        return true;
    }
    return false;
}

void cw_program_report(const cw_program *p, cw_buf *out)
{
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].unread)
            cw_printf(out, "%s: %s stays plain (%s), and may block its thread\n",
                      p->nodes[i].place != NULL ? p->nodes[i].place : "?", name_of(p->nodes[i].key),
                      p->nodes[i].plain);
    for (size_t i = 0; i < p->nnodes; i++)
        for (unsigned e = p->nodes[i].pauses ? p->nodes[i].first : 0; e != 0;
             e = p->edges[e - 1].next) {
            const node *to = &p->nodes[p->edges[e - 1].to];
            if (to->plain != NULL && is_function(p->nodes[i].key))
                cw_printf(out, "%s: %s stays plain (%s), and blocks its thread in %s\n",
                          to->place != NULL ? to->place : "?", name_of(to->key), to->plain,
                          name_of(p->nodes[i].key));
        }
}
