/* ssh_session.c - a session of many.h with libssh2: a command that waits for a lock, then gives its
 * words back; files by SFTP.
 *
 *     ssh_session PORT:FOLDER:USER COUNT
 *
 * FOLDER has the keys of the user, the public key of the host, and the lock. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libssh2.h>
#include <libssh2_sftp.h>

#include "many.h"

enum { LARGE = 200000 };

static char folder[128], user[64], host[1024];
static int port, gate = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *place;

static char *path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void begin(void)
{
    char path[256];
    if (sscanf(place, "%d:%127[^:]:%63s", &port, folder, user) != 3 || libssh2_init(0) != 0)
        return;
    FILE *f = fopen(path_of(path, "host.pub"), "r");
    if (f == NULL || fgets(host, sizeof host, f) == NULL)
        host[0] = 0;
    if (f != NULL)
        fclose(f);
    gate = open(path_of(path, "gate"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (gate < 0 || flock(gate, LOCK_EX) != 0)
        fprintf(stderr, "no lock\n");
}

static int connected(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((unsigned short)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (s >= 0 && connect(s, (struct sockaddr *)&at, sizeof at) != 0) {
        close(s);
        return -1;
    }
    return s;
}

/* Is the server's key that of the file? */
static int is_known(LIBSSH2_SESSION *ssh)
{
    size_t length;
    int type;
    const char *key = libssh2_session_hostkey(ssh, &length, &type);
    LIBSSH2_KNOWNHOSTS *known = libssh2_knownhost_init(ssh);
    char line[1100];
    snprintf(line, sizeof line, "localhost %s", host);
    int good = known != NULL && key != NULL &&
               libssh2_knownhost_readline(known, line, strlen(line),
                                          LIBSSH2_KNOWNHOST_FILE_OPENSSH) == 0 &&
               libssh2_knownhost_check(known, "localhost", key, length,
                                       LIBSSH2_KNOWNHOST_TYPE_PLAIN | LIBSSH2_KNOWNHOST_KEYENC_RAW,
                                       NULL) == LIBSSH2_KNOWNHOST_CHECK_MATCH;
    libssh2_knownhost_free(known);
    return good;
}

static LIBSSH2_SESSION *logged_in(int s)
{
    char public[256], private[256];
    LIBSSH2_SESSION *ssh = libssh2_session_init();
    if (ssh == NULL)
        return NULL;
    if (libssh2_session_handshake(ssh, s) == 0 && is_known(ssh) &&
        libssh2_userauth_publickey_fromfile(ssh, user, path_of(public, "user.pub"),
                                            path_of(private, "user"), NULL) == 0)
        return ssh;
    char *text = NULL;
    libssh2_session_last_error(ssh, &text, NULL, 0);
    fprintf(stderr, "a session cannot log in: %s\n", text);
    libssh2_session_free(ssh);
    return NULL;
}

/* Gives words to the command, and takes them back. */
static int says(LIBSSH2_CHANNEL *c, const char *words, size_t length)
{
    char *back = malloc(length);
    size_t sent = 0, got = 0;
    while (back != NULL && sent < length) {
        ssize_t n = libssh2_channel_write(c, words + sent, length - sent);
        if (n < 0)
            break;
        sent += (size_t)n;
    }
    while (back != NULL && sent == length && got < length) {
        ssize_t n = libssh2_channel_read(c, back + got, length - got);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    int good = got == length && memcmp(words, back, length) == 0;
    free(back);
    return good;
}

static int ends(LIBSSH2_CHANNEL *c)
{
    int good = libssh2_channel_send_eof(c) == 0 && libssh2_channel_wait_eof(c) == 0 &&
               libssh2_channel_close(c) == 0 && libssh2_channel_wait_closed(c) == 0 &&
               libssh2_channel_get_exit_status(c) == 0;
    return libssh2_channel_free(c) == 0 && good;
}

/* Writes a file, and reads it. */
static int keeps(LIBSSH2_SFTP *sftp, const char *path, const char *words, size_t length)
{
    char *back = malloc(length + 1);
    size_t sent = 0, got = 0;
    ssize_t n = 1;
    LIBSSH2_SFTP_HANDLE *h = libssh2_sftp_open(
        sftp, path, LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_TRUNC,
        LIBSSH2_SFTP_S_IRUSR | LIBSSH2_SFTP_S_IWUSR);
    while (h != NULL && n > 0 && sent < length &&
           (n = libssh2_sftp_write(h, words + sent, length - sent)) > 0)
        sent += (size_t)n;
    if (h != NULL)
        libssh2_sftp_close(h);
    h = libssh2_sftp_open(sftp, path, LIBSSH2_FXF_READ, 0);
    n = 1;
    while (h != NULL && back != NULL && n > 0 &&
           (n = libssh2_sftp_read(h, back + got, length + 1 - got)) > 0)
        got += (size_t)n;
    if (h != NULL)
        libssh2_sftp_close(h);
    int good = sent == length && got == length && memcmp(words, back, length) == 0;
    free(back);
    return libssh2_sftp_unlink(sftp, path) == 0 && good;
}

static int rounds(LIBSSH2_SESSION *ssh, LIBSSH2_CHANNEL *c, int i)
{
    int good = 0;
    char path[256], name[32], *words = malloc(LARGE);
    LIBSSH2_SFTP *sftp = i % 2 ? libssh2_sftp_init(ssh) : NULL;
    snprintf(name, sizeof name, "file-%d", i);
    for (int k = 0; words != NULL && good == k && k < MANY_ROUNDS; k++) {
        size_t length = (size_t)sprintf(words, "%d says %d", i, k);
        if (k == MANY_ROUNDS - 1)
            memset(words, 'a' + i % 26, length = LARGE);
        if (i % 2 && k > 0)
            good += sftp != NULL && keeps(sftp, path_of(path, name), words, length);
        else
            good += says(c, words, length);
    }
    free(words);
    return sftp != NULL && libssh2_sftp_shutdown(sftp) != 0 ? -1 : good;
}

int many_session(const char *server, int i)
{
    int good = -1;
    char command[256];
    place = server;
    pthread_once(&once, begin);
    int s = connected();
    LIBSSH2_SESSION *ssh = s >= 0 ? logged_in(s) : NULL;
    LIBSSH2_CHANNEL *c = ssh != NULL ? libssh2_channel_open_session(ssh) : NULL;
    snprintf(command, sizeof command, "flock -s %s/gate cat", folder);
    if (c != NULL && libssh2_channel_exec(c, command) == 0) {
        many_waits();
        if (says(c, "go on", 5))
            good = rounds(ssh, c, i);
    }
    if (c != NULL && !ends(c))
        good = -1;
    if (ssh != NULL &&
        (libssh2_session_disconnect(ssh, "end") != 0 || libssh2_session_free(ssh) != 0))
        good = -1;
    if (s >= 0)
        close(s);
    return good;
}

int many_release(const char *server, int count)
{
    (void)server, (void)count;
    return close(gate) == 0;
}
