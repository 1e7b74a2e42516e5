/* message.c - messages as they come and as they are sent. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- received ---- */

/* A message, and behind it its subject, reply subject, headers and data; each string ends with a
 * zero byte. */
struct received {
    co4_nats_message public;
    size_t headers_size;
    char bytes[];
};

enum { WORDS = 6 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\r' || c == '\n' || c == '\t' || c == '\0';
}

/* Splits a line at blanks. Returns the number of words; -1: too many. */
static int split(const char *line, size_t bytes, const char **words, size_t *sizes)
{
    int n = 0;
    for (size_t at = 0; at < bytes;) {
        if (is_blank(line[at])) {
            at++;
            continue;
        }
        if (n == WORDS)
            return -1;
        words[n] = &line[at];
        while (at < bytes && !is_blank(line[at]))
            at++;
        sizes[n] = (size_t)(&line[at] - words[n]);
        n++;
    }
    return n;
}

/* Returns false unless the word is a number. */
static bool number_of(const char *word, size_t size, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned digit = (unsigned)(word[i] - '0');
        if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return size > 0;
}

/* No server has a larger limit. */
static const uint64_t MOST = 64u << 20;

co4_nats_message *co4__nats_message_begin(const char *line, size_t bytes, uint64_t *number,
                                          char **to, size_t *payload, int *code)
{
    const char *words[WORDS] = { 0 };
    size_t sizes[WORDS] = { 0 };
    uint64_t headers = 0, total = 0;
    bool has_headers = line[0] == 'H';
    int n = split(line, bytes, words, sizes), fixed = has_headers ? 5 : 4;
    *code = CO4_NATS_EPROTOCOL;
    if ((n != fixed && n != fixed + 1) || !number_of(words[2], sizes[2], number) ||
        !number_of(words[n - 1], sizes[n - 1], &total) || total > MOST ||
        (has_headers && (!number_of(words[n - 2], sizes[n - 2], &headers) || headers > total)))
        return NULL;
    size_t subject = sizes[1], reply = n > fixed ? sizes[3] : 0;
    struct received *m = malloc(sizeof *m + subject + reply + (size_t)total + 5);
    *code = CO4_ENOMEM;
    if (!m)
        return NULL;
    char *at = m->bytes;
    memcpy(at, words[1], subject);
    at[subject] = '\0';
    memcpy(at + subject + 1, words[3], reply);
    at[subject + 1 + reply] = '\0';
    char *data = at + subject + reply + 2;
    m->headers_size = (size_t)headers;
    m->public = (co4_nats_message){ .subject = at,
                                    .reply = reply ? at + subject + 1 : NULL,
                                    .data = data + headers,
                                    .size = (size_t)(total - headers),
                                    .headers = headers ? data : NULL,
                                    .headers_size = (size_t)headers };
    *to = data;
    *payload = (size_t)total + 2;
    *code = CO4_OK;
    return &m->public;
}

int co4__nats_message_end(co4_nats_message *m)
{
    char *end = (char *)(uintptr_t)m->data + m->size;
    if (end[0] != '\r' || end[1] != '\n')
        return CO4_NATS_EPROTOCOL;
    end[0] = '\0';
    return CO4_OK;
}

void co4_nats_message_destroy(co4_nats_message *m)
{
    free(m);
}

const char *co4_nats_header(const co4_nats_message *m, const char *name, size_t *length)
{
    if (!m || !m->headers || !name)
        return NULL;
    size_t bytes = strlen(name);
    const char *end = m->headers + m->headers_size;
    const char *line = memchr(m->headers, '\n', m->headers_size);
    while (line && ++line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if ((size_t)(end - line) > bytes && memcmp(line, name, bytes) == 0 && line[bytes] == ':') {
            const char *value = line + bytes + 1, *last = next ? next : end;
            while (value < last && *value == ' ')
                value++;
            while (last > value && (last[-1] == '\r' || last[-1] == ' '))
                last--;
            if (length)
                *length = (size_t)(last - value);
            return value;
        }
        line = next;
    }
    return NULL;
}

