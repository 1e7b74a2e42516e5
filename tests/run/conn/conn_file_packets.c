/* conn_file_packets.c - what is put before a file leaves with the file's first bytes, and at once
 * if the file has none. The counters of the socket say so.
 * needs: descriptors posix
 * expect: 1100 bytes in 1 packet
 * expect: of an empty file: 0, and 100 bytes came, 0 are kept */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char bytes[1100];

static unsigned packets(int fd)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    return co4_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info.tcpi_data_segs_out
                                                                          : 0;
}

static pausable int connect_to_itself(int fds[2])
{
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof here;
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0);
    fds[0] = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (co4_bind(listener, (struct sockaddr *)&here, sizeof here) != 0 ||
        co4_listen(listener, 1) != 0 ||
        co4_getsockname(listener, (struct sockaddr *)&here, &length) != 0 ||
        co4_connect(fds[0], (struct sockaddr *)&here, sizeof here) != 0)
        return -1;
    fds[1] = co4_accept(listener, NULL, NULL);
    return co4_close(listener);
}

static pausable void sends(int in)
{
    int fds[2], one = 1, kept = -1;
    if (connect_to_itself(fds) != 0)
        return;
    co4_setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    co4_conn *c = co4_conn_create(fds[0]);
    off_t at = 0;
    co4_conn_put(c, bytes, 100);
    if (co4_conn_send_file(c, in, &at, 1000) != 1000 ||
        co4_recv(fds[1], bytes, sizeof bytes, MSG_WAITALL) != 1100)
        return;
    printf("1100 bytes in %u packet\n", packets(fds[0]));
    co4_conn_put(c, bytes, 100);
    ssize_t n = co4_conn_send_file(c, in, &at, 1000);
    ioctl(fds[0], SIOCOUTQNSD, &kept);
    ssize_t came = co4_recv(fds[1], bytes, sizeof bytes, 0);
    printf("of an empty file: %zd, and %zd bytes came, %d are kept\n", n, came, kept);
    co4_conn_close(c);
    co4_close(fds[1]);
}

int main(void)
{
    FILE *file = tmpfile();
    if (!file || write(fileno(file), bytes, 1000) != 1000)
        return 1;
    co4_run(sends(fileno(file)));
    fclose(file);
    return 0;
}
