/* http.h - addresses, and one exchange of HTTP/1.1: a GET, the head of its answer, the body. */
#ifndef HTTP_H
#define HTTP_H

#include <co4.h>
#include <co4/conn.h>
#include <stdbool.h>
#include <sys/types.h>

enum { URL_MAX = 2048, HOST_MAX = 256, VALIDATOR_MAX = 128 };

struct url {
    bool tls;
    char host[HOST_MAX], port[8];
    char target[URL_MAX]; /* the path and the query; begins with / */
};

/* What an answer says before its body. */
struct head {
    int status;
    bool chunked;
    off_t length;                  /* of the body; -1: not said */
    off_t start, total;            /* of Content-Range; -1: not said */
    int64_t retry_after;           /* nanoseconds; 0: not said */
    char location[URL_MAX];        /* of a redirect */
    char validator[VALIDATOR_MAX]; /* a strong ETag, or Last-Modified: names this version */
};

struct body {
    co4_conn *c;
    bool chunked, later; /* later: a chunk has been read before */
    off_t left;          /* of the chunk, or of all; -1: up to the end of the connection */
};

/* `from` is NULL, or the address that has redirected here: `text` may be relative to it. Returns
 * false if this is no address of http or https. */
bool url_parse(struct url *url, const char *text, const struct url *from);

/* These return -1 with `errno`: as the calls of conn.h, EBADMSG if this is not HTTP, ECONNRESET if
 * the connection has ended in the middle. */

/* Asks for the bytes from `from` on, if it is not 0 and the file is still this version. */
pausable int http_ask(co4_conn *c, const struct url *url, off_t from, const char *validator,
                      int64_t deadline);
pausable int http_read_head(co4_conn *c, struct head *head, int64_t deadline);
/* Looks at the bytes that come next. Returns their number; 0 at the end of the body. */
pausable ssize_t http_body(struct body *b, const char **data, int64_t deadline);
/* Takes so many of them. */
void http_took(struct body *b, size_t bytes);

#endif
