/* read.c - see http.h: heads and bodies as they come. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../http.h"

#include "co4/time.h"

enum { NS_FOR_A_BYTE = 1000 * 1000 }; /* patience with a body: 1 KB a second */
enum { FIRST_PIECE = 4096 };          /* bytes of a body whose length is not known */
enum { BEFORE = 100 };                /* heads of 1xx before an answer */

/* ---- refusals ---- */

static void forget(struct co4__http *h)
{
    co4_conn_skip(h->c, h->used);
    h->used = 0;
}

static int give_up(struct co4__http *h, int code)
{
    h->closes = true;
    return h->code = co4__http_code(code);
}

static int refuse(struct co4__http *h, int status)
{
    if (!h->is_answer)
        h->status = status;
    return give_up(h, status == 413 || status == 414 || status == 431 ? CO4_HTTP_ETOOBIG
                      : status == 503                                 ? CO4_ENOMEM
                                                                      : CO4_HTTP_EMALFORMED);
}

/* A read has ended with this. */
static int lose(struct co4__http *h, ssize_t n)
{
    if (n == -EMSGSIZE)
        return refuse(h, 400);
    if (h->is_answer && (n == CO4_ETIMEDOUT || n == CO4_EBUSY || n == CO4_ECANCELED))
        return (int)n; /* a later call goes on */
    h->status = h->is_answer ? h->status : n == CO4_ETIMEDOUT ? 408 : 0;
    return give_up(h, n >= 0 ? CO4_HTTP_ETRUNCATED : (int)n);
}

/* ---- heads ---- */

/* Returns until when a wait lasts that begins now. */
static int64_t patience(const struct co4__http *h, int64_t now)
{
    int64_t most = h->is_answer ? h->limits->progress : h->patience;
    int64_t until = most > 0 || !h->is_answer ? now + most : CO4_NEVER;
    return h->is_answer && h->deadline < until ? h->deadline : until;
}

static void end_text(const struct co4__http *h, struct co4__http_span span)
{
    if (span.at || span.size)
        h->in[span.at + span.size] = '\0';
}

/* Of a head that is not whole, or wrong. */
static void forget_texts(struct co4__http *h)
{
    h->name = h->path = h->query = (struct co4__http_span){ 0, 0 };
    h->lines = 0;
}

/* The head has been parsed: a '\0' may stand behind its texts. */
static int accept_head(struct co4__http *h, int found)
{
    bool is_read_over = h->framing != CO4__HTTP_NO_BODY || h->upgrades || h->is_answer;
    if (found == CO4__HTTP_COMPLETE && is_read_over && !co4__http_keep_head(h))
        found = 503;
    if (found != CO4__HTTP_COMPLETE) {
        forget_texts(h);
        return refuse(h, found);
    }
    end_text(h, h->name);
    end_text(h, h->path);
    end_text(h, h->query);
    return CO4_OK;
}

pausable int co4__http_next(struct co4__http *h)
{
    const char *in;
    int found;
    int64_t deadline = 0;
    forget(h);
    co4__http_end(h);
    *h = (struct co4__http){ .c = h->c, .limits = h->limits };
    size_t held = co4_conn_buffered(h->c), need = held > 0 ? held : 1;
    for (;;) {
        ssize_t n = co4_conn_peek_until(h->c, &in, need,
                                        deadline   ? deadline
                                        : held > 0 ? CO4_NEVER /* it is there */
                                                   : co4_now() + h->limits->idle);
        if (n < (ssize_t)need) {
            h->status = n == CO4_ETIMEDOUT && held > 0 ? 408 : 0;
            forget_texts(h);
            give_up(h, n < 0 ? (int)n : CO4_HTTP_ETRUNCATED);
            return h->status ? -1 : 0;
        }
        held = (size_t)n;
        found = co4__http_parse(h, (char *)in, held);
        if (found != CO4__HTTP_INCOMPLETE)
            return accept_head(h, found) == CO4_OK ? 1 : -1;
        need = held + 1;
        if (!deadline)
            deadline = co4_now() + h->limits->progress;
    }
}

