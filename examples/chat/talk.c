/* talk.c - a room in which processes talk, on one machine or many.
 *
 *     talk --room tea --name ann            lines of the keyboard are said
 *     talk --room tea --name bob --nats nats://host:4222
 *
 *     /who  who is here     /to NAME TEXT  for one alone     /quit
 *
 * Lines are in a stream: who comes later sees the last ones, and nobody misses one while the server
 * is started again. What is said then waits. A line for one alone is a request, which its receiver
 * answers: the sender learns whether it has come. */
#include <co4.h>
#include <co4/conn.h>
#include <co4/nats_stream.h>
#include <co4/time.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, NAME = 32, SUBJECT = 128, SHOWN = 20 };
#define SOON (co4_now() + 5 * CO4_SEC)

struct talk {
    const char *url, *room, *name;
    co4_nats *c;
    unsigned long long line; /* of those said */
};

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n < NAME && text[n] == '\0';
}

static const char *subject_of(const struct talk *t, const char *what, const char *name, char *text)
{
    snprintf(text, SUBJECT, "talk.%s.%s%s%s", t->room, what, name ? "." : "", name ? name : "");
    return text;
}

/* Prints a text of others. No byte of it controls a terminal. */
static void print(const char *from, const char *text, size_t size)
{
    char line[LINE + 1];
    size_t n = size < LINE ? size : LINE;
    for (size_t i = 0; i < n; i++)
        line[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    printf("%s%.*s\n", from, (int)n, line);
    fflush(stdout);
}

static void tell(const char *what, int err)
{
    printf("* %s: %s\n", what, co4_strerror(err));
    fflush(stdout);
}

/* Whether the server may answer later. */
static bool may_pass(int err)
{
    return err == CO4_ETIMEDOUT || err == CO4_NATS_EDISCONNECTED || err == CO4_NATS_ENORESPONDERS ||
           err == CO4_NATS_ENOSTORE;
}

/* ---- what others say ---- */

static pausable int make_stream(struct talk *t)
{
    char name[SUBJECT], lines[SUBJECT];
    const char *subjects[] = { subject_of(t, "lines", NULL, lines), NULL };
    snprintf(name, sizeof name, "TALK_%s", t->room);
    return co4_nats_stream_create(
        t->c,
        &(co4_nats_stream_options){ .name = name, .subjects = subjects, .max_messages = 10000 },
        SOON);
}

/* The number of the first line to show. */
static pausable int find_first(struct talk *t, uint64_t *first)
{
    char name[SUBJECT];
    co4_nats_stream_state state;
    snprintf(name, sizeof name, "TALK_%s", t->room);
    int err = co4_nats_stream_look(t->c, name, &state, SOON);
    *first = err == CO4_OK && state.last > SHOWN ? state.last - SHOWN + 1 : 1;
    return err;
}

static pausable int hear_lines(struct talk *t)
{
    char name[SUBJECT];
    uint64_t first;
    co4_nats_follower *lines = NULL;
    co4_nats_message *m;
    int err = find_first(t, &first);
    snprintf(name, sizeof name, "TALK_%s", t->room);
    if (err == CO4_OK)
        err = co4_nats_follow(&lines, t->c, name, NULL, CO4_NATS_FROM_NUMBER, first, SOON);
    while (err == CO4_OK && (err = co4_nats_follow_next(lines, &m, CO4_NEVER)) == CO4_OK) {
        print("", m->data, m->size);
        co4_nats_message_destroy(m);
    }
    co4_nats_follower_destroy(lines);
    if (err != CO4_ECANCELED && err != CO4_ECLOSED)
        tell("lines", err);
    return err;
}

/* Answers those who look for this name, and prints what is for it alone. */
static pausable int hear_requests(struct talk *t, co4_nats_subscription *s)
{
    co4_nats_message *m;
    int err;
    while ((err = co4_nats_next(s, &m, CO4_NEVER)) == CO4_OK) {
        if (m->size > 0)
            print("(to you) ", m->data, m->size);
        co4_nats_respond(t->c, m, t->name, strlen(t->name), SOON);
        co4_nats_message_destroy(m);
    }
    return err;
}

static pausable int hear_connection(struct talk *t)
{
    co4_nats_event e;
    while (co4_mailbox_receive(co4_nats_monitor(t->c), &e) == CO4_OK)
        if (e.kind == CO4_NATS_DISCONNECTED || e.kind == CO4_NATS_RECONNECTED) {
            puts(e.kind == CO4_NATS_DISCONNECTED ? "* the server is gone" : "* the server is back");
            fflush(stdout);
        }
    return CO4_OK;
}

/* ---- what is said here ---- */

/* The id: a line that is sent again, as the answer was lost, is stored once. */
static pausable void say(struct talk *t, const char *text)
{
    char subject[SUBJECT], id[SUBJECT], line[LINE + NAME + 8];
    int err, n = snprintf(line, sizeof line, "<%s> %s", t->name, text);
    snprintf(id, sizeof id, "%s.%lld.%llu", t->name, (long long)co4_now(), ++t->line);
    co4_nats_outgoing m = { .subject = subject_of(t, "lines", NULL, subject),
                            .data = line,
                            .size = (size_t)n };
    while (may_pass(err = co4_nats_store(t->c, &m, &(co4_nats_expected){ .id = id }, NULL, SOON)))
        if (co4_sleep(CO4_SEC / 5) != CO4_OK)
            return;
    if (err != CO4_OK)
        tell("that was not said", err);
}

static pausable void say_to(struct talk *t, char *name)
{
    char subject[SUBJECT], line[LINE + NAME + 8], *text = strchr(name, ' ');
    co4_nats_message *reply;
    if (text)
        *text++ = '\0';
    if (!text || !is_name(name)) {
        printf("* /to NAME TEXT\n");
        return;
    }
    int n = snprintf(line, sizeof line, "<%s> %s", t->name, text);
    int err = co4_nats_request(t->c, subject_of(t, "user", name, subject), line, (size_t)n, &reply,
                               SOON);
    if (err == CO4_OK)
        co4_nats_message_destroy(reply);
    if (err == CO4_NATS_ENORESPONDERS)
        printf("* nobody here is called %s\n", name);
    else if (err != CO4_OK)
        tell(name, err); /* it may have come */
}

/* Asks all, and prints who answers in a while. */
static pausable void who(struct talk *t)
{
    char subject[SUBJECT], reply[SUBJECT], word[40];
    co4_nats_subscription *answers;
    co4_nats_message *m;
    snprintf(word, sizeof word, "%llx", (unsigned long long)co4_now());
    int err = co4_nats_subscribe(&answers, t->c, subject_of(t, t->name, word, reply), NULL, 0,
                                 CO4_NATS_DROP_NEWEST, SOON);
    if (err == CO4_OK) {
        co4_nats_outgoing question = { .subject = subject_of(t, "who", NULL, subject),
                                       .reply = reply };
        int64_t deadline = co4_now() + CO4_SEC / 2;
        err = co4_nats_send(t->c, &question, deadline);
        while (err == CO4_OK && (err = co4_nats_next(answers, &m, deadline)) == CO4_OK) {
            print("* here: ", m->data, m->size);
            co4_nats_message_destroy(m);
        }
        co4_nats_unsubscribe(answers);
    }
    if (err != CO4_OK && err != CO4_ETIMEDOUT)
        tell("who", err);
}

/* False: it was the last line. */
static pausable bool obey(struct talk *t, char *line)
{
    if (strncmp(line, "/to ", 4) == 0)
        say_to(t, line + 4);
    else if (strcmp(line, "/who") == 0)
        who(t);
    else if (strcmp(line, "/quit") == 0)
        return false;
    else if (line[0] == '/')
        printf("* commands: /who, /to NAME TEXT, /quit\n");
    else if (line[0] != '\0')
        say(t, line);
    fflush(stdout);
    return true;
}

static pausable int read_lines(struct talk *t)
{
    char *line;
    ssize_t n;
    co4_conn *keyboard = co4_conn_create(0);
    if (!keyboard)
        return CO4_ENOMEM;
    while ((n = co4_conn_read_line(keyboard, &line, LINE)) > 0) {
        line[line[n - 1] == '\n' ? n - 1 : n] = '\0';
        if (!obey(t, line))
            break;
    }
    if (n < 0)
        printf("* %s\n",
               n == -EMSGSIZE ? "a line of that length is not said" : co4_strerror((int)n));
    co4_conn_destroy(keyboard);
    return CO4_OK;
}

/* ---- the program ---- */

/* Whether somebody else has the name. */
static pausable bool is_taken(struct talk *t)
{
    char subject[SUBJECT];
    co4_nats_message *reply;
    int err = co4_nats_request(t->c, subject_of(t, "user", t->name, subject), "", 0, &reply, SOON);
    if (err == CO4_OK)
        co4_nats_message_destroy(reply);
    if (err != CO4_NATS_ENORESPONDERS)
        fprintf(stderr, "talk: %s: %s\n", t->name,
                err == CO4_OK ? "somebody has this name" : co4_strerror(err));
    return err != CO4_NATS_ENORESPONDERS;
}

static pausable int talk_with(struct talk *t, co4_nats_subscription *mine,
                              co4_nats_subscription *all)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, hear_connection(t));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, hear_requests(t, mine));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, hear_requests(t, all));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, hear_lines(t));
    if (err == CO4_OK)
        err = read_lines(t);
    co4_scope_cancel(scope, 0);
    return err;
}

