/* credentials.c - users that are refused, revoked and renewed, while they are connected. */
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"
#include "nkeys.h"

static char folder[] = "/tmp/co4-nats-users.XXXXXX", config[64];

/* Writes the server's configuration. */
static void configure(const char *text)
{
    char temporary[80];
    snprintf(temporary, sizeof temporary, "%s.new", config);
    FILE *file = fopen(temporary, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0 || rename(temporary, config) != 0)
        abort();
}

static pausable co4_nats *open_one(const co4_nats_options *with, const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = *with;
    o.servers = urls;
    o.attempt = PATIENT;
    o.wait = with->wait ? with->wait : 50 * CO4_MS;
    int err = co4_nats_connect(&c, &o, SOON);
    show("connect", err);
    return c;
}

/* Waits for an event, and counts refusals. */
static pausable co4_nats_event until(co4_nats *c, co4_nats_event_kind kind, int *refused)
{
    co4_nats_event e = { 0 };
    *refused = 0;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
        if (e.kind == kind)
            return e;
        *refused += e.kind == CO4_NATS_ATTEMPT_FAILED && e.code == CO4_NATS_EAUTH;
    }
    printf("event %d does not come\n", (int)kind);
    return e;
}

static pausable int next(co4_nats_subscription *s)
{
    co4_nats_message *m;
    return co4_nats_next(s, &m, CO4_NEVER);
}

static pausable int ask(co4_nats *c)
{
    co4_nats_message *m;
    return co4_nats_request(c, "silent", "x", 1, &m, SOON);
}

typedef pausable void revoker(const struct server *server, void *arg);

/* The server reads its configuration again. */
static pausable void change(const struct server *server, void *without)
{
    configure(without);
    kill(server->pid, SIGHUP);
}

