/* network.c - TLS over the simulated network: short counts, latency, lost segments, resets.
 * needs: descriptors tls
 * modes: woven forced
 * expect: 40 seeds: 40 exchanges, all bytes the same
 * expect: 40 seeds with resets: none hung, all bytes that came the same, some failed
 * expect: a reset: ECONNRESET, EPIPE or CO4_TLS_TRUNCATED
 * expect: nothing is open */
#include "common.h"

#include <arpa/inet.h>
#include <co4/test.h>

static co4_tls_config *client, *server;
static int exchanged, failed, wrong, others;

enum { BYTES = 60000 };

static char byte_at(size_t i)
{
    return (char)(i * 7 + i / 251);
}

static struct sockaddr_in address(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(443) };
    inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
    return a;
}

/* Counts the reasons of failures: those that a reset has. */
static void failure(int code)
{
    failed++;
    if (code != -ECONNRESET && code != -EPIPE && code != -ECONNREFUSED && code != CO4_TLS_TRUNCATED)
        others++;
}

static pausable void serve(int listener)
{
    char part[2000];
    size_t at = 0;
    ssize_t n;
    int fd = co4_accept4(listener, NULL, NULL, 0);
    co4_conn *c = NULL;
    if (fd >= 0 && co4_tls_accept(&c, server, fd) != CO4_OK)
        co4_close(fd);
    while (c && (n = co4_conn_read(c, part, sizeof part)) > 0) {
        for (ssize_t i = 0; i < n; i++, at++)
            if (part[i] != byte_at(at))
                wrong++;
        if (co4_conn_write(c, part, (size_t)n) != n)
            break;
    }
    co4_conn_close(c);
}

static pausable void write_all(co4_conn *c)
{
    static char bytes[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = byte_at(i);
    co4_conn_write(c, bytes, BYTES);
    co4_conn_end(c);
}

static pausable void exchange(void)
{
    struct sockaddr_in at = address();
    char part[3000];
    size_t got = 0;
    ssize_t n;
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0), fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (co4_bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || co4_listen(listener, 5) != 0)
        abort();
    co4_task *t = co4_spawn(serve(listener)), *w;
    co4_conn *c;
    int err = co4_connect(fd, (struct sockaddr *)&at, sizeof at) == 0
                  ? co4_tls_connect(&c, client, fd, "localhost")
                  : -errno;
    if (err != CO4_OK) {
        failure(err);
        co4_close(fd);
        co4_close(listener);
        co4_join(t, NULL);
        return;
    }
    w = co4_spawn(write_all(c));
    while ((n = co4_conn_read(c, part, sizeof part)) > 0)
        for (ssize_t i = 0; i < n; i++, got++)
            if (part[i] != byte_at(got))
                wrong++;
    if (n < 0)
        failure((int)n);
    else if (got == BYTES)
        exchanged++;
    else
        wrong++;
    co4_join(w, NULL);
    co4_conn_close(c);
    co4_close(listener);
    co4_join(t, NULL);
}

int main(void)
{
    enum { SEEDS = 40 };
    unsigned long long open = 0;
    client = client_of("authority");
    server = server_of("server");
    for (int resets = 0; resets < 2; resets++) {
        exchanged = failed = wrong = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            co4_test_network_result r;
            co4_test_begin(&(co4_test_options){ .seed = seed });
            co4_test_network(&(co4_test_network_options){
                .short_counts = 2, .buffer = 5000, .loss = 20, .reset = resets ? 40 : 0 });
            co4_run(exchange());
            co4_test_network_result_of(&r);
            open += r.open;
            co4_test_end(NULL);
        }
        if (resets)
            printf("%d seeds with resets: %s, %s, %s\n", SEEDS,
                   exchanged + failed == SEEDS ? "none hung" : "some hung",
                   wrong == 0 ? "all bytes that came the same" : "wrong bytes",
                   failed > 0 ? "some failed" : "none failed");
        else
            printf("%d seeds: %d exchanges, %s\n", SEEDS, exchanged,
                   wrong == 0 ? "all bytes the same" : "wrong bytes");
    }
    printf("a reset: %s\n",
           others == 0 ? "ECONNRESET, EPIPE or CO4_TLS_TRUNCATED" : "another reason");
    printf("%s\n", open == 0 ? "nothing is open" : "descriptors are open");
    co4_tls_config_release(client);
    co4_tls_config_release(server);
    return 0;
}
