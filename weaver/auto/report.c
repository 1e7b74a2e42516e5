/* report.c - --auto: what a user hears of a program's graph.
 *
 * Invariant: a function that waits and blocks its thread is named: by a warning, or in the report
 * if the user has chosen it by --plain, by marks, or by giving it a thread of its own. */
#include <string.h>

#include "auto/program.h"

static const char *kind_of_node(const cw_program_node *n)
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

static const char *place_of(const cw_program_node *n)
{
    return n->place != NULL ? n->place : "?";
}

/* Calls the second node because the first one does something with it. */
static const char *verb_between(const cw_program_node *from, const cw_program_node *to)
{
    return !cw_key_is_function(from->key) ? "may hold"
           : cw_key_is_function(to->key)  ? "calls"
                                          : "calls through";
}

static void put_step(const cw_program_node *n, const cw_program_node *next, const char *indent,
                     cw_buf *out)
{
    cw_printf(out, "%s%s %s %s %s %s\n", indent, kind_of_node(n), cw_key_name(n->key),
              verb_between(n, next), kind_of_node(next), cw_key_name(next->key));
}

static void put_end(const cw_program_node *n, const char *indent, cw_buf *out)
{
    if (n->root != NULL || n->jumps)
        cw_printf(out, "%s%s is a root: %s\n", indent, cw_key_name(n->key),
                  n->jumps ? "a function that pauses calls setjmp" : n->root);
    else
        cw_printf(out, "%s%s %s\n", indent, cw_key_name(n->key),
                  n->marked                 ? "has a mark"
                  : n->entered || !n->spins ? "is what a task begins with"
                                            : "waits in a loop for another thread");
}

static void put_path(const cw_program *p, const cw_program_node *n, const char *indent, cw_buf *out)
{
    for (const cw_program_node *next; n->because != 0; n = next) {
        next = &p->nodes[n->because - 1];
        put_step(n, next, indent, out);
    }
    put_end(n, indent, out);
}

/* Adds the nodes that pause because of those in the queue to it. The steps to where it begins. */
static void measure_ways(const cw_program *p, unsigned *queue, size_t *steps)
{
    size_t end = 0;
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].pauses && p->nodes[i].because == 0) {
            steps[i] = 1;
            queue[end++] = (unsigned)i;
        }
    for (size_t begin = 0; begin < end; begin++)
        for (unsigned e = p->nodes[queue[begin]].first; e != 0; e = p->edges[e - 1].next) {
            unsigned to = p->edges[e - 1].to;
            if (!p->nodes[to].pauses || steps[to] != 0)
                continue;
            steps[to] = steps[queue[begin]] + 1;
            queue[end++] = to;
        }
}

/* All of the shortest ways from a node, each step of them once: there may be any number of ways. */
static void put_all_paths(const cw_program *p, size_t from, cw_buf *out)
{
    cw_arena arena = { 0 };
    unsigned *queue = cw_alloc(&arena, (p->nnodes + 1) * sizeof *queue);
    size_t *steps = cw_alloc(&arena, (p->nnodes + 1) * sizeof *steps);
    size_t *put = cw_alloc(&arena, (p->nnodes + 1) * sizeof *put); /* 1 + the node before it */
    unsigned *heads = cw_alloc(&arena, (p->nnodes + 1) * sizeof *heads);
    unsigned *nexts = cw_alloc(&arena, (p->nedges + 1) * sizeof *nexts);
    memset(steps, 0, (p->nnodes + 1) * sizeof *steps);
    memset(put, 0, (p->nnodes + 1) * sizeof *put);
    memset(heads, 0, (p->nnodes + 1) * sizeof *heads);
    measure_ways(p, queue, steps);
    for (size_t e = p->nedges; e > 0; e--) { /* the edges to each node, as 1 + their indexes */
        nexts[e - 1] = heads[p->edges[e - 1].to];
        heads[p->edges[e - 1].to] = (unsigned)e;
    }
    size_t end = 0;
    queue[end++] = (unsigned)from;
    for (size_t begin = 0; begin < end; begin++) {
        unsigned i = queue[begin];
        if (steps[i] == 1)
            put_end(&p->nodes[i], "", out);
        for (unsigned e = heads[i]; e != 0; e = nexts[e - 1]) {
            unsigned next = p->edges[e - 1].from;
            if (steps[next] == 0 || steps[next] + 1 != steps[i] || put[next] == i + 1)
                continue;
            put_step(&p->nodes[i], &p->nodes[next], "", out);
            if (put[next] == 0)
                queue[end++] = next;
            put[next] = i + 1;
        }
    }
    cw_arena_free(&arena);
}

