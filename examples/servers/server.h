/* server.h - what the servers have in common: options, the loop that accepts, the end.
 *
 *     server --port N --workers N --host ADDRESS
 *
 * A server prints `port N` when it listens. From then on SIGINT and SIGTERM end it: it accepts no
 * more, and each connection gets an end of its input. After three seconds the connections end that
 * are left. The program ends after the last of them. */
#ifndef SERVER_H
#define SERVER_H

#include <co4.h>
#include <co4/conn.h>
#include <stdbool.h>
#include <stdint.h>

/* Serves one connection. The caller closes it. */
pausable typedef void server_task(co4_conn *c);
/* Returns 0, or another number after it has said why the server cannot start. */
pausable typedef int server_begin(void);
pausable typedef int server_end(void); /* returns the exit status */
struct server;
pausable typedef int server_runner(const struct server *s); /* likewise */

struct server {
    server_task *serve;
    server_runner *run;      /* in place of all else but the options; or NULL */
    server_begin *begin;     /* before it listens; or NULL */
    server_end *end;         /* after the last connection; or NULL */
    const char *unix_path;   /* listens there, too; or NULL */
    const char *host, *port; /* options */
    int workers;
};

/* Reads the value of an option. Returns false after it has said what the value has to be. */
bool server_number(const char *option, const char *text, int64_t least, int64_t most, int64_t *n);
/* Takes an option that it knows, and the word behind it, out of the arguments. Returns how many
 * words these are; 0: another option, or a value that makes no sense. */
int server_option(struct server *s, int argc, char **argv);
/* Whether a signal has come, and the time of peers that take no output is over. */
bool server_is_over(void);
/* Runs until a signal comes. Returns the exit status. */
int server_run(struct server *s);

#endif
