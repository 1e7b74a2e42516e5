/* in_vain.c - descriptors that are ready for writing while there is no room: a Unix socket that
 * sends to any address, and an eventfd. The calls wait, idle, until there is room, or until a limit
 * or a handler ends them. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %ld%s%s\n", what, result, result < 0 ? ", " : "",
           result < 0 ? strerror(errno) : "");
    fflush(stdout);
}

static void comes(int number)
{
    (void)number;
}

static void soon(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 100000 } }, NULL);
}

static struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "receiver" };
static int receiver, sender;

static long send_one(int how)
{
    struct iovec one = { "y", 1 };
    struct msghdr m = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &one, .msg_iovlen = 1
    };
    return how ? sendmsg(sender, &m, 0)
               : sendto(sender, "y", 1, 0, (struct sockaddr *)&address, sizeof address);
}

static int fill(void)
{
    int n = 0;
    while (sendto(sender, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address) == 1)
        n++;
    return n;
}

static void after_a_while(int count, int fd)
{
    fflush(stdout);
    if (fork() != 0)
        return;
    uint64_t value;
    usleep(400000);
    for (int i = 0; i < count; i++)
        recv(receiver, &value, 1, 0);
    _exit(fd >= 0 && read(fd, &value, sizeof value) != sizeof value);
}

static void datagrams(void)
{
    receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    unlink(address.sun_path);
    if (bind(receiver, (struct sockaddr *)&address, sizeof address) != 0)
        exit(1);
    after_a_while(fill(), -1);
    say("sendto, room comes", send_one(0));
    wait(NULL);
    after_a_while(fill() + 1, -1);
    say("sendmsg, room comes", send_one(1));
    wait(NULL);
    fill();
    setsockopt(sender, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0, 100000 },
               sizeof(struct timeval));
    say("sendto, a limit", send_one(0));
    say("sendmsg, a limit", send_one(1));
    setsockopt(sender, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0, 0 }, sizeof(struct timeval));
}

static void handled(void)
{
    uint64_t value = 10;
    int e = eventfd(UINT32_MAX, 0);
    struct iovec one = { &value, sizeof value };
    value = UINT64_MAX - 4 - UINT32_MAX;
    if (write(e, &value, sizeof value) != sizeof value)
        exit(1);
    value = 10;
    sigaction(SIGALRM, &(struct sigaction){ .sa_handler = comes }, NULL);
    soon();
    say("sendto, a handler", send_one(0));
    soon();
    say("sendmsg, a handler", send_one(1));
    soon();
    say("an eventfd, a handler", write(e, &value, sizeof value));
    soon();
    say("parts to an eventfd, a handler", writev(e, &one, 1));
    after_a_while(0, e);
    say("an eventfd, room comes", write(e, &value, sizeof value));
    wait(NULL);
    setsockopt(sender, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0, 100000 },
               sizeof(struct timeval));
    say("sendto, a limit with a handler", send_one(0));
}

int main(void)
{
    struct rusage u;
    alarm(30);
    datagrams();
    handled();
    getrusage(RUSAGE_SELF, &u);
    puts(u.ru_utime.tv_sec + u.ru_stime.tv_sec > 0 ? "busy" : "idle");
    return 0;
}
