/* answer.c - answers whose calls may wait for the peer to take them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../call.h"

#include "co4/time.h"

enum { RELIEVED = 12 << 10 }; /* bytes of output, from which on it is sent */

static int lose(co4_http_call *call, int code)
{
    call->h.closes = true;
    call->h.code = call->h.code ? call->h.code : code;
    return code;
}

static int64_t deadline(const co4_http_call *call)
{
    return co4_now() + call->h.limits->progress;
}

pausable int co4__http_relieve(co4_http_call *call)
{
    if (co4_conn_unsent(call->h.c) < RELIEVED)
        return CO4_OK;
    int err = co4_conn_flush_until(call->h.c, deadline(call));
    return err == CO4_OK ? CO4_OK : lose(call, err);
}

pausable int co4_http_flush(co4_http_call *call)
{
    if (!call)
        return CO4_EINVAL;
    int err = co4_conn_flush_until(call->h.c, deadline(call));
    return err == CO4_OK ? CO4_OK : lose(call, err);
}

/* A large piece is sent from where it is, as long as the peer takes enough of it. */
static pausable int write_large(co4_http_call *call, const void *data, size_t bytes)
{
    char frame[24];
    if (call->chunked)
        co4_conn_put(call->h.c, frame, (size_t)snprintf(frame, sizeof frame, "%zx\r\n", bytes));
    for (size_t done = 0; done < bytes;) {
        ssize_t n = co4_conn_write_until(call->h.c, (const char *)data + done, bytes - done,
                                         deadline(call));
        if (n < CO4__HTTP_PROGRESS && n != (ssize_t)(bytes - done))
            return lose(call, n < 0 ? (int)n : CO4_ETIMEDOUT);
        done += (size_t)n;
        call->bytes += n;
    }
    if (call->chunked)
        co4_conn_put(call->h.c, "\r\n", 2);
    return CO4_OK;
}

pausable int co4_http_write(co4_http_call *call, const void *data, size_t bytes)
{
    if (call && call->state == CO4__HTTP_BEGUN && data && bytes >= RELIEVED && !call->quiet &&
        (call->length < 0 || bytes <= (uint64_t)(call->length - call->bytes)))
        return write_large(call, data, bytes);
    int err = co4_http_put(call, data, bytes);
    return err == CO4_OK ? co4__http_relieve(call) : err;
}

pausable int co4_http_answer(co4_http_call *call, int status, const char *type, const void *body,
                             size_t bytes)
{
    if (!call || (!body && bytes > 0) || status < 200 || bytes > INT64_MAX)
        return CO4_EINVAL;
    int err = co4__http_head(call, status, type, (int64_t)bytes);
    if (err == CO4_OK)
        err = call->quiet ? CO4_OK : co4_http_write(call, body, bytes);
    if (err == CO4_OK)
        call->state = CO4__HTTP_ENDED;
    return err;
}

pausable int co4_http_answer_status(co4_http_call *call, int status)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%d %s\n", status, co4__http_reason(status));
    bool has_none = status == 204 || status == 304;
    return co4_http_answer(call, status, has_none ? NULL : "text/plain", text,
                           has_none ? 0 : (size_t)n);
}

pausable int co4_http_redirect(co4_http_call *call, int status, const char *location)
{
    if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308)
        return CO4_EINVAL;
    int err = co4_http_set(call, "Location", location);
    return err == CO4_OK ? co4_http_answer_status(call, status) : err;
}

pausable ssize_t co4_http_read(co4_http_call *call, const char **data)
{
    return call && data ? co4__http_read(&call->h, data) : CO4_EINVAL;
}

pausable ssize_t co4_http_body(co4_http_call *call, char **text, size_t max)
{
    return call && text ? co4__http_read_all(&call->h, text, max) : CO4_EINVAL;
}

/* ---- events ---- */

/* A line of its own would end the field. */
static bool is_line(const char *text)
{
    return !text || !text[strcspn(text, "\r\n")];
}

static char *add_line(char *to, const char *name, const char *from, size_t size)
{
    to = stpcpy(stpcpy(to, name), ": ");
    memcpy(to, from, size);
    to[size] = '\n';
    return to + size + 1;
}

/* Each line of the data is a field of its own. */
static char *add_data(char *to, const char *data)
{
    for (;;) {
        size_t size = strcspn(data, "\r\n");
        to = add_line(to, "data", data, size);
        data += size;
        if (!*data)
            return to;
        data += data[0] == '\r' && data[1] == '\n' ? 2 : 1;
    }
}

static size_t lines_of(const char *text)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\r' || *text == '\n';
    return lines;
}

/* The whole event is one piece of the body. */
static int put_event(co4_http_call *call, const char *event, const char *id, const char *data)
{
    size_t bytes = 32 + (event ? strlen(event) : 0) + (id ? strlen(id) : 0) +
                   (data ? strlen(data) + 8 * lines_of(data) : 0);
    char *text = malloc(bytes), *at = text;
    if (!text)
        return CO4_ENOMEM;
    if (event)
        at = add_line(at, "event", event, strlen(event));
    if (id)
        at = add_line(at, "id", id, strlen(id));
    at = data ? add_data(at, data) : stpcpy(at, ":\n");
    *at++ = '\n';
    int err = co4_http_put(call, text, (size_t)(at - text));
    free(text);
    return err;
}

pausable int co4_http_event(co4_http_call *call, const char *event, const char *id,
                            const char *data)
{
    if (!call || !is_line(event) || !is_line(id))
        return CO4_EINVAL;
    int err = CO4_OK;
    if (call->state == CO4__HTTP_NO_ANSWER) {
        err = co4_http_set(call, "Cache-Control", "no-store");
        if (err == CO4_OK)
            err = co4_http_begin(call, 200, "text/event-stream", -1);
    }
    if (err == CO4_OK)
        err = put_event(call, event, id, data);
    if (err == CO4_OK)
        err = co4_http_flush(call);
    return err == CO4_OK && call->quiet ? CO4_ECLOSED : err; /* nothing would find its end */
}
