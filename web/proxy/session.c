/* session.c - see proxy.h: one WebSocket, from its handshake to its end.
 *
 * A page does not see the status of a handshake that fails. So the handshake is accepted, and what
 * is refused ends with a status and a text that the page can show. */
#include <arpa/inet.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "proxy.h"

enum { TEXT = 160 }; /* an address with its port as text, or a line for the page */
enum { HOST = 256 };
enum { PING_SECONDS = 30 };
enum { ADDRESSES = 64 }; /* of one name */

struct session {
    struct proxy *p;
    co4_websocket *ws;
    char peer[TEXT];
};

/* ---- texts ---- */

/* "127.0.0.1 5432", "::1 5432", "fe80::1%2 5432"; "" of another family. */
static void write_address(const struct sockaddr *a, char *text, size_t room)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)a;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)a;
    char host[INET6_ADDRSTRLEN], scope[16] = "";
    bool is_4 = a->sa_family == AF_INET;
    text[0] = '\0';
    if (!is_4 && a->sa_family != AF_INET6)
        return;
    inet_ntop(a->sa_family, is_4 ? (const void *)&in->sin_addr : (const void *)&in6->sin6_addr,
              host, sizeof host);
    if (!is_4 && in6->sin6_scope_id > 0)
        snprintf(scope, sizeof scope, "%%%u", (unsigned)in6->sin6_scope_id);
    snprintf(text, room, "%s%s %d", host, scope, ntohs(is_4 ? in->sin_port : in6->sin6_port));
}

/* Of a name that a call of getpeername's form gives. */
static void write_name(int (*get)(int, struct sockaddr *, socklen_t *), int fd, char *text,
                       size_t room)
{
    struct sockaddr_storage a;
    socklen_t size = sizeof a;
    text[0] = '\0';
    if (get(fd, (struct sockaddr *)&a, &size) == 0)
        write_address((struct sockaddr *)&a, text, room);
}

/* Text from outside must not write to a terminal as it likes. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
}

__attribute__((format(printf, 2, 3))) static void note(const struct session *s, const char *format,
                                                       ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    make_printable(line);
    fprintf(stderr, "co4-proxy: %s: %s\n", s->peer, line);
}

/* ---- who may ask ---- */

/* "http://localhost:8000" has the origin "http://localhost:*", too. */
static bool is_origin(const char *allowed, const char *origin)
{
    size_t size = strlen(allowed);
    if (strcmp(allowed, "*") == 0)
        return true;
    if (size < 3 || strcmp(allowed + size - 2, ":*") != 0)
        return strcasecmp(allowed, origin) == 0;
    size -= 2;
    return strncasecmp(allowed, origin, size) == 0 &&
           (origin[size] == '\0' ||
            (origin[size] == ':' &&
             origin[size + 1 + strspn(origin + size + 1, "0123456789")] == '\0'));
}

/* A program that is no browser has no origin; it is not what this defends against. */
static bool has_origin(const struct proxy *p, const char *origin)
{
    if (!origin)
        return true;
    for (const char *const *allowed = p->origins; *allowed; allowed++)
        if (is_origin(*allowed, origin))
            return true;
    return false;
}

/* In a time that does not tell how much of it is right. */
static bool has_token(const struct proxy *p, const char *token)
{
    if (!p->token)
        return true;
    size_t size = strlen(p->token), given = token ? strlen(token) : 0;
    unsigned char differs = size != given;
    for (size_t i = 0; i < given; i++)
        differs |= (unsigned char)(token[i] ^ p->token[i % (size + 1)]);
    return differs == 0;
}

/* ---- the frame of all sessions ---- */

static struct ending refused(int status, const char *format, const char *what)
{
    struct ending e = { .status = status };
    snprintf(e.reason, sizeof e.reason, format, what);
    make_printable(e.reason);
    return e;
}

static struct ending finished(void)
{
    return (struct ending){ .status = STATUS_OK };
}

static struct ending look_at_request(const struct proxy *p, co4_http_call *call)
{
    const char *origin = co4_http_field(call, "Origin");
    if (!has_origin(p, origin))
        return refused(STATUS_REFUSED, "the origin %.60s is not allowed, see --origin", origin);
    if (!has_token(p, co4_http_query_param(call, "token")))
        return refused(STATUS_TOKEN, "the token is missing or wrong%s", "");
    if (p->open > p->most)
        return refused(STATUS_TOO_MANY, "too many connections, see --connections%s", "");
    return finished();
}

