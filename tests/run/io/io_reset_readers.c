/* io_reset_readers.c - several tasks wait at a connection that is reset: the first one gets the
 * error, the others the end.
 * modes: woven forced
 * needs: descriptors posix
 * weave: -Wno-co4-blocking
 * expect: 1 of 3 ECONNRESET, 2 the end */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define READERS 3

static int fd, resets, ends;

static pausable int reader(void)
{
    char byte;
    ssize_t n = co4_read(fd, &byte, 1);
    resets += n < 0 && errno == ECONNRESET;
    ends += n == 0;
    return 0;
}

static pausable int start(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&a, sizeof a);
    listen(listener, 1);
    getsockname(listener, (struct sockaddr *)&a, &length);
    connect(client, (struct sockaddr *)&a, sizeof a);
    fd = accept(listener, NULL, NULL);
    co4_task *tasks[READERS];
    for (int i = 0; i < READERS; i++) {
        tasks[i] = co4_task_create(reader());
        co4_runtime_schedule(NULL, tasks[i]);
    }
    co4_sleep(20 * CO4_MS); /* until all of them wait */
    setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client);
    for (int i = 0; i < READERS; i++)
        if (co4_join_until(tasks[i], NULL, co4_after(5 * CO4_SEC)) == CO4_ETIMEDOUT)
            puts("a reader still waits");
    co4_close(fd);
    close(listener);
    printf("%d of %d ECONNRESET, %d the end\n", resets, READERS, ends);
    return 0;
}

int main(void)
{
    return co4_run(start());
}
