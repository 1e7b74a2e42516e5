/* early.c - servers that answer a request before they have read its body, or never read it.
 * needs: descriptors http
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: a refusal, and nothing is read: 413 [too large]
 * expect: a refusal behind a 100: 417 [too large]
 * expect: a refusal and the end: 413 [too large]
 * expect: an early success, and all is read: 200 [too large], all
 * expect: nothing is said or read: CO4_ETIMEDOUT
 * expect: it closes: -EPIPE or -ECONNRESET */
#include "common.h"

#include <co4/time.h>

enum { LARGE = 8 << 20 };

static co4_sem over = CO4_SEM_INIT(0); /* the client has what it wanted */
static size_t seen;

#define SAYS(status) "HTTP/1.1 " status "\r\nContent-Length: 9\r\n\r\ntoo large"

struct behaviour {
    const char *name, *says;
    bool ends, reads_all, closes;
};

/* Takes the head alone, at first. */
static pausable void be_odd(int listener, const struct behaviour *b)
{
    static char bytes[65536];
    char head[40]; /* shorter than it is */
    int fd = co4_accept_next(listener);
    if (fd < 0 || co4_read(fd, head, sizeof head) <= 0)
        abort();
    co4_write(fd, b->says, strlen(b->says));
    if (b->ends)
        co4_shutdown(fd, SHUT_WR);
    for (ssize_t n = sizeof head; b->reads_all && seen < LARGE;) {
        if (n <= 0)
            abort();
        seen += (size_t)(n = co4_read(fd, bytes, sizeof bytes));
    }
    if (!b->closes && co4_sem_acquire(&over) != CO4_OK)
        abort();
    co4_close(fd);
}

static pausable void post(co4_http_client *client, int listener, const struct behaviour *b)
{
    static char body[LARGE];
    co4_http_reply *r;
    char url[64], *text = "";
    snprintf(url, sizeof url, "http://localhost:%d/", co4_socket_port(listener));
    co4_task *server = co4_spawn(be_odd(listener, b));
    const co4_http_request request = {
        .url = url, .method = "POST", .body = body, .bytes = sizeof body
    };
    bool answers = *b->says;
    int64_t deadline = answers || b->closes ? CO4_NEVER : co4_after(300 * CO4_MS);
    int err = co4_http_send_until(&r, client, &request, deadline);
    if (err == CO4_OK)
        co4_http_reply_body(r, &text, 100);
    if (!b->closes)
        co4_sem_release(&over);
    co4_join(server, NULL); /* the next one waits for a connection of its own */
    if (b->closes)
        printf("%s: %s\n", b->name,
               err == -EPIPE || err == -ECONNRESET ? "-EPIPE or -ECONNRESET" : co4_errname(err));
    else if (err != CO4_OK)
        printf("%s: %s\n", b->name, co4_errname(err));
    else if (b->reads_all)
        printf("%s: %d [%s], %s\n", b->name, co4_http_reply_status(r), text,
               seen >= LARGE ? "all" : "not all");
    else
        printf("%s: %d [%s]\n", b->name, co4_http_reply_status(r), text);
    co4_http_reply_destroy(r);
}

static pausable int all(void)
{
    static const struct behaviour all_of[] = {
        { .name = "a refusal, and nothing is read", .says = SAYS("413 Content Too Large") },
        { .name = "a refusal behind a 100",
          .says = "HTTP/1.1 100 Continue\r\n\r\n" SAYS("417 Expectation Failed") },
        { .name = "a refusal and the end", .says = SAYS("413 Content Too Large"), .ends = true },
        { .name = "an early success, and all is read", .says = SAYS("200 OK"), .reads_all = true },
        { .name = "nothing is said or read", .says = "" },
        { .name = "it closes", .says = "", .closes = true },
    };
    int listener = co4_tcp_listen("localhost", "0", 0);
    co4_http_client *client;
    if (listener < 0 || co4_http_client_create(&client, NULL) != CO4_OK)
        abort();
    for (size_t i = 0; i < sizeof all_of / sizeof *all_of; i++)
        post(client, listener, &all_of[i]);
    co4_http_client_destroy(client);
    co4_close(listener);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
