/* not_blocking.c - calls that are seen to return at once, and their neighbours that are not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <co4.h>

struct peer {
    int fd, other;
};

pausable int work(struct peer *peer, int given, FILE *to, struct flock *at);
pausable int work(struct peer *peer, int given, FILE *to, struct flock *at)
{
    char bytes[8];
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), later = -1;
    int opened = open("/dev/null", O_RDONLY | O_NONBLOCK);
    int plain = open("/dev/null", O_RDONLY);
    fcntl(peer->fd, F_SETFL, fcntl(peer->fd, F_GETFL) | O_NONBLOCK);
    later = accept4(made, NULL, NULL, SOCK_NONBLOCK);
    long n = recv(given, bytes, sizeof bytes, MSG_DONTWAIT) +
             recv(given, bytes, 1, MSG_PEEK | MSG_DONTWAIT);
    n += read(made, bytes, 1) + read(later, bytes, 1) + read(opened, bytes, 1) +
         read(peer->fd, bytes, 1);
    n += poll(NULL, 0, 0) + waitpid(-1, NULL, WNOHANG);
    n += flock(given, LOCK_EX | LOCK_NB) + flock(given, LOCK_UN) + fcntl(given, F_GETFD) +
         lockf(given, F_TLOCK, 0) + send(given, bytes, 1, MSG_DONTWAIT | MSG_OOB);
    n += printf("%ld\n", n) + fputs("output\n", stdout) + putc('.', stderr) + fflush(stdout) +
         (long)fwrite(bytes, 1, 1, stderr);
    n += flock(given, LOCK_EX);      /* warning: 'flock' blocks the thread */
    n += lockf(given, F_LOCK, 0);    /* warning: 'lockf' blocks the thread */
    n += send(given, bytes, 1, 0);   /* warning: 'send' blocks the thread */
    n += fputs("output\n", to);      /* warning: 'fputs' blocks the thread */
    n += fcntl(given, F_SETLKW, at); /* warning: 'fcntl' blocks the thread */
    n += recv(given, bytes, sizeof bytes, MSG_PEEK);
    /* warning: 'recv' blocks the thread */
    /* hint: set O_NONBLOCK in this function */
    n += read(peer->other, bytes, 1); /* warning: 'read' blocks the thread */
    n += read(plain, bytes, 1);       /* warning: 'read' blocks the thread */
    n += poll(NULL, 0, 10);           /* warning: 'poll' blocks the thread */
    n += waitpid(-1, NULL, 0);        /* warning: 'waitpid' blocks the thread */
    return (int)n + co4_yield();
}
