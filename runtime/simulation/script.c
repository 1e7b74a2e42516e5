/* script.c - the nodes of a simulation and what happens to them: a text, one thing a line.
 *
 *     server a 10.0.0.1 ./log 1         a node: its name, its address or two, its program
 *     client w 10.0.0.9 ./writer a b    the run ends when all clients have ended
 *     2s part a b for 500ms             nothing gets through; without b: between a and all others
 *     1s-20s crash any for 10ms-3s      the seed draws times, and one of the servers
 *     3 times 1s-20s kill b             three lines
 *     0s drift c 200                    its clock is faster by so many parts of a million
 *     5s clock c -2s                    its wall clock jumps
 *     5s network loss=10                as --network
 *     9s heal                           the ways between all, or two
 *     60s end                           the run is over
 *
 * All that the seed decides is drawn before the first node begins. */
#define _GNU_SOURCE
#include "simulation/script.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"
#include "co4/time.h"
#include "simulation/faults.h"
#include "simulation/network.h"
#include "simulation/run.h"

enum { WORDS = 64, LINES = 100000 };
#define DOWN_MIN (10 * CO4_MS)
#define DOWN_MAX (2 * CO4_SEC)

struct reading {
    struct co4__script *script;
    const char *file;
    unsigned line;
    bool skips; /* what the line says is no part of this run */
    uint64_t seed, drawn;
    char **words; /* of the line that are left; NULL behind the last one */
};

static _Noreturn __attribute__((format(printf, 2, 3))) void wrong(const struct reading *r,
                                                                  const char *format, ...)
{
    char where[300], why[300];
    va_list more;
    va_start(more, format);
    vsnprintf(why, sizeof why, format, more);
    va_end(more);
    snprintf(where, sizeof where, "%s:%u", r->file, r->line);
    co4__simulation_refuses(where, why);
}

static void *grown(void *items, size_t count, size_t bytes)
{
    void *more = co4__array_grow(items, count, bytes);
    if (more)
        return more;
    co4__simulation_refuses("a script", "out of memory");
}

/* ---- words ---- */

/* Splits the line in place: words are between blanks, or in quotes. Returns words that stay. */
static char **split(const struct reading *r, char *text)
{
    char **words = NULL;
    size_t n = 0;
    for (;;) {
        char *to, end = ' ';
        text += strspn(text, " \t\r\n");
        if (*text == '\0' || *text == '#')
            break;
        words = grown(words, n, sizeof *words);
        for (words[n++] = to = text; *text && (end != ' ' || !strchr(" \t\r\n", *text)); text++)
            if (*text == end)
                end = ' ';
            else if (end == ' ' && (*text == '"' || *text == '\''))
                end = *text;
            else
                *to++ = *text;
        if (end != ' ')
            wrong(r, "a quote has no end");
        if (*text)
            text++;
        *to = '\0';
    }
    words = grown(words, n, sizeof *words);
    words[n] = NULL;
    return words;
}

static const char *next_word(struct reading *r, const char *what)
{
    if (!*r->words)
        wrong(r, "%s is missing", what);
    return *r->words++;
}

static bool take_word(struct reading *r, const char *word)
{
    if (!*r->words || strcmp(*r->words, word) != 0)
        return false;
    r->words++;
    return true;
}

/* ---- numbers ---- */

static uint64_t draw(struct reading *r, uint64_t below)
{
    uint64_t number = co4__random(co4__random(r->seed ^ UINT64_C(0x5eed)) + ++r->drawn);
    return below > 0 && r->seed != 0 ? number % below : 0;
}

/* "2s", or "10ms-3s": then one of these. */
static int64_t take_time(struct reading *r, const char *text)
{
    int64_t from, to;
    const char *at = text;
    if (!co4__simulated_time(&at, &from))
        wrong(r, "'%s' is no time: as 2s, 500ms, or 1s-20s, up to an hour", text);
    to = from;
    if (*at == '-') {
        at++;
        if (!co4__simulated_time(&at, &to) || to < from)
            wrong(r, "'%s' are no two times, the later one last", text);
    }
    if (*at != '\0')
        wrong(r, "'%s' is no time", text);
    return from + (int64_t)draw(r, (uint64_t)(to - from) + 1);
}

static int64_t take_signed_time(struct reading *r, const char *text)
{
    bool is_negative = *text == '-';
    int64_t ns = take_time(r, text + (*text == '-' || *text == '+'));
    return is_negative ? -ns : ns;
}

/* ---- nodes ---- */

static uint32_t find_node(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->script->nnodes; i++)
        if (strcmp(r->script->nodes[i].name, name) == 0)
            return (uint32_t)i;
    return CO4__NODES_NONE;
}

static bool is_any(const struct co4__script *s, uint32_t k, uint32_t except)
{
    return s->nodes[k].is_server && k != except;
}

