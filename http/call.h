/* call.h - a request and its answer. */
#ifndef CO4_HTTP_CALL_H
#define CO4_HTTP_CALL_H

#include "http.h"

enum co4__http_state {
    CO4__HTTP_NO_ANSWER,
    CO4__HTTP_BEGUN, /* a body in pieces */
    CO4__HTTP_ENDED,
    CO4__HTTP_TAKEN /* the connection speaks something else now */
};

/* What a route's name stands for in the path. */
struct co4__http_part {
    struct co4__http_text name, value;
};

enum { CO4__HTTP_PARTS = 16 }; /* the most names of a route */
/* Bytes of a large body that the peer takes within `progress`, or it is too slow. */
enum { CO4__HTTP_PROGRESS = 16 << 10 };

struct co4_http_call {
    struct co4__http h;
    /* The route. */
    const char *pattern;
    int parts;
    struct co4__http_part *part; /* kept */
    /* The answer. */
    enum co4__http_state state;
    int status;
    bool chunked, quiet; /* quiet: no body is sent */
    int64_t length;      /* that was said; -1: none */
    int64_t bytes;       /* of the body */
    struct {             /* header lines that were set */
        char *at;
        size_t size, room;
    } more;
};

/* ---- answer.c ---- */

/* Writes the head of an answer. `length` is that of the body; -1: it comes in pieces. */
int co4__http_head(co4_http_call *call, int status, const char *type, int64_t length);
/* Ends a body in pieces. False: it is not whole, and the connection has to end. */
bool co4__http_end_body(co4_http_call *call);
/* Frees what the call has, when it is over. */
void co4__http_call_end(co4_http_call *call);

/* ---- route.c ---- */

/* Returns whether all routes make sense. */
bool co4__http_routes_valid(const co4_http_route *routes);
/* Finds the route of the call, and what its names stand for. Returns NULL if there is none: then
 * *status is 404, 405, 501, or 204 for OPTIONS; 400 for names that cannot be decoded; 503 without
 * memory. `Allow` is set where it has to
 * be. */
const co4_http_route *co4__http_route_of(co4_http_call *call, const co4_http_route *routes,
                                         int *status);
/* The part of the path that the last {name...} of the route stands for; NULL: there is none. */
struct co4__http_text co4__http_rest(const co4_http_call *call);

/* ---- woven/answer.c ---- */

/* Sends the output if it is large. Returns CO4_OK, or why the peer takes no more. */
pausable int co4__http_relieve(co4_http_call *call);

#endif