static pausable void end_session(const struct session *s, const struct ending *e)
{
    if (e->status != STATUS_OK && e->status != 0)
        note(s, "%d %s", e->status, e->reason);
    if (e->status != 0)
        co4_websocket_end_until(s->ws, e->status, e->reason, co4_after(5 * CO4_SEC));
}

typedef pausable struct ending body(struct session *s, co4_http_call *call);

static void leave(struct session *s)
{
    s->p->open--;
    co4_websocket_destroy(s->ws);
}

static pausable int run_session(struct proxy *p, co4_http_call *call, body *serve)
{
    const co4_websocket_options options = { .most = p->message, .ping = PING_SECONDS * CO4_SEC };
    __attribute__((cleanup(leave))) struct session s = { .p = p };
    p->open++;
    write_name(co4_getpeername, co4_conn_fd(co4_http_conn(call)), s.peer, sizeof s.peer);
    int err = co4_websocket_accept(&s.ws, call, &options);
    if (err != CO4_OK) {
        note(&s, "no WebSocket: %s", co4_strerror(err));
        return CO4_OK; /* it has been answered */
    }
    if (p->verbose)
        note(&s, "%s", co4_http_path(call));
    struct ending e = look_at_request(p, call);
    if (e.status == STATUS_OK)
        e = serve(&s, call);
    end_session(&s, &e);
    return CO4_OK;
}

static pausable int say(const struct session *s, const char *text)
{
    return co4_websocket_send(s->ws, CO4_WEBSOCKET_TEXT, text, strlen(text));
}

static pausable struct ending failed(const struct session *s, const char *name)
{
    char text[TEXT];
    snprintf(text, sizeof text, "failed %s", name);
    say(s, text);
    if (s->p->verbose)
        note(s, "%s", text);
    return finished();
}

/* ---- connections ---- */

/* The page learns the true addresses, and how much it may send. */
static pausable struct ending relay_to(const struct session *s, int fd)
{
    char there[TEXT / 3], here[TEXT / 3], text[TEXT];
    write_name(co4_getpeername, fd, there, sizeof there);
    write_name(co4_getsockname, fd, here, sizeof here);
    bool has_names = *there && *here;
    snprintf(text, sizeof text, "connected %zu%s%s%s%s", s->p->window, has_names ? " " : "",
             has_names ? there : "", has_names ? " " : "", has_names ? here : "");
    co4_setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, sizeof(int));
    co4_conn *server = co4_conn_create(fd);
    if (!server) {
        co4_close(fd);
        return failed(s, "ENOMEM");
    }
    say(s, text); /* a page that has gone is noticed by the relay */
    return relay(s->p, s->ws, server);
}

static pausable int connect_to(const struct session *s, const struct sockaddr *a)
{
    char text[TEXT];
    write_address(a, text, sizeof text);
    char *space = strchr(text, ' ');
    if (!space)
        return -EAFNOSUPPORT;
    *space = '\0';
    return co4_tcp_connect_until(text, space + 1, co4_after(s->p->patience));
}

/* Connects to the first address that is allowed and answers. Returns a descriptor or a code; EACCES
 * if none is allowed. */
static pausable int connect_first(const struct session *s, const struct addrinfo *found)
{
    int fd = -EACCES;
    for (int n = 0; found && fd < 0 && n < ADDRESSES; found = found->ai_next, n++)
        if (rules_address(&s->p->rules, found->ai_addr))
            fd = connect_to(s, found->ai_addr);
    return fd;
}

static void free_found(struct addrinfo **found)
{
    if (*found)
        freeaddrinfo(*found);
}

static bool is_port(const char *port)
{
    return *port && strlen(port) <= 5 && port[strspn(port, "0123456789")] == '\0';
}

/* A number needs no lookup, in whatever form it is written. */
static pausable bool may_look_up(const struct session *s, const char *host)
{
    const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
    __attribute__((cleanup(free_found))) struct addrinfo *found = NULL;
    return rules_name(&s->p->rules, host) || co4_resolve(host, NULL, &hints, &found) == CO4_OK;
}

