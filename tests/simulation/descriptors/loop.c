/* loop.c - an event loop by epoll, with timers and wake-ups of other threads, and a chat by poll().
 * It prints the same whether or not it is simulated. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TICKS = 5, WAKES = 7, BYTES = 30000 };
static int woken, ends[2];

static void add(int set, int fd, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.fd = fd };
    assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) < 0 && errno == EEXIST);
}

static void *wakes(void *arg)
{
    uint64_t one = 1;
    for (int i = 0; i < WAKES; i++) {
        usleep(3000);
        assert(write(woken, &one, sizeof one) == sizeof one);
    }
    return arg;
}

static void *sends(void *arg)
{
    char block[500];
    memset(block, 'b', sizeof block);
    for (int i = 0; i < BYTES; i += (int)sizeof block)
        assert(write(ends[1], block, sizeof block) == sizeof block);
    close(ends[1]);
    return arg;
}

/* Takes all there is, as a member with EPOLLET has to. Returns whether the other end is closed. */
static int drain(size_t *all)
{
    char block[333];
    for (;;) {
        ssize_t n = read(ends[0], block, sizeof block);
        if (n < 0) {
            assert(errno == EAGAIN);
            return 0;
        }
        if (n == 0)
            return 1;
        *all += (size_t)n;
    }
}

static void loop(void)
{
    int set = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct itimerspec each = { { 0, 2000000 }, { 0, 1000000 } }, is;
    uint64_t ticks = 0, wakings = 0, value;
    size_t all = 0;
    int ended = 0, plain[2];
    pthread_t ids[2];
    woken = eventfd(0, EFD_NONBLOCK);
    assert(pipe2(ends, 0) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    assert(read(woken, &value, sizeof value) < 0 && errno == EAGAIN);
    assert(read(woken, &value, 4) < 0 && errno == EINVAL);
    assert(timerfd_settime(timer, 0, &each, NULL) == 0 && timerfd_gettime(timer, &is) == 0 &&
           is.it_interval.tv_nsec == 2000000 && is.it_value.tv_nsec > 0);
    add(set, timer, EPOLLIN);
    add(set, woken, EPOLLIN);
    add(set, ends[0], EPOLLIN | EPOLLET);
    int file = open("/dev/zero", O_RDONLY);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, plain) == 0);
    struct epoll_event once = { .events = EPOLLOUT | EPOLLONESHOT, .data.fd = plain[0] };
    assert(epoll_ctl(set, EPOLL_CTL_ADD, plain[0], &once) == 0);
    pthread_create(&ids[0], NULL, wakes, NULL);
    pthread_create(&ids[1], NULL, sends, NULL);
    int outs = 0;
    while (ticks < TICKS || wakings < WAKES || !ended) {
        struct epoll_event events[4];
        int n = epoll_wait(set, events, 4, -1);
        assert(n > 0);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == timer && read(timer, &value, sizeof value) == sizeof value)
                ticks += value;
            else if (fd == woken && read(woken, &value, sizeof value) == sizeof value)
                wakings += value;
            else if (fd == ends[0])
                ended = drain(&all);
            else if (fd == plain[0])
                outs++;
        }
        if (ended && ends[0] >= 0 && epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL) == 0) {
            close(ends[0]);
            ends[0] = -1;
        }
    }
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
    assert(outs == 1 && epoll_ctl(set, EPOLL_CTL_MOD, plain[0], &once) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_DEL, file, NULL) < 0);
    printf("%d wakes, %zu bytes, ticks: %d\n", (int)wakings, all, ticks >= TICKS);
    close(timer);
    close(woken);
    close(plain[0]);
    close(plain[1]);
    close(file);
    struct epoll_event none;
    assert(epoll_wait(set, &none, 1, 10) == 0);
    close(set);
}

static void counters(void)
{
    int fd = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
    eventfd_t value;
    for (int i = 0; i < 3; i++)
        assert(eventfd_read(fd, &value) == 0 && value == 1);
    assert(eventfd_read(fd, &value) < 0 && errno == EAGAIN);
    assert(eventfd_write(fd, UINT64_MAX) < 0 && errno == EINVAL);
    assert(eventfd_write(fd, UINT64_MAX - 1) == 0);
    assert(eventfd_write(fd, 1) < 0 && errno == EAGAIN);
    int copy = dup(fd);
    close(fd);
    assert(eventfd_read(copy, &value) == 0 && value == 1);
    close(copy);
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct itimerspec once = { .it_value = { now.tv_sec + 1, now.tv_nsec } };
    assert(timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, NULL) == 0);
    uint64_t times;
    assert(read(timer, &times, sizeof times) == sizeof times && times == 1);
    struct timespec then;
    clock_gettime(CLOCK_REALTIME, &then);
    assert(then.tv_sec - now.tv_sec >= 1 && then.tv_sec - now.tv_sec <= 2);
    assert(write(timer, &times, sizeof times) < 0 && errno == EINVAL);
    close(timer);
    puts("counters");
}

