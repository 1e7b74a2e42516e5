/* parse.c - see http.h: the grammar of heads and chunks. Nothing here waits or allocates. */
#include <string.h>
#include <strings.h>

#include "http.h"

enum { INCOMPLETE = CO4__HTTP_INCOMPLETE, COMPLETE = CO4__HTTP_COMPLETE };

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

static enum co4__http_method method_of(const char *at, size_t size)
{
    return size == 3 && memcmp(at, "GET", 3) == 0       ? CO4__HTTP_GET
           : size == 4 && memcmp(at, "HEAD", 4) == 0    ? CO4__HTTP_HEAD
           : size == 7 && memcmp(at, "OPTIONS", 7) == 0 ? CO4__HTTP_OPTIONS
                                                        : CO4__HTTP_OTHER;
}

static struct co4__http_span span_at(const struct co4__http *h, const char *at, size_t size)
{
    return (struct co4__http_span){ (uint32_t)(at - h->in), (uint32_t)size };
}

/* "http://host/path": the host has to be that of the field. Without a path it is "/". */
static int parse_absolute(struct co4__http *h, const char **target, const char *end)
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

static int parse_target(struct co4__http *h, const char *at, const char *end)
{
    size_t size = (size_t)(end - at);
    if (size == 0 || span_of(at, size, TARGET) != size)
        return 400;
    if (size == 1 && *at == '*' && h->method == CO4__HTTP_OPTIONS) {
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

static int parse_version(struct co4__http *h, const char *at, size_t size)
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
static int parse_request_line(struct co4__http *h, const char *line, size_t size)
{
    size_t method = span_of(line, size, TOKEN);
    if (method == 0 || method == size || line[method] != ' ')
        return 400;
    h->method = method_of(line, method);
    h->name = span_at(h, line, method);
    const char *target = line + method + 1;
    const char *end = memchr(target, ' ', size - method - 1);
    if (!end)
        return 400;
    int found = parse_version(h, end + 1, (size_t)(line + size - end) - 1);
    return found == COMPLETE ? parse_target(h, target, end) : found;
}

/* "HTTP/1.1 200 OK"; the reason may be missing, with the space before it. */
static int parse_status_line(struct co4__http *h, const char *line, size_t size)
{
    int found = size >= 12 ? parse_version(h, line, 8) : 400;
    if (found != COMPLETE || line[8] != ' ' || span_of(line + 9, 3, DIGIT) != 3 ||
        (size > 12 && (line[12] != ' ' || !is_value(line + 12, size - 12))))
        return 400;
    h->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    return h->status >= 100 ? COMPLETE : 400;
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

static int take_length(struct co4__http *h, const char *at, size_t size)
{
    int64_t before = h->length;
    bool again = h->has_length;
    h->has_length = true;
    if (number_of(at, size, &h->length))
        return again && (!h->is_answer || h->length != before) ? 400 : COMPLETE;
    return size > 18 && span_of(at, size, DIGIT) == size ? 413 : 400;
}

static int take_coding(struct co4__http *h, const char *at, size_t size)
{
    if (h->has_coding)
        return 400;
    h->has_coding = true;
    return is_word(at, size, "chunked") ? COMPLETE : 501;
}

static int take_connection(struct co4__http *h, const char *at, size_t size)
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

static int take_host(struct co4__http *h, const char *at, size_t size)
{
    if (h->host.at || span_of(at, size, AUTHORITY) != size)
        return 400;
    h->host = span_at(h, at, size);
    return COMPLETE;
}

static int take_expect(struct co4__http *h, const char *at, size_t size)
{
    if (!is_word(at, size, "100-continue"))
        return 417;
    h->expects = !h->is_1_0;
    return COMPLETE;
}

/* Finds the value of "name: value". A line that is folded begins with a space, which no name has.
 * Returns the size of the name; 0 if this is no field. */
size_t co4__http_split(const char *line, size_t size, const char **value, size_t *value_size)
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

static int parse_field(struct co4__http *h, const char *line, size_t size)
{
    const char *at;
    size_t n, name = co4__http_split(line, size, &at, &n);
    if (name == 0)
        return 400;
    switch (name) {
    case 7:
        h->upgrades = h->upgrades || is_word(line, 7, "upgrade");
        return COMPLETE;
    case 4:
        return !h->is_answer && is_word(line, 4, "host") ? take_host(h, at, n) : COMPLETE;
    case 6:
        return !h->is_answer && is_word(line, 6, "expect") ? take_expect(h, at, n) : COMPLETE;
    case 10:
        return is_word(line, 10, "connection") ? take_connection(h, at, n) : COMPLETE;
    case 14:
        return is_word(line, 14, "content-length") ? take_length(h, at, n) : COMPLETE;
    case 17:
        return is_word(line, 17, "transfer-encoding") ? take_coding(h, at, n) : COMPLETE;
    default:
        return COMPLETE;
    }
}

/* ---- the head ---- */

/* All lines are there: what they say together. */
static int judge_request(struct co4__http *h)
{
    if (!h->host.at && !h->is_1_0)
        return 400;
    if (h->is_absolute && h->host.at &&
        (h->authority.size != h->host.size ||
         strncasecmp(h->in + h->authority.at, h->in + h->host.at, h->host.size) != 0))
        return 400;
    if (h->has_coding && (h->has_length || h->is_1_0))
        return 400;
    if (h->has_length && h->length > h->limits->body)
        return 413;
    h->framing = h->has_coding   ? CO4__HTTP_CHUNKED
                 : h->length > 0 ? CO4__HTTP_LENGTH
                                 : CO4__HTTP_NO_BODY;
    h->left = h->length;
    if (h->framing == CO4__HTTP_NO_BODY)
        h->expects = false;
    return COMPLETE;
}

/* An answer with both framings is read by its chunks, and nothing behind it. */
static int judge_answer(struct co4__http *h)
{
    bool has_none = h->method == CO4__HTTP_HEAD || h->status < 200 || h->status == 204 ||
                    h->status == 304;
    h->framing = has_none                         ? CO4__HTTP_NO_BODY
                 : h->has_coding                  ? CO4__HTTP_CHUNKED
                 : h->has_length && h->length > 0 ? CO4__HTTP_LENGTH
                 : h->has_length                  ? CO4__HTTP_NO_BODY
                                                  : CO4__HTTP_TO_END;
    if (h->framing == CO4__HTTP_TO_END || (h->has_coding && h->has_length))
        h->closes = true;
    if (h->framing == CO4__HTTP_CHUNKED)
        h->length = 0;
    h->left = h->length;
    return COMPLETE;
}

/* Returns the size of a line without its end; -1 for a wrong end. Answers may lack the CR. */
static ssize_t size_of_line(const struct co4__http *h, const char *line, const char *end)
{
    bool has_cr = end > line && end[-1] == '\r';
    return has_cr ? end - line - 1 : h->is_answer ? end - line : -1;
}

int co4__http_parse(struct co4__http *h, char *in, size_t held)
{
    h->in = in;
    for (;;) {
        const char *line = in + h->at;
        const char *end = memchr(in + h->searched, '\n', held - h->searched);
        size_t bytes = (size_t)((end ? end + 1 : in + held) - line);
        if (bytes > (h->lines == 0 ? h->limits->line : h->limits->field))
            return h->lines == 0 ? 414 : 431;
        if (h->at + bytes > h->limits->head)
            return 431;
        if (!end) {
            h->searched = (uint32_t)held;
            return INCOMPLETE;
        }
        ssize_t size = size_of_line(h, line, end);
        if (size < 0)
            return 400;
        h->at = h->searched = (uint32_t)(end + 1 - in);
        if (size > 0) {
            int found = h->lines > 0   ? parse_field(h, line, (size_t)size)
                        : h->is_answer ? parse_status_line(h, line, (size_t)size)
                                       : parse_request_line(h, line, (size_t)size);
            if (found != COMPLETE)
                return found;
            if (h->lines == 0)
                h->first = h->at;
            if (h->lines++ > h->limits->fields)
                return 431;
        } else if (h->lines > 0) {
            h->used = h->at;
            return h->is_answer ? judge_answer(h) : judge_request(h);
        } else if (line != in) {
            return 400; /* one empty line before a request is allowed, and no second one */
        }
    }
}

/* ---- chunks ---- */

/* Sizes are hexadecimal, then extensions may follow; fifteen digits do not overflow. */
int co4__http_parse_chunk(struct co4__http *h, const char *line, size_t size)
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

/* ---- texts of the program ---- */

bool co4__http_is_token(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && span_of(text, size, TOKEN) == size;
}

bool co4__http_is_value(const char *text)
{
    size_t size = strlen(text);
    return is_value(text, size) && (size == 0 || (text[0] != ' ' && text[size - 1] != ' '));
}
