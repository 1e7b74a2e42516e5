/* ssh_gate.c - commands of many local clients at a server of SSH: a thread and a session of libssh2
 * for each.
 *
 *     ssh_gate SOCKET PORT FOLDER USER CLIENTS
 *
 * A client connects to the socket of the file system, sends the command as a line, and has the
 * command's input and output then. FOLDER has the keys of the user. Prints a line for each command
 * that has begun. Ends after CLIENTS. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <libssh2.h>

static const char *folder, *user;
static int port;

static LIBSSH2_SESSION *logged_in(int s)
{
    char public[256], private[256];
    LIBSSH2_SESSION *ssh = libssh2_session_init();
    snprintf(public, sizeof public, "%s/user.pub", folder);
    snprintf(private, sizeof private, "%s/user", folder);
    if (ssh != NULL && libssh2_session_handshake(ssh, s) == 0 &&
        libssh2_userauth_publickey_fromfile(ssh, user, public, private, NULL) == 0)
        return ssh;
    fprintf(stderr, "a session cannot log in\n");
    if (ssh != NULL)
        libssh2_session_free(ssh);
    return NULL;
}

static int connected(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((unsigned short)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0 && connect(s, (struct sockaddr *)&at, sizeof at) != 0) {
        close(s);
        return -1;
    }
    return s;
}

static int write_all(int fd, const char *bytes, ssize_t n)
{
    for (ssize_t w; n > 0; n -= w, bytes += w)
        if ((w = write(fd, bytes, (size_t)n)) < 0)
            return 0;
    return 1;
}

/* Gives the client what the command has printed. Returns 0 at an error. */
static int give(LIBSSH2_CHANNEL *c, int client)
{
    char bytes[16384];
    ssize_t n;
    while ((n = libssh2_channel_read(c, bytes, sizeof bytes)) > 0)
        if (!write_all(client, bytes, n))
            return 0;
    if (n < 0 && n != LIBSSH2_ERROR_EAGAIN)
        return 0;
    while ((n = libssh2_channel_read_stderr(c, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)n, stderr);
    return 1;
}

/* The session gives what it has while it takes no more. */
static int take(LIBSSH2_CHANNEL *c, int s, int client, const char *bytes, ssize_t n)
{
    while (n > 0) {
        ssize_t w = libssh2_channel_write(c, bytes, (size_t)n);
        struct pollfd ready = { .fd = s, .events = POLLIN };
        if (w < 0 && w != LIBSSH2_ERROR_EAGAIN)
            return 0;
        if (w >= 0) {
            bytes += w;
            n -= w;
        } else if (!give(c, client) || poll(&ready, 1, 20) < 0)
            return 0;
    }
    return 1;
}

static void relay(LIBSSH2_SESSION *ssh, LIBSSH2_CHANNEL *c, int s, int client)
{
    char bytes[16384];
    struct pollfd both[] = { { .fd = s, .events = POLLIN }, { .fd = client, .events = POLLIN } };
    libssh2_session_set_blocking(ssh, 0);
    while (give(c, client) && !libssh2_channel_eof(c)) {
        both[0].events = POLLIN;
        if (libssh2_session_block_directions(ssh) & LIBSSH2_SESSION_BLOCK_OUTBOUND)
            both[0].events |= POLLOUT;
        if (poll(both, 2, -1) < 0)
            break;
        if (both[1].revents == 0)
            continue;
        ssize_t n = read(client, bytes, sizeof bytes);
        if (n < 0 || (n > 0 && !take(c, s, client, bytes, n)))
            break;
        if (n == 0) {
            libssh2_session_set_blocking(ssh, 1);
            libssh2_channel_send_eof(c);
            libssh2_session_set_blocking(ssh, 0);
            both[1].fd = -1;
        }
    }
    libssh2_session_set_blocking(ssh, 1);
    libssh2_channel_close(c);
    if (libssh2_channel_wait_closed(c) != 0 || libssh2_channel_get_exit_status(c) != 0)
        fprintf(stderr, "a command ends with %d\n", libssh2_channel_get_exit_status(c));
}

static int read_line(int fd, char *line, size_t size)
{
    size_t n = 0;
    while (n < size - 1 && read(fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    line[n] = 0;
    return n > 0;
}

static void *serve(void *data)
{
    char command[1024];
    int client = (int)(intptr_t)data, s = connected();
    LIBSSH2_SESSION *ssh = s >= 0 && read_line(client, command, sizeof command) ? logged_in(s)
                                                                                : NULL;
    LIBSSH2_CHANNEL *c = ssh != NULL ? libssh2_channel_open_session(ssh) : NULL;
    if (c != NULL && libssh2_channel_exec(c, command) == 0) {
        printf("%s\n", command);
        fflush(stdout);
        relay(ssh, c, s, client);
    }
    if (c != NULL)
        libssh2_channel_free(c);
    if (ssh != NULL) {
        libssh2_session_disconnect(ssh, "end");
        libssh2_session_free(ssh);
    }
    close(s);
    close(client);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int clients = argc > 5 ? atoi(argv[5]) : 0, l = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_t *threads = calloc((size_t)clients + 1, sizeof *threads);
    if (threads == NULL || clients == 0 || libssh2_init(0) != 0)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", argv[1]);
    port = atoi(argv[2]);
    folder = argv[3];
    user = argv[4];
    if (bind(l, (struct sockaddr *)&at, sizeof at) != 0 || listen(l, 1024) != 0)
        return 3;
    for (int i = 0; i < clients; i++) {
        int fd = accept(l, NULL, NULL);
        if (fd < 0 || pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)fd) != 0)
            return 4;
    }
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}
