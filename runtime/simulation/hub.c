/* hub.c - the process that begins the nodes of a simulation, and notices their ends.
 *
 * Purpose: a node is a process, a child of the hub. One that runs the hub's own program is a fork
 * of its beginning. The program of another is executed, and finds what it shares with the others by
 * the environment: CO4_TEST_NODE_PLACE has the node's number and a descriptor. A node that crashes,
 * or is killed by the script, begins again later, as a new process.
 *
 * The run ends when all clients have ended, or at the first node that fails: by a signal, with a
 * status that is not 0, or because its disk is wrong.
 *
 * Invariants: the hub touches what is shared only before the first node begins, and when a process
 * that had the turn has ended or has asked for a new life: it is one of those that take turns. */
#define _GNU_SOURCE
#include "simulation/hub.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "platform/real.h"
#include "posix/decides.h"
#include "simulation/checks.h"
#include "simulation/disk.h"
#include "simulation/network.h"
#include "simulation/node_program.h"
#include "simulation/nodes.h"
#include "simulation/options.h"
#include "simulation/run.h"
#include "simulation/script.h"

/* Where sanitizers, programs and libraries leave room, on machines of 47 bits and more. */
#define PLACE  ((void *)0x7e8100000000)
#define SHARED ((size_t)1 << 34) /* addresses; only what is used is taken */
#define BOOT   CO4_MS            /* ns within which the nodes begin */

long __real_syscall(long number, ...);
_Noreturn void __real__exit(int status);
int __real_sigaction(int signo, const struct sigaction *how, struct sigaction *before);

struct process {
    pid_t pid;
    int fd; /* of the system, by which its end is noticed; -1: there is none */
};

static struct {
    struct co4__script script;
    struct process processes[CO4__NODES];
    const char *disk; /* the folder of all disks; NULL: there is none */
    char home[CO4__DISK_PATH];
    int memory;
    char **words;
    volatile sig_atomic_t is_over; /* the run takes too long */
} own;

/* ---- what is shared ---- */

static size_t shared_bytes(size_t nodes, size_t lines)
{
    return sizeof(struct co4__nodes) + nodes * sizeof(struct co4__node) +
           lines * sizeof(struct co4__script_line) + sizeof(struct co4__net_common) +
           nodes * sizeof(struct co4__net_host) + sizeof(struct co4__net_arena) + 64;
}

static void *map(int fd)
{
    void *at = mmap(PLACE, SHARED, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (at != PLACE)
        co4__simulation_refuses("the memory of nodes", strerror(at == MAP_FAILED ? errno : EEXIST));
    return at;
}

static void make_node(struct co4__nodes *all, uint32_t k)
{
    const struct co4__script_node *from = &own.script.nodes[k];
    struct co4__node *node = &all->nodes[k];
    struct co4__net_host *host = &all->common->hosts[k];
    memcpy(node->name, from->name, sizeof node->name);
    node->is_server = from->is_server;
    node->begins_at = (int64_t)(all->seed ? co4__random(all->seed ^ co4__random(k)) % BOOT : 0);
    host->naddresses = from->naddresses;
    memcpy(host->addresses, from->addresses, sizeof host->addresses);
}

static void set_network(struct co4__net_common *common)
{
    const char *text = getenv("CO4_TEST_NETWORK");
    co4_test_network_options options = { .latency_min = 0 };
    struct co4__network network = { .common = common };
    if (text && !co4__simulated_options(text, &options))
        co4__simulation_refuses("CO4_TEST_NETWORK", "not of the form NAME=VALUE,...");
    co4__network_set_options(&network, &options);
}

static void make_shared(uint64_t seed)
{
    size_t nodes = own.script.nnodes, lines = own.script.nlines;
    own.memory = memfd_create("co4-nodes", MFD_CLOEXEC);
    if (own.memory < 0 || ftruncate(own.memory, (off_t)SHARED) != 0)
        co4__simulation_refuses("the memory of nodes", strerror(errno));
    struct co4__nodes *all = map(own.memory);
    co4__nodes = all;
    all->count = (uint32_t)nodes;
    all->holder = all->begins = CO4__NODES_NONE;
    all->seed = seed;
    all->lines = (struct co4__script_line *)(void *)&all->nodes[nodes];
    all->nlines = (uint32_t)lines;
    memcpy(all->lines, own.script.lines, lines * sizeof *all->lines);
    all->common = (struct co4__net_common *)(void *)&all->lines[lines];
    all->common->nhosts = (unsigned)nodes;
    struct co4__net_arena *arena = (struct co4__net_arena *)(void *)&all->common->hosts[nodes];
    all->common->arena = arena;
    arena->next = (char *)all + (shared_bytes(nodes, lines) + 4095) / 4096 * 4096;
    arena->end = (char *)all + SHARED;
    for (uint32_t k = 0; k < nodes; k++)
        make_node(all, k);
    set_network(all->common);
    all->asks = CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC);
    if (all->asks < 0)
        co4__simulation_refuses("nodes", strerror(errno));
}

