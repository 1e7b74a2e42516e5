/* chat.c - lines of each user go to all others, over TCP and a Unix socket.
 *
 *     chat --port 7001 --unix /tmp/chat &
 *     nc localhost 7001                     /nick NAME, /who, /quit; all else is said
 *
 * --slow drop-messages   a user that does not read loses the oldest lines, and learns how many
 * --slow disconnect      its connection ends
 * --queue N              lines that wait for one user
 *
 * Each user has a task that reads and a task that writes. One broadcast has the lines of all users,
 * so all see them in one order. No sender waits for a user that does not read. Replies to the user
 * itself come through a mailbox: the writer alone writes. */
#include <co4/broadcast.h>
#include <co4/io.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server.h"

enum { LINE = 400, NAME = 20, REPLIES = 8 };
#define PATIENCE (2 * CO4_SEC) /* for a user that has to take its last lines */

struct line {
    unsigned from; /* a user does not get its own lines; 0: no user's */
    char text[LINE + NAME + 8];
};

struct user {
    unsigned number;
    char name[NAME + 1];
    co4_conn *c;
    co4_subscriber *lines; /* struct line of all users */
    co4_mailbox *replies;  /* struct line for this user; closed at its end */
    unsigned long long dropped;
    struct user *next;
};

static struct {
    int queue;
    bool disconnects;
} options = { .queue = 64, .disconnects = true };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held over a pause */
static struct user *users;
static unsigned last_number;
static co4_broadcast *news;

/* ---- users ---- */

static bool is_taken(const char *name)
{
    for (const struct user *u = users; u; u = u->next)
        if (strcmp(u->name, name) == 0)
            return true;
    return false;
}

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n <= NAME && text[n] == '\0';
}

static bool enter(struct user *u)
{
    u->lines = co4_broadcast_subscribe(news, (size_t)options.queue, CO4_BROADCAST_DROP_OLDEST);
    u->replies = co4_mailbox_create(sizeof(struct line), REPLIES);
    if (!u->lines || !u->replies)
        return false;
    pthread_mutex_lock(&lock);
    do {
        u->number = ++last_number;
        snprintf(u->name, sizeof u->name, "guest%u", u->number);
    } while (is_taken(u->name));
    u->next = users;
    users = u;
    pthread_mutex_unlock(&lock);
    return true;
}

static void leave(struct user *u)
{
    pthread_mutex_lock(&lock);
    for (struct user **p = &users; *p; p = &(*p)->next)
        if (*p == u) {
            *p = u->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    co4_subscriber_destroy(u->lines);
    co4_mailbox_destroy(u->replies);
}

static bool rename_user(struct user *u, const char *name)
{
    pthread_mutex_lock(&lock);
    bool free_name = !is_taken(name);
    if (free_name)
        snprintf(u->name, sizeof u->name, "%.*s", (int)sizeof u->name - 1, name);
    pthread_mutex_unlock(&lock);
    return free_name;
}

/* Ends the connections of users that have lost a line. */
static void end_slow(void)
{
    pthread_mutex_lock(&lock);
    for (const struct user *u = users; u; u = u->next)
        if (co4_subscriber_dropped(u->lines) > 0)
            co4_shutdown(co4_conn_fd(u->c), SHUT_RDWR);
    pthread_mutex_unlock(&lock);
}

/* ---- lines ---- */

static struct line line_of(unsigned from, const char *format, ...)
{
    struct line l = { .from = from };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l.text, sizeof l.text, format, arguments);
    va_end(arguments);
    return l;
}

static pausable void say(struct line l)
{
    co4_broadcast_send(news, &l);
    if (options.disconnects)
        end_slow();
}

/* False: the user does not take replies any more. */
static pausable bool reply(const struct user *u, struct line l)
{
    return co4_mailbox_send_until(u->replies, &l, co4_now() + PATIENCE) == CO4_OK;
}

/* ---- the task that writes ---- */

/* False: there is no memory for it. */
static bool put(struct user *u, const struct line *l)
{
    unsigned long long dropped = co4_subscriber_dropped(u->lines), missed = dropped - u->dropped;
    u->dropped = dropped;
    if (missed > 0 && co4_conn_printf(u->c, "* you have missed %llu lines\n", missed) < 0)
        return false;
    return l->from == u->number || co4_conn_printf(u->c, "%s\n", l->text) >= 0;
}

/* What waits at this moment. */
static bool put_waiting(struct user *u)
{
    struct line l;
    bool all = true;
    for (size_t n = co4_subscriber_len(u->lines); n > 0 && all; n--)
        all = co4_subscriber_receive_until(u->lines, &l, CO4_NOW) != CO4_OK || put(u, &l);
    return all;
}

static pausable int write_lines(struct user *u)
{
    struct line l;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(u->replies), &l),
                         CO4_CASE(co4_subscriber_source(u->lines), &l) };
    bool more = true;
    while (more) {
        int chosen = co4_select(cases, 2);
        more = chosen >= 0;
        if ((more && !put(u, &l)) || !put_waiting(u))
            break;
        if (!more)
            co4_conn_printf(u->c, "* goodbye\n");
        if (co4_conn_flush(u->c) != 0)
            more = false;
    }
    co4_shutdown(co4_conn_fd(u->c), SHUT_RD); /* the task that reads sees the end */
    return 0;
}

/* ---- the task that reads ---- */

