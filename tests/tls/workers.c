/* workers.c - many connections over TCP on loopback, on four workers; two tasks of each side.
 * needs: descriptors threads tls
 * modes: woven forced
 * expect: 200 connections, 200 answers, some resumed
 * expect: both directions of 8 connections at once: 8 the same
 * expect: reasons stay with their tasks: 40 of 40 */
#include "common.h"

#include <co4/net.h>
#include <stdatomic.h>

enum { CONNECTIONS = 200, AT_ONCE = 20, LARGE = 8, BYTES = 1500000, REASONS = 40 };

static co4_tls_config *client, *server;
static atomic_int answers, resumed, same, right;
static char port[8];

static pausable void serve(int fd)
{
    char bytes[4000];
    ssize_t n;
    co4_conn *c;
    if (co4_tls_accept(&c, server, fd) != CO4_OK) {
        co4_close(fd);
        return;
    }
    while ((n = co4_conn_read(c, bytes, sizeof bytes)) > 0)
        if (co4_conn_write(c, bytes, (size_t)n) != n)
            break;
    co4_conn_close(c);
}

static pausable void accept_all(int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(serve(fd));
}

static pausable int open(co4_conn **c, const char *host)
{
    int fd = co4_tcp_connect("127.0.0.1", port);
    int err = fd < 0 ? fd : co4_tls_connect(c, client, fd, host);
    if (err != CO4_OK && fd >= 0)
        co4_close(fd);
    return err;
}

static pausable void ask(int times)
{
    for (int i = 0; i < times; i++) {
        char *line;
        co4_conn *c;
        if (open(&c, "localhost") != CO4_OK)
            continue;
        co4_conn_printf(c, "question %d\n", i);
        if (co4_conn_read_line(c, &line, 100) > 0 && strncmp(line, "question ", 9) == 0 &&
            atoi(line + 9) == i)
            answers++;
        resumed += co4_tls_resumed(c);
        co4_conn_close(c);
    }
}

static char byte_at(size_t i)
{
    return (char)(i * 7 + i / 251);
}

static pausable void write_large(co4_conn *c)
{
    char *bytes = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = byte_at(i);
    co4_conn_write(c, bytes, BYTES);
    co4_conn_end(c);
    free(bytes);
}

static pausable void both_directions(void)
{
    char part[9000];
    size_t at = 0;
    ssize_t n;
    bool good = true;
    co4_conn *c;
    if (open(&c, "localhost") != CO4_OK)
        return;
    co4_task *w = co4_spawn(write_large(c));
    while ((n = co4_conn_read(c, part, sizeof part)) > 0)
        for (ssize_t i = 0; i < n; i++, at++)
            good = good && part[i] == byte_at(at);
    co4_join(w, NULL);
    same += good && at == BYTES && n == 0;
    co4_conn_close(c);
}

/* The reasons of failures at the same time are not confused. */
static pausable void fail(int i)
{
    static const char *const texts[] = { "hostname mismatch", "no host to verify" };
    static const int codes[] = { CO4_TLS_OTHER_NAME, CO4_EINVAL };
    co4_conn *c;
    int err = open(&c, i % 2 ? NULL : "elsewhere.example");
    co4_yield();
    right += err == codes[i % 2] && strcmp(co4_tls_error_text(), texts[i % 2]) == 0;
}

static pausable void all(void)
{
    co4_task *tasks[REASONS];
    int listener = co4_tcp_listen("127.0.0.1", "0", 0);
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    co4_task *a = co4_spawn(accept_all(listener));
    for (int i = 0; i < AT_ONCE; i++)
        tasks[i] = co4_spawn(ask(CONNECTIONS / AT_ONCE));
    for (int i = 0; i < AT_ONCE; i++)
        co4_join(tasks[i], NULL);
    printf("%d connections, %d answers, %s\n", CONNECTIONS, answers,
           resumed > 0 ? "some resumed" : "none resumed");
    for (int i = 0; i < LARGE; i++)
        tasks[i] = co4_spawn(both_directions());
    for (int i = 0; i < LARGE; i++)
        co4_join(tasks[i], NULL);
    printf("both directions of %d connections at once: %d the same\n", LARGE, same);
    for (int i = 0; i < REASONS; i++)
        tasks[i] = co4_spawn(fail(i));
    for (int i = 0; i < REASONS; i++)
        co4_join(tasks[i], NULL);
    printf("reasons stay with their tasks: %d of %d\n", right, REASONS);
    co4_close(listener);
    co4_join(a, NULL);
}

int main(void)
{
    client = client_of("authority");
    server = server_of("server");
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_task *t = co4_runtime_spawn(rt, all());
    co4_block(co4_task_join(t));
    co4_task_release(t);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_tls_config_release(client);
    co4_tls_config_release(server);
    return 0;
}
