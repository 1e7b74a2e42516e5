/* frames.c - frames that come byte by byte, that break the rules, or that cannot be masked.
 * needs: descriptors websocket
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * link: -Wl,--wrap=RAND_bytes
 * expect: byte by byte, in two pieces: [hello world] then 1000
 * expect: a ping between pieces: pong, [hello world] 1001
 * expect: not masked: 1002
 * expect: a reserved bit: 1002
 * expect: a kind that is none: 1002
 * expect: a ping in pieces: an end without a code
 * expect: a long ping: an end without a code
 * expect: pieces without a beginning: 1002
 * expect: a beginning between pieces: 1002
 * expect: no random bytes: CO4_ENOMEM, then CO4_ENOMEM */
#include <co4/websocket.h>

#include "../common.h"

/* ---- a server that repeats ---- */

static pausable int echo(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    while (err == CO4_OK && (err = co4_websocket_receive(ws, &m)) == CO4_OK)
        err = co4_websocket_send(ws, m.kind, m.data, m.bytes);
    co4_websocket_destroy(ws);
    return CO4_OK;
}

static const co4_http_route routes[] = { { "GET", "/", echo, NULL }, { 0 } };

/* ---- frames ---- */

enum { CONTINUED = 0, TEXT = 1, END = 8, PING = 9, LAST = 0x80, RESERVED = 0x40 };

/* Adds a frame whose mask is 0, so that its text stays readable. Returns its end. */
static unsigned char *add(unsigned char *to, int first, const char *text, bool masked)
{
    size_t bytes = strlen(text);
    *to++ = (unsigned char)first;
    *to++ = (unsigned char)((bytes < 126 ? bytes : 126) | (masked ? 0x80 : 0));
    if (bytes >= 126) {
        *to++ = (unsigned char)(bytes >> 8);
        *to++ = (unsigned char)bytes;
    }
    if (masked) {
        memset(to, 0, 4);
        to += 4;
    }
    memcpy(to, text, bytes);
    return to + bytes;
}

/* Prints what the server says. */
static void show(const char *name, const unsigned char *in, const unsigned char *end)
{
    printf("%s:", name);
    while (end - in >= 2) {
        size_t bytes = in[1] & 0x7f;
        if (in[0] == (LAST | END) && bytes < 2)
            printf(" an end without a code"); /* wslay's answer to these */
        else if (in[0] == (LAST | END))
            printf(" %s%d", end - in > 2 && name[0] == 'b' ? "then " : "", in[2] << 8 | in[3]);
        else if (in[0] == (LAST | TEXT))
            printf(" [%.*s]", (int)bytes, (const char *)in + 2);
        else
            printf(" pong,");
        in += 2 + bytes;
    }
    printf("\n");
}

/* Sends the frames, so many bytes at a time, and shows the answers up to the end of the
 * connection. */
static pausable void talk(int port, const char *name, const unsigned char *from,
                          const unsigned char *end, size_t piece)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\n"
                                  "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    unsigned char in[4096];
    size_t held = 0, head = 0;
    ssize_t n;
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    int fd = co4_tcp_connect("localhost", service);
    if (fd < 0 || co4_write(fd, request, sizeof request - 1) < 0)
        abort();
    while (from < end) {
        size_t now = (size_t)(end - from) < piece ? (size_t)(end - from) : piece;
        if (co4_write(fd, from, now) < 0)
            break;
        from += now;
        co4_sleep(CO4_MS); /* a server that has heard the end sends no more */
    }
    co4_shutdown(fd, SHUT_WR);
    while ((n = co4_read(fd, in + held, sizeof in - held)) > 0)
        held += (size_t)n;
    co4_close(fd);
    while (head + 4 <= held && memcmp(in + head, "\r\n\r\n", 4) != 0)
        head++;
    show(name, in + head + 4, in + held);
}

static pausable void test_frames(co4_http_client *client, co4_http_server *server)
{
    static char large[200];
    int port = co4_http_port(server);
    unsigned char out[1000], *end;
    (void)client;
    memset(large, 'x', sizeof large - 1);

    end = add(out, TEXT, "hello ", true);
    end = add(end, CONTINUED | LAST, "world", true);
    end = add(end, END | LAST, "\x03\xe8", true);
    talk(port, "byte by byte, in two pieces", out, end, 1);

    end = add(out, TEXT, "hello ", true);
    end = add(end, PING | LAST, "p", true);
    end = add(end, CONTINUED | LAST, "world", true);
    talk(port, "a ping between pieces", out, end, 1000);

    talk(port, "not masked", out, add(out, TEXT | LAST, "a", false), 1000);
    talk(port, "a reserved bit", out, add(out, TEXT | LAST | RESERVED, "a", true), 1000);
    talk(port, "a kind that is none", out, add(out, 3 | LAST, "a", true), 1000);
    talk(port, "a ping in pieces", out, add(out, PING, "a", true), 1000);
    talk(port, "a long ping", out, add(out, PING | LAST, large, true), 1000);
    talk(port, "pieces without a beginning", out, add(out, CONTINUED | LAST, "a", true), 1000);
    end = add(out, TEXT, "a", true);
    talk(port, "a beginning between pieces", out, add(end, TEXT | LAST, "b", true), 1000);
}

/* ---- without random bytes ---- */

static bool fails;

int __real_RAND_bytes(unsigned char *to, int bytes);

int __wrap_RAND_bytes(unsigned char *to, int bytes)
{
    return fails ? 0 : __real_RAND_bytes(to, bytes);
}

static pausable void test_masks(co4_http_client *client, co4_http_server *server)
{
    co4_websocket *ws;
    char url[64];
    snprintf(url, sizeof url, "ws://localhost:%d/", co4_http_port(server));
    if (co4_websocket_connect(&ws, client, url, NULL) != CO4_OK)
        abort();
    fails = true;
    int err = co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "a", 1);
    fails = false;
    int later = co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "b", 1);
    printf("no random bytes: %s, then %s\n", co4_errname(err), co4_errname(later));
    co4_websocket_destroy(ws);
}

static pausable int all(void)
{
    const co4_http_options o = { .routes = routes };
    int err = beside(&o, NULL, test_frames);
    return err == CO4_OK ? beside(&o, NULL, test_masks) : err;
}

int main(void)
{
    return co4_run(all());
}