pausable int co4__http_read_answer(struct co4__http *h)
{
    const char *in;
    size_t need = 1;
    int before = 0; /* heads of 1xx */
    int64_t deadline = patience(h, co4_now());
    for (;;) {
        ssize_t n = co4_conn_peek_until(h->c, &in, need, deadline);
        if (n < (ssize_t)need)
            return need == 1 && (n == 0 || n == -ECONNRESET || n == -EPIPE)
                       ? give_up(h, CO4_ECLOSED)
                       : lose(h, n);
        int found = co4__http_parse(h, (char *)in, (size_t)n);
        if (found == CO4__HTTP_INCOMPLETE) {
            need = (size_t)n + 1;
        } else if (found == CO4__HTTP_COMPLETE && h->status < 200 && h->status != 101) {
            if (++before > BEFORE)
                return refuse(h, 431);
            *h = (struct co4__http){ .c = h->c,
                                     .limits = h->limits,
                                     .is_answer = true,
                                     .method = h->method,
                                     .framing = CO4__HTTP_TO_END, /* the answer has not come */
                                     .deadline = h->deadline,
                                     .used = h->used };
            forget(h);
            need = 1;
        } else {
            return accept_head(h, found);
        }
    }
}

/* ---- bodies ---- */

/* A wait has ended. Each byte gives some patience back. */
static void has_waited(struct co4__http *h, int64_t since, size_t bytes)
{
    int64_t most = h->limits->progress;
    h->patience -= co4_now() - since;
    h->patience += (int64_t)bytes * NS_FOR_A_BYTE;
    if (h->patience > most)
        h->patience = most;
}

static pausable ssize_t look(struct co4__http *h, const char **in, size_t at_least)
{
    size_t held = co4_conn_buffered(h->c);
    int64_t now = held >= at_least ? 0 : co4_now();
    ssize_t n = co4_conn_peek_until(h->c, in, at_least, patience(h, now));
    if (n < (ssize_t)at_least)
        return n == 0 && h->framing == CO4__HTTP_TO_END ? 0 : lose(h, n);
    if (now)
        has_waited(h, now, (size_t)n - held);
    return n;
}

/* Reads a line. Returns its size without the end of the line. */
static pausable ssize_t read_line(struct co4__http *h, char **line, size_t max)
{
    int64_t now = co4_now();
    ssize_t n = co4_conn_read_line_until(h->c, line, max, patience(h, now));
    if (n <= 0 || (*line)[n - 1] != '\n')
        return lose(h, n);
    has_waited(h, now, (size_t)n);
    if (n > 1 && (*line)[n - 2] == '\r')
        return n - 2;
    return h->is_answer ? n - 1 : refuse(h, 400);
}

/* The fields behind the last chunk mean nothing here, but have to be fields. */
static pausable int read_trailer(struct co4__http *h)
{
    char *line;
    ssize_t n;
    while ((n = read_line(h, &line, h->limits->field)) > 0) {
        const char *value;
        size_t size;
        h->extra += (uint32_t)n;
        if (h->extra > h->limits->extra)
            return refuse(h, 431);
        if (co4__http_split(line, (size_t)n, &value, &size) == 0)
            return refuse(h, 400);
    }
    if (n == 0)
        h->framing = CO4__HTTP_NO_BODY;
    return (int)n;
}