/* Passes over the rest of a line. */
static pausable bool skip_line(co4_conn *c)
{
    const char *in;
    ssize_t n;
    while ((n = co4_conn_peek(c, &in, 1)) > 0) {
        const char *end = memchr(in, '\n', (size_t)n);
        co4_conn_skip(c, end ? (size_t)(end - in) + 1 : (size_t)n);
        if (end)
            return true;
    }
    return false;
}

/* A line without its end. No byte of it controls a terminal. */
static void copy_line(char *to, const char *line, size_t size)
{
    while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r'))
        size--;
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)line[i] < ' ' || line[i] == 127 ? '?' : line[i];
    to[size] = '\0';
}

static pausable bool read_line(struct user *u, char *to)
{
    char *line;
    ssize_t n;
    while ((n = co4_conn_read_line(u->c, &line, LINE)) == -EMSGSIZE)
        if (!skip_line(u->c) || !reply(u, line_of(0, "! a line has at most %d bytes", LINE - 1)))
            return false;
    if (n <= 0)
        return false;
    copy_line(to, line, (size_t)n);
    return true;
}

static pausable bool who(const struct user *u)
{
    struct line l = line_of(0, "* here:");
    size_t size = strlen(l.text);
    pthread_mutex_lock(&lock);
    const struct user *other = users;
    for (; other && size + NAME + 8 < sizeof l.text; other = other->next)
        size += (size_t)snprintf(l.text + size, sizeof l.text - size, " %s", other->name);
    if (other)
        snprintf(l.text + size, sizeof l.text - size, " ...");
    pthread_mutex_unlock(&lock);
    return reply(u, l);
}

static pausable bool nick(struct user *u, const char *name)
{
    char before[NAME + 1];
    memcpy(before, u->name, sizeof before);
    if (!is_name(name))
        return reply(u, line_of(0, "! a name has 1 to %d letters, digits, _ and -", NAME));
    if (!rename_user(u, name))
        return reply(u, line_of(0, "! %s is taken", name));
    say(line_of(u->number, "* %s is now %s", before, name));
    return reply(u, line_of(0, "* you are now %s", name));
}

/* False: it was the last line. */
static pausable bool obey(struct user *u, const char *line)
{
    if (strncmp(line, "/nick ", 6) == 0)
        return nick(u, line + 6);
    if (strcmp(line, "/who") == 0)
        return who(u);
    if (strcmp(line, "/quit") == 0)
        return false;
    if (line[0] == '/')
        return reply(u, line_of(0, "! commands: /nick NAME, /who, /quit"));
    if (line[0] != '\0')
        say(line_of(u->number, "<%s> %s", u->name, line));
    return true;
}

static pausable void read_lines(struct user *u)
{
    char line[LINE + 1];
    say(line_of(u->number, "* %s joins", u->name));
    while (read_line(u, line) && obey(u, line))
        co4_yield(); /* a packet may have many lines: the writers get a turn */
    say(line_of(u->number, "* %s leaves", u->name));
}

/* The writer sends what waits, and goodbye. A user that does not take it is left. */
static pausable void end_writer(const struct user *u, co4_task *writer)
{
    co4_mailbox_close(u->replies);
    if (co4_task_join_until(writer, co4_now() + PATIENCE) != CO4_OK) {
        co4_task_cancel(writer, 0);
        co4_shutdown(co4_conn_fd(u->c), SHUT_RDWR);
    }
    co4_join(writer, NULL);
}

/* Before the task that writes begins: its first line may be that of another user. */
static pausable bool greet(const struct user *u)
{
    return co4_conn_printf(u->c, "* hello, %s\n", u->name) >= 0 && co4_conn_flush(u->c) == 0;
}

static pausable void chat(co4_conn *c)
{
    struct user u = { .c = c };
    if (enter(&u) && greet(&u)) {
        co4_task *writer = co4_spawn(write_lines(&u));
        if (writer) {
            read_lines(&u);
            end_writer(&u, writer);
        }
    }
    leave(&u);
}

/* ---- the program ---- */

static pausable int begin(void)
{
    news = co4_broadcast_create(sizeof(struct line));
    if (!news)
        fprintf(stderr, "out of memory\n");
    return news ? 0 : -1;
}

static pausable int end(void)
{
    co4_broadcast_destroy(news);
    return 0;
}

static int option(struct server *s, int argc, char **argv)
{
    int64_t n;
    if (argc < 2)
        return 0;
    if (strcmp(argv[0], "--unix") == 0)
        s->unix_path = argv[1];
    else if (strcmp(argv[0], "--queue") == 0 && server_number(argv[0], argv[1], 1, 1000000, &n))
        options.queue = (int)n;
    else if (strcmp(argv[0], "--slow") == 0 && strcmp(argv[1], "drop-messages") == 0)
        options.disconnects = false;
    else if (strcmp(argv[0], "--slow") != 0 || strcmp(argv[1], "disconnect") != 0)
        return 0;
    return 2;
}

int main(int argc, char **argv)
{
    struct server s = { .serve = chat, .begin = begin, .end = end };
    for (int i = 1, words; i < argc; i += words)
        if (!(words = server_option(&s, argc - i, argv + i)) &&
            !(words = option(&s, argc - i, argv + i)))
            return fprintf(stderr, "usage: chat [--port N] [--host A] [--workers N] [--unix PATH] "
                                   "[--queue N] [--slow drop-messages|disconnect]\n"),
                   2;
    return server_run(&s);
}
