/* serve.c - weaves in a server that the processes of a build share.
 *
 * Purpose: to load libclang costs as much as to weave a small file. So the first process of a build
 * that has woven a unit leaves a copy of itself, the server. For each later unit the server forks,
 * and the copy, which has libclang loaded, weaves that one unit.
 *
 * Processes below make, ninja or samu share one, else those of a session (script, terminal).
 * CO4_SERVE=1: all, CO4_SERVE=0: none. A server ends with its build or session, or after five
 * seconds without a request. --dump and --infer work alone.
 *
 * Invariants: a server changes nothing but the time. It only makes text of text, and reads sources
 * for comments and messages, in the folder of the process that asks. Preprocessors, compilers,
 * output and signals stay with that process. It prints only a whole reply; if there is none, it
 * weaves itself. A server has a single thread, so its forks are safe. One lock, held by the server
 * while it lives, lets one process of many start it. A copy ends with the process that asked, and
 * after the time that a unit may take.
 *
 * Rejected: `--serve` as a command of its own, which a build would have to start and to end. A
 * server that weaves all units in one process: one crash, or one leak of libclang, would meet all
 * later ones. */
#define _GNU_SOURCE /* struct ucred, SO_PEERCRED, pidfd_open */
#include "driver/serve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/options.h"
#include "driver/deep.h"
#include "driver/place.h"
#include "driver/weave.h"
#include "driver/wire.h"

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
    IDLE_MS = 5000,     /* a server ends after so long without a request */
    GREETING_MS = 1000, /* a server that has not answered by then hangs, or is stopped */
    REQUEST_MS = 10000, /* the same for a process that asks */
    GRACE_S = 10,       /* the same for a reply, after the time that a unit may take */
    MOST_WAITING = 64,  /* connections that the server has not accepted */
};

static const char greeting = 'w';

static const char *wish(void)
{
    const char *value = getenv("CO4_SERVE");
    return value != NULL ? value : "";
}

static bool is_off(void)
{
    return strcmp(wish(), "0") == 0;
}

static void set_timeout(int fd, int milliseconds)
{
    struct timeval limit = { .tv_sec = milliseconds / 1000,
                             .tv_usec = milliseconds % 1000 * 1000L };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* Does the other side belong to this user? *process: its number. */
static bool is_own(int fd, pid_t *process)
{
    struct ucred other;
    socklen_t size = sizeof other;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0 || other.uid != geteuid())
        return false;
    *process = other.pid;
    return true;
}

static struct sockaddr_un address_of(const cw_place_of_server *place)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    _Static_assert(sizeof place->socket <= sizeof address.sun_path, "a name of a socket fits");
    memcpy(address.sun_path, place->socket, sizeof place->socket);
    return address;
}

/* ---- asking --------------------------------------------------------------------------------- */

static int connect_to(const cw_place_of_server *place)
{
    struct sockaddr_un address = address_of(place);
    pid_t server;
    if (!cw_place_is_private(place))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* without waiting: a server that hangs may have a full queue */
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        fcntl(fd, F_SETFL, 0) == 0 && is_own(fd, &server))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int cw_serve_connect(const cw_place_of_server *place, int seconds)
{
    char greeted = '\0';
    int fd = connect_to(place);
    if (fd < 0)
        return -1;
    set_timeout(fd, GREETING_MS);
    if (cw_wire_receive(fd, &greeted, 1) && greeted == greeting) {
        /* a copy that is stopped does not answer in time */
        set_timeout(fd, seconds > 0 ? (seconds + GRACE_S) * 1000 : 0);
        return fd;
    }
    close(fd);
    return -1;
}

char *cw_serve_target(int fd, const char *question)
{
    cw_buf target = { 0 };
    if (cw_wire_send_string(fd, question, strlen(question)) &&
        cw_wire_receive_string(fd, &target) && target.length > 0)
        return target.data;
    cw_buf_free(&target);
    return NULL;
}