/* A user who is revoked while connected: the connection ends, and so do all that wait. */
static pausable void revoked(const struct server *server, const co4_nats_options *o,
                             revoker *revoke, void *arg)
{
    int refused, code;
    co4_nats_subscription *s;
    co4_nats *c = open_one(o, server->url);
    if (!c)
        return;
    show("subscribe", co4_nats_subscribe(&s, c, "silent", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_message *m;
    co4_task *asker = co4_spawn(ask(c));
    show("a request comes", co4_nats_next(s, &m, SOON));
    co4_nats_message_destroy(m);
    co4_task *reader = co4_spawn(next(s));
    revoke(server, arg);
    co4_nats_event e = until(c, CO4_NATS_CLOSED, &refused);
    printf("refused %d times: ", refused);
    show("closed", e.code);
    co4_join(asker, &code);
    show("a request", code);
    co4_join(reader, &code);
    show("a subscriber", code);
    show("publish", co4_nats_publish(c, "a", "x", 1, SOON));
    show("flush", co4_nats_flush(c, SOON));
    show("the monitor", co4_mailbox_receive(co4_nats_monitor(c), &e));
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
}

/* One who is refused once, and then is known again. */
static pausable void comes_back(const struct server *server, const co4_nats_options *o,
                                const char *with, const char *without)
{
    int refused;
    co4_nats *c = open_one(o, server->url);
    if (!c)
        return;
    configure(without);
    kill(server->pid, SIGHUP);
    co4_nats_event e = until(c, CO4_NATS_ATTEMPT_FAILED, &refused);
    show("an attempt", e.code);
    configure(with);
    kill(server->pid, SIGHUP);
    until(c, CO4_NATS_RECONNECTED, &refused);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* A server that has this configuration now. */
static void reload(struct server *server, const char *text)
{
    configure(text);
    server_kill(server, SIGKILL);
    server_start(server);
}

static pausable void passwords(struct server *server)
{
    static char both[] = "authorization { users: [ { user: me, password: secret }, "
                         "{ user: other, password: x } ] }\n",
                other[] = "authorization { users: [ { user: other, password: x } ] }\n";
    co4_nats_options me = { .user = "me", .password = "secret" };
    co4_nats_options wrong = { .user = "me", .password = "wrong" };
    reload(server, both);
    open_one(&wrong, server->url);
    revoked(server, &me, change, other);
    reload(server, both);
    /* The second attempt waits until the server knows it again, which takes a while: a second
     * refusal would end the connection. */
    co4_nats_options patient = me;
    patient.wait = 3 * CO4_SEC;
    comes_back(server, &patient, both, other);
}

static pausable void tokens(struct server *server)
{
    static char new_one[] = "authorization { token: \"a new one\" }\n";
    co4_nats_options me = { .token = "a token" }, wrong = { .token = "another" };
    reload(server, "authorization { token: \"a token\" }\n");
    open_one(&wrong, server->url);
    revoked(server, &me, change, new_one);
}

/* ---- JWT ---- */

struct users {
    struct nkey issuer, account, system, user, other;
    char file[80];
};

#define LIMITS "\"subs\":-1,\"data\":-1,\"payload\":-1"

static const char limits[] = "\"limits\":{" LIMITS ",\"imports\":-1,\"exports\":-1,"
                             "\"wildcards\":true,\"conn\":-1,\"leaf\":-1},\"type\":\"account\"";

static void account_config(const struct users *u, char *to, size_t room)
{
    char *issuer = nkey_token(&u->issuer, &u->issuer, "\"type\":\"operator\"", 0);
    char *account = nkey_token(&u->account, &u->issuer, limits, 0);
    char *other = nkey_token(&u->system, &u->issuer, limits, 0);
    snprintf(to, room,
             "operator: %s\nsystem_account: %s\nresolver: MEMORY\n"
             "resolver_preload: { %s: %s, %s: %s }\n",
             issuer, u->system.name, u->account.name, account, u->system.name, other);
    free(issuer);
    free(account);
    free(other);
}

static void user_file(const struct users *u, const struct nkey *account, const struct nkey *seed,
                      long expires)
{
    char *token = nkey_token(&u->user, account, LIMITS ",\"type\":\"user\"", expires);
    nkey_credentials(u->file, token, seed);
    free(token);
}

/* Tells the server of an account that has revoked the user. */
static pausable void revoke_user(const struct server *server, void *users)
{
    struct users *u = users;
    char subject[200], nats[1000];
    snprintf(nats, sizeof nats, "\"revocations\":{\"%s\":%ld},%s", u->user.name,
             (long)time(NULL) + 5, limits);
    char *account = nkey_token(&u->account, &u->issuer, nats, 0);
    snprintf(subject, sizeof subject, "$SYS.REQ.ACCOUNT.%s.CLAIMS.UPDATE", u->account.name);
    user_file(u, &u->system, &u->user, 0);
    co4_nats_options o = { .credentials = u->file };
    co4_nats *c = open_one(&o, server->url);
    user_file(u, &u->account, &u->user, 0);
    co4_nats_message *m = NULL;
    show("revoke", co4_nats_request(c, subject, account, strlen(account), &m, SOON));
    co4_nats_message_destroy(m);
    show("close", co4_nats_close(c, SOON));
    free(account);
}

/* A user whose token ends, and who has a new one in the file by then. */
static pausable void expires(const struct users *u, const struct server *server,
                             const co4_nats_options *o)
{
    int refused;
    user_file(u, &u->account, &u->user, (long)time(NULL) + 4);
    co4_nats *c = open_one(o, server->url);
    user_file(u, &u->account, &u->user, 0);
    co4_nats_event e = until(c, CO4_NATS_SERVER_ERROR, &refused);
    show(e.text, e.code);
    until(c, CO4_NATS_RECONNECTED, &refused);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* Files are open already, but for the socket. That is no reason to take the user for refused. */
static pausable void without_files(const struct server *server, const co4_nats_options *o)
{
    struct rlimit old, low;
    int next = dup(0);
    close(next);
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = (rlim_t)next + 1;
    setrlimit(RLIMIT_NOFILE, &low);
    open_one(o, server->url);
    setrlimit(RLIMIT_NOFILE, &old);
}

/* ---- what a user may do ---- */

static pausable void said(co4_nats *c)
{
    int refused;
    co4_nats_event e = until(c, CO4_NATS_SERVER_ERROR, &refused);
    show(e.text, e.code);
}

/* A server that does not permit something says so beside the call. The connection stays. */
static pausable void permissions(struct server *server)
{
    co4_nats_options o = { .user = "some", .password = "secret" };
    co4_nats_subscription *s;
    co4_nats_message *m;
    reload(server, "authorization: { users: [ { user: some, password: secret, permissions: {"
                   " publish: \"yes\", subscribe: [\"yes\", \"_INBOX.>\"] } } ] }\n");
    co4_nats *c = open_one(&o, server->url);
    if (!c)
        return;
    show("publish", co4_nats_publish(c, "no", "x", 1, SOON));
    said(c);
    show("request", co4_nats_request(c, "no", "x", 1, &m, co4_now() + 100 * CO4_MS));
    said(c);
    show("subscribe", co4_nats_subscribe(&s, c, "no", NULL, 0, 0, SOON));
    said(c);
    show("nothing", co4_nats_next(s, &m, co4_now() + CO4_MS));
    co4_nats_unsubscribe(s);
    show("subscribe", co4_nats_subscribe(&s, c, "yes", NULL, 0, 0, SOON));
    show("publish", co4_nats_publish(c, "yes", "x", 1, SOON));
    show("next", co4_nats_next(s, &m, SOON));
    co4_nats_message_destroy(m);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
}

/* Limits of a server and of an account: neither does it refuse the user, nor break a rule. */
static pausable void no_room(struct server *server)
{
    char bytes[2000] = { 0 };
    co4_nats_options o = { .user = "a", .password = "x", .rounds = -1 };
    co4_nats_outgoing m = { .subject = "S", .data = bytes, .size = sizeof bytes };
    reload(server, "max_connections: 1\naccounts { A { jetstream { max_file: 3000, max_mem: 0 }, "
                   "users: [ { user: a, password: x } ] } }\n");
    co4_nats *c = open_one(&o, server->url);
    open_one(&o, server->url);
    show("make", co4_nats_stream_create(c, &(co4_nats_stream_options){ .name = "S" }, SOON));
    show("store", co4_nats_store(c, &m, NULL, NULL, SOON));
    show("store", co4_nats_store(c, &m, NULL, NULL, SOON));
    show("close", co4_nats_close(c, SOON));
}

static pausable void jwt(struct server *server)
{
    static char with[8192];
    static struct users u;
    nkey_make(&u.issuer, NKEY_OPERATOR);
    nkey_make(&u.account, NKEY_ACCOUNT);
    nkey_make(&u.system, NKEY_ACCOUNT);
    nkey_make(&u.user, NKEY_USER);
    nkey_make(&u.other, NKEY_USER);
    snprintf(u.file, sizeof u.file, "%s/user.creds", folder);
    co4_nats_options me = { .credentials = u.file };
    account_config(&u, with, sizeof with);
    reload(server, with);
    open_one(&me, server->url); /* there is no file */
    user_file(&u, &u.account, &u.other, 0);
    open_one(&me, server->url); /* it has the seed of another */
    user_file(&u, &u.account, &u.user, (long)time(NULL) - 10);
    open_one(&me, server->url); /* it is over */
    without_files(server, &me);
    expires(&u, server, &me);
    revoked(server, &me, revoke_user, &u);
    remove(u.file);
}

/* ---- keys without tokens ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* A user is lost while its file is not there, or not whole, as the new one is being written. Nobody
 * has refused it: there are as many attempts as for any other reason. */
static pausable void without_file(struct server *server, const char *with, const char *without,
                                  const char *path, const char *text)
{
    int refused;
    co4_nats_event e;
    co4_nats_options o = { .credentials = path };
    reload(server, with);
    write_file(path, text);
    co4_nats *c = open_one(&o, server->url);
    o.rounds = 2;
    co4_nats *d = open_one(&o, server->url);
    write_file(path, "-----BEGIN NATS USER JWT-----\neyJ0");
    configure(without);
    kill(server->pid, SIGHUP);
    e = until(d, CO4_NATS_CLOSED, &refused);
    show("two rounds", e.code);
    show("close", co4_nats_close(d, SOON));
    remove(path);
    configure(with);
    kill(server->pid, SIGHUP);
    for (int i = 0; i < 8; i++) {
        e = until(c, CO4_NATS_ATTEMPT_FAILED, &refused);
        if (e.code != CO4_NATS_ECREDENTIALS)
            show("an attempt", e.code);
    }
    write_file(path, text);
    until(c, CO4_NATS_RECONNECTED, &refused);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

static pausable void keys(struct server *server)
{
    static char with[300], without[300], path[80], text[200];
    struct nkey user, other;
    nkey_make(&user, NKEY_USER);
    nkey_make(&other, NKEY_USER);
    snprintf(path, sizeof path, "%s/user.nk", folder);
    snprintf(with, sizeof with, "authorization { users: [ { nkey: %s }, { nkey: %s } ] }\n",
             user.name, other.name);
    snprintf(without, sizeof without, "authorization { users: [ { nkey: %s } ] }\n", other.name);
    co4_nats_options me = { .credentials = path };
    reload(server, with);
    write_file(path, user.seed_text);
    co4_nats *c = open_one(&me, server->url); /* the file is the seed */
    show("close", co4_nats_close(c, SOON));
    snprintf(text, sizeof text,
             "-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n",
             user.seed_text);
    without_file(server, with, without, path, text);
    reload(server, with);
    write_file(path, text);
    revoked(server, &me, change, without);
    snprintf(text, sizeof text, "%s and more\n", user.seed_text);
    write_file(path, text);
    open_one(&me, server->url);
    user.seed_text[10] = user.seed_text[10] == 'A' ? 'B' : 'A'; /* the checksum is another */
    write_file(path, user.seed_text);
    open_one(&me, server->url);
    remove(path);
}

static pausable int all(struct server *server)
{
    passwords(server);
    tokens(server);
    keys(server);
    permissions(server);
    no_room(server);
    jwt(server);
    return 0;
}

int main(void)
{
    if (!mkdtemp(folder))
        abort();
    snprintf(config, sizeof config, "%s/config", folder);
    configure("");
    struct server server = { .options = { "-c", config } };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    remove(config);
    rmdir(folder);
    return err;
}
