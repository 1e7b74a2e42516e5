/* test_network.c - a client that loses a part of an answer in one run of many: a seed repeats it.
 * needs: descriptors
 * modes: woven forced
 * expect: with one read: a seed finds a part of an answer, and finds it again
 * expect: with a loop: every answer is whole
 * expect: a partition of a minute: the answer comes */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

struct exchange {
    bool careful; /* reads until the answer is whole */
    char answer[16];
};

static pausable void serve_one(int listener)
{
    int fd = co4_accept(listener, NULL, NULL);
    co4_write(fd, "hello, ", 7);
    co4_write(fd, "world\n", 6);
    co4_close(fd);
}

static pausable void ask(struct exchange *e, const struct sockaddr_in *to)
{
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    size_t got = 0;
    if (co4_connect(fd, (const struct sockaddr *)to, sizeof *to) == 0)
        do {
            ssize_t n = co4_read(fd, e->answer + got, sizeof e->answer - 1 - got);
            if (n <= 0)
                break;
            got += (size_t)n;
        } while (e->careful);
    co4_close(fd);
}

static pausable void exchange(struct exchange *e)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(80) };
    inet_pton(AF_INET, "10.0.0.1", &at.sin_addr); /* a host of the simulated network */
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0);
    co4_bind(listener, (struct sockaddr *)&at, sizeof at);
    co4_listen(listener, 1);
    co4_spawn(serve_one(listener));
    ask(e, &at);
    co4_close(listener);
}

static bool is_whole(unsigned long long seed, bool careful)
{
    struct exchange e = { .careful = careful };
    co4_test_begin(&(co4_test_options){ .seed = seed });
    co4_run(exchange(&e));
    co4_test_end(NULL);
    return strcmp(e.answer, "hello, world\n") == 0;
}

static unsigned long long find_a_part(unsigned long long seeds, bool careful)
{
    for (unsigned long long seed = 1; seed <= seeds; seed++)
        if (!is_whole(seed, careful))
            return seed;
    return 0;
}

static pausable void heal_after_a_minute(void)
{
    co4_test_network_partition("10.0.0.1", NULL, 1);
    co4_sleep(60 * CO4_SEC);
    co4_test_network_partition("10.0.0.1", NULL, 0);
}

static pausable void exchange_during_partition(struct exchange *e)
{
    co4_spawn(heal_after_a_minute());
    co4_yield();
    exchange(e);
}

int main(void)
{
    unsigned long long seed = find_a_part(100, false);
    if (seed != 0 && !is_whole(seed, false))
        puts("with one read: a seed finds a part of an answer, and finds it again");
    if (find_a_part(100, true) == 0)
        puts("with a loop: every answer is whole");

    struct exchange e = { .careful = true };
    co4_test_begin(&(co4_test_options){ .seed = 1 });
    co4_run(exchange_during_partition(&e));
    if (co4_now() > 60 * CO4_SEC && strcmp(e.answer, "hello, world\n") == 0)
        puts("a partition of a minute: the answer comes");
    co4_test_end(NULL);
    return 0;
}