/* The names of nodes are those of their hosts. */
static void set_hosts(void)
{
    const char *before = getenv("CO4_TEST_HOSTS");
    size_t bytes = (before ? strlen(before) : 0) + 2;
    for (size_t i = 0; i < own.script.nnodes; i++)
        for (unsigned k = 0; k < own.script.nodes[i].naddresses; k++)
            bytes += CO4__NODE_NAME + strlen(own.script.nodes[i].texts[k]) + 2;
    char *text = malloc(bytes), *at = text;
    if (!text)
        co4__simulation_refuses("nodes", "out of memory");
    for (size_t i = 0; i < own.script.nnodes; i++)
        for (unsigned k = 0; k < own.script.nodes[i].naddresses; k++)
            at += sprintf(at, "%s%s=%s", at > text ? "," : "", own.script.nodes[i].name,
                          own.script.nodes[i].texts[k]);
    if (before && *before)
        sprintf(at, ",%s", before);
    co4__simulation_sets("CO4_TEST_HOSTS", text);
    free(text);
}

/* ---- a life ---- */

static bool is_this_program(const char *path)
{
    struct stat one, other;
    return stat(path, &one) == 0 && stat("/proc/self/exe", &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The disk of a node is a folder in that of all. */
static void set_disk(const char *name)
{
    char folder[CO4__DISK_PATH];
    if (!own.disk)
        return;
    if (snprintf(folder, sizeof folder, "%s/%s", own.disk, name) >= (int)sizeof folder)
        co4__simulation_refuses("CO4_TEST_DISK", "the name is too long");
    __real_mkdirat(AT_FDCWD, folder, 0777);
    co4__simulation_sets("CO4_TEST_DISK", folder);
}

static _Noreturn void refuse_program(uint32_t k, const char *path, const char *why)
{
    fprintf(stderr, "co4: node %s: %s: %s\n", co4__nodes->nodes[k].name, path, why);
    __real__exit(CO4__REFUSED);
}

static void execute(char **words, uint32_t k)
{
    char node[32];
    const char *wrong = co4__node_program_wrong(words[0]);
    if (wrong)
        refuse_program(k, words[0], wrong);
    snprintf(node, sizeof node, "%u,%d", k, own.memory);
    co4__simulation_sets("CO4_TEST_NODE_PLACE", node);
    fcntl(own.memory, F_SETFD, 0);
    fcntl(co4__nodes->asks, F_SETFD, 0);
    execvp(words[0], words);
    refuse_program(k, words[0], strerror(errno));
}

/* The command that debugs this one. */
static char **under_gdb(char **words)
{
    char *gdb[] = { "gdb", "-q", "-x", getenv("CO4_TEST_GDB_COMMANDS"), "--args" };
    size_t n = 0, first = sizeof gdb / sizeof *gdb;
    if (!gdb[3])
        gdb[3] = "/dev/null";
    while (words[n])
        n++;
    char **under = calloc(n + first + 1, sizeof *under);
    if (under) {
        memcpy(under, gdb, sizeof gdb);
        memcpy(under + first, words, n * sizeof *words);
        return under;
    }
    co4__simulation_refuses("gdb", "out of memory");
}

/* Not by the program's call, which puts handlers off. */
static void handle_abort(void (*handler)(int signo))
{
    const struct sigaction how = { .sa_handler = handler };
    __real_sigaction(SIGABRT, &how, NULL);
}

/* In the child. */
static void become(uint32_t k, pid_t hub)
{
    char **words = own.script.nodes[k].words;
    const char *gdb = getenv("CO4_TEST_GDB");
    char life[16];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != hub)
        __real__exit(0);
    for (size_t i = 0; i < CO4__NODES; i++)
        if (own.processes[i].fd > 0)
            __real_close(own.processes[i].fd);
    co4__node = &co4__nodes->nodes[k];
    set_disk(co4__node->name);
    snprintf(life, sizeof life, "%010u", co4__node->life);
    co4__simulation_sets("CO4_TEST_LIFE", life);
    own.words = words;
    unsetenv("CO4_TEST_NODES"); /* not for programs that this one starts */
    if (gdb && strcmp(gdb, co4__node->name) == 0) {
        unsetenv("CO4_TEST_GDB");
        if (getenv("CO4_TEST_GDB_STOP"))
            co4__simulation_sets("CO4_TEST_STOP", getenv("CO4_TEST_GDB_STOP"));
        execute(under_gdb(words), k);
    }
    if (!is_this_program(words[0]))
        execute(words, k);
    co4__node->has_begun = true;
    handle_abort(SIG_DFL);
}

/* Returns true in the process of the node, which has the turn at once. */
static bool begin_life(uint32_t k)
{
    struct co4__nodes *all = co4__nodes;
    struct co4__node *node = &all->nodes[k];
    struct process *p = &own.processes[k];
    pid_t hub = getpid();
    node->life++;
    node->state = CO4__NODE_UP;
    node->next = all->now;
    node->crashed = node->killed = node->has_begun = false;
    node->command = 0;
    node->turn = 1;
    all->common->hosts[k].down = false;
    all->holder = k;
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        become(k, hub);
        return true;
    }
    p->fd = p->pid < 0 ? -1 : (int)__real_syscall(SYS_pidfd_open, p->pid, 0);
    if (p->fd < 0)
        co4__simulation_refuses("a node", strerror(errno));
    return false;
}

