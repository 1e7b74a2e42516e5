/* main.c - co4-proxy: sockets for C in a page. See proxy.h and docs/web-proxy.md.
 *
 *     co4-proxy --allow localhost:5432 --origin https://example.org
 *
 * It prints its address when it listens. SIGTERM and SIGINT end it, and so does the end of standard
 * input with --exit-with-parent. */
#include <arpa/inet.h>
#include <co4/blocking.h>
#include <co4/io.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proxy.h"

enum { ORIGINS = 64, GRACE_SECONDS = 1, SPARE = 64 };
enum { LEAST_MESSAGE = 32 << 10 }; /* so pages may always send so much */

static const char usage[] =
    "usage: co4-proxy --allow HOST:PORT [options]\n"
    "Connects WebSockets of a page to servers: docs/web-proxy.md.\n"
    "  --allow HOST:PORT    a server that may be connected to; also HOST:FIRST-LAST, HOST:*,\n"
    "                       [IPv6]:PORT, *:PORT, unix:PATH; may be repeated\n"
    "  --origin ORIGIN      pages of this origin may connect: https://example.org,\n"
    "                       http://localhost:*, null, or * for all; may be repeated;\n"
    "                       default: those of http://localhost, 127.0.0.1 and [::1]\n"
    "  --token TEXT         pages have to say it: ws://...?token=TEXT; default: the variable\n"
    "                       CO4_PROXY_TOKEN, or none\n"
    "  --host HOST          listens there (127.0.0.1); other machines only with a token\n"
    "  --port N             listens there (8764); 0: any free port\n"
    "  --port-file FILE     writes the port to a file when it listens\n"
    "  --tls-cert FILE      speaks TLS (wss:) with this certificate\n"
    "  --tls-key FILE       and its key\n"
    "  --connections N      at most so many WebSockets at once (4096)\n"
    "  --window BYTES       from a page that wait for its server, each (262144)\n"
    "  --message BYTES      of one message from a page (65536)\n"
    "  --idle SECONDS       without a byte, then a connection ends (0: never)\n"
    "  --connect-timeout SECONDS   for a server that does not answer (30)\n"
    "  --exit-with-parent   ends at the end of its standard input\n"
    "  --verbose            logs each connection\n"
    "  --help               prints this\n";

struct options {
    struct proxy proxy;
    const char *origins[ORIGINS + 1];
    int given_origins;
    const char *host, *port, *port_file, *cert, *key;
    bool exits_with_parent;
};

/* ---- options ---- */

static bool complain(const char *what, const char *value, const char *why)
{
    fprintf(stderr, "co4-proxy: %s %s: %s\n", what, value, why);
    return false;
}

static bool read_number(const char *name, const char *text, long long least, long long most,
                        long long *n)
{
    char *end;
    *n = strtoll(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && *n >= least && *n <= most)
        return true;
    char why[80];
    snprintf(why, sizeof why, "a number from %lld to %lld is wanted", least, most);
    return complain(name, text, why);
}

static bool add_origin(struct options *o, const char *text)
{
    if (o->given_origins == ORIGINS)
        return complain("--origin", text, "too many");
    if (strcmp(text, "*") != 0 && strcmp(text, "null") != 0 && !strstr(text, "://"))
        return complain("--origin", text, "https://HOST, https://HOST:PORT, null or * is wanted");
    if (*text && text[strlen(text) - 1] == '/')
        return complain("--origin", text, "an origin has no / at its end");
    o->origins[o->given_origins++] = text;
    return true;
}

static bool add_rule(struct options *o, const char *text)
{
    const char *wrong = rules_add(&o->proxy.rules, text);
    return !wrong || complain("--allow", text, wrong);
}

enum {
    ALLOW = 256,
    ORIGIN,
    TOKEN,
    HOST,
    PORT,
    PORT_FILE,
    CERT,
    KEY,
    CONNECTIONS,
    WINDOW,
    MESSAGE,
    IDLE,
    CONNECT,
    PARENT,
    VERBOSE,
    HELP
};