int co4_nats_status(const co4_nats_message *m)
{
    static const char version[] = "NATS/1.0 ";
    const size_t bytes = sizeof version - 1;
    if (!m || m->headers_size < bytes + 3 || memcmp(m->headers, version, bytes) != 0)
        return 0;
    int status = 0;
    for (int i = 0; i < 3; i++) {
        char digit = m->headers[bytes + (size_t)i];
        if (digit < '0' || digit > '9')
            return 0;
        status = 10 * status + digit - '0';
    }
    return status;
}

/* ---- sent ---- */

bool co4__nats_is_subject(const char *subject)
{
    char before = '.';
    if (!subject)
        return false;
    for (const char *p = subject; *p; before = *p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || (before == '.' && *p == '.') ||
            (before == '.' && p[0] == '>' && p[1] == '.'))
            return false;
    return before != '.';
}

/* Returns whether a name has only visible ASCII characters, and no colon. With other names in it,
 * other clients refuse all headers of a message. */
static bool is_header_name(const char *name)
{
    const char *p = name;
    while (*p > ' ' && *p < 127 && *p != ':')
        p++;
    return p > name && *p == '\0';
}

/* Returns the size of the headers, 0 for none; -1 if a name or a value is not allowed. */
static long headers_bytes(const char *const *headers)
{
    long bytes = 12; /* "NATS/1.0\r\n" … "\r\n" */
    if (!headers || !*headers)
        return 0;
    for (; *headers; headers += 2) {
        if (!headers[1] || !is_header_name(headers[0]) || strpbrk(headers[1], "\r\n"))
            return -1;
        bytes += (long)(strlen(headers[0]) + strlen(headers[1]) + 4);
    }
    return bytes;
}

static char *append(char *to, const char *text, size_t bytes)
{
    memcpy(to, text, bytes);
    return to + bytes;
}

static char *append_headers(char *to, const char *const *headers)
{
    to = append(to, "NATS/1.0\r\n", 10);
    for (; *headers; headers += 2) {
        to = append(to, headers[0], strlen(headers[0]));
        to = append(to, ": ", 2);
        to = append(to, headers[1], strlen(headers[1]));
        to = append(to, "\r\n", 2);
    }
    return append(to, "\r\n", 2);
}

static char *append_word(char *to, const char *word)
{
    to = append(to, word, strlen(word));
    *to = ' ';
    return to + 1;
}

static char *append_number(char *to, size_t number)
{
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return append(to, at, (size_t)(digits + sizeof digits - at));
}

/* Writes the line without printf(), which took a third of the time of a small message. */
static char *append_line(char *to, const co4_nats_outgoing *m, const char *reply, size_t head)
{
    to = append_word(to, head > 0 ? "HPUB" : "PUB");
    to = append_word(to, m->subject);
    if (reply)
        to = append_word(to, reply);
    if (head > 0) {
        to = append_number(to, head);
        *to++ = ' ';
    }
    to = append_number(to, head + m->size);
    return append(to, "\r\n", 2);
}

struct co4__nats_out *co4__nats_encode(const struct co4_nats *c, const co4_nats_outgoing *m,
                                       const char *reply, int *code)
{
    long head = m ? headers_bytes(m->headers) : -1;
    size_t max_payload = atomic_load(&c->max_payload);
    *code = CO4_EINVAL;
    if (head < 0 || !co4__nats_is_subject(m->subject) || (reply && !co4__nats_is_subject(reply)) ||
        (m->size > 0 && !m->data) || (head > 0 && !atomic_load(&c->headers)))
        return NULL;
    *code = CO4_NATS_ETOOBIG;
    if (m->size > max_payload || (size_t)head > max_payload - m->size)
        return NULL;
    size_t line = strlen(m->subject) + (reply ? strlen(reply) : 0) + 64;
    if (line > CO4__NATS_LINE)
        return NULL;
    size_t room = line + (size_t)head + m->size;
    struct co4__nats_out *out = malloc(sizeof *out + room);
    *code = CO4_ENOMEM;
    if (!out)
        return NULL;
    char *at = append_line(out->bytes, m, reply, (size_t)head);
    if (head > 0)
        at = append_headers(at, m->headers);
    if (m->size > 0)
        at = append(at, m->data, m->size);
    at = append(at, "\r\n", 2);
    out->kind = CO4__NATS_MESSAGE;
    out->number = 0;
    out->charged = 0;
    out->size = (size_t)(at - out->bytes);
    *code = CO4_OK;
    return out;
}