/* ---- ends ---- */

static bool is_right(const struct co4__node *node)
{
    bool right;
    if (!own.disk || !getenv("CO4_TEST_CHECK"))
        return true;
    set_disk(node->name);
    co4__simulation_sets("CO4_TEST_NODE", node->name);
    right = co4__check_passes(own.home);
    unsetenv("CO4_TEST_NODE");
    co4__simulation_sets("CO4_TEST_DISK", own.disk);
    return right;
}

/* A process has ended. Returns the status of the run if it ends with that; else 0. */
static int note_end(uint32_t k, int status)
{
    struct co4__nodes *all = co4__nodes;
    struct co4__node *node = &all->nodes[k];
    __real_close(own.processes[k].fd);
    own.processes[k] = (struct process){ .fd = -1 };
    bool comes_again = node->crashed || node->killed;
    if (!node->has_begun && status != CO4__REFUSED << 8) {
        fprintf(stderr,
                "co4: node %s: %s: has not begun: is it linked with co4weave --auto=test?\n",
                node->name, own.script.nodes[k].words[0]);
        return CO4__REFUSED << 8;
    }
    if (status != 0 && !comes_again) {
        if (WIFEXITED(status))
            fprintf(stderr, "co4: node %s ends with status %d\n", node->name, WEXITSTATUS(status));
        else
            fprintf(stderr, "co4: node %s ends by a signal: %s\n", node->name,
                    strsignal(WTERMSIG(status)));
        return status;
    }
    if ((node->crashed || status == 0) && !is_right(node)) {
        fprintf(stderr, "co4: it looked at the disk of node %s\n", node->name);
        return 1 << 8;
    }
    node->state = comes_again ? CO4__NODE_DOWN : CO4__NODE_ENDED;
    node->has_left = true;
    node->left_at = node->time > all->now ? node->time : all->now;
    all->common->hosts[k].down = node->crashed;
    if (node->crashed && node->begins_at == CO4_NEVER) /* the seed's crash, not the script's */
        node->begins_at = node->now + 10 * CO4_MS +
                          (int64_t)(co4__random(all->seed ^ co4__random(node->life)) %
                                    (2 * CO4_SEC));
    return 0;
}

