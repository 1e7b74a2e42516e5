/* liar.h - a server of the test's own, for one client at a time, that says what it is told to. */
#ifndef LIAR_H
#define LIAR_H

#include <co4/io.h>
#include <co4/net.h>

#include "program.h"

struct liar {
    int listening, fd;
    char url[64], info[300];
    co4_conn *conn;
};

static inline pausable void liar_begin(struct liar *l, const char *info)
{
    l->listening = co4_tcp_listen("127.0.0.1", "0", 0);
    snprintf(l->url, sizeof l->url, "127.0.0.1:%d", co4_socket_port(l->listening));
    snprintf(l->info, sizeof l->info, "INFO %s\r\n", info);
}

/* Waits for a line that begins so, and copies it. */
static inline pausable bool heard(struct liar *l, const char *begin, char *to, size_t room)
{
    char *line;
    while (co4_conn_read_line_until(l->conn, &line, 10000, SOON) > 0)
        if (strncmp(line, begin, strlen(begin)) == 0) {
            snprintf(to, room, "%s", line);
            return true;
        }
    return false;
}

static inline pausable void say(struct liar *l, const char *text)
{
    co4_conn_write(l->conn, text, strlen(text));
    co4_conn_flush(l->conn);
}

/* Lets a client in, and keeps its CONNECT. */
static inline pausable void let_in(struct liar *l, char *line, size_t room)
{
    char text[16];
    l->conn = NULL;
    int fd = co4_accept(l->listening, NULL, NULL);
    if (fd < 0)
        return; /* it is cancelled */
    l->conn = co4_conn_create(fd);
    say(l, l->info);
    heard(l, "CONNECT", line, room);
    heard(l, "PING", text, sizeof text);
    say(l, "PONG\r\n");
}

static inline void hang_up(struct liar *l)
{
    co4_conn_destroy(l->conn);
    l->conn = NULL;
}

static inline pausable co4_nats *open_one(const char *url, const co4_nats_options *options)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = options ? *options : (co4_nats_options){ .wait = 20 * CO4_MS };
    o.servers = urls;
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

#endif
