/* lease.c - a process that has a lease, is stopped for longer than that lasts, and goes on without
 * knowing. Another process has the lease by then. The store compares tokens, and is not harmed. */
#define _GNU_SOURCE
#include <co4/nats_service.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

enum { TIME = 1000 }; /* ms of a lease */

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* ---- the store ---- */

static unsigned long long last_token;
static char stored[64];

/* "<token> <text>" */
static pausable int store(co4_nats_call *call, void *arg)
{
    char *text;
    unsigned long long token = strtoull(co4_nats_call_message(call)->data, &text, 10);
    (void)arg;
    if (token < last_token)
        return CO4_NATS_ECONFLICT;
    last_token = token;
    snprintf(stored, sizeof stored, "%s", text);
    return CO4_OK;
}

static pausable int serve(co4_nats *c, co4_future *ready)
{
    return co4_nats_serve(c, &(co4_nats_service_options){ .name = "store", .ready = ready }, store,
                          NULL);
}

static pausable void write_to_store(co4_nats *c, const co4_nats_lease *l, const char *text)
{
    char data[64];
    int size = snprintf(data, sizeof data, "%llu %s", (unsigned long long)l->token, text);
    co4_nats_outgoing m = { .subject = "store", .data = data, .size = (size_t)size };
    co4_nats_failure failure;
    co4_nats_message *reply;
    int err = co4_nats_ask(c, &m, &reply, &failure, SOON);
    printf("%s writes '%s': ", l->owner, text);
    printf("%s\n", err == CO4_NATS_ESERVICE ? failure.text : co4_strerror(err));
    co4_nats_message_destroy(reply);
}

static pausable int take(co4_nats_lease *l, co4_nats_kv *kv, const char *owner)
{
    return co4_nats_lease_take(l, kv, "printer", owner, TIME * CO4_MS, SOON);
}

/* ---- the one that is stopped ---- */

/* Whoever has continued it has the lease. */
static pausable int holder(const char *url)
{
    co4_nats_kv *kv;
    co4_nats_lease l, again;
    co4_nats *c = open_one(url);
    show("open", co4_nats_kv_open(&kv, c, "L", NULL, SOON));
    show("the first takes", take(&l, kv, "first"));
    write_to_store(c, &l, "one");
    bool has = co4_now() < l.until;
    raise(SIGSTOP); /* between the look at the lease and what is done with it */
    write_to_store(c, &l, "two");
    printf("it had it: %d, and has it: %d\n", has, co4_now() < l.until);
    show("the first renews", co4_nats_lease_renew(&l, kv, SOON));
    show("the first gives", co4_nats_lease_give(&l, kv, SOON));
    show("the first takes", take(&again, kv, "first")); /* it is not renewed */
    printf("with a larger token: %d\n", again.token > l.token);
    write_to_store(c, &again, "four");
    show("the first gives", co4_nats_lease_give(&again, kv, SOON));
    co4_nats_kv_close(kv);
    return co4_nats_close(c, SOON);
}

static int start_holder(const char *self, const char *url)
{
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it may be stopped */
        execl(self, self, url, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* Returns its status, when it has stopped or ended. */
static pausable int status_of(int pid)
{
    int status = 0;
    for (int64_t end = SOON; waitpid(pid, &status, WUNTRACED | WNOHANG) == 0 && co4_now() < end;)
        co4_sleep(CO4_MS);
    return status;
}

/* ---- the other ---- */

static pausable int all(const char *self, const char *url)
{
    co4_nats_kv *kv;
    co4_nats_lease l;
    co4_nats *c = open_one(url), *d = open_one(url);
    show("open", co4_nats_kv_open(&kv, c, "L", NULL, SOON));
    co4_future *ready = co4_future_create(0);
    co4_task *server = co4_spawn(serve(d, ready));
    show("serve", (co4_future_await)(ready, NULL, 0));
    int pid = start_holder(self, url);
    printf("stopped: %d\n", WIFSTOPPED(status_of(pid)));
    unsigned long long first = last_token;
    show("the second takes", take(&l, kv, "second"));
    printf("with a larger token: %d\n", l.token > first);
    write_to_store(c, &l, "three");
    kill(pid, SIGCONT);
    int status = status_of(pid);
    printf("it has ended: %d, stored is%s\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, stored);
    show("the second renews", co4_nats_lease_renew(&l, kv, SOON));
    write_to_store(c, &l, "five");
    printf("stored is%s\n", stored);
    co4_nats_kv_close(kv);
    show("close", co4_nats_close(d, SOON));
    co4_join(server, NULL);
    co4_future_release(ready);
    show("close", co4_nats_close(c, SOON));
    return 0;
}

int main(int argc, char **argv)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1)
        return co4_run(holder(argv[1])) != CO4_OK;
    server_start(&server);
    int err = co4_run(all(argv[0], server.url));
    server_end(&server);
    return err;
}
