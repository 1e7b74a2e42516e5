/* worker.c - a worker process that is killed by SIGKILL while it has work: others do it, and none
 * is lost. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

enum { JOBS = 300, CREDIT = 5 };

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .attempt = PATIENT };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* What is acknowledged in time comes once: also if the machine pauses. */
static const co4_nats_consumer_options w = { .name = "w",
                                             .ack_wait = 3 * CO4_SEC,
                                             .credit = CREDIT };

static int given_again(const co4_nats_message *m)
{
    co4_nats_origin origin = { 0 };
    co4_nats_origin_of(m, &origin);
    return origin.given > 1;
}

/* To the parent, by a pipe that has room. */
static bool report(int to, const void *done, size_t bytes)
{
    return write(to, done, bytes) == (ssize_t)bytes;
}

/* The child: does half of what it takes, has the rest, and tells by a pipe. It may get what an
 * earlier one had. */
static pausable int be_worker(const char *url, int to)
{
    co4_nats *c = open_one(url);
    co4_nats_consumer *k;
    co4_nats_message *m[CREDIT];
    if (!c || co4_nats_consume(&k, c, "JOBS", &w, SOON) != CO4_OK)
        return 1;
    int again = 0;
    for (int i = 0; i < CREDIT; i++) {
        if (co4_nats_take(k, &m[i], SOON) != CO4_OK)
            return 2;
        again += given_again(m[i]);
    }
    if (co4_nats_ack_sure(k, m[0], SOON) != CO4_OK || co4_nats_ack_sure(k, m[2], SOON) != CO4_OK)
        return 3;
    int done[3] = { atoi(m[0]->data), atoi(m[2]->data), again };
    if (!report(to, done, sizeof done))
        return 4;
    co4_sleep(CO4_NEVER);
    return 5;
}

/* Starts one, and kills it when it has work. Notes what it has done. Returns how many
 * of its jobs were given again. */
static int run_worker(const char *program, const char *url, struct tally *t)
{
    int fds[2], done[3] = { 0 };
    char number[16];
    if (pipe(fds) != 0)
        abort();
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(number, sizeof number, "%d", fds[1]);
        execl(program, program, url, number, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    if (read(fds[0], done, sizeof done) != sizeof done)
        printf("a worker has failed\n");
    close(fds[0]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    t->seen[done[0]]++;
    t->seen[done[1]]++;
    return done[2];
}

static pausable int all(const struct server *server, const char *program)
{
    struct tally *t = calloc(1, sizeof *t);
    char data[LARGEST];
    co4_nats *c = open_one(server->url);
    co4_nats_consumer *k;
    co4_nats_message *m;
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    show("stream", co4_nats_stream_create(c, &o, SOON));
    for (int i = 0; i < JOBS; i++) {
        co4_nats_outgoing job = { .subject = "JOBS", .data = data, .size = fill(data, i) };
        int stored = co4_nats_store(c, &job, NULL, NULL, SOON);
        if (stored != CO4_OK)
            show("store", stored);
    }
    int again = 0, err = CO4_OK;
    for (int i = 0; i < 4; i++)
        again += run_worker(program, server->url, t);
    show("consume", co4_nats_consume(&k, c, "JOBS", &w, SOON));
    while (missing(t, JOBS) > 0 && (err = co4_nats_take(k, &m, SOON)) == CO4_OK) {
        again += given_again(m);
        count_in(t, m->data, m->size);
        err = co4_nats_ack_sure(k, m, SOON);
        if (err != CO4_OK)
            show("ack", err);
        co4_nats_message_destroy(m);
    }
    show("take", err);
    printf("%d missing, %d twice, %d damaged; %d at least were given again: %d\n", missing(t, JOBS),
           t->twice, t->damaged, 4 * (CREDIT - 2), again >= 4 * (CREDIT - 2));
    co4_nats_stream_state state;
    show("look", co4_nats_stream_look(c, "JOBS", &state, SOON));
    printf("%d are left\n", (int)state.messages);
    co4_nats_consumer_destroy(k);
    show("close", co4_nats_close(c, SOON));
    free(t);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return co4_run(be_worker(argv[1], atoi(argv[2])));
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server, argv[0]));
    server_end(&server);
    return err;
}