static pausable int subscribe(struct talk *t, const char *what, const char *name,
                              co4_nats_subscription **s)
{
    char subject[SUBJECT];
    return co4_nats_subscribe(s, t->c, subject_of(t, what, name, subject), NULL, 0,
                              CO4_NATS_DROP_NEWEST, SOON);
}

static pausable int talk(struct talk *t)
{
    const char *urls[] = { t->url, NULL };
    co4_nats_subscription *mine = NULL, *all = NULL;
    co4_nats_options o = { .servers = urls, .name = t->name, .wait = CO4_SEC / 5 };
    int err = co4_nats_connect(&t->c, &o, SOON);
    if (err != CO4_OK) {
        fprintf(stderr, "talk: %s: %s\n", t->url, co4_strerror(err));
        return 1;
    }
    bool taken = is_taken(t);
    if (!taken) {
        err = make_stream(t);
        if (err == CO4_OK)
            err = subscribe(t, "user", t->name, &mine);
        if (err == CO4_OK)
            err = subscribe(t, "who", NULL, &all);
        if (err == CO4_OK)
            err = co4_scope_run(0, talk_with(t, mine, all));
        co4_nats_unsubscribe(mine);
        co4_nats_unsubscribe(all);
        if (err != CO4_OK && err != CO4_ECANCELED)
            fprintf(stderr, "talk: %s\n", co4_strerror(err));
    }
    co4_nats_close(t->c, SOON);
    return taken || (err != CO4_OK && err != CO4_ECANCELED);
}

int main(int argc, char **argv)
{
    struct talk t = { .url = "nats://127.0.0.1:4222", .room = "lobby" };
    bool good = argc % 2 == 1;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--nats") == 0)
            t.url = argv[i + 1];
        else if (strcmp(argv[i], "--room") == 0 && is_name(argv[i + 1]))
            t.room = argv[i + 1];
        else if (strcmp(argv[i], "--name") == 0 && is_name(argv[i + 1]))
            t.name = argv[i + 1];
        else
            good = false;
    if (!good || !t.name)
        return fprintf(stderr, "usage: talk --name NAME [--room NAME] [--nats URL]\n"), 2;
    return co4_run(talk(&t));
}
