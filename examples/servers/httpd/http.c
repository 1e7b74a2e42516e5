/* http.c - see http.h. The input is a connection; nothing is allocated.
 *
 * A head is parsed line by line as it comes, by offsets. So a slow peer costs no more than a fast
 * one, and a wrong line is refused before the next one is waited for.
 *
 * Rejected: a copy of the head, and a table of all fields. The server uses nine fields. */
#include "http.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { INCOMPLETE = 0, COMPLETE = 1 }; /* else a status */
enum { NS_FOR_A_BYTE = 1000 * 1000 };  /* patience with a body: 1 KB a second */
enum { DRAINED = 256 << 10 };          /* bytes of a body that are read for nothing */

const struct http_limits http_default_limits = {
    .line = 8192,
    .field = 8192,
    .fields = 100,
    .head = 32768,
    .chunk = 256,
    .extra = 8192,
    .body = INT64_C(1) << 30,
    .idle = 60 * CO4_SEC,
    .progress = 20 * CO4_SEC,
};

/* ---- characters ---- */

enum { TOKEN = 1, TARGET = 2, AUTHORITY = 4, DIGIT = 8 };

/* Of RFC 9110 and 3986. A target is not looked at further than this: the path is (files.c). */
static unsigned char kinds[256];

__attribute__((constructor)) static void set_kinds(void)
{
    static const char tokens[] = "!#$%&'*+-.^_`|~", authority[] = "-._~!$&'()*+,;=:[]%";
    for (int c = '!'; c <= '~'; c++) {
        bool is_digit = c >= '0' && c <= '9';
        bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        kinds[c] = (unsigned char)((is_digit ? DIGIT : 0) | (c != '#' ? TARGET : 0) |
                                   (is_digit || is_letter || strchr(tokens, c) ? TOKEN : 0) |
                                   (is_digit || is_letter || strchr(authority, c) ? AUTHORITY : 0));
    }
}

static bool is_kind(char c, int kind)
{
    return (kinds[(unsigned char)c] & kind) != 0;
}

/* The number of bytes at the beginning that are of the kind. */
static size_t span_of(const char *at, size_t size, int kind)
{
    size_t n = 0;
    while (n < size && is_kind(at[n], kind))
        n++;
    return n;
}

/* A value may have spaces, tabs and bytes above 127. Eight bytes at a time: a test that may find
 * too much, and then a look at each. */
