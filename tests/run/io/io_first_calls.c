/* io_first_calls.c - the first calls at a descriptor that is not attached come at the same time, on
 * several workers: none of them takes it for another one.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: files: 1600 of 1600 reads
 * expect: sockets: 800 of 800 bytes */
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 200, TASKS = 8, LARGE = 300 * 1024 };

static atomic_int ready, correct;

/* Both workers are here at the same time. */
static void meet(void)
{
    ready++;
    for (long i = 0; ready < 2 && i < 1000000; i++)
        ;
}

static pausable void read_large(int fd) /* so many bytes are read by the pool */
{
    char *at = malloc(LARGE);
    meet();
    correct += co4_pread(fd, at, LARGE, 0) == LARGE;
    free(at);
}

static pausable void read_byte(int fd)
{
    char c;
    meet();
    correct += co4_read(fd, &c, 1) == 1;
}

static void round_of(co4_runtime *rt, int fd, int tasks)
{
    ready = 0;
    for (int i = 0; i < tasks; i++)
        if (tasks == TASKS)
            co4_runtime_spawn(rt, read_large(fd));
        else
            co4_runtime_spawn(rt, read_byte(fd));
}

int main(void)
{
    FILE *file = tmpfile();
    char bytes[4] = "abc";
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    if (!file || ftruncate(fileno(file), LARGE) != 0)
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        round_of(rt, fileno(file), TASKS);
        co4_runtime_join(rt);
        co4_fd_detach(fileno(file));
    }
    printf("files: %d of %d reads\n", (int)correct, ROUNDS * TASKS);
    correct = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int fds[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
            return 1;
        round_of(rt, fds[0], 4);
        for (int k = 0; k < 4; k++)
            if (write(fds[1], bytes, 1) != 1)
                return 1;
        co4_runtime_join(rt);
        co4_close(fds[0]);
        close(fds[1]);
    }
    printf("sockets: %d of %d bytes\n", (int)correct, ROUNDS * 4);
    co4_runtime_destroy(rt);
    fclose(file);
    co4_blocking_stop();
    return 0;
}
