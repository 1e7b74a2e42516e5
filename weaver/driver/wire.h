/* wire.h - what a process and a build's server send each other. */
#ifndef CW_DRIVER_WIRE_H
#define CW_DRIVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/options.h"
#include "driver/weave.h"
#include "text/diag.h"

/* The most bytes of one string: a unit's offsets have 32 bits. */
enum { CW_WIRE_MOST = 1 << 30 };

/* Sends or receives all bytes. Returns false if the other side is gone, or after a timeout. */
bool cw_wire_send(int fd, const void *bytes, size_t length);
bool cw_wire_receive(int fd, void *bytes, size_t length);

bool cw_wire_send_string(int fd, const char *text, size_t length);
/* The caller frees the text in any case. */
bool cw_wire_receive_string(int fd, cw_buf *text);

/* A unit to weave. The options that a server does not take are left out: cw_serve_weave(). */
bool cw_wire_send_request(int fd, const cw_options *options, const char *text, size_t length);

typedef struct cw_request {
    cw_options options;
    cw_warnings warnings;
    cw_buf text;
    bool reports_apart; /* the report and the messages go to different streams */
} cw_request;

/* Returns false if the request is not whole. The request's memory is never freed: the process that
 * reads it ends with it. */
bool cw_wire_receive_request(int fd, cw_request *request);

typedef struct cw_reply {
    cw_outcome outcome;
    cw_buf woven, messages, report;
} cw_reply;

bool cw_wire_send_reply(int fd, const cw_reply *reply);
/* Returns false if the reply is not whole. The caller frees its three texts in any case. */
bool cw_wire_receive_reply(int fd, cw_reply *reply);

#endif