/* Reads up to the bytes of the next chunk, or to the end of the body. */
static pausable int read_chunk(struct co4__http *h)
{
    char *line;
    ssize_t n = 0;
    if (h->chunk == CO4__HTTP_BYTES_END) {
        n = read_line(h, &line, 2);
        if (n != 0)
            return n < 0 ? (int)n : refuse(h, 400);
        h->chunk = CO4__HTTP_SIZE;
    }
    if (h->chunk == CO4__HTTP_SIZE) {
        n = read_line(h, &line, h->limits->chunk);
        if (n < 0)
            return (int)n;
        int found = co4__http_parse_chunk(h, line, (size_t)n);
        if (found != CO4__HTTP_COMPLETE)
            return refuse(h, found);
        h->chunk = h->left > 0 ? CO4__HTTP_BYTES : CO4__HTTP_TRAILER;
    }
    return h->chunk == CO4__HTTP_TRAILER ? read_trailer(h) : CO4_OK;
}

pausable ssize_t co4__http_read(struct co4__http *h, const char **data)
{
    h->begun = true;
    if (h->code != CO4_OK)
        return h->code;
    if (h->framing == CO4__HTTP_NO_BODY)
        return 0; /* the texts of a head without a body are in the input */
    forget(h);
    if (h->patience == 0)
        h->patience = h->limits->progress;
    if (h->expects && co4_conn_buffered(h->c) == 0)
        co4_conn_put(h->c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    h->expects = false;
    if (h->framing == CO4__HTTP_CHUNKED && h->chunk != CO4__HTTP_BYTES) {
        int err = read_chunk(h);
        if (err != CO4_OK || h->framing == CO4__HTTP_NO_BODY)
            return err;
    }
    ssize_t n = look(h, data, 1);
    if (n <= 0) {
        if (n == 0)
            h->framing = CO4__HTTP_NO_BODY;
        return n;
    }
    if (h->framing != CO4__HTTP_TO_END) {
        if (n > h->left)
            n = (ssize_t)h->left;
        h->left -= n;
        if (h->left == 0 && h->framing == CO4__HTTP_LENGTH)
            h->framing = CO4__HTTP_NO_BODY;
        else if (h->left == 0)
            h->chunk = CO4__HTTP_BYTES_END;
    }
    h->used = (size_t)n;
    return n;
}

/* The room doubles, so that each byte is copied a few times at most. */
static bool make_room(struct co4__http_kept **k, size_t *room, size_t needed)
{
    size_t size = *room;
    if (needed <= size)
        return true;
    while (size < needed)
        size *= 2;
    struct co4__http_kept *moved = realloc(*k, sizeof *moved + size);
    if (!moved)
        return false;
    *k = moved;
    *room = size;
    return true;
}

static void free_kept(struct co4__http_kept **k)
{
    free(*k);
}

pausable ssize_t co4__http_read_all(struct co4__http *h, char **text, size_t max)
{
    const char *data;
    size_t held = 0, room = FIRST_PIECE;
    ssize_t n;
    if (h->framing == CO4__HTTP_LENGTH) {
        if ((uint64_t)h->left > max)
            return refuse(h, 413);
        room = (size_t)h->left + 1;
    }
    __attribute__((cleanup(free_kept))) struct co4__http_kept *k = malloc(sizeof *k + room);
    if (!k)
        return refuse(h, 503);
    while ((n = co4__http_read(h, &data)) > 0) {
        if ((size_t)n > max - held)
            return refuse(h, 413);
        if (!make_room(&k, &room, held + (size_t)n + 1))
            return refuse(h, 503);
        memcpy(k->bytes + held, data, (size_t)n);
        held += (size_t)n;
    }
    if (n < 0)
        return held > 0 ? give_up(h, (int)n) : n; /* a later call would return the rest alone */
    k->bytes[held] = '\0';
    *text = k->bytes;
    k->next = h->kept;
    h->kept = k;
    k = NULL;
    return (ssize_t)held;
}

pausable bool co4__http_drain(struct co4__http *h)
{
    const char *data;
    ssize_t n;
    size_t bytes = 0;
    if (h->closes || h->expects) /* a peer that waits for "100 Continue" may send the body or not */
        return false;
    while ((n = co4__http_read(h, &data)) > 0)
        if ((bytes += (size_t)n) > CO4__HTTP_DRAINED)
            return false;
    return n == 0;
}
