/* graph.c - --auto: which functions of a whole program pause.
 *
 * Nodes are functions and slots, places of pointers to functions (passes/summary.c). An edge leads
 * from what pauses to what pauses because of it: from a function to its callers, from a function to
 * the slots that may hold its address, from a slot to slots and to the functions that call through
 * it. All that the roots reach pauses. The search is breadth-first, so `--why` shows a shortest
 * path. It takes time in proportion to the edges.
 *
 * If a function pauses that calls setjmp, a longjmp may have to give up woven callers. So all that
 * reach one pause then, too. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto/program.h"
#include "base/bug.h"

cw_program *cw_program_new(void)
{
    return cw_must(calloc(1, sizeof(cw_program)));
}

void cw_program_free(cw_program *p)
{
    for (size_t i = 0; i < p->nunits; i++) {
        free(p->units[i].nodes);
        free(p->units[i].addresses);
    }
    cw_names_free(&p->names);
    cw_arena_free(&p->arena);
    free(p->nodes);
    free(p->edges);
    free(p->units);
    free(p);
}

cw_program_node *cw_program_find(const cw_program *p, const char *format, ...)
{
    cw_buf key = { 0 };
    va_list args;
    va_start(args, format);
    cw_vprintf(&key, format, args);
    va_end(args);
    const cw_name *found = cw_names_find(&p->names, key.data, key.length);
    cw_buf_free(&key);
    return found != NULL ? &p->nodes[found->number - 1] : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_key(const char *word)
{
    return word[0] != '\0' && word[1] == ':';
}

static unsigned node_of(cw_program *p, size_t index, const char *key)
{
    if (strchr("swqk", key[0]) != NULL) /* these belong to their unit */
        key = cw_format(&p->arena, "%c%zu%s", key[0], index, key + 1);
    cw_name *name = cw_names_add(&p->names, key, strlen(key));
    if (name->number == 0) {
        cw_program_node new = { .key = key };
        CW_ADD(p->nodes, p->nnodes, new);
        name->number = (unsigned)p->nnodes;
    }
    return name->number - 1;
}

static void add_edge(cw_program *p, unsigned from, unsigned to)
{
    cw_program_edge new = { from, to, p->nodes[from].first };
    CW_ADD(p->edges, p->nedges, new);
    p->nodes[from].first = (unsigned)p->nedges;
}

static char *word_at(char **at)
{
    char *begin = *at;
    size_t length = strcspn(begin, " ");
    *at = begin + length + (begin[length] != '\0');
    begin[length] = '\0';
    return begin;
}

/* Of several definitions the linker takes the first one that is not weak. */
static void define_node(cw_program_node *n, size_t index, const char *place, bool weak)
{
    if (n->place != NULL && (weak || !n->weak))
        return;
    n->place = place;
    n->unit = (unsigned)index;
    n->weak = weak;
    n->unread = false;
    n->plain = n->once = NULL;
}

static void read_line(cw_program *p, size_t index, char *line)
{
    char *at = line;
    char what = *word_at(&at);
    char *key = word_at(&at);
    cw_program_unit *u = &p->units[index];
    if (what == 'U')
        u->has_marks = p->has_tasks = true;
    if (!is_key(key) || strchr("DWPNVMECGFTLSHOAB", what) == NULL)
        return;
    unsigned one = node_of(p, index, key);
    CW_ADD(u->nodes, u->nnodes, one);
    if (what == 'D' || what == 'W') {
        define_node(&p->nodes[one], index, at, what == 'W');
        return;
    }
    if (what == 'T' || what == 'L') {
        const char **at_first = what == 'T' ? &p->nodes[one].place : &p->nodes[one].used;
        *at_first = *at_first != NULL ? *at_first : at;
        u->has_locals = true;
        return;
    }
    if (what == 'M')
        p->nodes[one].marked = true;
    if (what == 'S' && p->nodes[one].unit == index)
        p->nodes[one].spins = true;
    if (what == 'A' && p->nodes[one].unit == index)
        p->nodes[one].has_atomics = true;
    if (what == 'B' && p->nodes[one].unit == index)
        p->nodes[one].has_accesses = true;
    if (what == 'E')
        u->enters = p->nodes[one].entered = true;
    if (what == 'H')
        p->nodes[one].in_handler = true;
    if (what == 'H' && *at != '\0')
        p->nodes[one].handler = true;
    if (what == 'O' && p->nodes[one].unit == index)
        p->nodes[one].once = at;
    if (strchr("MESHOAB", what) != NULL)
        return;
    if (what == 'V') {
        p->nodes[one].vary = at;
        return;
    }
    if (what == 'P' || what == 'N') {
        if (p->nodes[one].unit == index) {
            p->nodes[one].unread = what == 'N';
            p->nodes[one].plain = at;
        }
        return;
    }
    key = word_at(&at);
    if (!is_key(key))
        return;
    unsigned other = node_of(p, index, key);
    CW_ADD(u->nodes, u->nnodes, other);
    if (what == 'F') {
        if (cw_key_is_function(p->nodes[one].key)) {
            p->nodes[one].has_address = true;
            CW_ADD(u->addresses, u->naddresses, one);
        }
        add_edge(p, one, other);
    } else {
        add_edge(p, other, one);
    }
}

