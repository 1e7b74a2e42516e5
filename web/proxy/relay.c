/* relay.c - see proxy.h: one WebSocket and one connection, until one of them ends.
 *
 * Three tasks: one receives from the page and never waits for the server, so that it sees credit
 * and ends while the server takes nothing; one writes to the server; one reads from the server.
 *
 * The page may have `window` bytes on their way to the server, and learns by "took N" what the
 * server has taken. The page gives credit by "take N", and no byte is read from the server without
 * it. So neither side can fill this program's memory.
 *
 * A page that ends its WebSocket with the status 1000 has closed its socket: what it has sent goes
 * to the server first. A WebSocket that is cut, or ends with another status, resets the connection:
 * the server must not take half a stream for a whole one.
 *
 * Rejected: one task for both ways to the server. A page that waits for room, and a server that
 * waits for its output to be read, would wait for each other. */
#include <co4/group.h>
#include <co4/io.h>
#include <co4/sync.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy.h"

enum { PIECE = 32 << 10 };    /* after so many bytes the page learns that they were taken */
enum { LINGER_SECONDS = 60 }; /* for the last bytes of a page that has closed */
#define MOST_CREDIT (INT64_C(1) << 40)

struct relay {
    const struct proxy *p;
    co4_websocket *ws;
    co4_conn *server;

    /* Bytes from the page that are not written yet. */
    char *bytes;
    size_t held, room;
    size_t used;      /* of the window: those, and those that are being written */
    co4_sem has_more; /* bytes, or their end */
    bool ended;       /* the page sends no more */
    bool closed;      /* the page has closed its socket */
    bool broken;      /* the server takes no more */

    int64_t credit; /* bytes that the page takes */
    co4_sem has_credit;

    bool output_over, input_over;
    bool resets; /* the server is to see a reset */
    int64_t heard;
    struct ending ending;
};

/* ---- the protocol's words ---- */

const char *relay_code(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        { -ECONNREFUSED, "ECONNREFUSED" },
        { -ECONNRESET, "ECONNRESET" },
        { -EPIPE, "EPIPE" },
        { -ETIMEDOUT, "ETIMEDOUT" },
        { CO4_ETIMEDOUT, "ETIMEDOUT" },
        { -EHOSTUNREACH, "EHOSTUNREACH" },
        { -ENETUNREACH, "ENETUNREACH" },
        { -ENETDOWN, "ENETDOWN" },
        { -EACCES, "EACCES" },
        { -EPERM, "EPERM" },
        { -EADDRNOTAVAIL, "EADDRNOTAVAIL" },
        { -EAFNOSUPPORT, "EAFNOSUPPORT" },
        { -ENOENT, "ENOENT" },
        { -EPROTOTYPE, "EPROTOTYPE" },
        { -EINVAL, "EINVAL" },
        { CO4_EINVAL, "EINVAL" },
        { -EMFILE, "EMFILE" },
        { -ENFILE, "ENFILE" },
        { -ENOBUFS, "ENOBUFS" },
        { CO4_ENOMEM, "ENOMEM" },
        { -ENOTDIR, "ENOTDIR" },
        { -ENAMETOOLONG, "ENAMETOOLONG" },
        { -EAGAIN, "EAGAIN" },
        { -ECONNABORTED, "ECONNABORTED" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return "EIO";
}

static pausable int say(struct relay *r, const char *word, const char *code)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s%s%s", word, *code ? " " : "", code);
    return co4_websocket_send(r->ws, CO4_WEBSOCKET_TEXT, text, (size_t)n);
}

/* Returns a code that ends the relay. */
static int end_with(struct relay *r, int status, const char *reason)
{
    r->ending.status = status;
    snprintf(r->ending.reason, sizeof r->ending.reason, "%s", reason);
    return CO4_ECLOSED;
}

/* Both directions are over: nothing can follow. */
static int end_if_over(struct relay *r)
{
    return r->input_over && r->output_over ? end_with(r, STATUS_OK, "") : CO4_OK;
}

static int breach(struct relay *r, const char *reason)
{
    r->resets = true;
    return end_with(r, STATUS_REQUEST, reason);
}

/* One task waits, and finds all that has changed. */
static void wake(co4_sem *sem)
{
    if (co4_sem_permits(sem) == 0)
        co4_sem_release(sem);
}

/* ---- from the page ---- */

static int make_room(struct relay *r, size_t bytes)
{
    size_t room = r->room > 0 ? r->room : 1024;
    while (room < r->held + bytes)
        room *= 2;
    char *grown = room > r->room ? realloc(r->bytes, room) : r->bytes;
    if (!grown)
        return CO4_ENOMEM;
    r->bytes = grown;
    r->room = room;
    return CO4_OK;
}

static int take_bytes(struct relay *r, const co4_websocket_message *m)
{
    if (r->ended)
        return breach(r, "bytes after the end");
    if (m->bytes > r->p->window - r->used)
        return breach(r, "more bytes than the window has");
    if (r->broken || m->bytes == 0)
        return CO4_OK; /* the page knows, or will know, that they are lost */
    if (make_room(r, m->bytes) != CO4_OK)
        return CO4_ENOMEM;
    memcpy(r->bytes + r->held, m->data, m->bytes);
    r->held += m->bytes;
    r->used += m->bytes;
    wake(&r->has_more);
    return CO4_OK;
}

static int take_credit(struct relay *r, const char *number)
{
    char *end;
    long long n = strtoll(number, &end, 10);
    if (*number < '0' || *number > '9' || *end != '\0' || n > MOST_CREDIT - r->credit)
        return breach(r, "a credit that makes no sense");
    r->credit += n;
    wake(&r->has_credit);
    return CO4_OK;
}

