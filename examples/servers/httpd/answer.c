/* answer.c - heads of answers. The date is made once a second; the shortest answer is one copy. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "httpd.h"

enum { RELIEVED = 12 << 10 }; /* bytes of output, from which on it is sent */

#define HELLO "Hello, World!"

/* Of this thread, for this second. */
static _Thread_local struct {
    time_t second;
    char date[32];
    char hello[160];
    size_t hello_size;
} now;

static void renew(time_t second)
{
    struct tm tm;
    now.second = second;
    gmtime_r(&second, &tm);
    strftime(now.date, sizeof now.date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    now.hello_size = (size_t)snprintf(now.hello, sizeof now.hello,
                                      "HTTP/1.1 200 OK\r\nServer: co4\r\nDate: %s\r\n"
                                      "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
                                      now.date, strlen(HELLO), HELLO);
}

static const char *date(void)
{
    time_t second = time(NULL);
    if (second != now.second)
        renew(second);
    return now.date;
}

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reasons[] = {
        { 200, "OK" },
        { 204, "No Content" },
        { 206, "Partial Content" },
        { 301, "Moved Permanently" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 408, "Request Timeout" },
        { 413, "Content Too Large" },
        { 414, "URI Too Long" },
        { 416, "Range Not Satisfiable" },
        { 417, "Expectation Failed" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 503, "Service Unavailable" },
        { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return "Unknown";
}

void answer_head(const struct http *h, int status, const char *type, int64_t length,
                 const char *more)
{
    char framing[48] = "";
    if (length >= 0 && status != 204 && status != 304)
        snprintf(framing, sizeof framing, "Content-Length: %lld\r\n", (long long)length);
    else if (length < 0 && !h->is_1_0)
        strcpy(framing, "Transfer-Encoding: chunked\r\n");
    co4_conn_printf(h->c, "HTTP/1.1 %d %s\r\nServer: co4\r\nDate: %s\r\n%s%s%s%s%s%s\r\n", status,
                    reason(status), date(), h->closes ? "Connection: close\r\n" : "",
                    type ? "Content-Type: " : "", type ? type : "", type ? "\r\n" : "", framing,
                    more);
}

void answer_status(const struct http *h, int status, const char *more)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%d %s\n", status, reason(status));
    bool has_body = status != 204 && status != 304;
    answer_head(h, status, has_body ? "text/plain" : NULL, size, more);
    if (has_body && h->method != HTTP_HEAD)
        co4_conn_put(h->c, text, (size_t)size);
}

void answer_hello(const struct http *h)
{
    date();
    if (!h->closes && h->method == HTTP_GET) {
        co4_conn_put(h->c, now.hello, now.hello_size);
        return;
    }
    answer_head(h, 200, "text/plain", strlen(HELLO), "");
    if (h->method == HTTP_GET)
        co4_conn_put(h->c, HELLO, strlen(HELLO));
}

void answer_piece(const struct http *h, size_t size)
{
    if (!h->is_1_0)
        co4_conn_printf(h->c, size > 0 ? "%zx\r\n" : "%zx\r\n\r\n", size);
}

void answer_piece_end(const struct http *h)
{
    if (!h->is_1_0)
        co4_conn_put(h->c, "\r\n", 2);
}

pausable bool answer_relieve(struct http *h)
{
    if (co4_conn_unsent(h->c) < RELIEVED)
        return true;
    if (co4_conn_flush_until(h->c, co4_now() + h->limits->progress) == 0)
        return true;
    h->closes = h->failed = true;
    return false;
}