/* A name; or "any": one of the servers that is not another one. */
static uint32_t take_node(struct reading *r, uint32_t except)
{
    const char *name = next_word(r, "the name of a node");
    uint32_t found = find_node(r, name);
    if (strcmp(name, "any") != 0) {
        if (found == CO4__NODES_NONE)
            wrong(r, "there is no node '%s' above", name);
        return found;
    }
    uint32_t servers = 0;
    for (uint32_t i = 0; i < r->script->nnodes; i++)
        servers += is_any(r->script, i, except);
    if (servers == 0)
        wrong(r, "'any' is one of the servers above: there is none");
    uint64_t k = draw(r, servers);
    for (found = 0; !is_any(r->script, found, except) || k-- > 0;)
        found++;
    return found;
}

static void take_addresses(struct reading *r, struct co4__script_node *node)
{
    char *text = (char *)(uintptr_t)next_word(r, "an address"), *next;
    for (; text; text = next) {
        if ((next = strchr(text, ',')) != NULL)
            *next++ = '\0';
        if (node->naddresses == CO4__NET_ADDRESSES ||
            !co4__address_parse(text, &node->addresses[node->naddresses]))
            wrong(r, "'%s' is no address, or a third one", text);
        node->texts[node->naddresses] = text;
        for (size_t i = 0; i + 1 < r->script->nnodes; i++)
            for (unsigned k = 0; k < r->script->nodes[i].naddresses; k++)
                if (co4__address_is(&r->script->nodes[i].addresses[k],
                                    &node->addresses[node->naddresses]))
                    wrong(r, "'%s' is the address of %s", text, r->script->nodes[i].name);
        node->naddresses++;
    }
}

static void take_node_line(struct reading *r, bool is_server)
{
    struct co4__script *s = r->script;
    const char *name = next_word(r, "a name");
    if (s->nnodes == CO4__NODES)
        wrong(r, "more than %d nodes", CO4__NODES);
    if (strlen(name) >= CO4__NODE_NAME || strspn(name, "-.") > 0 || strchr(name, '/') ||
        strchr(name, ',') || strchr(name, '=') || strcmp(name, "any") == 0)
        wrong(r, "'%s' cannot be the name of a node", name);
    if (find_node(r, name) != CO4__NODES_NONE)
        wrong(r, "there are two nodes '%s'", name);
    s->nodes = grown(s->nodes, s->nnodes, sizeof *s->nodes);
    struct co4__script_node *node = &s->nodes[s->nnodes++];
    memset(node, 0, sizeof *node);
    snprintf(node->name, sizeof node->name, "%s", name);
    node->is_server = is_server;
    node->line = r->line;
    take_addresses(r, node);
    if (!*r->words)
        wrong(r, "the program of %s is missing", name);
    node->words = r->words;
    while (*r->words)
        r->words++;
}

/* ---- what happens ---- */

static const char *const names[] = { "part",  "heal",  "crash",   "kill",
                                     "clock", "drift", "network", "end" };

/* A run may be made again without it. */
static bool is_fault(enum co4__script_what what)
{
    return what != CO4__SCRIPT_HEAL && what != CO4__SCRIPT_END;
}

/* As the line would be without what the seed has drawn. */
static const char *in_words(const struct reading *r, const struct co4__script_line *line)
{
    static char text[400];
    enum co4__script_what what = line->what;
    const struct co4__script_node *nodes = r->script->nodes;
    bool has_node = what != CO4__SCRIPT_NETWORK && line->a != CO4__NODES_NONE;
    bool has_other = what == CO4__SCRIPT_PART && line->b != CO4__NODES_NONE;
    char number[40] = "";
    if (what == CO4__SCRIPT_DRIFT)
        snprintf(number, sizeof number, " %lld", (long long)line->number);
    else if (what != CO4__SCRIPT_NETWORK && line->number != 0)
        snprintf(number, sizeof number, "%s%.9gs", what == CO4__SCRIPT_CLOCK ? " " : " for ",
                 (double)line->number / CO4_SEC);
    snprintf(text, sizeof text, "%.9gs %s%s%s%s%s%s, at %.200s:%u", (double)line->at / CO4_SEC,
             names[what - 1], has_node ? " " : "", has_node ? nodes[line->a].name : "",
             has_other ? " " : "", has_other ? nodes[line->b].name : "", number, r->file, r->line);
    return text;
}

static void add_line(struct reading *r, struct co4__script_line line)
{
    struct co4__script *s = r->script;
    if (is_fault(line.what) && !co4__fault_named("script", true, in_words(r, &line)))
        r->skips = true;
    if (r->skips)
        return;
    if (s->nlines == LINES)
        wrong(r, "more than %d things happen", LINES);
    s->lines = grown(s->lines, s->nlines, sizeof *s->lines);
    line.order = (uint32_t)s->nlines;
    s->lines[s->nlines++] = line;
}

static int64_t take_duration(struct reading *r, int64_t usual)
{
    return take_word(r, "for") ? take_time(r, next_word(r, "how long")) : usual;
}

