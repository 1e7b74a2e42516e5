/* server.h - nats-server for the tests: on loopback, on a free port, with a store in a folder. It
 * ends with the program. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

struct server {
    int pid, port;
    char url[64], folder[200];
    const char *options[12];  /* more words of its command, up to NULL */
    bool without_streams, v6; /* v6: on [::1] */
};

/* For co4_nats_options.attempt: a program that begins under valgrind beside others may take longer
 * than by default to read what the server has said. */
#define PATIENT (30 * CO4_SEC)

/* All of them block. */
void server_start(struct server *s); /* again on the same port, if it had one */
void server_kill(struct server *s, int signo);
void server_end(struct server *s);
int server_free_port(void);

#endif