static bool has_clients(void)
{
    for (uint32_t k = 0; k < co4__nodes->count; k++)
        if (!co4__nodes->nodes[k].is_server)
            return true;
    return false;
}

static bool all_ended(void)
{
    bool any_client = false, any = false;
    for (uint32_t k = 0; k < co4__nodes->count; k++) {
        const struct co4__node *node = &co4__nodes->nodes[k];
        bool lives = node->state == CO4__NODE_UP || node->begins_at != CO4_NEVER;
        any = any || lives;
        any_client = any_client || (lives && !node->is_server);
    }
    return co4__nodes->ends || !any || (has_clients() && !any_client);
}

static void end_all(void)
{
    for (uint32_t k = 0; k < co4__nodes->count; k++)
        if (own.processes[k].pid > 0)
            kill(own.processes[k].pid, SIGKILL);
    for (uint32_t k = 0; k < co4__nodes->count; k++)
        if (own.processes[k].pid > 0)
            while (waitpid(own.processes[k].pid, NULL, 0) < 0 && errno == EINTR)
                ;
}

/* ---- a run that takes too long ---- */

static void note_over(int signo)
{
    uint64_t one = 1;
    (void)signo;
    own.is_over = true;
    if (write(co4__nodes->asks, &one, sizeof one) != (ssize_t)sizeof one)
        __real__exit(CO4__REFUSED);
}

/* Each node that is left says what its threads are at, first the one that runs. */
static _Noreturn void end_over(void)
{
    uint32_t count = co4__nodes->count, first = co4__nodes->holder < count ? co4__nodes->holder : 0;
    for (uint32_t k = 0; k < count; k++)
        if (own.processes[k].pid > 0)
            fprintf(stderr, "co4: node %s has not ended%s\n", co4__nodes->nodes[k].name,
                    k == co4__nodes->holder ? ", and has the turn" : "");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (first + i) % count;
        struct pollfd ends = { own.processes[k].fd, POLLIN, 0 };
        if (own.processes[k].pid > 0 && kill(own.processes[k].pid, SIGABRT) == 0)
            poll(&ends, 1, 1000);
    }
    end_all();
    handle_abort(SIG_DFL);
    raise(SIGABRT);
    __real__exit(CO4__REFUSED);
}

/* ---- the loop ---- */

/* Waits until a process asks, or ends. Returns which one has ended; CO4__NODES_NONE: one asks. */
static uint32_t await(int *status)
{
    struct pollfd fds[CO4__NODES + 1] = { { co4__nodes->asks, POLLIN, 0 } };
    uint64_t times;
    for (uint32_t k = 0; k < co4__nodes->count; k++)
        fds[k + 1] = (struct pollfd){ own.processes[k].fd, POLLIN, 0 };
    for (;;) {
        if (poll(fds, co4__nodes->count + 1, -1) < 0 && errno != EINTR)
            co4__simulation_refuses("nodes: poll", strerror(errno));
        if (own.is_over)
            end_over();
        for (uint32_t k = 0; k < co4__nodes->count; k++)
            if (fds[k + 1].revents != 0 &&
                waitpid(own.processes[k].pid, status, 0) == own.processes[k].pid)
                return k;
        if (fds[0].revents != 0 && read(co4__nodes->asks, &times, sizeof times) > 0)
            return CO4__NODES_NONE;
    }
}

