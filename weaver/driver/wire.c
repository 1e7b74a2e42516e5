/* wire.c - what a process and a build's server send each other.
 *
 * Both are the same file (place.c), so structs travel as they are. A string is its length and its
 * bytes. A reply ends with a word of its own: a process believes only a whole one. */
#define _GNU_SOURCE /* MSG_NOSIGNAL */
#include "driver/wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/options.h"
#include "driver/weave.h"
#include "text/diag.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static const uint32_t whole = 0xc04ed0e5;

bool cw_wire_send(int fd, const void *bytes, size_t length)
{
    for (const char *at = bytes; length > 0;) {
        ssize_t sent = send(fd, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool cw_wire_receive(int fd, void *bytes, size_t length)
{
    for (char *at = bytes; length > 0;) {
        ssize_t got = recv(fd, at, length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

bool cw_wire_send_string(int fd, const char *text, size_t length)
{
    uint32_t size = (uint32_t)length;
    return length <= CW_WIRE_MOST && cw_wire_send(fd, &size, sizeof size) &&
           cw_wire_send(fd, text, length);
}

bool cw_wire_receive_string(int fd, cw_buf *text)
{
    uint32_t size = 0;
    if (!cw_wire_receive(fd, &size, sizeof size) || size > CW_WIRE_MOST)
        return false;
    *text = (cw_buf){ .data = malloc((size_t)size + 1), .length = size, .room = (size_t)size + 1 };
    if (text->data == NULL) {
        *text = (cw_buf){ 0 };
        return false;
    }
    text->data[size] = '\0';
    return cw_wire_receive(fd, text->data, size);
}

/* ---- requests ------------------------------------------------------------------------------- */

bool cw_wire_send_request(int fd, const cw_options *options, const char *text, size_t length)
{
    bool apart = options->report_to != options->messages;
    bool ok = cw_wire_send(fd, options, sizeof *options) &&
              cw_wire_send(fd, &apart, sizeof apart) &&
              cw_wire_send(fd, options->warnings, sizeof *options->warnings) &&
              cw_wire_send_string(fd, options->source, strlen(options->source));
    for (size_t i = 0; ok && i < options->nparse_args; i++)
        ok = cw_wire_send_string(fd, options->parse_args[i], strlen(options->parse_args[i]));
    if (ok && options->profile != NULL)
        ok = cw_wire_send_string(fd, options->profile, strlen(options->profile));
    return ok && cw_wire_send_string(fd, text, length);
}

bool cw_wire_receive_request(int fd, cw_request *request)
{
    enum { MOST_ARGS = 4096 };
    cw_options *options = &request->options;
    cw_buf source = { 0 };
    if (!cw_wire_receive(fd, options, sizeof *options) ||
        !cw_wire_receive(fd, &request->reports_apart, sizeof request->reports_apart) ||
        !cw_wire_receive(fd, &request->warnings, sizeof request->warnings) ||
        !cw_wire_receive_string(fd, &source) || options->nparse_args > MOST_ARGS)
        return false;
    const char **args = calloc(options->nparse_args + 1, sizeof *args);
    bool ok = args != NULL;
    for (size_t i = 0; ok && i < options->nparse_args; i++) {
        cw_buf arg = { 0 };
        ok = cw_wire_receive_string(fd, &arg);
        args[i] = arg.data;
    }
    if (ok && options->profile != NULL) {
        cw_buf profile = { 0 };
        ok = cw_wire_receive_string(fd, &profile);
        options->profile = profile.data;
    }
    options->source = source.data;
    options->parse_args = args;
    options->warnings = &request->warnings;
    options->dump = NULL;
    options->infer = NULL;
    options->report_to = options->messages = NULL;
    return ok && cw_wire_receive_string(fd, &request->text);
}

/* ---- replies -------------------------------------------------------------------------------- */

bool cw_wire_send_reply(int fd, const cw_reply *reply)
{
    return cw_wire_send(fd, &reply->outcome, sizeof reply->outcome) &&
           cw_wire_send_string(fd, reply->woven.data, reply->woven.length) &&
           cw_wire_send_string(fd, reply->messages.data, reply->messages.length) &&
           cw_wire_send_string(fd, reply->report.data, reply->report.length) &&
           cw_wire_send(fd, &whole, sizeof whole);
}

bool cw_wire_receive_reply(int fd, cw_reply *reply)
{
    uint32_t end = 0;
    return cw_wire_receive(fd, &reply->outcome, sizeof reply->outcome) &&
           cw_wire_receive_string(fd, &reply->woven) &&
           cw_wire_receive_string(fd, &reply->messages) &&
           cw_wire_receive_string(fd, &reply->report) && cw_wire_receive(fd, &end, sizeof end) &&
           end == whole;
}
