/* test_network.c - the lead example of co4/test_network.h.
 * needs: descriptors
 * modes: woven forced
 * expect: 10 answers, or a failure that was noticed */
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <netinet/in.h>
#include <stdio.h>

enum { REQUESTS = 10 };

static int answers, failures;

static pausable void server(int listener)
{
    char c;
    int fd;
    while ((fd = co4_accept(listener, NULL, NULL)) >= 0) {
        if (co4_read(fd, &c, 1) == 1)
            co4_write(fd, &c, 1);
        co4_close(fd);
    }
}

static pausable void client(const struct sockaddr_in *to)
{
    char c = 'x';
    for (int i = 0; i < REQUESTS; i++) {
        int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
        bool answered = co4_connect(fd, (const struct sockaddr *)to, sizeof *to) == 0 &&
                        co4_write(fd, &c, 1) == 1 && co4_read(fd, &c, 1) == 1;
        answers += answered;
        failures += !answered;
        co4_close(fd);
    }
}

static pausable void clients_and_server(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(80) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0);
    co4_bind(listener, (struct sockaddr *)&at, sizeof at);
    co4_listen(listener, 8);
    co4_task *s = co4_spawn(server(listener)), *c = co4_spawn(client(&at));
    co4_join(c, NULL);
    co4_close(listener);
    co4_join(s, NULL);
}

int main(void)
{
    co4_test_begin(&(co4_test_options){ .seed = 7 });
    co4_test_network(&(co4_test_network_options){ .reset = 50, .loss = 20 });
    co4_run(clients_and_server());
    co4_test_end(NULL);
    if (answers + failures == REQUESTS && answers > 0)
        puts("10 answers, or a failure that was noticed");
    return 0;
}