void cw_program_add_unit(cw_program *p, const char *source, char *summary)
{
    cw_program_unit new = { .source = source, .summary = summary };
    CW_ADD(p->units, p->nunits, new);
    for (char *at = summary, *next; at != NULL && *at != '\0'; at = next) {
        next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        read_line(p, p->nunits - 1, at);
    }
}

void cw_program_wrap(cw_program *p, const char *name)
{
    cw_program_node *n = cw_program_find(p, "f:%s", name);
    cw_program_node *real = cw_program_find(p, "f:__real_%s", name);
    const cw_program_node *wrapper = cw_program_find(p, "f:__wrap_%s", name);
    if (n == NULL || n->wrapped)
        return;
    n->wrapped = true;
    if (n->place == NULL)
        return;
    if (wrapper != NULL)
        add_edge(p, (unsigned)(wrapper - p->nodes), (unsigned)(n - p->nodes));
    if (real != NULL && real->place == NULL) {
        real->place = n->place;
        real->unit = n->unit;
        add_edge(p, (unsigned)(n - p->nodes), (unsigned)(real - p->nodes));
    }
}

void cw_program_share(cw_program *p, const char *name)
{
    cw_program_node *n = cw_program_find(p, "l:%s", name);
    if (n != NULL)
        n->plain = "a plain object uses it";
}

