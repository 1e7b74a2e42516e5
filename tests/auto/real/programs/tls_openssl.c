/* tls_openssl.c - sessions by libssl itself. A session waits before it looks at its queue of
 * errors, which belongs to the thread: those of others must not be in it. */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tls_session.h"

enum { REPEATS = 500 };

static SSL_CTX *context;

int tls_begin(const char *authority)
{
    signal(SIGPIPE, SIG_IGN);
    context = SSL_CTX_new(TLS_client_method());
    if (context == NULL || SSL_CTX_load_verify_locations(context, authority, NULL) != 1)
        return 0;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return 1;
}

void tls_end(void)
{
    SSL_CTX_free(context);
}

static int connect_to(const char *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)atoi(port)),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The queue of errors, the oldest first. */
static void tell_errors(char *told, size_t size)
{
    const char *data;
    int flags;
    unsigned long code;
    while ((code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
        size_t used = strlen(told);
        ERR_error_string_n(code, told + used, size - used);
        used = strlen(told);
        snprintf(told + used, size - used, " %s;", (flags & ERR_TXT_STRING) ? data : "");
    }
}

/* Asks for a path, and compares all of the answer. Returns a text of what is wrong. */
static const char *ask(SSL *ssl, int i)
{
    char path[40], request[80], text[1000];
    int length = snprintf(path, sizeof path, "/path%d", i), n;
    snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path);
    if (SSL_write(ssl, request, (int)strlen(request)) != (int)strlen(request))
        return "SSL_write";
    long at = 0, body = 0; /* after the empty line */
    for (int line = 0; (n = SSL_read(ssl, text, sizeof text)) > 0; at += n)
        for (int k = 0; k < n; k++) {
            if (line == 4 && text[k] != path[body++ % length])
                return "another byte";
            if (line != 4)
                line = text[k] == "\r\n\r\n"[line] ? line + 1 : text[k] == '\r';
        }
    if (SSL_get_error(ssl, n) != SSL_ERROR_ZERO_RETURN)
        return "SSL_read";
    return body == (long)REPEATS * length ? NULL : "another length";
}

void tls_session(const char *target, int i, char *told, size_t size)
{
    char own[40], found[200] = "";
    const char *wrong = NULL;
    int fd = connect_to(target);
    SSL *ssl = SSL_new(context);
    if (fd < 0 || ssl == NULL || SSL_set_fd(ssl, fd) != 1 || SSL_set1_host(ssl, "127.0.0.1") != 1) {
        snprintf(told, size, "no connection: %d", errno);
    } else {
        int result = SSL_connect(ssl), before = errno;
        usleep((useconds_t)(i % 7 + 1) * 10000);
        if (result == 1) {
            wrong = ask(ssl, i);
            snprintf(told, size, "%s", wrong != NULL ? wrong : "good");
            SSL_shutdown(ssl);
        } else {
            int kind = SSL_get_error(ssl, result);
            snprintf(told, size, "%d %d %ld: ", kind, kind == SSL_ERROR_SYSCALL ? before : 0,
                     SSL_get_verify_result(ssl));
        }
        tell_errors(told + strlen(told), size - strlen(told));
    }
    /* An error of its own is alone in its queue, also after a wait. */
    snprintf(own, sizeof own, "session %d", i);
    ERR_raise_data(ERR_LIB_USER, 1, "%s", own);
    usleep((useconds_t)(i % 5) * 10000);
    tell_errors(found, sizeof found);
    size_t used = strlen(told);
    if (strstr(found, own) == NULL || strchr(found, ';') != found + strlen(found) - 1)
        snprintf(told + used, size - used, " another's error: %s", found);
    SSL_free(ssl);
    close(fd);
}