bool cw_serve_find(const cw_options *options, cw_place_of_server *place)
{
    return !is_off() && options->infer == NULL && options->plan == NULL && !options->summary &&
           options->dump == NULL && cw_place_find(place);
}

bool cw_serve_weave(int fd, const cw_options *options, const cw_buf *text, cw_buf *woven,
                    cw_outcome *outcome)
{
    cw_reply reply = { .outcome = CW_REFUSED };
    bool ok = cw_wire_send_request(fd, options, text->data, text->length) &&
              cw_wire_receive_reply(fd, &reply);
    close(fd);
    if (ok) {
        fwrite(reply.messages.data, 1, reply.messages.length, options->messages);
        fwrite(reply.report.data, 1, reply.report.length, options->report_to);
        *outcome = reply.outcome;
        if (reply.woven.length > 0) {
            *woven = reply.woven;
            reply.woven = (cw_buf){ 0 };
        }
    }
    cw_buf_free(&reply.woven);
    cw_buf_free(&reply.messages);
    cw_buf_free(&reply.report);
    return ok;
}

/* What the compiler answered to the process that the server is a copy of. */
static struct {
    char *question, *target;
} known;

void cw_serve_know_target(const char *question, const char *target)
{
    free(known.question);
    free(known.target);
    known.question = strdup(question);
    known.target = strdup(target);
}

/* ---- serving one unit ----------------------------------------------------------------------- */

typedef struct work {
    int fd;
    cw_request request;
    cw_reply reply;
} work;

static void weave(void *work_)
{
    work *w = work_;
    const cw_buf *text = &w->request.text;
    w->reply.outcome = cw_weave(&w->request.options, text->data, text->length, &w->reply.woven.data,
                                &w->reply.woven.length);
}

static void answer_late(void *work_)
{
    const work *w = work_;
    const cw_reply reply = { .outcome = CW_LATE };
    cw_wire_send_reply(w->fd, &reply);
    _exit(EXIT_FAILURE); /* the thread still uses all that there is */
}

/* Answers the first question of a process: an empty answer lets it ask its compiler. */
static bool tell_target(int fd)
{
    cw_buf question = { 0 };
    if (!cw_wire_receive_string(fd, &question))
        return false;
    bool same = known.question != NULL && known.target != NULL &&
                strcmp(question.data, known.question) == 0;
    cw_buf_free(&question);
    return cw_wire_send_string(fd, known.target, same ? strlen(known.target) : 0);
}

/* Weaves for the process `client`, and ends this process. */
static void serve_one(int fd, pid_t client)
{
    char folder[64];
    work w = { .fd = fd };
    cw_options *options = &w.request.options;
    cw_deep_end end = { .client = fd, .late = answer_late };
    set_timeout(fd, REQUEST_MS);
    snprintf(folder, sizeof folder, "/proc/%ld/cwd", (long)client);
    if (!cw_wire_send(fd, &greeting, 1) || chdir(folder) != 0 || !tell_target(fd) ||
        !cw_wire_receive_request(fd, &w.request) || !cw_deep_limit(&end.seconds))
        _exit(EXIT_FAILURE);
    options->messages = open_memstream(&w.reply.messages.data, &w.reply.messages.length);
    options->report_to = w.request.reports_apart
                             ? open_memstream(&w.reply.report.data, &w.reply.report.length)
                             : options->messages;
    if (options->messages == NULL || options->report_to == NULL)
        _exit(EXIT_FAILURE);
    cw_run_deep(options->source, weave, &w, &end);
    bool ok = fflush(options->messages) == 0 && fflush(options->report_to) == 0 &&
              cw_wire_send_reply(fd, &w.reply);
    _exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the server ----------------------------------------------------------------------------- */

/* What a server holds: descriptors, and -1 for none. */
typedef struct server {
    const cw_place_of_server *place;
    int listener, lock, build;
    dev_t device; /* of its socket */
    ino_t inode;
} server;

static void accept_one(const server *s)
{
    pid_t client;
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (is_own(fd, &client) && fork() == 0) {
        close(s->listener);
        close(s->lock); /* so that the lock ends with the server */
        if (s->build >= 0)
            close(s->build);
        serve_one(fd, client);
    }
    close(fd);
}

/* Returns after the build has ended, or when nothing has happened for a while. */
static void serve(const server *s)
{
    for (;;) {
        struct pollfd fds[2] = { { .fd = s->listener, .events = POLLIN },
                                 { .fd = s->build, .events = POLLIN } };
        int ready = poll(fds, 2, IDLE_MS);
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        bool busy = ended == 0; /* a child still weaves */
        if ((ready == 0 && !busy) || (ready < 0 && errno != EINTR) ||
            (ready > 0 && fds[1].revents != 0))
            return;
        if (ready > 0 && fds[0].revents != 0)
            accept_one(s);
    }
}

/* Keeps no descriptor of the process that this one is a copy of: a build waits for the end of its
 * pipes. */
static void close_others(const server *s)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        _exit(EXIT_FAILURE);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > 2 && fd != s->listener && fd != s->lock && fd != s->build && fd != dirfd(folder))
            close(fd);
    }
    closedir(folder);
}

