/* sim_echo.c - clients and a server in the simulated network: each byte once, in order, for many
 * seeds; the same seed makes the same run.
 * needs: descriptors
 * modes: woven forced
 * expect: 200 seeds: all echoed, nothing is left
 * expect: the same seed: the same run, byte for byte
 * expect: other seeds: other runs
 * expect: without a seed: all echoed */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 5, BYTES = 3000, PORT = 7 };

struct world {
    int echoed, wrong, served;
};

static struct sockaddr_in server_address(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    inet_pton(AF_INET, "10.0.0.1", &a.sin_addr);
    return a;
}

static pausable void serve(struct world *w, int fd)
{
    char bytes[256];
    ssize_t n;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        if (co4_write(fd, bytes, (size_t)n) != n)
            w->wrong++;
    w->wrong += n != 0;
    w->served++;
    co4_close(fd);
}

static pausable void server(struct world *w, int listener)
{
    for (int i = 0; i < CLIENTS; i++) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        int fd = co4_accept(listener, (struct sockaddr *)&peer, &length);
        if (fd < 0 || length != sizeof peer || peer.sin_family != AF_INET)
            w->wrong++;
        else
            co4_spawn(serve(w, fd));
    }
    co4_close(listener);
}

/* The byte at a place of what a client sends. */
static char byte_at(int self, int at)
{
    return (char)(self * 37 + at * 11 + at / 256);
}

static pausable int writer(int fd, int self)
{
    char bytes[BYTES];
    int wrong = 0;
    for (int i = 0; i < BYTES; i++)
        bytes[i] = byte_at(self, i);
    for (int at = 0; at < BYTES; at += BYTES / 3)
        wrong += co4_write(fd, bytes + at, BYTES / 3) != BYTES / 3;
    return wrong + (co4_shutdown(fd, SHUT_WR) != 0);
}

static pausable void client(struct world *w, int self)
{
    struct sockaddr_in to = server_address();
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0), at = 0, wrong = 0;
    if (fd < 0 || co4_connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        w->wrong++;
        co4_close(fd);
        return;
    }
    co4_task *writes = co4_spawn(writer(fd, self));
    char bytes[100];
    ssize_t n;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            wrong += bytes[i] != byte_at(self, at++);
    int failed = 0;
    co4_join(writes, &failed);
    w->echoed += n == 0 && at == BYTES && !wrong && !failed;
    co4_close(fd);
}

static pausable void all(struct world *w)
{
    struct sockaddr_in at = server_address();
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0), one = 1;
    w->wrong += co4_setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0;
    w->wrong += co4_bind(listener, (struct sockaddr *)&at, sizeof at) != 0;
    w->wrong += co4_listen(listener, 2) != 0;
    co4_spawn(server(w, listener));
    for (int i = 0; i < CLIENTS; i++)
        co4_spawn(client(w, i));
}

struct text {
    char *bytes;
    size_t length, room;
};

static int add(void *data, const char *bytes, size_t n)
{
    struct text *t = data;
    if (t->length + n > t->room && !(t->bytes = realloc(t->bytes, t->room = 2 * (t->length + n))))
        abort();
    memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
    return CO4_OK;
}

static bool run(unsigned long long seed, struct text *trace, unsigned long long *digest)
{
    struct world w = { 0, 0, 0 };
    co4_test_network_result network;
    co4_test_result result;
    co4_test_options options = { .seed = seed, .late = 8, .late_steps = 10 };
    if (trace) {
        options.trace = add;
        options.trace_data = trace;
    }
    if (co4_test_begin(&options) != CO4_OK)
        return false;
    /* The buffer is so small that writers have to wait. */
    co4_test_network(&(co4_test_network_options){ .buffer = 500, .loss = 20 });
    co4_run(all(&w));
    bool counted = co4_test_network_result_of(&network) == CO4_OK && network.open == 0 &&
                   network.connected == CLIENTS && network.bytes == 2 * CLIENTS * BYTES;
    co4_test_end(&result);
    if (digest)
        *digest = result.digest;
    return counted && w.echoed == CLIENTS && w.served == CLIENTS && w.wrong == 0;
}

int main(void)
{
    long long pools, allocated;
    int good = 0, seeds = 200;
    run(1, NULL, NULL);
    pools = co4_test_pool_live();
    allocated = co4_test_alloc_live();
    for (int seed = 1; seed <= seeds; seed++)
        good += run((unsigned)seed, NULL, NULL);
    bool left = co4_test_pool_live() != pools || co4_test_alloc_live() != allocated;
    printf("%d seeds: %s echoed, %s is left\n", seeds, good == seeds ? "all" : "not all",
           left ? "something" : "nothing");

    struct text first = { NULL, 0, 0 }, again = { NULL, 0, 0 };
    unsigned long long digest, other;
    run(7, &first, &digest);
    run(7, &again, &other);
    bool same = digest == other && first.length == again.length && first.length > 1000 &&
                memcmp(first.bytes, again.bytes, first.length) == 0;
    printf("the same seed: %s\n", same ? "the same run, byte for byte" : "another run");
    free(first.bytes);
    free(again.bytes);
    run(8, NULL, &other);
    printf("other seeds: %s runs\n", digest != other ? "other" : "the same");
    printf("without a seed: %s echoed\n", run(0, NULL, NULL) ? "all" : "not all");
    return 0;
}
