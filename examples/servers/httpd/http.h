/* http.h - the requests of HTTP/1.1 and 1.0 on a connection: heads, bodies, limits.
 *
 * A head is parsed where it lies in the input, and its strings stay there: valid until the body is
 * read, or the next request. The parser is strict: what two programs could read in two ways is
 * refused, and nothing is read behind it. */
#ifndef HTTP_H
#define HTTP_H

#include <co4.h>
#include <co4/conn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_limits {
    uint32_t line;    /* bytes of the request line: 414 */
    uint32_t field;   /* bytes of a header line: 431 */
    uint32_t fields;  /* number of header lines: 431 */
    uint32_t head;    /* bytes of the whole head: 431 */
    uint32_t chunk;   /* bytes of a line with the size of a chunk: 400 */
    uint32_t extra;   /* bytes of all extensions of chunks, and of the trailer: 400, 431 */
    int64_t body;     /* bytes of a body: 413 */
    int64_t idle;     /* nanoseconds without a request */
    int64_t progress; /* nanoseconds for a whole head, and without progress of a body: 408 */
};

extern const struct http_limits http_default_limits;

enum http_method { HTTP_OTHER, HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_OPTIONS };
enum http_field {
    HTTP_HOST,
    HTTP_IF_NONE_MATCH,
    HTTP_IF_MODIFIED_SINCE,
    HTTP_RANGE,
    HTTP_IF_RANGE,
    HTTP_FIELDS
};
enum http_framing { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED };

/* Bytes of the head, by offset: the input may move. */
struct http_span {
    uint32_t at, size;
};

struct http_text {
    const char *at;
    size_t size;
};

struct http {
    co4_conn *c;
    const struct http_limits *limits;
    int status; /* of a request that was refused; 0: the peer is gone */
    /* The request. */
    enum http_method method;
    enum http_framing framing;
    bool is_1_0;
    bool closes;                  /* no other request follows */
    bool failed;                  /* nothing more is read */
    bool expects;                 /* the peer waits for "100 Continue" */
    struct http_span path, query; /* the query is without its '?' */
    struct http_span fields[HTTP_FIELDS];
    int64_t length; /* of the body; chunked: of what came */
    /* The parser. */
    const char *in;
    uint32_t at, searched; /* parsed, and without a newline, up to here */
    uint32_t lines;
    bool is_absolute, has_length, has_coding;
    struct http_span authority; /* of a target with one */
    /* The input to skip before the next read: the head, or a piece of the body. */
    size_t used;
    int64_t left;     /* bytes of the body, or of its chunk */
    bool in_chunk;    /* the end of a chunk has to come */
    uint32_t extra;   /* bytes beside those of chunks */
    int64_t patience; /* nanoseconds of waiting that are left */
};

void http_begin(struct http *h, co4_conn *c, const struct http_limits *limits);

/* Reads the head of the next request, after the rest of the input of the one before.
 *
 * Returns: 1; 0 when no other comes; -1 when it is refused, with the status for the answer. */
pausable int http_next(struct http *h);

/* Reads a piece of the body: *data are bytes in the input, until the next call. Sends "100
 * Continue" before it waits, if the peer expects it. Invalidates the strings of the head.
 *
 * Returns: the number of bytes; 0 at the end of the body; -1 with a status. */
pausable ssize_t http_body(struct http *h, const char **data);

/* Called before an answer that does not need the body: it says whether the connection closes. */
void http_ignore_body(struct http *h);

/* Reads the rest of the body. Returns whether another request may follow. */
pausable bool http_drain(struct http *h);

/* A string of the head. `at` is NULL if there is no such field. */
struct http_text http_text(const struct http *h, struct http_span span);
struct http_text http_field(const struct http *h, enum http_field field);

bool http_is(struct http_text text, const char *word); /* exactly */

#endif