static void default_signals(void)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void be_server(const server *s)
{
    struct stat now;
    setsid(); /* a signal of the terminal ends the build, and the build ends the server */
    default_signals();
    close_others(s);
#ifdef __GLIBC__
    malloc_trim(0); /* each fork copies the tables of what is left */
#endif
    if (chdir("/") != 0)
        _exit(EXIT_FAILURE);
    serve(s);
    /* another server may have this name by now, if somebody has emptied the folder */
    if (lstat(s->place->socket, &now) == 0 && now.st_dev == s->device && now.st_ino == s->inode)
        unlink(s->place->socket);
    unlink(s->place->lock);
    rmdir(s->place->folder); /* if no other build has a server */
    _exit(EXIT_SUCCESS);
}

static bool listen_at(server *s)
{
    struct sockaddr_un address = address_of(s->place);
    struct stat now;
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(s->place->socket); /* of a server that was killed: we have its lock */
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(s->listener, MOST_WAITING) != 0 || lstat(s->place->socket, &now) != 0)
        return false;
    s->device = now.st_dev;
    s->inode = now.st_ino;
    return true;
}

static int watch_process(pid_t process)
{
#ifdef SYS_pidfd_open
    return process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
#else
    (void)process;
    return -1;
#endif
}

static void close_server(const server *s)
{
    const int fds[] = { s->listener, s->lock, s->build };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void cw_serve_start(const cw_place_of_server *place)
{
    pid_t build = cw_place_build();
    if ((build == 0 && strcmp(wish(), "1") != 0) || !cw_place_make(place))
        return;
    server s = { .place = place, .listener = -1, .lock = -1, .build = watch_process(build) };
    s.lock = open(place->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s.lock >= 0 && flock(s.lock, LOCK_EX | LOCK_NB) == 0 && ftruncate(s.lock, 0) == 0 &&
        listen_at(&s)) {
        pid_t process = fork();
        if (process == 0)
            be_server(&s);
        dprintf(s.lock, "%ld\n", (long)process); /* for people and tests */
    }
    close_server(&s);
}

#else

bool cw_serve_find(const cw_options *options, cw_place_of_server *place)
{
    (void)options;
    (void)place;
    return false;
}

int cw_serve_connect(const cw_place_of_server *place, int seconds)
{
    (void)seconds;
    (void)place;
    return -1;
}

char *cw_serve_target(int fd, const char *question)
{
    (void)fd;
    (void)question;
    return NULL;
}

bool cw_serve_weave(int fd, const cw_options *options, const cw_buf *text, cw_buf *woven,
                    cw_outcome *outcome)
{
    (void)fd;
    (void)options;
    (void)text;
    (void)woven;
    (void)outcome;
    return false;
}

void cw_serve_know_target(const char *question, const char *target)
{
    (void)question;
    (void)target;
}

void cw_serve_start(const cw_place_of_server *place)
{
    (void)place;
}

#endif