/* ---- a chat: what one says, all others hear ---- */

enum { PEOPLE = 3, LINES = 3 };
static struct sockaddr_in place;

static void *talks(void *arg)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), id = (int)(intptr_t)arg;
    char line[32], heard[PEOPLE] = { 0 };
    assert(connect(fd, (struct sockaddr *)&place, sizeof place) == 0);
    FILE *in = fdopen(fd, "r");
    assert(fgets(line, sizeof line, in) && strcmp(line, "all are here\n") == 0);
    for (int i = 0; i < LINES; i++)
        dprintf(fd, "%c says %d\n", 'a' + id, i);
    for (int i = 0; i < LINES * (PEOPLE - 1); i++) {
        assert(fgets(line, sizeof line, in) && line[0] != 'a' + id);
        int from = line[0] - 'a', said = line[7] - '0';
        assert(from >= 0 && from < PEOPLE && said == heard[from]++);
    }
    fclose(in);
    return NULL;
}

static void tell_others(const struct pollfd *people, int but, const char *line, size_t bytes)
{
    for (int i = 1; i <= PEOPLE; i++)
        if (i != but && people[i].fd >= 0)
            (void)!send(people[i].fd, line, bytes, MSG_NOSIGNAL);
}

static void chat(void)
{
    struct pollfd people[PEOPLE + 1];
    char text[PEOPLE + 1][64];
    size_t had[PEOPLE + 1] = { 0 };
    pthread_t ids[PEOPLE];
    socklen_t length = sizeof place;
    int count = 1, left = PEOPLE;
    people[0] = (struct pollfd){ .fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN };
    place = (struct sockaddr_in){ .sin_family = AF_INET };
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(people[0].fd, (struct sockaddr *)&place, length) == 0);
    assert(listen(people[0].fd, 5) == 0);
    assert(getsockname(people[0].fd, (struct sockaddr *)&place, &length) == 0);
    for (int i = 0; i < PEOPLE; i++)
        pthread_create(&ids[i], NULL, talks, (void *)(intptr_t)i);
    while (left > 0) {
        assert(poll(people, (nfds_t)count, 10000) > 0);
        if (people[0].revents & POLLIN) {
            int fd = accept(people[0].fd, NULL, NULL);
            people[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
            if (count == PEOPLE + 1)
                tell_others(people, 0, "all are here\n", 13);
        }
        for (int i = 1; i < count; i++) {
            if (people[i].fd < 0 || people[i].revents == 0)
                continue;
            ssize_t n = recv(people[i].fd, text[i] + had[i], sizeof text[i] - had[i], MSG_DONTWAIT);
            if (n <= 0) {
                if (n < 0 && errno == EAGAIN)
                    continue;
                close(people[i].fd);
                people[i].fd = -1;
                left--;
                continue;
            }
            had[i] += (size_t)n;
            for (char *end; (end = memchr(text[i], '\n', had[i])) != NULL;) {
                size_t bytes = (size_t)(end + 1 - text[i]);
                tell_others(people, i, text[i], bytes);
                memmove(text[i], end + 1, had[i] -= bytes);
            }
        }
    }
    for (int i = 0; i < PEOPLE; i++)
        pthread_join(ids[i], NULL);
    close(people[0].fd);
    puts("chat");
}

static void selects(void)
{
    int pair[2];
    fd_set in, out;
    struct timeval soon = { 0, 20000 };
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(pair[0], &in);
    assert(select(pair[1] + 1, &in, NULL, NULL, &soon) == 0 && !FD_ISSET(pair[0], &in));
    FD_SET(pair[0], &in);
    FD_SET(pair[0], &out);
    assert(write(pair[1], "x", 1) == 1);
    assert(select(pair[1] + 1, &in, &out, NULL, NULL) >= 1 && FD_ISSET(pair[0], &out));
    close(pair[0]);
    close(pair[1]);
    puts("select");
}

int main(void)
{
    counters();
    loop();
    chat();
    selects();
    return 0;
}
