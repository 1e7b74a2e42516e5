/* children.c - a process that talks with its children by pipes and a pair of sockets. */
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void *reads(void *arg)
{
    char c;
    assert(read((int)(intptr_t)arg, &c, 1) == 1 && c == 'b');
    return arg;
}

int main(void)
{
    int in[2], out[2], pair[2], status;
    char text[16] = "";
    pthread_t id;
    assert(pipe(in) == 0 && pipe(out) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    assert(write(in[1], "before", 6) == 6 && write(pair[0], "pair", 4) == 4);
    pthread_create(&id, NULL, reads, (void *)(intptr_t)out[0]);
    usleep(1000); /* it waits in the pipe that becomes the system's */
    pid_t child = fork();
    if (child == 0) {
        close(in[1]);
        size_t done = 0;
        for (ssize_t n; (n = read(in[0], text + done, sizeof text - done)) > 0;)
            done += (size_t)n;
        assert(strcmp(text, "before after") == 0);
        assert(recv(pair[1], text, 4, MSG_WAITALL) == 4 && memcmp(text, "pair", 4) == 0);
        assert(write(out[1], "b", 1) == 1);
        _exit(7);
    }
    assert(write(in[1], " after", 6) == 6 && close(in[1]) == 0);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    pthread_join(id, NULL);
    puts("children");
    return 0;
}