static pausable struct ending serve_tcp(struct session *s, co4_http_call *call)
{
    char target[HOST + 16];
    __attribute__((cleanup(free_found))) struct addrinfo *found = NULL;
    const char *host = co4_http_param(call, "host"), *port = co4_http_param(call, "port");
    if (!host || strlen(host) >= HOST || !port || !is_port(port))
        return refused(STATUS_REQUEST, "no host and port in the path%s", "");
    snprintf(target, sizeof target, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
    if (!may_look_up(s, host))
        return refused(STATUS_REFUSED, "%.80s is not allowed, see --allow", target);
    if (rules_look_up(&s->p->rules, host, port, AF_UNSPEC, &found) != CO4_OK)
        return failed(s, "EHOSTUNREACH");
    int fd = connect_first(s, found);
    if (fd == -EACCES)
        return refused(STATUS_REFUSED, "%.80s is not allowed, see --allow", target);
    return fd < 0 ? failed(s, relay_code(fd)) : relay_to(s, fd);
}

static pausable struct ending serve_unix(struct session *s, co4_http_call *call)
{
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *rest = co4_http_param(call, "path");
    if (!rest || strlen(rest) + 2 > sizeof path)
        return refused(STATUS_REQUEST, "no path of a socket in the path%s", "");
    snprintf(path, sizeof path, "/%s", rest);
    if (!rules_path(&s->p->rules, path))
        return refused(STATUS_REFUSED, "unix:%.80s is not allowed, see --allow", path);
    int fd = co4_unix_connect_until(path, co4_after(s->p->patience));
    return fd < 0 ? failed(s, relay_code(fd)) : relay_to(s, fd);
}

/* ---- names ---- */

static const char *name_code(int code)
{
    return code == -ENOENT                               ? "EAI_NONAME"
           : code == CO4_EAGAIN || code == CO4_ETIMEDOUT ? "EAI_AGAIN"
           : code == CO4_ENOMEM                          ? "EAI_MEMORY"
                                                         : "EAI_FAIL";
}

/* "names CANONICAL ADDRESS…" */
static pausable struct ending say_names(const struct session *s, const struct addrinfo *found)
{
    char text[HOST + 16 + ADDRESSES * (INET6_ADDRSTRLEN + 32)];
    const char *canonical = found->ai_canonname ? found->ai_canonname : "";
    int size = snprintf(text, sizeof text, "names %.255s", canonical);
    for (int n = 0; found && n < ADDRESSES; found = found->ai_next, n++) {
        char address[TEXT];
        write_address(found->ai_addr, address, sizeof address);
        size += snprintf(text + size, sizeof text - (size_t)size, " %.*s",
                         (int)strcspn(address, " "), address);
    }
    say(s, text);
    return finished();
}

static pausable struct ending serve_names(struct session *s, co4_http_call *call)
{
    __attribute__((cleanup(free_found))) struct addrinfo *found = NULL;
    const char *host = co4_http_param(call, "host"), *wants = co4_http_query_param(call, "family");
    int family = wants && strcmp(wants, "4") == 0   ? AF_INET
                 : wants && strcmp(wants, "6") == 0 ? AF_INET6
                                                    : AF_UNSPEC;
    if (!host || strlen(host) >= HOST)
        return refused(STATUS_REQUEST, "no host in the path%s", "");
    if (!may_look_up(s, host))
        return refused(STATUS_REFUSED, "the name %.70s is not allowed, see --allow", host);
    int err = rules_look_up(&s->p->rules, host, NULL, family, &found);
    return err == CO4_OK ? say_names(s, found) : failed(s, name_code(err));
}

static pausable struct ending serve_other(struct session *s, co4_http_call *call)
{
    (void)s;
    return refused(STATUS_REQUEST, "%.60s: /tcp/HOST/PORT, /unix/PATH or /names/HOST is wanted",
                   co4_http_path(call));
}

/* ---- handlers ---- */

pausable int session_tcp(co4_http_call *call, void *proxy)
{
    return run_session(proxy, call, serve_tcp);
}

pausable int session_unix(co4_http_call *call, void *proxy)
{
    return run_session(proxy, call, serve_unix);
}

pausable int session_names(co4_http_call *call, void *proxy)
{
    return run_session(proxy, call, serve_names);
}

pausable int session_other(co4_http_call *call, void *proxy)
{
    return run_session(proxy, call, serve_other);
}
