/* pending.c - a blocked signal stays pending, though the library has threads. */
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int signo)
{
    (void)signo;
    handled++;
}

int main(void)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
    sigset_t set;
    signal(SIGUSR1, on_signal);
    if (getaddrinfo("localhost", "80", &hints, &found) == 0)
        freeaddrinfo(found);
    int fd = open("synced", O_RDWR | O_CREAT, 0600);
    fsync(fd);
    close(fd);

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM); /* which would end the process */
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 10; i++) {
        kill(getpid(), SIGUSR1);
        kill(getpid(), SIGTERM);
        usleep(1000);
    }
    sigpending(&set);
    printf("handled %d, pending %d, %d\n", (int)handled, sigismember(&set, SIGUSR1),
           sigismember(&set, SIGTERM));
    return 0;
}
