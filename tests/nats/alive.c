/* alive.c - what a watch of a remote actor makes of what those that serve the name say of
 * themselves: they are the test's. */
#include <co4.h>
#include <co4/nats_remote.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define SOON (co4_now() + 20 * CO4_SEC)

static void show(const char *what, int code)
{
    printf("%s: %s\n", what, co4_strerror(code));
}

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .wait = 20 * CO4_MS };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

struct scene {
    co4_nats *c, *d;
    co4_remote_watcher *w;
    int state;
};

/* One of them says that it is there, or that it has ended with a code. */
static pausable void say(struct scene *s, const char *id, int code)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s %d 1 %d %d", id, ++s->state, code ? -1 : 1, code);
    int err = co4_nats_publish(s->d, "co4.alive.a", text, (size_t)n, SOON);
    if (err == CO4_OK)
        err = co4_nats_flush(s->d, SOON);
    if (err != CO4_OK)
        show("say", err);
}

static pausable void show_event(struct scene *s)
{
    co4_remote_event e;
    int err = co4_mailbox_receive_until(co4_remote_events(s->w), &e, SOON);
    if (err == CO4_OK)
        printf("%s, %d\n", e.up ? "up" : "down", e.code);
    else
        show("event", err);
}

static pausable void begin(struct scene *s, const char *url, int64_t silence)
{
    co4_nats_subscription *who;
    co4_nats_message *m;
    *s = (struct scene){ .c = open_one(url), .d = open_one(url) };
    const co4_remote a = { s->c, "a" };
    int err = co4_nats_subscribe(&who, s->d, "co4.alive.a.who", NULL, 0, 0, SOON);
    if (err == CO4_OK)
        err = co4_nats_flush(s->d, SOON);
    if (err == CO4_OK)
        err = co4_remote_watch(&s->w, &a, silence, SOON);
    show("watch", err);
    show("it asks who is there", co4_nats_next(who, &m, SOON));
    co4_nats_message_destroy(m);
    co4_nats_unsubscribe(who);
    show("flush", co4_nats_flush(s->c, SOON));
}

static pausable void end(struct scene *s)
{
    co4_remote_watcher_destroy(s->w);
    show("close", co4_nats_close(s->c, SOON));
    show("close", co4_nats_close(s->d, SOON));
}

static pausable void ends(const char *url)
{
    struct scene s;
    begin(&s, url, 60 * CO4_SEC);
    say(&s, "one", 0);
    show_event(&s);
    say(&s, "one", -77);
    show_event(&s);
    /* The other one ends first. */
    say(&s, "one", 0);
    show_event(&s);
    say(&s, "two", 0);
    say(&s, "two", -1);
    say(&s, "one", -78);
    show_event(&s);
    /* The other one takes its place. */
    say(&s, "one", 0);
    show_event(&s);
    say(&s, "two", 0);
    say(&s, "one", -79);
    say(&s, "two", -80);
    show_event(&s);
    end(&s);
}

/* The other one has been silent for too long to take its place. */
static pausable void silent(const char *url)
{
    struct scene s;
    begin(&s, url, CO4_SEC);
    say(&s, "one", 0);
    show_event(&s);
    say(&s, "two", 0);
    for (int i = 0; i < 6; i++) {
        co4_sleep(200 * CO4_MS);
        say(&s, "one", 0);
    }
    say(&s, "one", -81);
    show_event(&s);
    say(&s, "one", 0);
    show_event(&s);
    show_event(&s); /* silence */
    end(&s);
}

/* The own connection is lost meanwhile. */
static pausable void lost(struct server *server)
{
    struct scene s;
    begin(&s, server->url, CO4_SEC);
    say(&s, "one", 0);
    show_event(&s);
    server_kill(server, SIGKILL);
    show_event(&s);
    server_start(server);
    end(&s);
}

static pausable int all(struct server *server)
{
    ends(server->url);
    silent(server->url);
    lost(server);
    return 0;
}

int main(void)
{
    struct server server = { .without_streams = true };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