static bool is_value(const char *at, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    size_t n = 0;
    for (; n + 8 <= size; n += 8) {
        uint64_t w, d;
        memcpy(&w, at + n, 8);
        d = w ^ (ones * 0x7f);
        if ((((w - ones * 0x20) & ~w) | ((d - ones) & ~d)) & high)
            break;
    }
    for (; n < size; n++)
        if (((unsigned char)at[n] < ' ' && at[n] != '\t') || at[n] == 0x7f)
            return false;
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* In any case; `word` is in lower case. */
static bool is_word(const char *at, size_t size, const char *word)
{
    for (size_t i = 0; i < size; i++)
        if (lower(at[i]) != word[i]) /* ends at the '\0' at the latest */
            return false;
    return word[size] == '\0';
}

/* ---- the request line ---- */

static enum http_method method_of(const char *at, size_t size)
{
    switch (size) {
    case 3:
        return memcmp(at, "GET", 3) == 0 ? HTTP_GET : HTTP_OTHER;
    case 4:
        return memcmp(at, "HEAD", 4) == 0   ? HTTP_HEAD
               : memcmp(at, "POST", 4) == 0 ? HTTP_POST
                                            : HTTP_OTHER;
    case 7:
        return memcmp(at, "OPTIONS", 7) == 0 ? HTTP_OPTIONS : HTTP_OTHER;
    default:
        return HTTP_OTHER;
    }
}

static struct http_span span_at(const struct http *h, const char *at, size_t size)
{
    return (struct http_span){ (uint32_t)(at - h->in), (uint32_t)size };
}

/* "http://host/path": the host has to be that of the field. Without a path it is "/". */
static int parse_absolute(struct http *h, const char **target, const char *end)
{
    const char *at = *target;
    size_t scheme = end - at > 7 && is_word(at, 7, "http://")    ? 7
                    : end - at > 8 && is_word(at, 8, "https://") ? 8
                                                                 : 0;
    size_t host = scheme > 0 ? span_of(at + scheme, (size_t)(end - at) - scheme, AUTHORITY) : 0;
    const char *path = at + scheme + host;
    if (host == 0 || (path != end && *path != '/' && *path != '?'))
        return 400;
    h->is_absolute = true;
    h->authority = span_at(h, at + scheme, host);
    *target = path;
    return COMPLETE;
}

static int parse_target(struct http *h, const char *at, const char *end)
{
    size_t size = (size_t)(end - at);
    if (size == 0 || span_of(at, size, TARGET) != size)
        return 400;
    if (size == 1 && *at == '*' && h->method == HTTP_OPTIONS) {
        h->path = span_at(h, at, 1);
        return COMPLETE;
    }
    const char *path = at;
    if (*at != '/' && parse_absolute(h, &path, end) != COMPLETE)
        return 400;
    const char *query = memchr(path, '?', (size_t)(end - path));
    size = (size_t)((query ? query : end) - path);
    h->path = size > 0 ? span_at(h, path, size) : span_at(h, strchr(at, '/'), 1);
    if (query)
        h->query = span_at(h, query + 1, (size_t)(end - query) - 1);
    return COMPLETE;
}

static int parse_version(struct http *h, const char *at, size_t size)
{
    if (size != 8 || memcmp(at, "HTTP/", 5) != 0 || !is_kind(at[5], DIGIT) || at[6] != '.' ||
        !is_kind(at[7], DIGIT))
        return 400;
    if (at[5] != '1') /* a later 1.x is answered as 1.1 */
        return 505;
    h->is_1_0 = h->closes = at[7] == '0';
    return COMPLETE;
}

/* Exactly one space between the parts. */
static int parse_request_line(struct http *h, const char *line, size_t size)
{
    size_t method = span_of(line, size, TOKEN);
    if (method == 0 || method == size || line[method] != ' ')
        return 400;
    h->method = method_of(line, method);
    const char *target = line + method + 1;
    const char *end = memchr(target, ' ', size - method - 1);
    if (!end)
        return 400;
    int found = parse_version(h, end + 1, (size_t)(line + size - end) - 1);
    if (found == COMPLETE && h->method == HTTP_OTHER)
        return 501;
    return found == COMPLETE ? parse_target(h, target, end) : found;
}

/* ---- fields ---- */

static bool number_of(const char *at, size_t size, int64_t *n)
{
    int64_t value = 0;
    if (size == 0 || size > 18 || span_of(at, size, DIGIT) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        value = value * 10 + (at[i] - '0');
    *n = value;
    return true;
}

static int take_length(struct http *h, const char *at, size_t size)
{
    if (h->has_length)
        return 400;
    h->has_length = true;
    if (number_of(at, size, &h->length))
        return COMPLETE;
    return size > 18 && span_of(at, size, DIGIT) == size ? 413 : 400;
}

static int take_coding(struct http *h, const char *at, size_t size)
{
    if (h->has_coding)
        return 400;
    h->has_coding = true;
    return is_word(at, size, "chunked") ? COMPLETE : 501;
}

static int take_connection(struct http *h, const char *at, size_t size)
{
    const char *end = at + size;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *next = comma ? comma : end;
        const char *word = at, *last = next;
        while (word < last && (*word == ' ' || *word == '\t'))
            word++;
        while (last > word && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (is_word(word, (size_t)(last - word), "close"))
            h->closes = true;
        at = comma ? comma + 1 : end;
    }
    return COMPLETE;
}

static int take_host(struct http *h, const char *at, size_t size)
{
    if (h->fields[HTTP_HOST].at || span_of(at, size, AUTHORITY) != size)
        return 400;
    h->fields[HTTP_HOST] = span_at(h, at, size);
    return COMPLETE;
}

static int take(struct http *h, enum http_field field, const char *at, size_t size)
{
    if (!h->fields[field].at)
        h->fields[field] = span_at(h, at, size);
    return COMPLETE;
}

static int take_expect(struct http *h, const char *at, size_t size)
{
    if (!is_word(at, size, "100-continue"))
        return 417;
    h->expects = !h->is_1_0;
    return COMPLETE;
}

/* Finds the value of "name: value". A line that is folded begins with a space, which no name has.
 * Returns the size of the name; 0 if this is no field. */
static size_t split_field(const char *line, size_t size, const char **value, size_t *value_size)
{
    size_t name = span_of(line, size, TOKEN);
    if (name == size || line[name] != ':')
        return 0;
    const char *at = line + name + 1, *end = line + size;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *value = at;
    *value_size = (size_t)(end - at);
    return is_value(at, *value_size) ? name : 0;
}

static int parse_field(struct http *h, const char *line, size_t size)
{
    const char *at;
    size_t n, name = split_field(line, size, &at, &n);
    if (name == 0)
        return 400;
    switch (name) {
    case 4:
        return is_word(line, 4, "host") ? take_host(h, at, n) : COMPLETE;
    case 5:
        return is_word(line, 5, "range") ? take(h, HTTP_RANGE, at, n) : COMPLETE;
    case 6:
        return is_word(line, 6, "expect") ? take_expect(h, at, n) : COMPLETE;
    case 8:
        return is_word(line, 8, "if-range") ? take(h, HTTP_IF_RANGE, at, n) : COMPLETE;
    case 10:
        return is_word(line, 10, "connection") ? take_connection(h, at, n) : COMPLETE;
    case 13:
        return is_word(line, 13, "if-none-match") ? take(h, HTTP_IF_NONE_MATCH, at, n) : COMPLETE;
    case 14:
        return is_word(line, 14, "content-length") ? take_length(h, at, n) : COMPLETE;
    case 17:
        return is_word(line, 17, "transfer-encoding")   ? take_coding(h, at, n)
               : is_word(line, 17, "if-modified-since") ? take(h, HTTP_IF_MODIFIED_SINCE, at, n)
                                                        : COMPLETE;
    default:
        return COMPLETE;
    }
}

/* ---- the head ---- */

/* All lines are there: what they say together. */
static int judge(struct http *h)
{
    struct http_text host = http_field(h, HTTP_HOST);
    if (!host.at && !h->is_1_0)
        return 400;
    if (h->is_absolute && host.at) {
        struct http_text a = http_text(h, h->authority);
        if (a.size != host.size || strncasecmp(a.at, host.at, a.size) != 0)
            return 400;
    }
    if (h->has_coding && (h->has_length || h->is_1_0))
        return 400;
    if (h->has_length && h->length > h->limits->body)
        return 413;
    h->framing = h->has_coding ? HTTP_CHUNKED : h->length > 0 ? HTTP_LENGTH : HTTP_NO_BODY;
    h->left = h->length;
    if (h->framing == HTTP_NO_BODY)
        h->expects = false;
    return COMPLETE;
}

/* Parses the lines that are there. */
static int parse(struct http *h, const char *in, size_t held)
{
    h->in = in;
    for (;;) {
        const char *line = in + h->at;
        const char *end = memchr(in + h->searched, '\n', held - h->searched);
        size_t size = (size_t)((end ? end + 1 : in + held) - line);
        if (size > (h->lines == 0 ? h->limits->line : h->limits->field))
            return h->lines == 0 ? 414 : 431;
        if (h->at + size > h->limits->head)
            return 431;
        if (!end) {
            h->searched = (uint32_t)held;
            return INCOMPLETE;
        }
        if (size < 2 || end[-1] != '\r')
            return 400;
        h->at = h->searched = (uint32_t)(end + 1 - in);
        if (size > 2) {
            int found = h->lines == 0 ? parse_request_line(h, line, size - 2)
                                      : parse_field(h, line, size - 2);
            if (found != COMPLETE)
                return found;
            if (h->lines++ > h->limits->fields)
                return 431;
        } else if (h->lines > 0) {
            h->used = h->at;
            return judge(h);
        } else if (line != in) {
            return 400; /* one empty line before a request is allowed, and no second one */
        }
    }
}

static void forget(struct http *h)
{
    co4_conn_skip(h->c, h->used);
    h->used = 0;
}

static int refuse(struct http *h, int status)
{
    h->status = status;
    h->closes = h->failed = true;
    return -1;
}

void http_begin(struct http *h, co4_conn *c, const struct http_limits *limits)
{
    *h = (struct http){ .c = c, .limits = limits };
}

pausable int http_next(struct http *h)
{
    const char *in;
    int found;
    int64_t deadline = 0;
    size_t used = h->used;
    co4_conn_skip(h->c, used);
    *h = (struct http){ .c = h->c, .limits = h->limits };
    size_t held = co4_conn_buffered(h->c), need = held > 0 ? held : 1;
    for (;;) {
        ssize_t n = co4_conn_peek_until(h->c, &in, need,
                                        deadline   ? deadline
                                        : held > 0 ? CO4_NEVER /* it is there */
                                                   : co4_now() + h->limits->idle);
        if (n < (ssize_t)need)
            return n == CO4_ETIMEDOUT && held > 0 ? refuse(h, 408) : 0;
        held = (size_t)n;
        found = parse(h, in, held);
        if (found != INCOMPLETE)
            return found == COMPLETE ? 1 : refuse(h, found);
        need = held + 1;
        if (!deadline)
            deadline = co4_now() + h->limits->progress;
    }
}

/* ---- the body ---- */

static int lose(struct http *h, ssize_t n)
{
    return refuse(h, n == CO4_ETIMEDOUT ? 408 : n == -EMSGSIZE ? 400 : 0);
}

/* A wait has ended. Each byte gives some patience back. */
static void has_waited(struct http *h, int64_t since, size_t bytes)
{
    int64_t most = h->limits->progress;
    h->patience -= co4_now() - since;
    h->patience += (int64_t)bytes * NS_FOR_A_BYTE;
    if (h->patience > most)
        h->patience = most;
}

static pausable ssize_t look(struct http *h, const char **in, size_t at_least)
{
    size_t held = co4_conn_buffered(h->c);
    int64_t now = held >= at_least ? 0 : co4_now();
    ssize_t n = co4_conn_peek_until(h->c, in, at_least, now + h->patience);
    if (n < (ssize_t)at_least)
        return lose(h, n);
    if (now)
        has_waited(h, now, (size_t)n - held);
    return n;
}

/* Reads a line. Returns its size without the end of the line. */
static pausable ssize_t read_line(struct http *h, char **line, size_t max)
{
    int64_t now = co4_now();
    ssize_t n = co4_conn_read_line_until(h->c, line, max, now + h->patience);
    if (n <= 0 || (*line)[n - 1] != '\n')
        return lose(h, n);
    if (n < 2 || (*line)[n - 2] != '\r')
        return refuse(h, 400);
    has_waited(h, now, (size_t)n);
    return n - 2;
}

/* Sizes are hexadecimal, then extensions may follow; fifteen digits do not overflow. */
static int parse_chunk(struct http *h, const char *line, size_t size)
{
    size_t digits = 0;
    int64_t value = 0;
    for (; digits < size; digits++) {
        char c = lower(line[digits]);
        if (!is_kind(c, DIGIT) && !(c >= 'a' && c <= 'f'))
            break;
        if (digits >= 15)
            return 413;
        value = value * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (digits == 0 || (digits < size && line[digits] != ';') ||
        !is_value(line + digits, size - digits))
        return 400;
    h->extra += (uint32_t)(size - digits);
    if (h->extra > h->limits->extra)
        return 400;
    if (value > h->limits->body - h->length)
        return 413;
    h->length += value;
    h->left = value;
    return COMPLETE;
}

/* The fields behind the last chunk mean nothing here, but have to be fields. */
static pausable int read_trailer(struct http *h)
{
    char *line;
    ssize_t n;
    while ((n = read_line(h, &line, h->limits->field)) > 0) {
        const char *value;
        size_t size;
        h->extra += (uint32_t)n;
        if (h->extra > h->limits->extra)
            return refuse(h, 431);
        if (split_field(line, (size_t)n, &value, &size) == 0)
            return refuse(h, 400);
    }
    return n < 0 ? -1 : 0;
}

/* Reads up to the bytes of the next chunk. */
static pausable int read_chunk(struct http *h)
{
    char *line;
    if (h->in_chunk) {
        const char *in;
        ssize_t n = look(h, &in, 2);
        if (n < 0)
            return -1;
        if (memcmp(in, "\r\n", 2) != 0)
            return refuse(h, 400);
        co4_conn_skip(h->c, 2);
    }
    ssize_t n = read_line(h, &line, h->limits->chunk);
    if (n < 0)
        return -1;
    int found = parse_chunk(h, line, (size_t)n);
    if (found != COMPLETE)
        return refuse(h, found);
    h->in_chunk = true;
    if (h->left > 0)
        return 0;
    h->framing = HTTP_NO_BODY;
    return read_trailer(h);
}

pausable ssize_t http_body(struct http *h, const char **data)
{
    if (h->failed || h->framing == HTTP_NO_BODY)
        return h->failed ? -1 : 0;
    if (h->patience == 0)
        h->patience = h->limits->progress;
    forget(h);
    if (h->expects && co4_conn_buffered(h->c) == 0)
        co4_conn_put(h->c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    h->expects = false;
    if (h->left == 0 && h->framing == HTTP_CHUNKED) {
        int err = read_chunk(h);
        if (err != 0 || h->left == 0)
            return err;
    }
    ssize_t n = look(h, data, 1);
    if (n < 0)
        return n;
    if (n > h->left)
        n = (ssize_t)h->left;
    h->used = (size_t)n;
    h->left -= n;
    if (h->left == 0 && h->framing == HTTP_LENGTH)
        h->framing = HTTP_NO_BODY;
    return n;
}

void http_ignore_body(struct http *h)
{
    if (h->expects || h->framing == HTTP_CHUNKED || h->left > DRAINED)
        h->closes = true;
}

pausable bool http_drain(struct http *h)
{
    const char *data;
    ssize_t n;
    size_t bytes = 0;
    if (h->closes || h->expects) /* a peer that waits for "100 Continue" may send the body or not */
        return false;
    while ((n = http_body(h, &data)) > 0)
        if ((bytes += (size_t)n) > DRAINED)
            return false;
    return n == 0;
}

/* ---- strings ---- */

struct http_text http_text(const struct http *h, struct http_span span)
{
    return (struct http_text){ span.at ? h->in + span.at : NULL, span.size };
}

struct http_text http_field(const struct http *h, enum http_field field)
{
    return http_text(h, h->fields[field]);
}

bool http_is(struct http_text text, const char *word)
{
    size_t size = strlen(word);
    return text.size == size && memcmp(text.at, word, size) == 0;
}
