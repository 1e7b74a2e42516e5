/* local.c - a farm on one machine: nats-server on a free port, with its store in a temporary
 * folder, and workers. A supervisor starts again what ends; on demand one of them is killed now and
 * then. */
#define _XOPEN_SOURCE 700
#include <co4/blocking.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/process.h>
#include <co4/supervisor.h>
#include <co4/time.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm.h"

/* A program that is started again when it ends. */
struct kept {
    const char *argv[14];
    co4_process *process; /* NULL: it does not run */
    long starts;
};

struct local {
    const struct options *o;
    char folder[32], port[PORT_TEXT], url[40], jobs[12];
    struct kept all[1 + MOST_WORKERS]; /* the server, and workers */
    co4_child_spec children[1 + MOST_WORKERS];
    int count;
    long kills;
    unsigned random;
};

static void forget(struct kept **k)
{
    (*k)->process = NULL;
}

/* Returns when the program has ended: that is a failure. */
static pausable int run_kept(struct kept *kept)
{
    __attribute__((cleanup(forget))) struct kept *k = kept;
    co4_process *p;
    /* The end of the pipe, also by a SIGKILL of this process, is the end of the program. */
    co4_process_options o = { .in = CO4_PROCESS_PIPE,
                              .out = CO4_PROCESS_NULL,
                              .flags = CO4_PROCESS_GROUP };
    int err = co4_process_start(&p, k->argv, &o);
    if (err != CO4_OK) {
        if (err != CO4_ECANCELED)
            fprintf(stderr, "farm: %s: %s\n", k->argv[0], co4_strerror(err));
        return err;
    }
    k->process = p;
    k->starts++;
    co4_process_wait(p, NULL);
    k->process = NULL; /* before the pause: it may not be killed any more */
    co4_process_destroy(p);
    co4_sleep(CO4_SEC / 20);
    return -1;
}

static int start_kept(co4_child *child, void *arg)
{
    return co4_child_spawn(child, run_kept(arg));
}

/* ---- a program that ends with its parent ---- */

static pausable int end_with_input(co4_process *p)
{
    char byte;
    while (co4_read(0, &byte, 1) > 0)
        ;
    co4_process_kill(p, SIGKILL);
    return CO4_OK;
}

static pausable int wait_for(co4_process *p, int *status)
{
    int err = co4_scope_spawn(co4_scope_here(), end_with_input(p));
    if (err == CO4_OK)
        err = co4_process_wait(p, status);
    co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

pausable int keep(const char *const *argv)
{
    co4_process *p;
    int status = 0;
    int err = co4_process_start(&p, argv, &(co4_process_options){ .in = CO4_PROCESS_NULL });
    if (err != CO4_OK) {
        fprintf(stderr, "farm: %s: %s\n", argv[0], co4_strerror(err));
        return 127;
    }
    err = co4_scope_run(0, wait_for(p, &status));
    co4_process_destroy(p);
    return err == CO4_OK && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- what runs ---- */

static pausable bool choose_port(struct local *l)
{
    int fd = co4_tcp_listen("127.0.0.1", "0", 0);
    if (fd < 0)
        return false;
    snprintf(l->port, sizeof l->port, "%d", co4_socket_port(fd));
    co4_close(fd);
    return true;
}

/* Before it would be started again and again. */
static pausable bool has_server(void)
{
    const char *argv[] = { "nats-server", "--version", NULL };
    co4_process *p;
    co4_process_options o = { .in = CO4_PROCESS_NULL, .out = CO4_PROCESS_NULL };
    int err = co4_process_start(&p, argv, &o);
    if (err != CO4_OK) {
        fprintf(stderr, "farm: nats-server: %s\ninstall it, or name a server by --nats\n",
                co4_strerror(err));
        return false;
    }
    co4_process_destroy(p);
    return true;
}

static void describe(struct local *l)
{
    struct kept server = { .argv = { l->o->program, "keep", "nats-server", "-a", "127.0.0.1", "-p",
                                     l->port, "-js", "-sd", l->folder, "-l", "/dev/null" } };
    struct kept worker = { .argv = { l->o->program, "keep", l->o->program, "work", "--quiet",
                                     "--nats", l->url, "--jobs", l->jobs } };
    l->count = 1 + l->o->workers;
    for (int i = 0; i < l->count; i++) {
        l->all[i] = i == 0 ? server : worker;
        l->children[i] = (co4_child_spec){ .start = start_kept, .arg = &l->all[i] };
    }
}

pausable struct local *local_start(const struct options *o, char *url, size_t room)
{
    struct local *l = has_server() ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return NULL;
    l->o = o;
    l->random = (unsigned)co4_now() | 1;
    snprintf(l->folder, sizeof l->folder, "/tmp/co4-farm.XXXXXX");
    if (!mkdtemp(l->folder) || !choose_port(l)) {
        fprintf(stderr, "farm: %s\n", strerror(errno));
        free(l);
        return NULL;
    }
    snprintf(l->url, sizeof l->url, "nats://127.0.0.1:%s", l->port);
    snprintf(l->jobs, sizeof l->jobs, "%d", o->jobs);
    snprintf(url, room, "%s", l->url);
    describe(l);
    return l;
}

/* Any of those that run. */
static void kill_one(struct local *l)
{
    l->random = l->random * 1103515245u + 12345;
    int first = (int)(l->random >> 16) % l->count;
    for (int i = 0; i < l->count; i++) {
        struct kept *k = &l->all[(first + i) % l->count];
        if (k->process && co4_process_kill(k->process, SIGKILL) == 0) {
            l->kills++;
            return;
        }
    }
}

static pausable int kill_some(struct local *l)
{
    while (l->o->kill > 0 && co4_sleep(l->o->kill) == CO4_OK)
        kill_one(l);
    return CO4_OK;
}

static pausable int keep_all(struct local *l)
{
    /* A program that cannot start at all ends the farm; those that are killed may be many. */
    co4_supervision how = { .restarts = l->o->kill > 0 ? 1000 : 50, .within = 10 * CO4_SEC };
    int err = co4_scope_spawn(co4_scope_here(), kill_some(l));
    if (err == CO4_OK)
        err = co4_supervise(&how, l->children, l->count);
    co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

pausable int local_keep(struct local *l)
{
    return co4_scope_run(0, keep_all(l));
}

void local_counts(const struct local *l, long *starts, long *kills)
{
    *starts = 0;
    for (int i = 0; i < l->count; i++)
        *starts += l->all[i].starts;
    *kills = l->kills;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path);
}

pausable void local_end(struct local *l)
{
    if (!l)
        return;
    co4_blocking(nftw(l->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS));
    free(l);
}
