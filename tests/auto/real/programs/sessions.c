/* sessions.c - a program of one user as many sessions over TCP, in one process.
 *
 *     sessions REGIONS COUNT PROGRAM [ARGUMENT...]
 *
 * Each connection to the port that it prints is a session: the main of a program without marks,
 * with the connection as its standard input and output. The program keeps its state in static
 * variables, so each session has a copy of these. They are exchanged when the task of another
 * session begins a step. There is one worker, so every session finds them at the same addresses.
 * REGIONS has a line for each variable, as nm prints it: address, size, name. The process ends
 * after COUNT sessions. */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 256, REGIONS = 1024 };

int program_main(int argc, char **argv);
pausable void session_exit(int status);

struct session {
    co4_task *task;
    FILE *in, *out, *err; /* the program may close them */
    int fd;
    char *state;
    int optind_;
};

static struct region {
    char *at;
    size_t size;
} regions[REGIONS];
static size_t nregions, bytes;
static char *fresh;
static struct session sessions[MOST], *loaded;
static int count, ended, wanted, program_argc;
static char **program_argv;
static co4_sem all_ended;

char session_anchor;

static void read_regions(const char *path)
{
    char name[256];
    unsigned long at, size, anchor = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        _exit(9);
    while (fscanf(f, "%lx %lx %255s", &at, &size, name) == 3)
        if (strcmp(name, "session_anchor") == 0)
            anchor = at;
    rewind(f);
    while (nregions < REGIONS && fscanf(f, "%lx %lx %255s", &at, &size, name) == 3)
        if (strcmp(name, "session_anchor") != 0) {
            regions[nregions++] = (struct region){ &session_anchor + (at - anchor), size };
            bytes += size;
        }
    fclose(f);
}

static void store(char *to)
{
    for (size_t i = 0; i < nregions; to += regions[i++].size)
        memcpy(to, regions[i].at, regions[i].size);
}

static void load(const char *from)
{
    for (size_t i = 0; i < nregions; from += regions[i++].size)
        memcpy(regions[i].at, from, regions[i].size);
}

/* A session's task begins a step: its state comes into place. */
static void begins(void *data, co4_task *task, co4_task_state state)
{
    struct session *s = NULL;
    (void)data;
    for (int i = 0; state == CO4_TASK_RUNNING && i < count && !s; i++)
        s = sessions[i].task == task ? &sessions[i] : NULL;
    if (!s || s == loaded)
        return;
    if (loaded) {
        store(loaded->state);
        loaded->optind_ = optind;
    }
    load(s->state);
    optind = s->optind_;
    stdin = s->in;
    stdout = s->out;
    stderr = s->err;
    loaded = s;
}

/* In place of exit(). The task waits until the process ends. */
pausable void session_exit(int status)
{
    (void)status;
    struct session *s = loaded;
    fflush(NULL); /* what is still open */
    co4_shutdown(s->fd, 2);
    if (++ended == wanted && co4_sem_release(&all_ended) != CO4_OK)
        abort();
    for (;;)
        co4_sleep(3600 * CO4_SEC);
}

static pausable void session(void)
{
    program_main(program_argc, program_argv);
    session_exit(0);
}

static pausable void serve(int l)
{
    while (count < wanted) {
        int fd = co4_accept(l, NULL, NULL);
        if (fd < 0)
            _exit(8);
        struct session *s = &sessions[count];
        s->in = fdopen(fd, "r");
        s->out = fdopen(dup(fd), "w");
        s->err = fdopen(dup(fd), "w");
        s->fd = fd;
        setvbuf(s->out, NULL, _IOLBF, 4096);
        setvbuf(s->err, NULL, _IONBF, 0);
        s->state = malloc(bytes);
        memcpy(s->state, fresh, bytes);
        count++;
        s->task = co4_spawn(session());
    }
    if (co4_sem_acquire(&all_ended) != CO4_OK)
        _exit(7);
    dprintf(1, "%d sessions, %zu bytes of state each\n", ended, bytes);
    _exit(0);
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    if (argc < 4 || (wanted = atoi(argv[2])) > MOST ||
        bind(l, (struct sockaddr *)&a, length) != 0 || listen(l, MOST) != 0 ||
        getsockname(l, (struct sockaddr *)&a, &length) != 0)
        return 9;
    program_argc = argc - 3;
    program_argv = argv + 3;
    read_regions(argv[1]);
    fresh = malloc(bytes);
    store(fresh);
    dprintf(1, "%d\n", ntohs(a.sin_port));
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 1, .observer = begins });
    co4_runtime_spawn(rt, serve(l));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    return 0;
}