/* The node of a function of the C library; NULL: the program does not name it. */
static cw_program_node *library_node(const cw_program *p, const char *name)
{
    cw_program_node *n = cw_program_find(p, "f:%s", name);
    return n != NULL && n->place == NULL ? n : NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* What a thread begins with. */
static const char *const start_slots[] = { "p:pthread_create:2", "p:thrd_create:1" };

/* Marks the functions whose addresses may come to the slots in the queue: against the direction of
 * the edges. They begin threads, or are handlers of signals. */
static void find_given(cw_program *p, unsigned *queue, size_t end, bool handlers)
{
    unsigned *first = cw_must(calloc(p->nnodes + 1, sizeof *first)); /* edges to a slot */
    unsigned *next = cw_must(calloc(p->nedges + 1, sizeof *next));
    bool *reached = cw_must(calloc(p->nnodes + 1, sizeof *reached));
    for (size_t e = 0; e < p->nedges; e++)
        if (!cw_key_is_function(p->nodes[p->edges[e].to].key)) {
            next[e] = first[p->edges[e].to];
            first[p->edges[e].to] = (unsigned)e + 1;
        }
    for (size_t begin = 0; begin < end; begin++)
        for (unsigned e = first[queue[begin]]; e != 0; e = next[e - 1]) {
            unsigned from = p->edges[e - 1].from;
            cw_program_node *n = &p->nodes[from];
            if (!cw_key_is_function(n->key)) {
                if (!reached[from])
                    queue[end++] = from;
                reached[from] = true;
            } else if (handlers) {
                n->in_handler = true;
            } else {
                n->entered = n->starts = true;
            }
        }
    free(first);
    free(next);
    free(reached);
}

/* What no task has, nor leaves to another one. */
static const struct {
    const char *call, *why;
} of_threads[] = {
    { "pthread_mutexattr_setrobust", "it has robust mutexes, whose owner is a thread" },
    { "pthread_mutexattr_setrobust_np", "it has robust mutexes, whose owner is a thread" },
    { "pthread_mutexattr_setprotocol", "it has mutexes with a protocol, whose owner is a thread" },
    { "pthread_setattr_default_np", "it sets attributes of all threads" },
};

/* Returns false after it has set *place and *why. */
static bool lets_threads_be_tasks(const cw_program *p, const char **place, const char **why)
{
    for (size_t i = 0; i < sizeof of_threads / sizeof *of_threads; i++) {
        const cw_program_node *n = library_node(p, of_threads[i].call);
        if (n == NULL)
            continue;
        *place = n->first != 0 ? p->nodes[p->edges[n->first - 1].to].place : "?";
        *why = of_threads[i].why;
        return false;
    }
    return true;
}

bool cw_program_begin_threads(cw_program *p, const char **place, const char **why)
{
    unsigned *queue = cw_must(calloc(p->nnodes + 2, sizeof *queue));
    size_t end = 0;
    *why = NULL;
    for (size_t i = 0; i < sizeof start_slots / sizeof *start_slots; i++) {
        const cw_program_node *slot = cw_program_find(p, "%s", start_slots[i]);
        if (slot != NULL)
            queue[end++] = (unsigned)(slot - p->nodes);
    }
    p->begins_threads = end > 0 && lets_threads_be_tasks(p, place, why);
    if (p->begins_threads) {
        p->has_tasks = true;
        find_given(p, queue, end, false);
    }
    free(queue);
    return p->begins_threads;
}

bool cw_program_has_tasks(const cw_program *p)
{
    return p->has_tasks;
}

/* ---- handlers of signals --------------------------------------------------------------------- */

/* The unit that gives a function by its name to one of these leaves it plain. Others may come
 * through variables. */
static bool takes_handlers(const char *slot)
{
    static const char *const ends[] = { ":signal:1", ":bsd_signal:1", ":sysv_signal:1",
                                        ":sigset:1", ".sa_handler",   ".sa_sigaction" };
    size_t length = strlen(slot);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (strchr("pm", slot[0]) != NULL && length > end &&
            strcmp(slot + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

static void find_handlers(cw_program *p)
{
    unsigned *queue = cw_must(calloc(p->nnodes + 1, sizeof *queue));
    size_t end = 0;
    for (size_t i = 0; i < p->nnodes; i++)
        if (takes_handlers(p->nodes[i].key))
            queue[end++] = (unsigned)i;
    find_given(p, queue, end, true);
    free(queue);
}

static const char *const jumps[] = { "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk" };
enum { JUMPS = sizeof jumps / sizeof *jumps };

/* A text as it is has no jump to a woven activation. `queue` has room for all nodes. */
static void leave_plain_that_jump(cw_program *p, unsigned *queue)
{
    bool *reached = cw_must(calloc(p->nnodes + 1, sizeof *reached));
    size_t end = 0;
    for (size_t i = 0; i < JUMPS; i++) {
        const cw_program_node *n = library_node(p, jumps[i]);
        if (n != NULL)
            queue[end++] = (unsigned)(n - p->nodes);
    }
    for (size_t begin = 0; begin < end; begin++)
        for (unsigned e = p->nodes[queue[begin]].first; e != 0; e = p->edges[e - 1].next) {
            unsigned to = p->edges[e - 1].to;
            cw_program_node *n = &p->nodes[to];
            if (reached[to] || !n->in_handler)
                continue;
            reached[to] = true;
            queue[end++] = to;
            if (n->plain == NULL && !n->marked)
                n->plain = "it runs in a handler of signals, and may end in a jump";
        }
    free(reached);
}

/* The slots of a library function's parameters are called by it: it may run what they hold. */
static void add_given_to_library(const cw_program *p, unsigned *called, unsigned *next)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        const char *key = p->nodes[i].key;
        if (key[0] != 'p')
            continue;
        const char *name = cw_key_name(key);
        const cw_program_node *n = cw_program_find(p, "f:%.*s", (int)strcspn(name, ":"), name);
        if (n == NULL || n->place != NULL)
            continue;
        next[i] = called[n - p->nodes];
        called[n - p->nodes] = (unsigned)i + 1;
    }
}

/* What a function in a handler calls is there, too, also what it calls through a slot. What it
 * only names is not: a handler may store a function for others to call. Such a function has both
 * forms, or stays plain. */
static void find_in_handlers(cw_program *p)
{
    unsigned *first = cw_must(calloc(p->nnodes + 1, sizeof *first)); /* edges to a node */
    unsigned *next = cw_must(calloc(p->nedges + 1, sizeof *next));
    unsigned *given = cw_must(calloc(p->nnodes + 1, sizeof *given)); /* slots of a library's */
    unsigned *next_given = cw_must(calloc(p->nnodes + 1, sizeof *next_given));
    unsigned *queue = cw_must(calloc(p->nnodes + 1, sizeof *queue));
    bool *reached = cw_must(calloc(p->nnodes + 1, sizeof *reached));
    size_t end = 0;
    for (size_t e = 0; e < p->nedges; e++) {
        next[e] = first[p->edges[e].to];
        first[p->edges[e].to] = (unsigned)e + 1;
    }
    add_given_to_library(p, given, next_given);
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].in_handler) {
            reached[i] = true;
            queue[end++] = (unsigned)i;
        }
    for (size_t begin = 0; begin < end; begin++) {
        cw_program_node *n = &p->nodes[queue[begin]];
        n->in_handler = cw_key_is_function(n->key);
        if (n->in_handler && n->plain == NULL && !n->marked)
            n->plain = n->once;
        for (unsigned e = first[queue[begin]]; e != 0; e = next[e - 1])
            if (!reached[p->edges[e - 1].from]) {
                reached[p->edges[e - 1].from] = true;
                queue[end++] = p->edges[e - 1].from;
            }
        for (unsigned i = given[queue[begin]]; i != 0; i = next_given[i - 1])
            if (!reached[i - 1]) {
                reached[i - 1] = true;
                queue[end++] = i - 1;
            }
    }
    leave_plain_that_jump(p, queue);
    free(first);
    free(next);
    free(given);
    free(next_given);
    free(queue);
    free(reached);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void leave_plain(cw_program *p, char *const *plain, size_t nplain)
{
    for (size_t i = 0; i < p->nnodes; i++)
        for (size_t k = 0; k < nplain && cw_key_is_function(p->nodes[i].key); k++)
            if (strcmp(cw_key_name(p->nodes[i].key), plain[k]) == 0) {
                p->nodes[i].plain = "it is in the list of --plain";
                p->nodes[i].chosen = true;
            }
}

/* Sources that know marks use them: their other functions may call what blocks a thread. */
static void leave_unmarked(cw_program *p)
{
    for (size_t i = 0; i < p->nnodes; i++) {
        cw_program_node *n = &p->nodes[i];
        if (cw_key_is_function(n->key) && n->place != NULL && !n->marked && n->plain == NULL &&
            p->units[n->unit].has_marks) {
            n->plain = "its source has marks, and it has none";
            n->chosen = true;
        }
    }
}

void cw_program_refuse(cw_program *p, size_t index, const char *name, const char *why)
{
    cw_program_node *const nodes[] = { cw_program_find(p, "s%zu:%s", index, name),
                                       cw_program_find(p, "f:%s", name) };
    for (int i = 0; i < 2; i++) {
        cw_program_node *n = nodes[i];
        if (n != NULL && n->place != NULL && n->unit == index)
            n->plain = cw_strdup(&p->arena, why);
    }
}

void cw_program_frame(cw_program *p, size_t index, const char *name, size_t length, size_t bytes)
{
    cw_program_node *const nodes[] = { cw_program_find(p, "s%zu:%.*s", index, (int)length, name),
                                       cw_program_find(p, "f:%.*s", (int)length, name) };
    for (int i = 0; i < 2; i++)
        if (nodes[i] != NULL && nodes[i]->place != NULL && nodes[i]->unit == index)
            nodes[i]->frame = bytes;
}

/* What the nodes of a search do. Functions that stay plain may end in a jump: their callers have to
 * see it, and so these pause, too. */
enum search { WAIT, ARE_POINTS, JUMP };

/* Finds all that the nodes in the queue reach. */
static void search_graph(cw_program *p, unsigned *queue, size_t end, enum search search)
{
    bool jumps = search == JUMP;
    for (size_t begin = 0; begin < end; begin++) {
        unsigned from = queue[begin];
        for (unsigned e = p->nodes[from].first; e != 0; e = p->edges[e - 1].next) {
            cw_program_node *to = &p->nodes[p->edges[e - 1].to];
            bool function = cw_key_is_function(to->key);
            if ((to->plain != NULL && !jumps) ||
                (function && to->place == NULL && to->root == NULL))
                continue;
            to->calls_slots |= function && !cw_key_is_function(p->nodes[from].key);
            if (jumps ? to->reaches : to->pauses)
                continue;
            to->waits |= search == WAIT;
            to->reaches |= jumps;
            if (to->plain == NULL && !to->pauses) {
                to->pauses = true;
                to->because = from + 1;
            }
            queue[end++] = p->edges[e - 1].to;
        }
    }
}

/* Without --auto=threads: the end of a thread runs the handlers of plain code alone. */
static void leave_plain_with_cleanup(cw_program *p)
{
    const cw_program_node *push = library_node(p, "pthread_cleanup_push");
    if (p->begins_threads ||
        (library_node(p, "pthread_exit") == NULL && library_node(p, "pthread_cancel") == NULL))
        return;
    for (unsigned e = push != NULL ? push->first : 0; e != 0; e = p->edges[e - 1].next) {
        cw_program_node *n = &p->nodes[p->edges[e - 1].to];
        if (n->plain == NULL && !n->marked)
            n->plain = "it has pthread_cleanup_push(), and the program ends threads";
    }
}

static bool pauses_around_setjmp(const cw_program *p)
{
    static const char *const names[] = { "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cw_program_node *n = library_node(p, names[i]);
        for (unsigned e = n != NULL ? n->first : 0; e != 0; e = p->edges[e - 1].next)
            if (p->nodes[p->edges[e - 1].to].pauses)
                return true;
    }
    return false;
}

/* Where threads that are tasks may be cancelled, calls that do not wait are points, too. */
static void add_points(cw_program *p, const cw_plan *roots, unsigned *queue, size_t *end)
{
    bool cancels = p->begins_threads && library_node(p, "pthread_cancel") != NULL;
    for (size_t i = 0; cancels && i < roots->count; i++) {
        const cw_plan_line *line = &roots->lines[i];
        cw_program_node *n = cw_program_find(p, "f:%s", line->name);
        if (line->word != CW_PLAN_POINT || n == NULL || n->place != NULL || n->plain != NULL ||
            n->wrapped || n->pauses)
            continue;
        n->root = line->instead;
        n->pauses = true;
        queue[(*end)++] = (unsigned)(n - p->nodes);
    }
}

static void add_jumps(cw_program *p, unsigned *queue, size_t *end)
{
    for (size_t i = 0; i < JUMPS; i++) {
        cw_program_node *n = library_node(p, jumps[i]);
        if (n == NULL || n->pauses)
            continue;
        n->pauses = n->jumps = true;
        queue[(*end)++] = (unsigned)(n - p->nodes);
    }
}

/* A root that calls its parameter pauses if that may hold a function which does. */
static void call_back(cw_program *p, const cw_plan *roots)
{
    for (size_t i = 0; i < roots->count && !p->calls_back; i++) {
        const cw_plan_line *line = &roots->lines[i];
        const cw_program_node *n = line->through != NULL ? library_node(p, line->name) : NULL;
        const cw_program_node *slot = n != NULL
                                          ? cw_program_find(p, "p:%s:%s", line->name, line->through)
                                          : NULL;
        if (slot != NULL)
            add_edge(p, (unsigned)(slot - p->nodes), (unsigned)(n - p->nodes));
    }
    p->calls_back = true;
}

/* Does the function let others go on, whatever it calls? */
static bool yields(const cw_program *p, const cw_program_node *n)
{
    return p->begins_threads && (n->spins || (n->has_atomics && p->decides_atomics) ||
                                 (n->has_accesses && p->decides_accesses));
}

void cw_program_solve(cw_program *p, const cw_plan *roots, char *const *plain, size_t nplain)
{
    unsigned *queue = cw_must(malloc((p->nnodes + 1) * sizeof *queue));
    size_t end = 0;
    leave_plain(p, plain, nplain);
    leave_unmarked(p);
    leave_plain_with_cleanup(p);
    find_handlers(p);
    find_in_handlers(p);
    call_back(p, roots);
    p->decides_atomics = cw_plan_has(roots, CW_PLAN_YIELDS, "atomic");
    p->decides_accesses = cw_plan_has(roots, CW_PLAN_YIELDS, "access");
    for (size_t i = 0; i < p->nnodes; i++) {
        cw_program_node *n = &p->nodes[i];
        n->plain = n->plain != NULL ? n->plain : n->vary;
        bool outside = n->key[0] == 'f' && n->place == NULL && n->plain == NULL && !n->wrapped;
        const cw_plan_line *root = outside ? cw_plan_root(roots, cw_key_name(n->key)) : NULL;
        n->root = root != NULL ? root->instead : NULL;
        n->blocks = outside && root == NULL &&
                    cw_plan_has(roots, CW_PLAN_WARN, cw_key_name(n->key));
        n->decides = outside && cw_plan_has(roots, CW_PLAN_DECIDE, cw_key_name(n->key));
        n->pauses = (root != NULL && root->through == NULL) || n->decides || n->marked ||
                    ((n->entered || yields(p, n)) && n->place != NULL && n->plain == NULL);
        n->waits = n->pauses;
        n->calls_slots = n->jumps = n->reaches = false;
        n->because = 0;
        n->planned = 0;
        if (n->pauses)
            queue[end++] = (unsigned)i;
    }
    search_graph(p, queue, end, WAIT);
    end = 0;
    add_points(p, roots, queue, &end);
    search_graph(p, queue, end, ARE_POINTS);
    p->throws_by_address = pauses_around_setjmp(p);
    if (p->throws_by_address) {
        end = 0;
        add_jumps(p, queue, &end);
        search_graph(p, queue, end, JUMP);
    }
    free(queue);
}

/* ---- results --------------------------------------------------------------------------------- */

/* The thread-locals of a unit. Those of one task are its thread's. */
static bool plan_locals(cw_program *p, size_t index, cw_buf *out)
{
    const cw_program_unit *u = &p->units[index];
    if (!u->has_locals || !p->has_tasks)
        return false;
    cw_puts(out, "local *\n");
    for (size_t i = 0; i < u->nnodes; i++) {
        cw_program_node *n = &p->nodes[u->nodes[i]];
        if (n->key[0] != 'l' || n->place == NULL || n->plain != NULL || n->planned == index + 1)
            continue;
        n->planned = index + 1;
        cw_printf(out, "local %s\n", cw_key_name(n->key));
    }
    return true;
}

static bool takes_address(const cw_program_unit *u, unsigned node)
{
    for (size_t i = 0; i < u->naddresses; i++)
        if (u->addresses[i] == node)
            return true;
    return false;
}

bool cw_program_plan(cw_program *p, size_t index, cw_buf *out)
{
    const cw_program_unit *u = &p->units[index];
    bool any = plan_locals(p, index, out) || u->enters;
    if (p->throws_by_address)
        cw_puts(out, "throws *\n");
    if (!p->has_tasks)
        cw_puts(out, "one-task *\n");
    if (p->begins_threads)
        cw_puts(out, "yields *\n");
    if (p->begins_threads && p->decides_atomics)
        cw_puts(out, "yields atomic\n");
    if (p->begins_threads && p->decides_accesses)
        cw_puts(out, "yields access\n");
    if (p->begins_threads && library_node(p, "pthread_setcanceltype") != NULL)
        cw_puts(out, "yields computing\n"); /* an asynchronous cancellation ends these there */
    for (size_t i = 0; i < u->nnodes; i++) {
        cw_program_node *n = &p->nodes[u->nodes[i]];
        if (n->reaches && n->plain != NULL && cw_key_is_function(n->key) &&
            n->planned != index + 1) {
            n->planned = index + 1;
            cw_printf(out, "throws %s\n", cw_key_name(n->key));
            any |= n->place != NULL && n->unit == index; /* its own longjmps ask for the target */
        }
        if (!n->pauses || n->jumps || !cw_key_is_function(n->key) || n->planned == index + 1)
            continue;
        n->planned = index + 1;
        const char *name = cw_key_name(n->key);
        if (n->decides)
            cw_printf(out, "decide %s\n", name);
        if (n->decides && n->root == NULL)
            continue;
        if (n->root != NULL) {
            cw_printf(out, "root %s %s\n", name, n->root);
            if (takes_address(u, (unsigned)(n - p->nodes))) { /* its call may be in another unit */
                cw_printf(out, "address %s\n", name);
                any = true;
            }
            continue;
        }
        bool here = n->unit == index;
        any |= here;
        /* Does its source say so? A source with marks may declare it pausable, and one without
         * define it. */
        bool known = n->marked && (n->place == NULL || p->units[n->unit].has_marks);
        if (!known)
            cw_printf(out, "pauses %s\n", name);
        if (here && n->in_handler)
            cw_printf(out, "both %s\n", name);
        if (here && n->calls_slots)
            cw_printf(out, "pointers %s\n", name);
        if (here && n->has_address && !known)
            cw_printf(out, "address %s\n", name);
    }
    return any;
}

bool cw_program_has(const cw_program *p, const char *function)
{
    for (size_t i = 0; i < p->nnodes; i++)
        if (cw_key_is_function(p->nodes[i].key) &&
            strcmp(cw_key_name(p->nodes[i].key), function) == 0)
            return true;
    return false;
}