void cw_program_why(const cw_program *p, const char *asked, cw_buf *out)
{
    static const char all[] = ":all";
    const cw_program_node *other = NULL;
    cw_buf name = { 0 };
    size_t length = strlen(asked), ends = sizeof all - 1;
    bool every = length > ends && strcmp(asked + length - ends, all) == 0;
    cw_printf(&name, "%.*s", (int)(every ? length - ends : length), asked);
    const char *function = name.data;
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        if (!cw_key_is_function(n->key) || strcmp(cw_key_name(n->key), function) != 0)
            continue;
        if (n->pauses) {
            if (every)
                put_all_paths(p, i, out);
            else
                put_path(p, n, "", out);
            cw_buf_free(&name);
            return;
        }
        other = other == NULL || n->place != NULL ? n : other;
    }
    if (other == NULL)
        cw_printf(out, "co4weave: warning: --why=%s: the program has no such function\n", function);
    else if (other->plain != NULL)
        cw_printf(out, "%s does not pause, and stays plain: %s\n", function, other->plain);
    else if (other->place == NULL)
        cw_printf(out, "%s does not pause: the program has no source of it, and it is no root\n",
                  function);
    else
        cw_printf(out, "%s does not pause\n", function);
    cw_buf_free(&name);
}

/* ---- what blocks ----------------------------------------------------------------------------- */

/* The function that a parameter belongs to: "p:qsort:3", also with the number of a unit. */
static const cw_program_node *owner_of(const cw_program *p, const cw_program_node *slot)
{
    const char *name = cw_key_name(slot->key), *end = strrchr(name, ':');
    if (slot->key[0] != 'p' || end == NULL)
        return NULL;
    return cw_program_find(p, "f:%.*s", (int)(end - name), name);
}

/* Calls of these run a function on a thread that is there for it. */
static bool makes_threads(const char *function)
{
    return strcmp(function, "pthread_create") == 0 || strcmp(function, "thrd_create") == 0;
}

/* A parameter of a function without source that may hold a function that pauses: NULL, or that
 * function without source. */
static const cw_program_node *leaves_to(const cw_program *p, const cw_program_node *slot)
{
    const cw_program_node *owner = slot->waits ? owner_of(p, slot) : NULL;
    return owner != NULL && owner->place == NULL && owner->root == NULL && !owner->marked ? owner
                                                                                          : NULL;
}

/* The function by which a slot pauses. */
static const cw_program_node *held_by(const cw_program *p, const cw_program_node *slot)
{
    while (!cw_key_is_function(slot->key) && slot->because != 0)
        slot = &p->nodes[slot->because - 1];
    return slot;
}

/* What a plain function calls that pauses; NULL if nothing. `nodes`: by the number of the plain
 * one, 1 + the number of what it calls. */
static void find_blocking(const cw_program *p, unsigned *nodes)
{
    memset(nodes, 0, p->nnodes * sizeof *nodes);
    for (size_t i = 0; i < p->nnodes; i++)
        for (unsigned e = p->nodes[i].waits ? p->nodes[i].first : 0; e != 0;
             e = p->edges[e - 1].next) {
            unsigned to = p->edges[e - 1].to;
            if (p->nodes[to].plain != NULL && cw_key_is_function(p->nodes[to].key) &&
                (nodes[to] == 0 || !cw_key_is_function(p->nodes[nodes[to] - 1].key)))
                nodes[to] = (unsigned)i + 1;
        }
}