static const struct option names[] = {
    { "allow", required_argument, NULL, ALLOW },
    { "origin", required_argument, NULL, ORIGIN },
    { "token", required_argument, NULL, TOKEN },
    { "host", required_argument, NULL, HOST },
    { "port", required_argument, NULL, PORT },
    { "port-file", required_argument, NULL, PORT_FILE },
    { "tls-cert", required_argument, NULL, CERT },
    { "tls-key", required_argument, NULL, KEY },
    { "connections", required_argument, NULL, CONNECTIONS },
    { "window", required_argument, NULL, WINDOW },
    { "message", required_argument, NULL, MESSAGE },
    { "idle", required_argument, NULL, IDLE },
    { "connect-timeout", required_argument, NULL, CONNECT },
    { "exit-with-parent", no_argument, NULL, PARENT },
    { "verbose", no_argument, NULL, VERBOSE },
    { "help", no_argument, NULL, HELP },
    { NULL, 0, NULL, 0 },
};

static bool take_limit(struct options *o, int option, const char *text)
{
    struct proxy *p = &o->proxy;
    long long n = 0;
    bool is_right = false;
    switch (option) {
    case CONNECTIONS:
        is_right = read_number("--connections", text, 1, 1000000, &n);
        p->most = (int)n;
        break;
    case WINDOW:
        is_right = read_number("--window", text, 1, 1 << 30, &n);
        p->window = (size_t)n;
        break;
    case MESSAGE:
        is_right = read_number("--message", text, LEAST_MESSAGE, 1 << 30, &n);
        p->message = (size_t)n;
        break;
    case IDLE:
        is_right = read_number("--idle", text, 0, 1000000, &n);
        p->idle = n * CO4_SEC;
        break;
    case CONNECT:
        is_right = read_number("--connect-timeout", text, 1, 1000000, &n);
        p->patience = n * CO4_SEC;
        break;
    default:
        break; /* getopt has said it */
    }
    return is_right;
}

static bool take_option(struct options *o, int option, const char *text)
{
    switch (option) {
    case ALLOW:
        return add_rule(o, text);
    case ORIGIN:
        return add_origin(o, text);
    case TOKEN:
        o->proxy.token = text;
        return true;
    case HOST:
        o->host = text;
        return true;
    case PORT:
        o->port = text;
        return true;
    case PORT_FILE:
        o->port_file = text;
        return true;
    case CERT:
        o->cert = text;
        return true;
    case KEY:
        o->key = text;
        return true;
    case PARENT:
        o->exits_with_parent = true;
        return true;
    case VERBOSE:
        o->proxy.verbose = true;
        return true;
    case HELP:
        fputs(usage, stdout);
        exit(0);
    default:
        return take_limit(o, option, text);
    }
}

static bool is_loopback(const char *host)
{
    struct in_addr in;
    struct in6_addr in6;
    if (inet_pton(AF_INET, host, &in) == 1)
        return ntohl(in.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, host, &in6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&in6);
    return strcmp(host, "localhost") == 0;
}

static bool set_defaults(struct options *o)
{
    static const char *const local[] = { "http://localhost:*",
                                         "https://localhost:*",
                                         "http://127.0.0.1:*",
                                         "https://127.0.0.1:*",
                                         "http://[::1]:*",
                                         "https://[::1]:*",
                                         NULL };
    o->proxy.origins = o->given_origins > 0 ? o->origins : local;
    if (!o->proxy.token)
        o->proxy.token = getenv("CO4_PROXY_TOKEN");
    if (o->proxy.token && !*o->proxy.token)
        return complain("--token", "\"\"", "an empty token protects nothing");
    if (!is_loopback(o->host) && !o->proxy.token)
        return complain("--host", o->host, "other machines may connect only with a --token");
    if (!o->cert != !o->key)
        return complain("--tls-cert", "and --tls-key", "one needs the other");
    if (o->proxy.rules.count == 0)
        fprintf(stderr, "co4-proxy: without --allow every connection is refused\n");
    return true;
}

