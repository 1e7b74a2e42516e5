/* http.h - what the files of the library co4_http share.
 *
 * A message that comes is parsed where it lies in the input: heads line by line as they come, by
 * offsets (parse.c). So a slow peer costs no more than a fast one, and a wrong line is refused
 * before the next one is waited for. The parser is strict with requests: what two programs could
 * read in two ways is refused, and nothing is read behind it. A message has a copy of its
 * head if something is read over it: a body, or another protocol.
 *
 * Rejected: a table of all fields. Most handlers ask for none, and without memory for it a field
 * would be missing. The fields become texts, in their place, when the first one is asked for. */
#ifndef CO4_HTTP_INTERNAL_H
#define CO4_HTTP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "public.h"

enum co4__http_method { CO4__HTTP_OTHER, CO4__HTTP_GET, CO4__HTTP_HEAD, CO4__HTTP_OPTIONS };
enum co4__http_framing {
    CO4__HTTP_NO_BODY,
    CO4__HTTP_LENGTH,
    CO4__HTTP_CHUNKED,
    CO4__HTTP_TO_END /* of the connection: of answers alone */
};

/* What has to come next of a body in chunks. */
enum co4__http_chunk { CO4__HTTP_SIZE, CO4__HTTP_BYTES, CO4__HTTP_BYTES_END, CO4__HTTP_TRAILER };

/* Bytes of the head, by offset: the input may move. */
struct co4__http_span {
    uint32_t at, size;
};

/* The same as a text: not ended by a '\0'. `at` may be NULL. */
struct co4__http_text {
    const char *at;
    size_t size;
};

/* Memory that is kept until the message is over. */
struct co4__http_kept {
    struct co4__http_kept *next;
    char bytes[];
};

/* A message that comes: a request, or an answer to a request of ours. */
struct co4__http {
    co4_conn *c;
    const co4_http_limits *limits;
    bool is_answer;
    int status; /* of an answer; of a request that was refused, 0: the peer is gone */
    int code;   /* not CO4_OK: nothing more is read, for this reason */
    /* The head. */
    enum co4__http_method method; /* of the request; of an answer that of its request */
    enum co4__http_framing framing;
    bool is_1_0;
    bool closes;                             /* no other message follows */
    bool expects;                            /* the peer waits for "100 Continue" */
    bool upgrades;                           /* it may ask for another protocol */
    bool begun;                              /* the body */
    struct co4__http_span name, path, query; /* the method; the query is without its '?' */
    struct co4__http_span host;
    int64_t length; /* of the body; chunked: of what came */
    /* The parser. */
    char *in;
    uint32_t at, searched; /* parsed, and without a newline, up to here */
    uint32_t lines, first; /* their number, and where those with fields begin */
    bool is_absolute, has_length, has_coding;
    struct co4__http_span authority; /* of a target with one */
    /* The input to skip before the next read: the head, or a piece of the body. */
    size_t used;
    int64_t left; /* bytes of the body, or of its chunk */
    enum co4__http_chunk chunk;
    uint32_t extra;           /* bytes beside those of chunks */
    int64_t patience;         /* nanoseconds of waiting for a body that are left */
    int64_t deadline;         /* of an answer, for the next read */
    bool is_packed;           /* the fields are texts: "name\0value\0name\0value\0" */
    uint32_t field, field_at; /* the one that was asked for last: its number, and where it is */
    struct co4__http_kept *kept;
};

/* A text of the head; NULL: it is not there. */
static inline struct co4__http_text co4__http_text(const struct co4__http *h,
                                                   struct co4__http_span span)
{
    return (struct co4__http_text){ span.at || span.size ? h->in + span.at : NULL, span.size };
}

/* ---- codes.c ---- */

/* Returns the code, after its text is known to co4_strerror(). */
int co4__http_code(int code);

/* ---- parse.c ---- */

enum { CO4__HTTP_INCOMPLETE = 0, CO4__HTTP_COMPLETE = 1 }; /* else a status */

/* Parses the lines of a head that are there. Returns one of the above, or the status of a refusal;
 * of an answer that makes no sense it is 400. */
int co4__http_parse(struct co4__http *h, char *in, size_t held);
/* Parses the line with the size of a chunk, without its end. */
int co4__http_parse_chunk(struct co4__http *h, const char *line, size_t size);
/* Finds the value of "name: value". Returns the size of the name; 0 if this is no field. */
size_t co4__http_split(const char *line, size_t size, const char **value, size_t *value_size);
bool co4__http_is_token(const char *text);
bool co4__http_is_value(const char *text);

/* ---- message.c ---- */

enum { CO4__HTTP_DRAINED = 256 << 10 }; /* bytes of a body that are read for nothing */

bool co4__http_is(struct co4__http_text text, const char *word); /* exactly */
/* The value of a field. `at` is NULL if there is none. */
struct co4__http_text co4__http_value(struct co4__http *h, const char *name);
const char *co4__http_value_at(struct co4__http *h, size_t number, const char **value);
/* Returns bytes that are kept until the message is over; NULL without memory. */
char *co4__http_keep(struct co4__http *h, size_t bytes);
/* Copies the head, so that its texts stay when the body is read. False: no memory. */
bool co4__http_keep_head(struct co4__http *h);
/* Decodes "%41" into `to`, which has room for as many bytes and one more; with `plus`, '+' is a
 * space. Returns their number; -1 for what cannot be decoded, or has a '\0'. */
ssize_t co4__http_decode(struct co4__http_text text, char *to, bool plus);
bool co4__http_is_decodable(struct co4__http_text text);
/* Whether a name of a query is decoded this word. */
bool co4__http_means(struct co4__http_text text, const char *word);
/* Called before an answer that does not need the body: it says whether the connection closes. */
void co4__http_ignore_body(struct co4__http *h);
/* Frees what is kept. */
void co4__http_end(struct co4__http *h);
/* Copies limits; those that are 0 get a value. */
void co4__http_set_limits(co4_http_limits *to, const co4_http_limits *from);
const char *co4__http_reason(int status);

/* ---- woven/read.c ---- */

/* Reads the head of the next request, after the rest of the input of the one before.
 *
 * Returns: 1; 0 when no other comes; -1 when it is refused, with the status for the answer. */
pausable int co4__http_next(struct co4__http *h);
/* Reads the head of an answer: a message with the framing CO4__HTTP_TO_END.
 *
 * Returns: CO4_OK or a code; CO4_ECLOSED: the connection has ended before the first byte. */
pausable int co4__http_read_answer(struct co4__http *h);
/* Reads a piece of the body: *data are bytes in the input, until the next call. Sends "100
 * Continue" before it waits, if the peer expects it.
 *
 * Returns: the number of bytes; 0 at the end of the body; a code, for a request with a status. */
pausable ssize_t co4__http_read(struct co4__http *h, const char **data);
/* Reads the rest of the body, as *text with a '\0' behind it. */
pausable ssize_t co4__http_read_all(struct co4__http *h, char **text, size_t max);
/* Reads the rest of the body for nothing. Returns whether another message may follow. */
pausable bool co4__http_drain(struct co4__http *h);

#endif