/* Does a function that replaces a root call it, by names? Woven, it calls itself instead. */
static bool calls_itself(const cw_program *p, const cw_program_node *root,
                         const cw_program_node *instead, unsigned *queue, bool *seen)
{
    size_t begin = 0, end = 0;
    memset(seen, 0, p->nnodes * sizeof *seen);
    queue[end++] = (unsigned)(root - p->nodes);
    while (begin < end && !seen[instead - p->nodes])
        for (unsigned e = p->nodes[queue[begin++]].first; e != 0; e = p->edges[e - 1].next) {
            unsigned to = p->edges[e - 1].to;
            const cw_program_node *n = &p->nodes[to];
            if (seen[to] || !cw_key_is_function(n->key) || n->place == NULL || !n->pauses ||
                p->units[n->unit].has_marks)
                continue;
            seen[to] = true;
            queue[end++] = to;
        }
    return seen[instead - p->nodes];
}

static size_t put_circles(const cw_program *p, const char *word, cw_arena *arena, cw_buf *out)
{
    unsigned *queue = cw_alloc(arena, (p->nnodes + 1) * sizeof *queue);
    bool *seen = cw_alloc(arena, p->nnodes + 1);
    size_t count = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *root = &p->nodes[i];
        const cw_program_node *instead = root->root != NULL ? cw_program_find(p, "f:%s", root->root)
                                                            : NULL;
        if (instead == NULL || instead->place == NULL ||
            !calls_itself(p, root, instead, queue, seen))
            continue;
        cw_printf(out,
                  "%s: %s: '%s' replaces '%s' and calls it, so it would call itself for ever; call "
                  "another function there\n",
                  instead->place, word, root->root, cw_key_name(root->key));
        count++;
    }
    return count;
}

/* Functions that call what blocks, and has no pausing form. Those of marked sources are warned of
 * where they are compiled, and one task is its thread. */
static size_t put_calls_that_block(const cw_program *p, const char *word, size_t most, cw_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; p->has_tasks && i < p->nnodes; i++)
        for (unsigned e = p->nodes[i].blocks ? p->nodes[i].first : 0; e != 0;
             e = p->edges[e - 1].next) {
            const cw_program_node *caller = &p->nodes[p->edges[e - 1].to];
            bool first_thread = p->begins_threads && strcmp(cw_key_name(caller->key), "main") == 0;
            if (!cw_key_is_function(caller->key) || caller->place == NULL || caller->chosen ||
                first_thread || p->units[caller->unit].has_marks || count++ >= most)
                continue;
            cw_printf(out,
                      "%s: %s: '%s' calls '%s', which blocks its thread: it has no form that "
                      "lets a task wait\n",
                      place_of(caller), word, cw_key_name(caller->key),
                      cw_key_name(p->nodes[i].key));
        }
    return count;
}

size_t cw_program_blocks(const cw_program *p, const char *word, size_t most, cw_buf *out)
{
    cw_arena arena = { 0 };
    unsigned *nodes = cw_alloc(&arena, (p->nnodes + 1) * sizeof *nodes);
    size_t count = put_calls_that_block(p, word, most, out);
    size_t circles = put_circles(p, word, &arena, out);
    find_blocking(p, nodes);
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i], *called;
        if (nodes[i] != 0 && !n->chosen && !n->handler) {
            called = &p->nodes[nodes[i] - 1];
            if (count++ < most) {
                cw_printf(out, "%s: %s: '%s' stays plain (%s), and blocks its thread: it %s '%s'\n",
                          place_of(n), word, cw_key_name(n->key), n->plain, verb_between(n, called),
                          cw_key_name(called->key));
                put_path(p, called, "  ", out);
            }
        }
        if (p->begins_threads && n->starts && n->plain != NULL && !n->chosen && count++ < most)
            cw_printf(out,
                      "%s: %s: '%s' stays plain (%s), so a thread that begins with it is no task\n",
                      place_of(n), word, cw_key_name(n->key), n->plain);
        const cw_program_node *owner = leaves_to(p, n);
        if (owner != NULL && !makes_threads(cw_key_name(owner->key)) && count++ < most) {
            called = held_by(p, n);
            cw_printf(out,
                      "%s: %s: '%s' pauses, but '%s', of which the program has no source, calls it "
                      "as a plain function, and blocks its thread\n",
                      place_of(called), word, cw_key_name(called->key), cw_key_name(owner->key));
            put_path(p, called, "  ", out);
        }
    }
    if (count > most && most > 0)
        cw_printf(out, "co4weave: %zu more functions block their threads; --auto-report has all\n",
                  count - most);
    cw_arena_free(&arena);
    return count + circles;
}