static bool read_options(struct options *o, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (!take_option(o, option, optarg))
            return false;
    if (optind < argc)
        return complain("the word", argv[optind], "is no option");
    return set_defaults(o);
}

/* ---- the server ---- */

/* Two descriptors for each connection. */
static void raise_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* A reader of the file never sees half of it. */
static bool write_port(const char *file, int port)
{
    char made[4096];
    if (snprintf(made, sizeof made, "%s.new", file) >= (int)sizeof made)
        return complain("--port-file", file, "the name is too long");
    FILE *f = fopen(made, "w");
    bool is_written = f && fprintf(f, "%d\n", port) > 0;
    if (f && fclose(f) != 0)
        is_written = false;
    if (is_written && rename(made, file) == 0)
        return true;
    perror(file);
    return false;
}

static bool announce(const struct options *o, int port)
{
    bool is_v6 = strchr(o->host, ':') != NULL;
    printf("%s://%s%s%s:%d/\n", o->cert ? "wss" : "ws", is_v6 ? "[" : "", o->host, is_v6 ? "]" : "",
           port);
    fflush(stdout);
    return !o->port_file || write_port(o->port_file, port);
}

static pausable int watch_parent(co4_http_server *server)
{
    char byte[64];
    while (co4_read(0, byte, sizeof byte) > 0)
        ;
    co4_http_stop(server);
    return CO4_OK;
}

static pausable int serve(const struct options *o, co4_http_server *server)
{
    co4_task *watcher = o->exits_with_parent ? co4_spawn(watch_parent(server)) : NULL;
    int err = co4_http_serve(server);
    if (watcher) {
        co4_task_cancel(watcher, 0);
        co4_join(watcher, NULL);
    }
    return err;
}

static pausable int listen_and_serve(struct options *o, co4_tls_config *tls)
{
    struct proxy *p = &o->proxy;
    const co4_http_route routes[] = { { "GET", "/tcp/{host}/{port}", session_tcp, p },
                                      { "GET", "/unix/{path...}", session_unix, p },
                                      { "GET", "/names/{host}", session_names, p },
                                      { "GET", "/{rest...}", session_other, p },
                                      { 0 } };
    const co4_http_options options = { .host = o->host,
                                       .port = o->port,
                                       .routes = routes,
                                       .tls = tls,
                                       .connections = p->most + SPARE,
                                       .grace = GRACE_SECONDS * CO4_SEC,
                                       .flags = CO4_HTTP_SIGNALS };
    co4_http_server *server;
    int err = co4_http_listen(&server, &options);
    if (err != CO4_OK)
        fprintf(stderr, "co4-proxy: %s, port %s: %s\n", o->host, o->port, co4_strerror(err));
    else if (co4_blocking(announce(o, co4_http_port(server))))
        err = serve(o, server);
    else
        err = CO4_EINVAL;
    co4_http_server_destroy(server);
    return err;
}

static int run(struct options *o)
{
    co4_tls_config *tls = NULL;
    const co4_tls_options files = { .cert_file = o->cert, .key_file = o->key };
    int err = o->cert ? co4_tls_server(&tls, &files) : CO4_OK;
    if (err != CO4_OK) {
        complain("--tls-cert", o->cert, co4_tls_error_text());
        return 1;
    }
    raise_limit();
    err = co4_run(listen_and_serve(o, tls));
    co4_tls_config_release(tls);
    return err == CO4_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options o = { .host = "127.0.0.1",
                         .port = "8764",
                         .proxy = { .most = 4096,
                                    .window = 256 << 10,
                                    .message = 64 << 10,
                                    .patience = 30 * CO4_SEC } };
    int status = read_options(&o, argc, argv) ? run(&o) : 2;
    rules_free(&o.proxy.rules);
    return status;
}
