/* microhttpd_server.c - an HTTP server of libmicrohttpd with a thread for each connection.
 *
 *     microhttpd_server PORT CONNECTIONS
 *
 * It answers each request with "hello\n", and ends with its standard input. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result answer(void *hello, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *length, void **request)
{
    static int seen;
    (void)url, (void)version, (void)upload, (void)length;
    if (strcmp(method, "GET") != 0)
        return MHD_NO;
    if (*request == NULL) { /* the answer is wanted when the whole request has come */
        *request = &seen;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, hello);
}

int main(int argc, char **argv)
{
    static char text[] = "hello\n";
    if (argc != 3)
        return 2;
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)atoi(argv[1])),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct MHD_Response *hello = MHD_create_response_from_buffer(strlen(text), text,
                                                                 MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL,
        NULL, answer, hello, MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)atoi(argv[2]), MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096U,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)4096, MHD_OPTION_END);
    char rest[64];
    if (daemon == NULL)
        return 1;
    while (read(STDIN_FILENO, rest, sizeof rest) > 0)
        ;
    MHD_stop_daemon(daemon);
    MHD_destroy_response(hello);
    return 0;
}