size_t cw_program_lacks(const cw_program *p, cw_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        if (!n->marked || n->plain == NULL || n->place == NULL || p->units[n->unit].has_marks)
            continue;
        cw_printf(out,
                  "%s: error: '%s' is declared pausable in a source with marks, but stays plain "
                  "(%s)\n",
                  n->place, cw_key_name(n->key), n->plain);
        count++;
    }
    return count;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Edges are kept from what pauses to what pauses because of it. Calls: those of functions. */
static void put_totals(const cw_program *p, cw_buf *out)
{
    size_t functions = 0, pausing = 0, direct = 0, through = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        functions += cw_key_is_function(n->key) && n->place != NULL;
        pausing += cw_key_is_function(n->key) && n->place != NULL && n->pauses;
        for (unsigned e = n->pauses ? n->first : 0; e != 0; e = p->edges[e - 1].next) {
            const cw_program_node *to = &p->nodes[p->edges[e - 1].to];
            if (cw_key_is_function(to->key) && to->pauses) {
                direct += cw_key_is_function(n->key);
                through += !cw_key_is_function(n->key);
            }
        }
    }
    cw_printf(out, "%zu of %zu functions pause\n", pausing, functions);
    cw_printf(out, "%zu calls look whether their function has paused, and %zu through pointers\n",
              direct, through);
}

static void put_slot(const cw_program *p, size_t slot, const unsigned *first, const unsigned *next,
                     cw_buf *out)
{
    cw_printf(out, "%s %s pauses: it may hold", kind_of_node(&p->nodes[slot]),
              cw_key_name(p->nodes[slot].key));
    const char *comma = " ";
    for (unsigned k = first[slot]; k != 0; k = next[k - 1]) {
        const cw_program_node *n = &p->nodes[p->edges[k - 1].from];
        cw_printf(out, "%s%s%s%s%s", comma, cw_key_is_function(n->key) ? "" : kind_of_node(n),
                  cw_key_is_function(n->key) ? "" : " ", cw_key_name(n->key),
                  n->pauses ? "" : " (does not pause)");
        comma = ", ";
    }
    cw_puts(out, "\n");
}

/* What comes to each slot that pauses, and that calls go through. */
static void put_slots(const cw_program *p, cw_buf *out)
{
    cw_arena arena = { 0 };
    unsigned *first = cw_alloc(&arena, (p->nnodes + 1) * sizeof *first);
    unsigned *next = cw_alloc(&arena, (p->nedges + 1) * sizeof *next);
    for (size_t e = p->nedges; e-- > 0;)
        if (!cw_key_is_function(p->nodes[p->edges[e].to].key)) {
            next[e] = first[p->edges[e].to];
            first[p->edges[e].to] = (unsigned)e + 1;
        }
    for (size_t i = 0; i < p->nnodes; i++) {
        bool called = false;
        for (unsigned e = p->nodes[i].first; e != 0; e = p->edges[e - 1].next) {
            const cw_program_node *to = &p->nodes[p->edges[e - 1].to];
            called |= cw_key_is_function(to->key) && to->pauses;
        }
        if (called && p->nodes[i].pauses && !cw_key_is_function(p->nodes[i].key))
            put_slot(p, i, first, next, out);
    }
    cw_arena_free(&arena);
}

static void put_functions(const cw_program *p, cw_buf *out)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        if (!cw_key_is_function(n->key) || n->place == NULL || !n->pauses)
            continue;
        cw_printf(out, "%s: %s pauses", n->place, cw_key_name(n->key));
        if (n->because != 0) {
            const cw_program_node *cause = &p->nodes[n->because - 1];
            cw_printf(out, ": it %s %s", verb_between(n, cause), cw_key_name(cause->key));
        }
        cw_puts(out, "\n");
    }
}

typedef struct frames_below {
    size_t bytes;   /* the largest sum of frames that it calls, so far */
    unsigned calls; /* that have not been added yet; at the end: it is in a circle, or calls one */
} frames_below;