static int obey(struct relay *r, const co4_websocket_message *m)
{
    bool is_text = strlen(m->data) == m->bytes; /* no NUL is in it */
    if (is_text && strncmp(m->data, "take ", 5) == 0)
        return take_credit(r, m->data + 5);
    if (is_text && strcmp(m->data, "end") == 0) {
        r->ended = true;
        wake(&r->has_more);
        return CO4_OK;
    }
    if (!is_text || strcmp(m->data, "reset") != 0)
        return breach(r, "a word that this proxy does not know");
    r->resets = true;
    return end_with(r, STATUS_OK, "");
}

/* The time without a byte counts in both directions. */
static pausable int receive(struct relay *r, co4_websocket_message *m)
{
    for (;;) {
        int64_t until = r->p->idle > 0 ? r->heard + r->p->idle : CO4_NEVER;
        int err = co4_websocket_receive_until(r->ws, m, until);
        if (err == CO4_OK)
            r->heard = co4_now();
        if (err != CO4_ETIMEDOUT || co4_now() < until)
            return err;
        if (r->heard + r->p->idle <= co4_now())
            return end_with(r, STATUS_IDLE, "no byte for too long");
    }
}

/* What the page has sent before it closed goes to the server, for a while. */
static pausable int close_gently(struct relay *r)
{
    r->ended = r->closed = true;
    wake(&r->has_more);
    int err = co4_sleep(LINGER_SECONDS * CO4_SEC); /* ended by the task that writes */
    r->resets = err == CO4_OK;
    return err == CO4_OK ? CO4_ETIMEDOUT : err;
}

static pausable int from_page(struct relay *r)
{
    co4_websocket_message m;
    int err;
    while ((err = receive(r, &m)) == CO4_OK) {
        err = m.kind == CO4_WEBSOCKET_BINARY ? take_bytes(r, &m) : obey(r, &m);
        if (err != CO4_OK)
            return err;
    }
    if (err == CO4_ECLOSED && co4_websocket_status(r->ws) == STATUS_OK && !r->broken)
        return close_gently(r);
    r->resets = r->resets || r->ending.status != STATUS_OK;
    return err;
}

/* ---- to the server ---- */

static void free_bytes(char **bytes)
{
    free(*bytes);
}

static pausable int write_all(struct relay *r)
{
    __attribute__((cleanup(free_bytes))) char *bytes = r->bytes;
    size_t all = r->held, done = 0;
    r->bytes = NULL;
    r->held = r->room = 0;
    while (done < all) {
        char number[24];
        size_t n = all - done < PIECE ? all - done : PIECE;
        ssize_t written = co4_conn_write(r->server, bytes + done, n);
        int err = written < 0 ? (int)written : co4_conn_flush(r->server);
        if (err != CO4_OK)
            return err;
        done += n;
        r->used -= n;
        snprintf(number, sizeof number, "%zu", n);
        if (!r->closed)
            say(r, "took", number);
    }
    return CO4_OK;
}

static pausable int write_until_end(struct relay *r)
{
    int err = CO4_OK;
    while (err == CO4_OK && (r->held > 0 || !r->ended))
        err = r->held > 0 ? write_all(r) : co4_sem_acquire(&r->has_more);
    return err == CO4_OK ? co4_conn_end(r->server) : err;
}

static pausable int to_server(struct relay *r)
{
    int err = write_until_end(r);
    if (err == CO4_ECANCELED || err == CO4_ENOMEM)
        return err;
    if (r->closed)
        return end_with(r, STATUS_OK, "");
    if (err != CO4_OK) {
        r->broken = true;
        say(r, "broken", relay_code(err));
    }
    r->output_over = true;
    return end_if_over(r);
}

/* ---- from the server ---- */

static pausable int pass_on(struct relay *r, const char *data, size_t bytes)
{
    while (r->credit == 0) {
        int err = co4_sem_acquire(&r->has_credit);
        if (err != CO4_OK)
            return err;
    }
    size_t n = (int64_t)bytes < r->credit ? bytes : (size_t)r->credit;
    r->credit -= (int64_t)n;
    int err = co4_websocket_send(r->ws, CO4_WEBSOCKET_BINARY, data, n);
    co4_conn_skip(r->server, n);
    return err;
}

static pausable int from_server(struct relay *r)
{
    const char *data;
    ssize_t n;
    while ((n = co4_conn_peek(r->server, &data, 1)) > 0) {
        r->heard = co4_now();
        if (pass_on(r, data, (size_t)n) != CO4_OK)
            return CO4_OK; /* the task that receives sees the end of the page */
    }
    if (n == CO4_ECANCELED)
        return (int)n;
    r->input_over = true;
    if (n == 0) {
        say(r, "end", "");
        return end_if_over(r);
    }
    say(r, "reset", relay_code((int)n));
    return end_with(r, STATUS_OK, "");
}

/* ---- both ---- */

static pausable int relay_all(struct relay *r)
{
    int err = co4_scope_spawn(co4_scope_here(), to_server(r));
    if (err == CO4_OK)
        err = co4_scope_spawn(co4_scope_here(), from_server(r));
    return err == CO4_OK ? from_page(r) : err;
}

static void free_relay(struct relay *r)
{
    static const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
    if (r->resets) /* on a Unix socket it does nothing: bytes that are unread reset that one */
        co4_setsockopt(co4_conn_fd(r->server), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    co4_conn_destroy(r->server);
    free(r->bytes);
}

pausable struct ending relay(const struct proxy *p, co4_websocket *ws, co4_conn *server)
{
    __attribute__((cleanup(free_relay))) struct relay r = { .p = p, .ws = ws, .server = server };
    r.heard = co4_now();
    r.resets = false;
    co4_scope_run(0, relay_all(&r));
    return r.ending;
}