static void sum_up(struct co4__hub_ends *ends)
{
    for (uint32_t k = 0; k < co4__nodes->count; k++) {
        const struct co4__node *node = &co4__nodes->nodes[k];
        ends->digest = co4__random_mix(ends->digest) ^ node->digest;
        ends->steps += node->steps;
        ends->choices += node->choices;
        ends->now = node->now > ends->now ? node->now : ends->now;
    }
    if (co4__coverage)
        co4__covers_all(co4__coverage, &co4__nodes->coverage);
}

void co4__hub_check(const char *file)
{
    co4__script_read(&own.script, file, 1);
    for (size_t i = 0; i < own.script.nnodes; i++) {
        const struct co4__script_node *node = &own.script.nodes[i];
        const char *wrong = co4__node_program_wrong(node->words[0]);
        char where[300];
        snprintf(where, sizeof where, "%s:%u: %s", file, node->line, node->words[0]);
        if (wrong)
            co4__simulation_refuses(where, wrong);
    }
}

bool co4__hub_run(const char *file, uint64_t seed, struct co4__hub_ends *ends)
{
    int status;
    own.disk = getenv("CO4_TEST_DISK");
    if (own.disk && !(own.disk = strdup(own.disk)))
        co4__simulation_refuses("CO4_TEST_DISK", "out of memory");
    if (!getcwd(own.home, sizeof own.home))
        own.home[0] = '\0';
    co4_test_options options; /* of the script's lines; each node has its own */
    co4__simulation_options(&options, seed);
    co4__script_read(&own.script, file, seed);
    make_shared(seed);
    set_hosts();
    for (uint32_t k = 0; k < CO4__NODES; k++)
        own.processes[k].fd = -1;
    handle_abort(note_over);
    memset(ends, 0, sizeof *ends);
    for (uint32_t k = co4__nodes_go_on();;) {
        if (k != CO4__NODES_NONE && begin_life(k))
            return true;
        k = await(&status);
        if (k == CO4__NODES_NONE) { /* it is asked: for a life, or for the end */
            k = co4__nodes->begins;
            co4__nodes->begins = CO4__NODES_NONE;
            if (k != CO4__NODES_NONE)
                continue;
            break;
        }
        ends->status = note_end(k, status);
        if (ends->status != 0 || all_ended())
            break;
        k = co4__nodes_go_on();
    }
    end_all();
    handle_abort(SIG_DFL);
    sum_up(ends);
    return false;
}

/* ---- a program that was executed ---- */

bool co4__hub_is_node(void)
{
    const char *text = getenv("CO4_TEST_NODE_PLACE");
    unsigned k;
    int fd;
    char more;
    if (!text)
        return false;
    if (sscanf(text, "%u,%d%c", &k, &fd, &more) != 2)
        co4__simulation_refuses("CO4_TEST_NODE_PLACE", "not a number and a descriptor");
    co4__nodes = map(fd);
    if (k >= co4__nodes->count)
        co4__simulation_refuses("CO4_TEST_NODE_PLACE", "no such node");
    co4__node = &co4__nodes->nodes[k];
    co4__node->has_begun = true;
    co4__coverage = &co4__nodes->coverage;
    for (const char *c = program_invocation_name; *c; c++)
        co4__coverage_program = (uintptr_t)co4__random_mix(co4__coverage_program +
                                                           (unsigned char)*c);
    unsetenv("CO4_TEST_NODE_PLACE"); /* not for programs that this one starts */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return true;
}

char **co4__hub_words(void)
{
    return own.words;
}