static void take_ways(struct reading *r, struct co4__script_line line)
{
    line.a = line.b = CO4__NODES_NONE;
    if (*r->words && strcmp(*r->words, "for") != 0)
        line.a = take_node(r, CO4__NODES_NONE);
    if (*r->words && strcmp(*r->words, "for") != 0)
        line.b = take_node(r, line.a);
    if (line.what == CO4__SCRIPT_PART && line.a == line.b)
        wrong(r, "a node to part, or two");
    int64_t ns = line.what == CO4__SCRIPT_PART ? take_duration(r, 0) : 0;
    line.number = ns;
    add_line(r, line);
    line.at += ns;
    line.what = CO4__SCRIPT_HEAL;
    if (ns > 0)
        add_line(r, line);
}

static void take_change(struct reading *r, struct co4__script_line line)
{
    line.a = take_node(r, CO4__NODES_NONE);
    if (line.what == CO4__SCRIPT_CLOCK) {
        line.number = take_signed_time(r, next_word(r, "how far"));
    } else if (line.what == CO4__SCRIPT_DRIFT) {
        char *end;
        const char *word = next_word(r, "parts of a million");
        line.number = strtol(word, &end, 10);
        if (end == word || *end != '\0' || line.number < -100000 || line.number > 100000)
            wrong(r, "'%s': not parts of a million, from -100000 to 100000", word);
    } else {
        line.number = take_duration(r, DOWN_MIN + (int64_t)draw(r, DOWN_MAX - DOWN_MIN));
    }
    add_line(r, line);
}

static void take_action(struct reading *r)
{
    struct co4__script_line line = { .at = take_time(r, next_word(r, "a time")) };
    const char *name = next_word(r, "what happens");
    size_t i = 0;
    r->skips = false;
    while (i < sizeof names / sizeof *names && strcmp(names[i], name) != 0)
        i++;
    if (i == sizeof names / sizeof *names)
        wrong(r, "'%s' is none of part, heal, crash, kill, clock, drift, network, end", name);
    line.what = (enum co4__script_what)(i + 1);
    if (line.what == CO4__SCRIPT_PART || line.what == CO4__SCRIPT_HEAL)
        take_ways(r, line);
    else if (line.what == CO4__SCRIPT_END)
        add_line(r, line);
    else if (line.what != CO4__SCRIPT_NETWORK)
        take_change(r, line);
    else if (co4__simulated_options(next_word(r, "options"), &line.options))
        add_line(r, line);
    else
        wrong(r, "options are as latency=1ms-20ms,short=3,loss=0,duplicate=0,reset=0,refuse=0");
    if (*r->words)
        wrong(r, "'%s' is too much", *r->words);
}

/* Returns whether the words are of use later. */
static bool take_line(struct reading *r)
{
    char **begin = r->words, *end;
    if (!*r->words)
        return false;
    if (take_word(r, "server") || take_word(r, "client")) {
        take_node_line(r, **begin == 's');
        return true;
    }
    unsigned long times = strtoul(*r->words, &end, 10);
    if (end == *r->words || *end != '\0') {
        take_action(r);
        return false;
    }
    r->words++;
    if (!take_word(r, "times") || times > LINES)
        wrong(r, "a line is: server, client, a time, or as '3 times 1s-20s crash any'");
    for (begin = r->words; times > 0; times--) {
        r->words = begin;
        take_action(r);
    }
    return false;
}

static int by_time(const void *a, const void *b)
{
    int64_t one = ((const struct co4__script_line *)a)->at;
    int64_t other = ((const struct co4__script_line *)b)->at;
    uint32_t a_order = ((const struct co4__script_line *)a)->order;
    uint32_t b_order = ((const struct co4__script_line *)b)->order;
    return one != other ? (one > other) - (one < other) : (a_order > b_order) - (a_order < b_order);
}

void co4__script_read(struct co4__script *s, const char *file, uint64_t seed)
{
    struct reading r = { .script = s, .file = file, .seed = seed };
    char *text = NULL;
    size_t room = 0;
    bool has_end = false, has_client = false;
    FILE *f = fopen(file, "re");
    if (!f)
        co4__simulation_refuses(file, strerror(errno));
    while (co4__simulation_line(f, file, &text, &room)) {
        r.line++;
        char *line = strdup(text);
        char **words = r.words = line ? split(&r, line) : NULL;
        if (!words)
            wrong(&r, "out of memory");
        if (!take_line(&r)) {
            free(words);
            free(line);
        }
    }
    free(text);
    fclose(f);
    for (size_t i = 0; i < s->nnodes; i++)
        has_client = has_client || !s->nodes[i].is_server;
    for (size_t i = 0; i < s->nlines; i++)
        has_end = has_end || s->lines[i].what == CO4__SCRIPT_END;
    if (!has_client && !has_end)
        wrong(&r, "a run without a client needs a line as '60s end'");
    if (s->nlines > 1)
        qsort(s->lines, s->nlines, sizeof *s->lines, by_time);
}