/* The bytes of frames below each function, in an order in which callees come first. */
static frames_below *sum_frames(const cw_program *p, cw_arena *arena)
{
    frames_below *below = cw_alloc(arena, (p->nnodes + 1) * sizeof *below);
    unsigned *queue = cw_alloc(arena, (p->nnodes + 1) * sizeof *queue);
    size_t end = 0;
    memset(below, 0, (p->nnodes + 1) * sizeof *below);
    for (size_t i = 0; i < p->nnodes; i++)
        for (unsigned e = p->nodes[i].pauses ? p->nodes[i].first : 0; e != 0;
             e = p->edges[e - 1].next)
            below[p->edges[e - 1].to].calls++;
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].pauses && below[i].calls == 0)
            queue[end++] = (unsigned)i;
    for (size_t begin = 0; begin < end; begin++) {
        unsigned i = queue[begin];
        size_t bytes = below[i].bytes + p->nodes[i].frame;
        for (unsigned e = p->nodes[i].first; e != 0; e = p->edges[e - 1].next) {
            frames_below *to = &below[p->edges[e - 1].to];
            if (to->bytes < bytes)
                to->bytes = bytes;
            if (--to->calls == 0 && p->nodes[p->edges[e - 1].to].pauses)
                queue[end++] = p->edges[e - 1].to;
        }
    }
    return below;
}

static void put_start(const cw_program_node *n, const frames_below *below, cw_buf *out)
{
    cw_printf(out,
              "%s: %s begins a task where a thread is made for it, with at %s %zu bytes of "
              "frames%s\n",
              place_of(n), cw_key_name(n->key), below->calls == 0 ? "most" : "least",
              below->bytes + n->frame, below->calls == 0 ? "" : ": it leads to a recursion");
}

static void put_plain(const cw_program *p, cw_buf *out)
{
    cw_arena arena = { 0 };
    const frames_below *below = sum_frames(p, &arena);
    unsigned *nodes = cw_alloc(&arena, (p->nnodes + 1) * sizeof *nodes);
    find_blocking(p, nodes);
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i], *owner = leaves_to(p, n);
        if (n->unread)
            cw_printf(out, "%s: %s stays plain (%s), and may block its thread\n", place_of(n),
                      cw_key_name(n->key), n->plain);
        if (nodes[i] != 0)
            cw_printf(out, "%s: %s stays plain (%s), and blocks its thread in %s\n", place_of(n),
                      cw_key_name(n->key), n->plain, cw_key_name(p->nodes[nodes[i] - 1].key));
        if (n->starts && p->begins_threads && n->plain == NULL)
            put_start(n, &below[i], out);
        if (owner != NULL && !(p->begins_threads && makes_threads(cw_key_name(owner->key))))
            cw_printf(out, "%s: %s blocks its thread if %s calls it\n", place_of(held_by(p, n)),
                      cw_key_name(held_by(p, n)->key), cw_key_name(owner->key));
    }
    cw_arena_free(&arena);
}

void cw_program_count(const cw_program *p, size_t *functions, size_t *pausing)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        if (!cw_key_is_function(n->key) || n->place == NULL)
            continue;
        functions[n->unit]++;
        pausing[n->unit] += n->pauses;
    }
}

void cw_program_report(const cw_program *p, cw_buf *out)
{
    put_totals(p, out);
    put_functions(p, out);
    put_slots(p, out);
    put_plain(p, out);
}

size_t cw_program_shares(const cw_program *p, const char *word, cw_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; p->has_tasks && i < p->nnodes; i++) {
        const cw_program_node *n = &p->nodes[i];
        if (n->key[0] != 'l' || (n->place != NULL && n->plain == NULL))
            continue;
        count++;
        cw_printf(out,
                  "%s: %s: '%s' is a variable of the thread, which all tasks on it share: %s\n",
                  n->used != NULL ? n->used : n->place, word, cw_key_name(n->key),
                  n->plain == NULL ? "it belongs to a library, which is not woven"
                                   : "an object without a record of --auto uses it, too; compile "
                                     "that by co4weave --auto");
    }
    return count;
}
