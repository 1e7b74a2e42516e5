/* plain.c - calls in code that is not woven, at descriptors of woven code; and a set of epoll with
 * a member of the system. -DPLAIN: the part that is not woven. With an argument it waits there for
 * what another thread does; with two, for what nothing does. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

void use(int to_read, int to_write);
int wait_for_byte(int fd);

#ifdef PLAIN
void use(int to_read, int to_write)
{
    char text[8];
    struct pollfd p = { .fd = to_read, .events = POLLIN };
    fd_set in;
    assert(poll(&p, 1, 1) == 0);
    assert(write(to_write, "abcdef", 6) == 6);
    assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
    FD_ZERO(&in);
    FD_SET(to_read, &in);
    assert(select(to_read + 1, &in, NULL, NULL, NULL) == 1 && FD_ISSET(to_read, &in));
    int set = epoll_create1(0);
    struct epoll_event e = { .events = EPOLLIN, .data.fd = to_read };
    assert(epoll_ctl(set, EPOLL_CTL_ADD, to_read, &e) == 0);
    assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.fd == to_read);
    close(set);
    assert(recv(to_read, text, 6, MSG_WAITALL) == 6 && memcmp(text, "abcdef", 6) == 0);
    assert(recv(to_read, text, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

int wait_for_byte(int fd)
{
    char c;
    return (int)read(fd, &c, 1);
}
#else
static int pair[2];

static void *writes(void *arg)
{
    usleep(1000);
    assert(write(pair[1], "x", 1) == 1);
    return arg;
}

static void mixed(void)
{
    int set = epoll_create1(0);
    struct epoll_event e = { .events = EPOLLIN, .data.fd = pair[0] };
    pthread_t id;
    char c;
    char folder[] = "folder.XXXXXX"; /* each run has its own */
    int fd = inotify_init1(0);
    assert(mkdtemp(folder) && inotify_add_watch(fd, folder, IN_DELETE_SELF) >= 0);
    assert(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &e) == 0);
    e.data.fd = fd;
    assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0);
    pthread_create(&id, NULL, writes, NULL);
    assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.fd == pair[0] && read(pair[0], &c, 1) == 1);
    pthread_join(id, NULL);
    assert(rmdir(folder) == 0);
    assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.fd == fd);
    close(fd);
    close(set);
}

int main(int argc, char **argv)
{
    pthread_t id;
    (void)argv;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    use(pair[0], pair[1]);
    if (argc > 1) {
        if (argc == 2)
            pthread_create(&id, NULL, writes, NULL);
        assert(wait_for_byte(pair[0]) == 1);
        pthread_join(id, NULL);
    }
    mixed();
    puts("plain");
    return 0;
}
#endif
